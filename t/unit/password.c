/* SPDX-License-Identifier: ISC */
/* access/password.c: what may be a password (C-302), and that libargon2's own function verifies what is stored. */
#include "config.h"

#include <argon2.h>

#include "access/password.h"
#include "t/unit/tap.h"

#include <unistd.h>

static struct arena *a;
static struct passwords *p;
static char list[64];

static struct passwords *
open_rules(int64_t memory, int64_t passes)
{
	char err[256];
	struct passwords *made = passwords_open(
	    &(const struct password_rules){ memory, passes, 15, list }, err, sizeof(err));

	CU_ASSERT_PTR_NOT_NULL_FATAL(made);
	return made;
}

static void
set_up(void)
{
	FILE *out;

	a = arena_new((size_t)16 << 20);
	snprintf(list, sizeof(list), "/tmp/passwords.XXXXXX");
	out = fdopen(mkstemp(list), "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs("# a comment of the list\n\ncorrect horse battery staple\nqwertyuiopasdfgh\n", out);
	fclose(out);
	p = open_rules(64, 1);
}

static void
tear_down(void)
{
	passwords_close(p);
	unlink(list);
	arena_free(a);
}

static const char *
fault_of(const char *typed, const char *email)
{
	struct field_error why = { .code = STR("none") };

	return password_fault(p, a, password_compose(a, str_of(typed)), str_of(email), &why)
		   ? arena_printf(a, "%s: %s", why.code.p, why.message.p).p
		   : "good";
}

static const char *
repeat(const char *what, size_t n)
{
	struct buf b = { .a = a };

	for (size_t i = 0; i < n; i++)
		buf_str(&b, str_of(what));
	buf_char(&b, '\0');
	return b.p;
}

static void
test_rules(void)
{
	static const struct {
		const char *typed, *fault;
	} rows[] = {
		{ "fourteen chars", "too_short" },
		{ "fifteen chars!!", "good" },
		{ "\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b\xe4\xba\x94\xe5\x85\xad\xe4\xb8"
		  "\x83"
		  "\xe5\x85\xab\xe4\xb9\x9d\xe5\x8d\x81\xe7\x99\xbe\xe5\x8d\x83\xe4\xb8\x87\xe5\x84"
		  "\x84",
		    "too_short" }, /* 14 characters, 42 bytes */
		{ "\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b\xe4\xba\x94\xe5\x85\xad\xe4\xb8"
		  "\x83"
		  "\xe5\x85\xab\xe4\xb9\x9d\xe5\x8d\x81\xe7\x99\xbe\xe5\x8d\x83\xe4\xb8\x87\xe5\x84"
		  "\x84"
		  "\xe5\x85\x86",
		    "good" },
		{ "abcabcabcabcabcabc", "few characters" },
		{ "abcabcabcabcabca", "few characters" },
		{ "aBCabcAbcabcabCabc", "few characters" },
		{ "a-b a-b a-b a-b a-b", "few characters" },
		{ "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4"
		  "\xc3\xb6"
		  "\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc",
		    "few characters" },
		{ "aaaaaaaaaaaaaaa", "few characters" },
		{ "abcdeabcdeabcde", "good" }, /* five characters are no few */
		{ "Correct-Horse Battery_Staple!", "many people use" },
		{ "correcthorsebatterystapler", "good" },
		{ "QWERTYUIOPASDFGH", "many people use" },
		{ "somebody.long@example.com", "e-mail" },
		{ "SomebodyLong@Example.Com", "e-mail" },
		{ "---somebodylong---", "e-mail" },
		{ "somebody.long@example.org", "good" },
	};

	set_up();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *found = fault_of(rows[i].typed, "Somebody.Long@example.com");

		if (strstr(found, rows[i].fault) == NULL)
			printf("# %s: %s\n", rows[i].typed, found);
		CU_ASSERT_PTR_NOT_NULL(strstr(found, rows[i].fault));
	}
	CU_ASSERT_STRING_EQUAL(fault_of(repeat("0123456x", 16), ""), "good");
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(fault_of(arena_printf(a, "%s!", repeat("0123456x", 16)).p, ""), "too_long"));
	CU_ASSERT_STRING_EQUAL(fault_of(repeat("0123\xf0\x9f\x94\x91", 25), ""), "good");
	tear_down();
}

/* 128 characters may be typed as 256 code points, and are the same password in both spellings. */
static void
test_composition(void)
{
	char stored[PASSWORD_TEXT + 1];
	struct secret composed, other;

	set_up();
	composed = password_compose(a, STR("a\xcc\x88 long password"));
	other = password_compose(a, STR("\xc3\xa4 long password"));
	CU_ASSERT_TRUE(str_eq(composed.hidden, other.hidden));
	password_hash(p, composed, stored);
	CU_ASSERT_EQUAL(password_verify(p, other, str_of(stored)), PASSWORD_RIGHT);
	CU_ASSERT_STRING_EQUAL(fault_of(repeat("a\xcc\x88o\xcc\x88x1234y", 16), ""), "good");
	tear_down();
}

