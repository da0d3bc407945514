/* SPDX-License-Identifier: ISC */
/* src/base/ipnet.c: one form for both families of addresses. */
#include "config.h"

#include "base/base.h"
#include "t/unit/tap.h"

static void
text_is_strict(void)
{
	static const struct str bad[] = {
		STR_INIT(""),
		STR_INIT("1.2.3"),
		STR_INIT("01.2.3.4"),
		STR_INIT("1.2.3.256"),
		STR_INIT("0x1.2.3.4"),
		STR_INIT("1.2.3.4.5"),
		STR_INIT("1.2.3.4/"),
		STR_INIT("1.2.3.4/33"),
		STR_INIT("1.2.3.4/08"),
		STR_INIT("1.2.3.4/-1"),
		STR_INIT("1.2.3.4/8/8"),
		STR_INIT("::/129"),
		STR_INIT("::/1000"),
		STR_INIT(":::"),
		STR_INIT("fe80::1%lo"),
		STR_INIT("1.2.3.4\0"),
		STR_INIT("g::"),
		STR_INIT(" 1.2.3.4"),
		STR_INIT("1:2:3:4:5:6:7:8:9"),
		STR_INIT("0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"),
	};
	struct ipnet net;

	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(ipnet_parse(bad[i], &net));
}

static void
print_is_canonical(void)
{
	static const char *const pairs[][2] = {
		{ "1.2.3.4", "1.2.3.4" },
		{ "1.2.3.4/32", "1.2.3.4" },
		{ "10.255.3.4/9", "10.128.0.0/9" },
		{ "255.255.255.255/0", "0.0.0.0/0" },
		{ "2001:DB8:0::1", "2001:db8::1" },
		{ "2001:db8:ffff::1/33", "2001:db8:8000::/33" },
		{ "::ffff:1.2.3.4", "1.2.3.4" },
		{ "::ffff:0:0/96", "0.0.0.0/0" },
		{ "::/0", "::/0" },
		{ "fd00::1/128", "fd00::1" },
		{ "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/127",
		    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127" },
	};
	char out[IPNET_LEN + 1];
	struct ipnet net, again;

	for (size_t i = 0; i < COUNT(pairs); i++) {
		CU_ASSERT_TRUE_FATAL(ipnet_parse(str_of(pairs[i][0]), &net));
		CU_ASSERT_EQUAL(ipnet_print(&net, out), strlen(out));
		CU_ASSERT_STRING_EQUAL(out, pairs[i][1]);
		CU_ASSERT_TRUE(ipnet_parse(str_of(out), &again));
		CU_ASSERT_EQUAL(memcmp(&net, &again, sizeof(net)), 0);
	}
	CU_ASSERT_TRUE(ipnet_parse(STR("1.2.3.4/8"), &net));
	CU_ASSERT_EQUAL(net.bits, 104);
}

static void
order_puts_ipv4_first(void)
{
	static const char *const sorted[] = {
		"0.0.0.0",
		"9.255.255.255",
		"10.0.0.0",
		"255.255.255.255",
		"::",
		"::1",
		"::fffe:0:0",
		"2001:db8::",
		"ffff::",
	};
	struct ipnet a, b;

	for (size_t i = 0; i < COUNT(sorted); i++)
		for (size_t k = 0; k < COUNT(sorted); k++) {
			CU_ASSERT_TRUE_FATAL(ipnet_parse(str_of(sorted[i]), &a));
			CU_ASSERT_TRUE_FATAL(ipnet_parse(str_of(sorted[k]), &b));
			CU_ASSERT_EQUAL(
			    (ip_cmp(a.a, b.a) > 0) - (ip_cmp(a.a, b.a) < 0), (i > k) - (i < k));
		}
}

static bool
in(const char *net, const char *address)
{
	struct ipnet n, a;

	return ipnet_parse(str_of(net), &n) && ipnet_parse(str_of(address), &a) &&
	       ipnet_contains(&n, a.a);
}

static void
networks_hold_their_own_family(void)
{
	CU_ASSERT_TRUE(in("10.0.0.0/8", "10.255.0.1"));
	CU_ASSERT_FALSE(in("10.0.0.0/8", "11.0.0.1"));
	CU_ASSERT_TRUE(in("0.0.0.0/0", "8.8.8.8"));
	CU_ASSERT_FALSE(in("0.0.0.0/0", "::1"));
	CU_ASSERT_TRUE(in("::/0", "::1"));
	CU_ASSERT_FALSE(in("::/0", "8.8.8.8"));
	CU_ASSERT_TRUE(in("fd00::1", "fd00::1"));
	CU_ASSERT_FALSE(in("fd00::1", "fd00::2"));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "addresses have one strict spelling", text_is_strict },
		{ "networks print in one form that reads back", print_is_canonical },
		{ "IPv4 sorts before IPv6", order_puts_ipv4_first },
		{ "a network holds addresses of its family", networks_hold_their_own_family },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
