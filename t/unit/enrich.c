/* SPDX-License-Identifier: ISC */
/* enrich/: prefixes against a naive search, and the groups of members that belong together. */
#include "config.h"

#include "enrich/enrich_priv.h"
#include "t/unit/tap.h"

#include <unistd.h>
#include <zlib.h>

static struct arena *a;

/* Writes a file of prefixes and reads it; false: it was refused. */
static bool
read_prefixes(struct prefixes *all, const char *text, size_t *bad)
{
	char path[] = "/tmp/enrich.XXXXXX", fault[ENRICH_FAULT];
	int fd = mkstemp(path);
	bool ok;

	*all = (struct prefixes){ 0 };
	ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
	     prefixes_read(all, path, bad, fault);
	close(fd);
	unlink(path);
	prefixes_finish(all);
	return ok;
}

static int64_t
asn_of(const struct prefixes *all, const char *address)
{
	const struct prefix *p;
	struct ipnet net;

	if (!ipnet_parse(str_of(address), &net))
		return -2;
	p = prefixes_find(all, net.a);
	return p == NULL ? -1 : (int64_t)p->asn;
}

static void
longest_prefix_wins(void)
{
	struct prefixes all;
	size_t bad;

	CU_ASSERT_TRUE(read_prefixes(&all,
	    "10.0.0.0\t8\t1\n10.1.0.0\t16\t2\n10.1.2.0\t24\t3\n10.9.0.0\t16\t4\n"
	    "2001:db8::\t32\t5\n0.0.0.0\t0\t6\n",
	    &bad));
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(asn_of(&all, "10.1.2.3"), 3);
	CU_ASSERT_EQUAL(asn_of(&all, "10.1.9.1"), 2);
	CU_ASSERT_EQUAL(asn_of(&all, "10.200.0.1"), 1);
	CU_ASSERT_EQUAL(asn_of(&all, "10.9.255.255"), 4);
	CU_ASSERT_EQUAL(asn_of(&all, "11.0.0.0"), 6);
	CU_ASSERT_EQUAL(asn_of(&all, "2001:db8::1"), 5);
	CU_ASSERT_EQUAL(asn_of(&all, "2001:db9::1"), -1);
	free(all.p);
}

static void
several_origins(void)
{
	struct prefixes all;
	size_t bad;

	CU_ASSERT_TRUE(read_prefixes(&all,
	    "192.0.2.0\t24\t1_2\n198.51.100.0\t24\t7,8\n\n# comment\n203.0.113.0\t33\t1\n"
	    "203.0.113.0 24 1\n203.0.113.0\t24\tx\nhost\t24\t1\n203.0.113.7\t24\t9\r\n",
	    &bad));
	CU_ASSERT_EQUAL(bad, 4);
	CU_ASSERT_EQUAL(asn_of(&all, "192.0.2.1"), 1);
	CU_ASSERT_EQUAL(asn_of(&all, "198.51.100.1"), 7);
	CU_ASSERT_EQUAL(asn_of(&all, "203.0.113.200"), 9);
	free(all.p);
}

/* The length of the longest prefix that contains the address; -1: none does. */
static int
naive_bits(const struct prefixes *all, const unsigned char ip[16])
{
	int longest = -1;

	for (size_t i = 0; i < all->n; i++) {
		struct ipnet net = { .bits = all->p[i].bits };

		memcpy(net.a, all->p[i].from, 16);
		if (ipnet_contains(&net, ip) && longest < net.bits)
			longest = net.bits;
	}
	return longest;
}

