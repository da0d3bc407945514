/* SPDX-License-Identifier: ISC */
/* browser/egress: its protocols, fed whole and byte by byte, and the rule. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"
#include "t/unit/tap.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES(literal) ((const unsigned char *)(literal)), sizeof(literal) - 1

/* Feeds n bytes in pieces; the last step, and how many bytes it left. */
static enum socks_step
feed(struct socks *s, const unsigned char *p, size_t n, size_t piece, size_t *left)
{
	enum socks_step step = SOCKS_MORE;

	while (n > 0 && (step == SOCKS_MORE || step == SOCKS_GREETED)) {
		size_t used;

		step = socks_take(s, p, n < piece ? n : piece, &used);
		p += used;
		n -= used;
	}
	*left = n;
	return step;
}

static void
a_name_is_asked_for(void)
{
	for (size_t piece = 1; piece < 20; piece++) {
		struct socks s = { 0 };
		size_t left;

		CU_ASSERT_EQUAL(feed(&s, BYTES("\5\2\1\0\5\1\0\3\5a.net\1\273rest"), piece, &left),
		    SOCKS_ASKED);
		CU_ASSERT_EQUAL(left, 4);
		CU_ASSERT_EQUAL(s.command, SOCKS_CONNECT);
		CU_ASSERT_EQUAL(s.kind, SOCKS_NAME);
		CU_ASSERT_TRUE(str_is(s.host, "a.net"));
		CU_ASSERT_EQUAL(s.port, 443);
	}
}

static void
addresses_are_asked_for(void)
{
	struct socks s = { 0 };
	size_t left;

	CU_ASSERT_EQUAL(feed(&s, BYTES("\5\1\0\5\1\0\1\1\2\3\4\0\120"), 3, &left), SOCKS_ASKED);
	CU_ASSERT_TRUE(str_is(s.host, "\1\2\3\4"));
	CU_ASSERT_EQUAL(s.port, 80);
	s = (struct socks){ 0 };
	CU_ASSERT_EQUAL(
	    feed(&s, BYTES("\5\1\0\5\1\0\4abcdefghijklmnop\0\120"), 3, &left), SOCKS_ASKED);
	CU_ASSERT_TRUE(str_is(s.host, "abcdefghijklmnop"));
	CU_ASSERT_EQUAL(s.kind, SOCKS_IPV6);
}

static void
the_longest_name_fits(void)
{
	unsigned char all[SOCKS_REQUEST_MAX + 3] = { 5, 1, 0, 5, 1, 0, 3, 255 };
	struct socks s = { 0 };
	size_t left;

	memset(all + 8, 'x', 255);
	CU_ASSERT_EQUAL(feed(&s, all, sizeof(all), 7, &left), SOCKS_ASKED);
	CU_ASSERT_EQUAL(left, 0);
	CU_ASSERT_EQUAL(s.host.n, 255);
}

