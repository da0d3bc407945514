/* SPDX-License-Identifier: ISC */
/* daemon/pools.c: the nginx upstream file of the pools. */
#include "config.h"

#include "daemon/daemon.h"
#include "t/unit/tap.h"

static struct pool pools[POOLS_MAX];
static size_t count;
static char err[256];

static bool
parse(const char *text)
{
	return pools_parse(str_of(text), pools, &count, err, sizeof(err));
}

static void
one_line_a_pool(void)
{
	CU_ASSERT_TRUE(parse("upstream a {\n  zone a 64k;\n"
			     "  server unix:/run/a.sock weight=16 max_fails=0;\n"
			     "  server unix:/run/a.sock max_fails=0 backup;\n  keepalive 4;\n}\n"
			     "upstream b { server unix:/run/b.sock; }"));
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT_STRING_EQUAL(pools[0].name, "a");
	CU_ASSERT_STRING_EQUAL(pools[0].path, "/run/a.sock");
	CU_ASSERT_EQUAL(pools[0].workers, 16);
	CU_ASSERT_EQUAL(pools[1].workers, 1);
}

static void
one_line_a_worker(void)
{
	CU_ASSERT_TRUE(
	    parse("upstream a { server unix:/a; server unix:/a; server unix:/a weight=2; }"));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_EQUAL(pools[0].workers, 4);
}

static void
two_sockets_are_two_pools_and_shared_ones_one(void)
{
	CU_ASSERT_TRUE(parse("upstream a { server unix:/a; server unix:/b; }"
			     "upstream c { server unix:/b weight=2; }"));
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT_EQUAL(pools[1].workers, 3);
}

static void
comments_and_quotes(void)
{
	CU_ASSERT_TRUE(parse("# unix:/no {\nupstream 'a' { # } \n server \"unix:/run/x "
			     "y;.sock\" 'weight=3';\n"
			     "server unix:/run/x\\ y\\;.sock backup; }\n#"));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_STRING_EQUAL(pools[0].path, "/run/x y;.sock");
	CU_ASSERT_EQUAL(pools[0].workers, 3);
}

static void
others_servers_are_not_ours(void)
{
	CU_ASSERT_TRUE(parse("upstream a { least_conn; server 127.0.0.1:9; server "
			     "unix:/a down; server unix:/a; }"));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_EQUAL(pools[0].workers, 1);
}

static void
junk_is_refused_with_its_line(void)
{
	static const struct {
		const char *text, *line;
	} junk[] = {
		{ "", "1:" },
		{ "upstream a {\n}", "2:" },
		{ "\nserver unix:/a;", "2:" },
		{ "upstream { server unix:/a; }", "1:" },
		{ "upstream a\n{ server unix:/a", "2:" },
		{ "upstream a { server unix:/a; } }", "1:" },
		{ "upstream a { server unix:/a;\n\n server; }", "3:" },
		{ "upstream a { server unix:a; }", "1:" },
		{ "upstream a { server unix:/a weight=0; }", "1:" },
		{ "upstream a { server unix:/a weight=513; }", "1:" },
		{ "upstream a { server unix:/a weight=x; }", "1:" },
		{ "upstream a { server unix:/a weight=512; server unix:/a; }", "1:" },
		{ "upstream a { server unix:/a backup; }", "1:" },
		{ "upstream a { server 'unix:/a; }", "1:" },
		{ "upstream a { server 'unix:/a'x; }", "1:" },
		{ "upstream a { zone { } server unix:/a; }", "1:" },
		{ "upstream a { server "
		  "unix:/"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaa; }",
		    "1:" },
	};

	for (size_t i = 0; i < COUNT(junk); i++) {
		CU_ASSERT_FALSE(parse(junk[i].text));
		CU_ASSERT_TRUE(str_starts(str_of(err), str_of(junk[i].line)));
	}
	CU_ASSERT_FALSE(pools_parse((struct str){ "upstream a { server unix:/a\0; }", 31 }, pools,
	    &count, err, sizeof(err)));
}

static void
too_many_pools(void)
{
	char text[4096];
	size_t n = 0;

	for (int i = 0; i <= POOLS_MAX; i++)
		n += (size_t)snprintf(
		    text + n, sizeof(text) - n, "upstream u%d { server unix:/%d; }\n", i, i);
	CU_ASSERT_FALSE(parse(text));
	CU_ASSERT_STRING_EQUAL(err, "17: too many pools");
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "an upstream is a pool and backup lines do not count", one_line_a_pool },
		{ "the weights of an upstream's lines add up to its workers", one_line_a_worker },
		{ "two sockets make two pools", two_sockets_are_two_pools_and_shared_ones_one },
		{ "comments and quotes are understood", comments_and_quotes },
		{ "servers of other programs are left out", others_servers_are_not_ours },
		{ "junk is refused with its line", junk_is_refused_with_its_line },
		{ "too many pools are refused", too_many_pools },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