static void
test_round_trip(void)
{
	struct secret right = { STR("a right password") }, wrong = { STR("a right passworD") };
	char one[PASSWORD_TEXT + 1], two[PASSWORD_TEXT + 1];

	set_up();
	password_hash(p, right, one);
	password_hash(p, right, two);
	CU_ASSERT_STRING_NOT_EQUAL(one, two); /* two salts */
	CU_ASSERT_NSTRING_EQUAL(one, "$argon2id$v=19$m=64,t=1,p=1$", 28);
	CU_ASSERT_EQUAL(argon2id_verify(one, right.hidden.p, right.hidden.n), ARGON2_OK);
	CU_ASSERT_EQUAL(password_verify(p, right, str_of(one)), PASSWORD_RIGHT);
	CU_ASSERT_EQUAL(password_verify(p, right, str_of(two)), PASSWORD_RIGHT);
	CU_ASSERT_EQUAL(password_verify(p, wrong, str_of(one)), PASSWORD_WRONG);
	CU_ASSERT_EQUAL(password_verify(p, right, STR_NULL), PASSWORD_WRONG);
	CU_ASSERT_EQUAL(password_verify(p, right, STR("$2b$12$abcdef")), PASSWORD_WRONG);
	tear_down();
}

/* What libargon2's own encoder writes is read, too: so is any other program's. */
static void
test_foreign(void)
{
	char text[200];

	set_up();
	CU_ASSERT_EQUAL(argon2id_hash_encoded(2, 128, 1, "a right password", 16, "0123456789abcdef",
			    16, 32, text, sizeof(text)),
	    ARGON2_OK);
	CU_ASSERT_EQUAL(
	    password_verify(p, (struct secret){ STR("a right password") }, str_of(text)),
	    PASSWORD_RIGHT);
	tear_down();
}

static void
test_costs(void)
{
	struct secret right = { STR("a right password") };
	char stored[PASSWORD_TEXT + 1];
	struct passwords *more, *passes;

	set_up();
	more = open_rules(256, 1);
	passes = open_rules(64, 2);
	password_hash(p, right, stored);
	CU_ASSERT_EQUAL(password_verify(more, right, str_of(stored)), PASSWORD_WEAK);
	CU_ASSERT_EQUAL(password_verify(passes, right, str_of(stored)), PASSWORD_WEAK);
	password_hash(more, right, stored); /* needs more memory than p has */
	CU_ASSERT_EQUAL(password_verify(p, right, str_of(stored)), PASSWORD_RIGHT);
	passwords_close(more);
	passwords_close(passes);
	tear_down();
}

static void
test_malformed(void)
{
#define SALT "MDEyMzQ1Njc4OWFiY2RlZg"
#define HASH "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	static const char *const rows[] = {
		"",
		"$argon2id$v=19$",
		"$argon2i$v=19$m=64,t=1,p=1$" SALT "$" HASH,
		"$argon2id$v=16$m=64,t=1,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=7,t=1,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=1048577,t=1,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=064,t=1,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=64,t=0,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=64,t=65,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=64,t=1,p=2$" SALT "$" HASH,
		"$argon2id$v=19$m=64,t=1$" SALT "$" HASH,
		"$argon2id$v=19$t=1,m=64,p=1$" SALT "$" HASH,
		"$argon2id$v=19$m=64,t=1,p=1,x=1$" SALT "$" HASH,
		"$argon2id$v=19$m=64,t=1,p=1$" SALT "A$" HASH,
		"$argon2id$v=19$m=64,t=1,p=1$" SALT "$" HASH "$",
		"$argon2id$v=19$m=64,t=1,p=1$" SALT "$-" HASH,
		("$argon2id$v=19$m=64,t=1,p=1$" SALT),
	};
	struct password_stored out;

	CU_ASSERT_TRUE(password_parse(str_of("$argon2id$v=19$m=64,t=1,p=1$" SALT "$" HASH), &out));
	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_FALSE(password_parse(str_of(rows[i]), &out));
}

static void
test_open(void)
{
	char err[256];
	struct password_rules rules = { 64, 1, 15, "/nonexistent/passwords" };

	CU_ASSERT_PTR_NULL(passwords_open(&rules, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "/nonexistent/passwords: No such file"));
	rules.list = "/dev/null";
	CU_ASSERT_PTR_NULL(passwords_open(&rules, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "has no password"));
	rules.list = "";
	passwords_close(passwords_open(&rules, err, sizeof(err)));
}

static CU_TestInfo tests[] = {
	{ "a password is judged by its characters, repetitions, e-mail and the list (C-302)",
	    test_rules },
	{ "two spellings of one character are one password", test_composition },
	{ "a stored password is verified by this program and by libargon2", test_round_trip },
	{ "a password that libargon2 has encoded is verified", test_foreign },
	{ "a password that was stored with less work is reported as weak", test_costs },
	{ "a malformed stored password is refused", test_malformed },
	{ "a list that is missing or empty is an error", test_open },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