static void
agrees_with_naive_search(void)
{
	struct buf text = { .a = a };
	struct prefixes all;
	unsigned wrong = 0;
	size_t bad;

	srandom(7);
	for (int i = 0; i < 400; i++)
		buf_printf(&text, "10.%ld.%ld.%ld\t%ld\t%d\n", random() % 4, random() % 4,
		    random() % 256, 8 + random() % 25, i + 1);
	buf_char(&text, '\0');
	CU_ASSERT_TRUE(read_prefixes(&all, text.p, &bad));
	for (int i = 0; i < 20000; i++) {
		unsigned char ip[16] = { [10] = 0xff, [11] = 0xff, [12] = 10 };
		const struct prefix *p;

		ip[13] = (unsigned char)(random() % 5);
		ip[14] = (unsigned char)(random() % 5);
		ip[15] = (unsigned char)random();
		p = prefixes_find(&all, ip);
		wrong += (p == NULL ? -1 : p->bits) != naive_bits(&all, ip);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	free(all.p);
}

static void
cut_file_is_refused(void)
{
	static const char gzip[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff";
	struct prefixes all;
	size_t bad;

	CU_ASSERT_FALSE(read_prefixes(&all, gzip, &bad));
	free(all.p);
}

static struct enrich_facts
facts(int64_t asn, const char *as_name, const char *country, const char *region, const char *city)
{
	return (struct enrich_facts){ .has_asn = asn >= 0,
		.asn = asn,
		.as_name = as_name == NULL ? STR_NULL : str_of(as_name),
		.country_code = country == NULL ? STR_NULL : str_of(country),
		.region = region == NULL ? STR_NULL : str_of(region),
		.city = city == NULL ? STR_NULL : str_of(city) };
}

static bool
same_text(struct str x, struct str y)
{
	return (x.p == NULL) == (y.p == NULL) && str_eq(x, y);
}

static bool
becomes(
    struct enrich_facts have, struct enrich_facts found, bool replace, struct enrich_facts wanted)
{
	bool changed = enrich_add(&have, &found, replace);

	CU_ASSERT_FALSE(changed && enrich_add(&have, &found, replace));
	return have.has_asn == wanted.has_asn && (!have.has_asn || have.asn == wanted.asn) &&
	       same_text(have.as_name, wanted.as_name) &&
	       same_text(have.country_code, wanted.country_code) &&
	       same_text(have.region, wanted.region) && same_text(have.city, wanted.city);
}

static void
groups_are_not_mixed(void)
{
	struct enrich_facts found = facts(64500, "DB", "NL", "Utrecht", "Utrecht");

	CU_ASSERT_TRUE(becomes(facts(-1, NULL, NULL, NULL, NULL), found, false, found));
	CU_ASSERT_TRUE(becomes(
	    facts(1, NULL, "DE", NULL, NULL), found, false, facts(1, NULL, "DE", NULL, NULL)));
	CU_ASSERT_TRUE(becomes(facts(64500, NULL, "NL", NULL, NULL), found, false, found));
	CU_ASSERT_TRUE(becomes(facts(64500, "DB", NULL, "Zeeland", NULL), found, false,
	    facts(64500, "DB", NULL, "Zeeland", NULL)));
	CU_ASSERT_TRUE(becomes(facts(64500, "DB", NULL, NULL, "Breda"), found, false,
	    facts(64500, "DB", NULL, NULL, "Breda")));
	CU_ASSERT_TRUE(becomes(facts(64500, "Own", "NL", "Zeeland", NULL), found, false,
	    facts(64500, "Own", "NL", "Zeeland", NULL)));
}

static void
replacing_takes_whole_groups(void)
{
	struct enrich_facts have = facts(1, "Old", "DE", "Berlin", "Berlin");

	CU_ASSERT_TRUE(becomes(
	    have, facts(2, NULL, "NL", NULL, NULL), true, facts(2, NULL, "NL", NULL, NULL)));
	CU_ASSERT_TRUE(becomes(have, facts(-1, NULL, NULL, NULL, NULL), true, have));
	CU_ASSERT_TRUE(becomes(have, facts(1, NULL, NULL, NULL, NULL), true, have));
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "The longest prefix around an address decides its AS", longest_prefix_wins },
		{ "Of several origins the first one counts, and bad lines are counted",
		    several_origins },
		{ "20,000 searches agree with a naive search", agrees_with_naive_search },
		{ "A compressed file that is cut is refused", cut_file_is_refused },
		{ "Members of two sources are not mixed within a group", groups_are_not_mixed },
		{ "Replacing takes a group as a whole", replacing_takes_whole_groups },
		CU_TEST_INFO_NULL,
	};

	a = arena_new(1 << 24);
	return tap_main(tests);
}
