/* SPDX-License-Identifier: ISC */
/* tbl/defang.h: each spelling of an indicator gives the canonical value, and each row of the table is read back. */
#include "config.h"

#include "extract/extract.h"
#include "t/unit/tap.h"

enum part { SCHEME, COLON, DOT, WORD, AT, SLASH };

static const struct {
	enum part part;
	const char *name, *spelling, *plain;
} rows[] = {
#define DEFANG(part, spelling, plain) { part, #part, spelling, plain },
#include "tbl/defang.h"
#undef DEFANG
};

static struct arena *arena;

static bool
reads(struct str text, const char *type, const char *value)
{
	struct extract_input in = { .text = text };
	struct extract_output o = extract(arena, &in);

	for (size_t i = 0; i < o.n; i++)
		if (str_is(o.indicators[i].type, type) && str_is(o.indicators[i].value, value) &&
		    o.indicators[i].defanged)
			return true;
	printf("# %.*s is not %s %s\n", (int)text.n, text.p, type, value);
	for (size_t i = 0; i < o.n; i++)
		printf("#   %s %.*s\n", o.indicators[i].type.p, (int)o.indicators[i].value.n,
		    o.indicators[i].value.p);
	return false;
}

static struct str
spell(const char *before, const char *spelling, const char *after)
{
	return arena_printf(arena, "It asks %s%s%s now.", before, spelling, after);
}

static void
check_row(enum part part, const char *s, const char *plain)
{
	switch (part) {
	case SCHEME:
		CU_ASSERT_TRUE(reads(spell("", s, "://evil-host.com/a"), "url",
		    arena_printf(arena, "%s://evil-host.com/a", plain).p));
		CU_ASSERT_TRUE(reads(spell("", s, "[:]//evil-host[.]com/a"), "url",
		    arena_printf(arena, "%s://evil-host.com/a", plain).p));
		break;
	case COLON:
		CU_ASSERT_TRUE(strlen(plain) == 3 ? reads(spell("http", s, "evil-host.com/a"),
							"url", "http://evil-host.com/a")
						  : reads(spell("2a01", s, "4f8:0:1::2"), "ipv6",
							"2a01:4f8:0:1::2"));
		break;
	case WORD:
	case DOT:
		CU_ASSERT_TRUE(reads(spell("evil-host", s, "com"), "domain", "evil-host.com"));
		CU_ASSERT_TRUE(reads(spell("45.33.32", s, "156"), "ipv4", "45.33.32.156"));
		CU_ASSERT_TRUE(reads(spell("hxxp://www.evil-host", s, "com/a"), "url",
		    "http://www.evil-host.com/a"));
		CU_ASSERT_TRUE(
		    reads(spell("bad@evil-host", s, "com"), "email", "bad@evil-host.com"));
		break;
	case AT:
		CU_ASSERT_TRUE(
		    reads(spell("bad", s, "evil-host.com"), "email", "bad@evil-host.com"));
		break;
	case SLASH:
		CU_ASSERT_TRUE(reads(
		    spell("hxxp://evil-host[.]com", s, "a"), "url", "http://evil-host.com/a"));
		break;
	}
}

static void
each_row_is_read_back(void)
{
	size_t n = sizeof(rows) / sizeof(*rows);

	CU_ASSERT_TRUE(n >= 110);
	for (size_t i = 0; i < n; i++) {
		check_row(rows[i].part, rows[i].spelling, rows[i].plain);
		check_row(
		    rows[i].part, arena_upper(arena, str_of(rows[i].spelling)).p, rows[i].plain);
		arena_reset(arena);
	}
}

/* Beyond the rows: spellings that combine several, as reports have them. */
static void
combined_spellings_give_the_canonical_value(void)
{
	static const struct {
		const char *text, *type, *value;
	} t[] = {
		{ "hxxps[:]//www[.]evil-host[.]com[/]a", "url", "https://www.evil-host.com/a" },
		{ "hXXps[://]Evil-Host[.]com/Path", "url", "https://evil-host.com/Path" },
		{ "h**p://evil-host(dot)com", "url", "http://evil-host.com" },
		{ "45[.]33[.]32[.]156", "ipv4", "45.33.32.156" },
		{ "45(.)33(.)32(.)156:8080", "ipv4", "45.33.32.156" },
		{ "45.33.32[.]0/24", "cidr", "45.33.32.0/24" },
		{ "45[.]33[.]32[.]156/a.php", "ipv4", "45.33.32.156" },
		{ "bad[at]evil-host[dot]com", "email", "bad@evil-host.com" },
		{ "bad(at)evil-host(dot)com", "email", "bad@evil-host.com" },
		{ "`evil-host[.]com`", "domain", "evil-host.com" },
		{ "+evil-host[.]com+", "domain", "evil-host.com" },
		{ "**evil-host[.]com**", "domain", "evil-host.com" },
		{ "*.evil-host[.]com", "domain", "evil-host.com" },
		{ "<evil-host[.]com>", "domain", "evil-host.com" },
		{ "\"evil-host[.]com\",", "domain", "evil-host.com" },
		{ "evil-host[.]com.", "domain", "evil-host.com" },
		{ "C2=evil-host[.]com;", "domain", "evil-host.com" },
		{ "evil-host[.]com:8443", "domain", "evil-host.com" },
		{ "evil-host[.]co[.]uk", "domain", "evil-host.co.uk" },
		{ "tcp://evil-host[.]com:443", "domain", "evil-host.com" },
		{ "hxxp://evil-host[.]com:8080/a?b=c&d=e#f", "url",
		    "http://evil-host.com:8080/a?b=c&d=e#f" },
		{ "2a01[:]4f8:0:1::/64", "cidr", "2a01:4f8:0:1::/64" },
		{ "evil\xe2\x80\x8b-host[.]com", "domain", "evil-host.com" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		CU_ASSERT_TRUE(reads(str_of(t[i].text), t[i].type, t[i].value));
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "C-132: each row of tbl/defang.h comes back as the canonical value",
		    each_row_is_read_back },
		{ "C-132: combined spellings give the canonical value",
		    combined_spellings_give_the_canonical_value },
		CU_TEST_INFO_NULL,
	};
	int failed;

	arena = arena_new(64 << 20);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