static void
what_is_no_socks_is_refused(void)
{
	static const struct {
		const unsigned char *p;
		size_t n;
		unsigned char reply;
	} bad[] = {
		{ BYTES("G"), 0xff },
		{ BYTES("\4\1"), 0xff },
		{ BYTES("\5\0"), 0xff },
		{ BYTES("\5\2\1\2"), 0xff },
		{ BYTES("\5\1\0\4"), 1 },
		{ BYTES("\5\1\0\5\1\0\2"), 8 },
		{ BYTES("\5\1\0\5\1\0\0"), 8 },
		{ BYTES("\5\1\0\5\1\1\1\1\2\3\4\0\120"), 1 },
		{ BYTES("\5\1\0\5\1\0\3\0\0\120"), 1 },
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		for (size_t piece = 1; piece < 14; piece++) {
			struct socks s = { 0 };
			size_t left;

			CU_ASSERT_EQUAL(feed(&s, bad[i].p, bad[i].n, piece, &left), SOCKS_BAD);
			CU_ASSERT_EQUAL(s.reply, bad[i].reply);
		}
}

static void
no_more_is_wanted_than_the_request(void)
{
	static const char all[] = "\5\1\0\5\1\0\3\5a.net\1\273";
	struct socks s = { 0 };
	const unsigned char *p = (const unsigned char *)all;
	enum socks_step step = SOCKS_MORE;
	size_t taken = 0, used;

	while (step != SOCKS_ASKED && step != SOCKS_BAD) {
		step = socks_take(&s, p + taken, socks_wants(&s), &used);
		taken += used;
	}
	CU_ASSERT_EQUAL(step, SOCKS_ASKED);
	CU_ASSERT_EQUAL(taken, sizeof(all) - 1);
}

/* ---- proxies ---- */

/* One answer of a proxy after another; the last step. sent: where in the text a PROXY_SEND is due. */
static enum proxy_step
talk(struct proxy *p, const unsigned char *bytes, size_t n, size_t piece, size_t *left)
{
	enum proxy_step step = PROXY_MORE;

	proxy_begin(p);
	proxy_sent(p);
	while (n > 0 && (step == PROXY_MORE || step == PROXY_SEND)) {
		size_t used;

		step = proxy_take(p, bytes, n < piece ? n : piece, &used);
		if (step == PROXY_SEND)
			proxy_sent(p);
		bytes += used;
		n -= used;
	}
	*left = n;
	return step;
}

static const struct credential nobody = { .given = false };
static const struct credential somebody = { true, "user", "pass:word" };

struct answer {
	const unsigned char *p;
	size_t n;
	enum proxy_step step;
	size_t left;
};

static void
answers(enum proxy_kind kind, const struct credential *c, const struct answer *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t piece = 1; piece < 50; piece += 3) {
			struct proxy p = { .kind = kind,
				.credential = c,
				.to = { AF_INET, { 93, 184, 216, 34 } },
				.port = 443 };
			size_t left;

			CU_ASSERT_EQUAL(talk(&p, a[i].p, a[i].n, piece, &left), a[i].step);
			if (a[i].step == PROXY_DONE)
				CU_ASSERT_EQUAL(left, a[i].left);
		}
}

static void
connect_answers(void)
{
	static const struct answer all[] = {
		{ BYTES("HTTP/1.1 200 OK\r\n\r\n"), PROXY_DONE, 0 },
		{ BYTES("HTTP/1.0 200\r\n\r\nSSH-2.0"), PROXY_DONE, 7 },
		{ BYTES("HTTP/1.1 299 x\nA: b\n\n"), PROXY_DONE, 0 },
		{ BYTES("HTTP/1.1 200 OK\r\nVia: x\r\n"), PROXY_MORE, 0 },
		{ BYTES("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"), PROXY_DONE, 1 },
		{ BYTES("HTTP/1.1 407 Auth\r\n"), PROXY_ACCESS, 0 },
		{ BYTES("HTTP/1.1 403 No\r\n"), PROXY_REFUSED, 0 },
		{ BYTES("HTTP/1.1 301 Moved\r\n"), PROXY_REFUSED, 0 },
		{ BYTES("HTTP/1.1 502 Bad\r\n"), PROXY_REFUSED, 0 },
		{ BYTES("HTTP/2 200\r\n\r\n"), PROXY_BAD, 0 },
		{ BYTES("HTTP/1.1 20x\r\n\r\n"), PROXY_BAD, 0 },
		{ BYTES("HTTP/1.1 2000\r\n\r\n"), PROXY_BAD, 0 },
		{ BYTES("HTTP/1.1 099 x\r\n\r\n"), PROXY_BAD, 0 },
		{ BYTES("HTTP/1.1 200 OK\r\nA: \1\r\n\r\n"), PROXY_BAD, 0 },
		{ BYTES("SSH-2.0-x\r\n"), PROXY_BAD, 0 },
		{ BYTES("\r\n\r\n"), PROXY_BAD, 0 },
		{ BYTES("\5\0"), PROXY_BAD, 0 },
	};

	answers(PROXY_CONNECT, &nobody, all, COUNT(all));
}

static void
a_head_has_an_end(void)
{
	struct proxy p = {
		.kind = PROXY_CONNECT, .credential = &nobody, .to = { .family = AF_INET }
	};
	enum proxy_step step = PROXY_MORE;
	size_t used, n = 0;

	proxy_begin(&p);
	proxy_sent(&p);
	CU_ASSERT_EQUAL(proxy_take(&p, BYTES("HTTP/1.1 200 OK\r\n"), &used), PROXY_MORE);
	for (; step == PROXY_MORE && n < 1000000; n += 10)
		step = proxy_take(&p, BYTES("Header: x\n"), &used);
	CU_ASSERT_EQUAL(step, PROXY_BAD);
	CU_ASSERT_TRUE(n < 2 * (size_t)PROXY_HEAD_MAX);
}

static void
socks_answers(void)
{
	static const struct answer plain[] = {
		{ BYTES("\5\0\5\0\0\1\0\0\0\0\0\0"), PROXY_DONE, 0 },
		{ BYTES("\5\0\5\0\0\1\0\0\0\0\0\0xyz"), PROXY_DONE, 3 },
		{ BYTES("\5\0\5\0\0\3\2ab\0\0x"), PROXY_DONE, 1 },
		{ BYTES("\5\0\5\0\0\4aaaaaaaaaaaaaaaa\0\0"), PROXY_DONE, 0 },
		{ BYTES("\5\0\5\0\0\1\0\0\0\0\0"), PROXY_MORE, 0 },
		{ BYTES("\5\0\5\5"), PROXY_REFUSED, 0 },
		{ BYTES("\5\0\5\0\0\2\0"), PROXY_BAD, 0 },
		{ BYTES("\5\0\4"), PROXY_BAD, 0 },
		{ BYTES("\5\2"), PROXY_BAD, 0 },
		{ BYTES("\5\377"), PROXY_ACCESS, 0 },
		{ BYTES("HTTP"), PROXY_BAD, 0 },
	};
	static const struct answer secret[] = {
		{ BYTES("\5\2\1\0\5\0\0\1\0\0\0\0\0\0"), PROXY_DONE, 0 },
		{ BYTES("\5\0\5\0\0\1\0\0\0\0\0\0"), PROXY_DONE, 0 },
		{ BYTES("\5\2\1\1"), PROXY_ACCESS, 0 },
		{ BYTES("\5\377"), PROXY_ACCESS, 0 },
		{ BYTES("\5\1"), PROXY_BAD, 0 },
	};

	answers(PROXY_SOCKS5, &nobody, plain, COUNT(plain));
	answers(PROXY_SOCKS5, &somebody, secret, COUNT(secret));
}

/* The address that was checked, never a name. */
static void
what_proxies_are_asked(void)
{
	struct proxy p = { .kind = PROXY_CONNECT,
		.credential = &somebody,
		.to = { AF_INET6, { 0x26, 0x06, [15] = 0x34 } },
		.port = 443 };
	size_t used;

	proxy_begin(&p);
	CU_ASSERT_TRUE(str_is((struct str){ (const char *)p.out, p.out_n },
	    "CONNECT [2606::34]:443 HTTP/1.1\r\nHost: [2606::34]:443\r\n"
	    "Proxy-Authorization: Basic dXNlcjpwYXNzOndvcmQ=\r\n\r\n"));
	proxy_sent(&p);
	CU_ASSERT_EQUAL(p.out[0], 0);
	p = (struct proxy){ .kind = PROXY_SOCKS5,
		.credential = &somebody,
		.to = { AF_INET, { 1, 2, 3, 4 } },
		.port = 443 };
	proxy_begin(&p);
	CU_ASSERT_TRUE(str_is((struct str){ (const char *)p.out, p.out_n - 2 }, "\5\2"));
	CU_ASSERT_EQUAL(p.out[3], 2);
	proxy_sent(&p);
	CU_ASSERT_EQUAL(proxy_take(&p, BYTES("\5\2"), &used), PROXY_SEND);
	CU_ASSERT_TRUE(
	    str_is((struct str){ (const char *)p.out, p.out_n }, "\1\4user\11pass:word"));
	proxy_sent(&p);
	CU_ASSERT_EQUAL(proxy_take(&p, BYTES("\1\0"), &used), PROXY_SEND);
	CU_ASSERT_EQUAL(p.out_n, 10);
	CU_ASSERT_EQUAL(memcmp(p.out, "\5\1\0\1\1\2\3\4\1\273", 10), 0);
}

static void
credentials_are_read(void)
{
	static char big[600];
	struct credential c;

	CU_ASSERT_TRUE(credential_parse(STR("a:b"), &c));
	CU_ASSERT_TRUE(credential_parse(STR("user:pass:word\r\nnotes\n"), &c));
	CU_ASSERT_STRING_EQUAL(c.user, "user");
	CU_ASSERT_STRING_EQUAL(c.password, "pass:word");
	CU_ASSERT_FALSE(credential_parse(STR(""), &c));
	CU_ASSERT_FALSE(credential_parse(STR("user"), &c));
	CU_ASSERT_FALSE(credential_parse(STR(":b"), &c));
	CU_ASSERT_FALSE(credential_parse(STR("a:"), &c));
	CU_ASSERT_FALSE(credential_parse(STR("a\1:b"), &c));
	CU_ASSERT_FALSE(credential_parse(STR("\na:b"), &c));
	memset(big, 'x', sizeof(big));
	big[255] = ':';
	CU_ASSERT_TRUE(credential_parse((struct str){ big, 511 }, &c));
	CU_ASSERT_FALSE(credential_parse((struct str){ big, 512 }, &c));
	CU_ASSERT_FALSE(c.given);
}

/* ---- the rule ---- */

static void
addresses_are_judged(void)
{
	static const char *const closed[] = { "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1",
		"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
		"203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::ffff:93.184.216.34", "::93.184.216.34", "64:ff9b::5db8:d822",
		"64:ff9b:1::1", "100::1", "1fff::1", "2001::1", "2001:1ff::1", "2001:db8::1",
		"2002::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd00::1",
		"fe80::1", "fec0::1", "ff02::1" };
	static const char *const open[] = { "1.1.1.1", "9.255.255.255", "11.0.0.0",
		"100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
		"192.88.98.255", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.17",
		"2000::1", "2001:200::1", "2001:db7::1", "2003::1", "2606::1", "3ffe::1",
		"3fff:1000::1" };
	struct ip ip;

	for (size_t i = 0; i < COUNT(closed); i++) {
		CU_ASSERT_TRUE(ip_parse(closed[i], &ip));
		CU_ASSERT_FALSE(ip_public(&ip));
	}
	for (size_t i = 0; i < COUNT(open); i++) {
		CU_ASSERT_TRUE(ip_parse(open[i], &ip));
		CU_ASSERT_TRUE(ip_public(&ip));
	}
}

static void
networks_are_read(void)
{
	static const char *const good[] = { "", "1.2.3.4", "1.2.3.0/24", "1.2.3.4/32,::/0",
		" 1.2.3.4/0 , 2606::/16 " };
	static const char *const bad[] = { ",", "1.2.3.4,", "1.2.3/24", "1.2.3.4/33", "1.2.3.4/-1",
		"1.2.3.4/", "::/129", "x", "1.2.3.4 5.6.7.8" };
	static const struct {
		const char *list, *ip;
		bool held;
	} all[] = {
		{ "", "1.2.3.4", false },
		{ "1.2.3.0/24", "1.2.3.255", true },
		{ "1.2.3.0/24", "1.2.4.0", false },
		{ "1.2.3.0/23", "1.2.2.1", true },
		{ "1.2.3.4", "1.2.3.4", true },
		{ "1.2.3.4", "1.2.3.5", false },
		{ "9.9.9.9, 2606:2800::/29", "2606:2807::1", true },
		{ "9.9.9.9, 2606:2800::/29", "2606:2808::1", false },
		{ "::/0", "1.2.3.4", false },
		{ "0.0.0.0/0", "1.2.3.4", true },
		{ "nonsense", "1.2.3.4", true },
	};
	struct ip ip;

	for (size_t i = 0; i < COUNT(good); i++)
		CU_ASSERT_TRUE(nets_good(str_of(good[i])));
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(nets_good(str_of(bad[i])));
	for (size_t i = 0; i < COUNT(all); i++) {
		CU_ASSERT_TRUE(ip_parse(all[i].ip, &ip));
		CU_ASSERT_EQUAL(nets_hold(str_of(all[i].list), &ip), all[i].held);
	}
}

static void
hosts_are_judged(void)
{
	static const struct {
		const char *host;
		unsigned port;
		enum reason why;
		const char *name;
	} all[] = {
		{ "A.net", 80, REASON_CONNECTED, "a.net" },
		{ "a.net.", 80, REASON_CONNECTED, "a.net" },
		{ "93.184.216.34", 443, REASON_CONNECTED, "" },
		{ "[2606::1]", 443, REASON_CONNECTED, "" },
		{ "2606::1", 443, REASON_CONNECTED, "" },
		{ "[]", 443, REASON_NAME, "" },
		{ "[::1", 443, REASON_NAME, "" },
		{ "::1", 443, REASON_ADDRESS, "" },
		{ "10.0.0.1", 443, REASON_ADDRESS, "" },
		{ "0x0a.1", 443, REASON_NAME, "" },
		{ "localhost", 443, REASON_NAME, "" },
		{ "a\tb.net", 443, REASON_NAME, "" },
		{ "\xc3\xa9.net", 443, REASON_NAME, "" },
		{ "", 443, REASON_NAME, "" },
		{ "a.net", 25, REASON_PORT, "" },
		{ "a.net", 0, REASON_PORT, "" },
	};
	struct arena *a = arena_new(1 << 20);
	struct target t;

	for (size_t i = 0; i < COUNT(all); i++) {
		CU_ASSERT_EQUAL(judge_host(a, str_of(all[i].host), all[i].port, &t), all[i].why);
		CU_ASSERT_STRING_EQUAL(t.name, all[i].name);
		CU_ASSERT_EQUAL(t.port, all[i].port);
	}
	CU_ASSERT_EQUAL(judge_host(a, STR("a\0b.net"), 80, &t), REASON_NAME);
	CU_ASSERT_STRING_EQUAL(t.requested, "a?b.net");
	arena_free(a);
}

static void
routes_are_read(void)
{
	struct route r;

	CU_ASSERT_PTR_NULL(route_set(&r, STR("direct"), STR_NULL, 0, STR_NULL));
	CU_ASSERT_PTR_NULL(route_set(&r, STR("connect"), STR("10.0.0.1"), 3128, STR_NULL));
	CU_ASSERT_PTR_NULL(route_set(&r, STR("socks5"), STR("p.internal"), 1080, STR("gb-1")));
	CU_ASSERT_EQUAL(r.kind, ROUTE_SOCKS5);
	CU_ASSERT_STRING_EQUAL(r.file, "gb-1");
	CU_ASSERT_STRING_EQUAL(route_set(&r, STR("tor"), STR_NULL, 0, STR_NULL), "kind");
	CU_ASSERT_STRING_EQUAL(route_set(&r, STR("direct"), STR("x"), 1, STR_NULL), "kind");
	CU_ASSERT_STRING_EQUAL(route_set(&r, STR("connect"), STR_NULL, 1, STR_NULL), "host");
	CU_ASSERT_STRING_EQUAL(route_set(&r, STR("connect"), STR("x"), 0, STR_NULL), "port");
	CU_ASSERT_STRING_EQUAL(
	    route_set(&r, STR("connect"), STR("x"), 1, STR("../secret")), "credential");
	CU_ASSERT_STRING_EQUAL(
	    route_set(&r, STR("connect"), STR("x"), 1, STR(".hidden")), "credential");
}

/* Fills a side that does not read, until the relay has bytes in hand that it does not take. */
static void
fill(struct event_base *base, int from)
{
	static const char block[4096];

	for (int idle = 0; idle < 10; idle++) {
		while (send(from, block, sizeof(block), MSG_DONTWAIT) > 0)
			idle = 0;
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
}

static void
relay_ended(void *arg)
{
	*(bool *)arg = true;
}

static void
a_relay_ends_when_both_sides_break(void)
{
	struct event_base *base = event_base_new();
	int near[2], far[2];
	bool ended = false;

	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, near), 0);
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, far), 0);
	conf.egress_idle = 3600;
	relay_start(base, near[1], far[1], relay_ended, &ended);
	fill(base, near[0]);
	fill(base, far[0]);
	close(far[0]);
	event_base_loop(base, EVLOOP_NONBLOCK);
	CU_ASSERT_FALSE(ended); /* what the near side has not taken yet is still its own */
	close(near[0]);
	for (int i = 0; i < 100 && !ended; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
	CU_ASSERT_TRUE(ended);
	event_base_free(base);
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "a CONNECT request for a name is decoded", a_name_is_asked_for },
		{ "CONNECT requests for addresses are decoded", addresses_are_asked_for },
		{ "the longest host name is accepted", the_longest_name_fits },
		{ "bytes that are no SOCKS5 are refused", what_is_no_socks_is_refused },
		{ "the decoder asks for no byte beyond the request",
		    no_more_is_wanted_than_the_request },
		{ "answers of HTTP proxies are understood", connect_answers },
		{ "an HTTP head that does not end is refused", a_head_has_an_end },
		{ "answers of SOCKS5 proxies are understood", socks_answers },
		{ "proxies get the right request for each route", what_proxies_are_asked },
		{ "credentials are read from their file", credentials_are_read },
		{ "addresses that are not public are refused (C-095)", addresses_are_judged },
		{ "networks of egress_closed are read", networks_are_read },
		{ "host names that are not public are refused (C-094)", hosts_are_judged },
		{ "routes are read from the dispatcher's message", routes_are_read },
		{ "a relay ends when both sides break", a_relay_ends_when_both_sides_break },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
