/* SPDX-License-Identifier: ISC */
/* src/lookalike: classes and edits of pairs, fold, patterns of allow lists, and scores. */
#include "config.h"

#include "lookalike/lookalike.h"
#include "lookalike/icu_fold.h"
#include "t/unit/tap.h"

#include <utf8proc.h>

static struct arena *arena;

static const struct pair {
	const char *watched, *name, *class, *edit;
} pairs[] = {
#define PAIR(watched, name, class, edit) { watched, name, class, edit },
#include "t/unit/lookalike_pairs.h"
#undef PAIR
};

static const struct lookalike_match *
find_in(const char *watched, const char *name)
{
	struct lookalike_index *x = lookalike_index_new(arena);
	struct lookalike_match *m;

	lookalike_index_add(x, 7, str_of(watched), (struct strs){ NULL, 0 });
	return lookalike_find(x, arena, str_of(name), &m) == 0 ? NULL : m;
}

static void
each_pair_has_its_class_and_edit(void)
{
	/* C-177, C-178 */
	CU_ASSERT_TRUE(COUNT(pairs) >= 200);
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const struct lookalike_match *m = find_in(pairs[i].watched, pairs[i].name);
		const char *class = m == NULL ? "none" : lookalike_class_name(m->class);
		const char *edit = m == NULL ? NULL : lookalike_edit_name(m->edit);
		bool good = strcmp(class, pairs[i].class) == 0 &&
			    strcmp(edit == NULL ? "" : edit, pairs[i].edit) == 0;

		CU_ASSERT_TRUE(good);
		if (!good)
			printf("# %s, %s: %s %s instead of %s %s\n", pairs[i].watched,
			    pairs[i].name, class, edit == NULL ? "" : edit, pairs[i].class,
			    pairs[i].edit);
	}
}

static void
found_names_are_cut_to_what_resembles(void)
{
	static const struct {
		const char *watched, *name, *found;
	} rows[] = {
		{ "paypal.com", "www.paypal-login.com", "paypal-login.com" },
		{ "paypal.com", "a.b.paypal.com.evil.net", "paypal.com.evil.net" },
		{ "trezor.io", "www.trezor-suite.pages.dev", "trezor-suite.pages.dev" },
		{ "paypal.com", "paypal.com.paypal-login.com", "paypal-login.com" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct lookalike_match *m = find_in(rows[i].watched, rows[i].name);

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_TRUE(str_is(m->found, rows[i].found));
		CU_ASSERT_EQUAL(m->watched, 7);
	}
}

/* ---- fold ---- */

static struct str
utf8(uint32_t code)
{
	struct buf b = { .a = arena };

	buf_code_point(&b, code);
	return buf_done(&b);
}

/* C-177: all that ICU folds to ASCII, of which IDNA allows a part. */
static void
fold_knows_every_letter_that_icu_folds_to_ascii(void)
{
	struct icu_fold *f = icu_fold_open();
	size_t all = 0, idna = 0, wrong = 0;
	char text[ICU_FOLD_ROOM];

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	for (uint32_t c = 0x80; c <= 0x10ffff; c++) {
		struct str folded;

		if (!icu_fold_skeleton(f, c, text))
			continue;
		all++;
		idna += icu_fold_is_idna(f, c);
		folded = lookalike_fold(arena, utf8(c));
		if (!str_eq(folded, lookalike_fold(arena, str_of(text)))) {
			printf(
			    "# U+%04X: %.*s, not %s\n", (unsigned)c, (int)folded.n, folded.p, text);
			wrong++;
		}
		arena_reset(arena);
	}
	icu_fold_close(f);
	printf("# %zu code points, %zu of them allowed by IDNA\n", all, idna);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(idna > 500);
}

static void
fold_twice_is_fold_once(void)
{
	/* C-177 */
	size_t wrong = 0;

	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct str once = lookalike_fold(arena, str_of(pairs[i].name));

		CU_ASSERT_TRUE(str_eq(once, lookalike_fold(arena, once)));
	}
	for (uint32_t c = 1; c <= 0x2ffff; c++) {
		struct str once;

		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		once = lookalike_fold(arena, utf8(c));
		if (!str_eq(once, lookalike_fold(arena, once)) && wrong++ < 10)
			printf("# U+%04X\n", (unsigned)c);
		arena_reset(arena);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void
fold_makes_equal_what_looks_alike(void)
{
	static const char *const alike[][2] = {
		{ "g00gle", "google" },
		{ "vvest", "west" },
		{ "tìktok", "tiktok" },
		{ "аррӏе", "apple" },
		{ "rnicro", "micro" },
		{ "clell", "dell" },
		{ "PAYPAL", "paypal" },
		{ "paypa1", "paypal" },
		{ "ＡＢＣ", "abc" },
		{ "xn--80ak6aa92e", "apple" },
		{ "c1oud", "cloud" },
		{ "straße", "strasse" },
	};

	for (size_t i = 0; i < COUNT(alike); i++)
		CU_ASSERT_TRUE(str_eq(lookalike_fold(arena, str_of(alike[i][0])),
		    lookalike_fold(arena, str_of(alike[i][1]))));
	CU_ASSERT_FALSE(
	    str_eq(lookalike_fold(arena, STR("cisco")), lookalike_fold(arena, STR("dsco"))));
	CU_ASSERT_TRUE(
	    str_is(lookalike_unicode(arena, STR("www.xn--80ak6aa92e.com")), "www.аррӏе.com"));
	CU_ASSERT_TRUE(str_is(lookalike_unicode(arena, STR("xn---.com")), "xn---.com"));
}

/* ---- allow lists ---- */

static void
patterns_have_their_names_and_the_names_below_them(void)
{
	static const struct {
		const char *pattern, *name;
		bool has;
	} rows[] = {
		{ "google.*", "google.de", true },
		{ "google.*", "google.co.uk", true },
		{ "google.*", "www.google.de", true },
		{ "google.*", "googles.de", false },
		{ "google.*", "agoogle.de", false },
		{ "paypal-corp.com", "paypal-corp.com", true },
		{ "paypal-corp.com", "mail.paypal-corp.com", true },
		{ "paypal-corp.com", "xpaypal-corp.com", false },
		{ "*.acme-shops.com", "a.acme-shops.com", true },
		{ "*.acme-shops.com", "acme-shops.com", false },
		{ "acme*.com", "acme-login.com", true },
		{ "*a*a*a*a*b.c", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.c", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_EQUAL(
		    lookalike_pattern_has(str_of(rows[i].pattern), str_of(rows[i].name)),
		    rows[i].has);
	CU_ASSERT_TRUE(lookalike_pattern_sound(STR("google.*")));
	CU_ASSERT_TRUE(lookalike_pattern_sound(STR("xn--mnchen-3ya.de")));
	CU_ASSERT_FALSE(lookalike_pattern_sound(STR("*.*")));
	CU_ASSERT_FALSE(lookalike_pattern_sound(STR("*a.*")));
	CU_ASSERT_FALSE(lookalike_pattern_sound(STR("google")));
	CU_ASSERT_FALSE(lookalike_pattern_sound(STR("a..com")));
	CU_ASSERT_FALSE(lookalike_pattern_sound(STR("Google.com")));
	CU_ASSERT_FALSE(lookalike_pattern_sound(STR("goo gle.com")));
}

/* ---- scores ---- */

#define NOW (INT64_C(1800000000) * 1000000)

static int
sum_of(const struct lookalike_reasons *r)
{
	int sum = 0;

	for (size_t i = 0; i < r->n; i++)
		sum += r->p[i].points;
	return sum;
}

static void
reasons_sum_to_the_score(void)
{
	/* C-181 */
	for (unsigned bits = 0; bits < 128; bits++)
		for (int days = 0; days < 4000; days += 700) {
			struct lookalike_reasons r =
			    find_in("paypal.com", "paypal-login.com")->reasons;
			struct lookalike_facts f = { .address = bits & 1,
				.mail = bits & 2,
				.web = bits & 4,
				.same_page = bits & 8,
				.parked = bits & 16,
				.ranked = bits & 32,
				.same_holder = bits & 64,
				.created_at = { NOW - days * DAY_US },
				.certificate_at = { NOW - days * DAY_US },
				.now = { NOW } };
			int score = lookalike_score(&r, &f);

			CU_ASSERT_EQUAL(score, sum_of(&r));
			CU_ASSERT_TRUE(score >= 0 && score <= 100);
			for (size_t i = 0; i < r.n; i++)
				for (size_t j = 0; j < i; j++)
					CU_ASSERT_NOT_EQUAL(r.p[i].code, r.p[j].code);
			arena_reset(arena);
		}
}

static int
score_of(const char *watched, const char *name)
{
	const struct lookalike_match *m = find_in(watched, name);
	struct lookalike_reasons r;

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	r = m->reasons;
	return lookalike_score(&r, &(struct lookalike_facts){
		.address = true, .created_at = TS_NULL, .certificate_at = TS_NULL, .now = { NOW } });
}

/* Without any import the least score is 70 (C-845). */
static void
plain_look_alikes_with_an_address_reach_70(void)
{
	CU_ASSERT_TRUE(score_of("paypal.com", "paypal-login.com") >= 70);
	CU_ASSERT_TRUE(score_of("paypal.com", "paypa1.com") >= 70);
	CU_ASSERT_TRUE(score_of("paypal.com", "xn--l-7sba6dbr.com") >= 70);
	CU_ASSERT_TRUE(score_of("netflix.com", "n3tflix.com") >= 70);
	CU_ASSERT_TRUE(score_of("paypal.com", "paypal.com.evil.net") >= 70);
	CU_ASSERT_TRUE(score_of("paypal.com", "www-paypal.evil.net") >= 70);
	CU_ASSERT_TRUE(score_of("amazon.com", "annazon.com") >= 70);
	CU_ASSERT_TRUE(score_of("facebook.com", "faceb0ook.com") >= 70);
	CU_ASSERT_TRUE(score_of("instagram.com", "verify.instagram.evil.net") >= 70);
	CU_ASSERT_TRUE(score_of("walmart.com", "walmart.renting666.net") >= 70);
}

static void
names_that_owners_use_stay_below_60(void)
{
	static const char *const own[][2] = { { "fastly.com", "fastly-edge.com" },
		{ "fastly.com", "spotify.map.fastly.net" }, { "spotify.com", "spotify.map.fastly.net" },
		{ "msedge.net", "b-msedge.net" }, { "outlook.com", "outlook.office365.com" },
		{ "paypal.com", "paypal-cdn.com" } };

	for (size_t i = 0; i < COUNT(own); i++) {
		const struct lookalike_match *m = find_in(own[i][0], own[i][1]);

		CU_ASSERT_TRUE(m == NULL || m->reasons.sum + 10 < 60);
		if (m != NULL && m->reasons.sum + 10 >= 60)
			printf("# %s: %d\n", own[i][1], m->reasons.sum + 10);
	}
}

static void
a_certificate_of_its_own_counts_for_a_label_below(void)
{
	struct lookalike_reasons r = find_in("paypal.com", "paypal.evil.net")->reasons;
	struct lookalike_facts f = { .address = true,
		.own_certificate = true,
		.created_at = TS_NULL,
		.certificate_at = { NOW },
		.now = { NOW } };

	CU_ASSERT_TRUE(lookalike_score(&r, &f) >= 70);
}

/* Names that stand side by side in rankings of domains. */
static void
honest_neighbours_with_an_address_stay_below_60(void)
{
	static const char *const honest[][2] = { { "bumble.com", "rumble.com" },
		{ "gartner.com", "partner.com" }, { "binance.com", "finance.com" },
		{ "google.com", "goggle.com" }, { "secureserver.net", "sureserver.com" },
		{ "google.com", "google.de" }, { "amazon.com", "amazon.fr" } };

	for (size_t i = 0; i < COUNT(honest); i++) {
		const struct lookalike_match *m = find_in(honest[i][0], honest[i][1]);

		CU_ASSERT_TRUE(m == NULL || m->reasons.sum + 10 < 60);
	}
}

static void
scores_change_when_a_registration_is_no_longer_new(void)
{
	struct lookalike_facts f = {
		.created_at = { NOW - 10 * DAY_US }, .certificate_at = TS_NULL, .now = { NOW }
	};
	struct lookalike_reasons r = { .n = 0 }, later = { .n = 0 };
	struct ts due = lookalike_due(&f);

	CU_ASSERT_EQUAL(due.us, NOW + 20 * DAY_US + 1);
	(void)lookalike_score(&r, &f);
	CU_ASSERT_STRING_EQUAL(lookalike_weight_code(r.p[0].code), "registered_30_days");
	f.now = due;
	(void)lookalike_score(&later, &f);
	CU_ASSERT_STRING_EQUAL(lookalike_weight_code(later.p[0].code), "registered_90_days");
	f = (struct lookalike_facts){
		.address = true, .created_at = TS_NULL, .certificate_at = TS_NULL, .now = { NOW }
	};
	CU_ASSERT_EQUAL(lookalike_due(&f).us, INT64_MAX);
}

/* ---- tables ---- */

static void
tables_are_sorted(void)
{
	static const char *const tables[][6000] = {
		{
#define ORDINARY_WORD(word) word,
#include "tbl/ordinary_words.h"
		    NULL },
		{
#define LURE(word) word,
#include "tbl/lures.h"
		    NULL },
		{
#define ABUSED_SUFFIX(suffix) suffix,
#include "tbl/abused_suffixes.h"
		    NULL },
		{
#define HOSTING_SUFFIX(suffix) suffix,
#include "tbl/hosting_suffixes.h"
		    NULL },
		{
#define SHARED_DOMAIN(domain) domain,
#include "tbl/shared_domains.h"
		    NULL },
		{
#define KNOWN_DOMAIN(domain) domain,
#include "tbl/known_domains.h"
		    NULL },
		{
#define OWN_WORD(word) word,
#include "tbl/own_words.h"
		    NULL },
	};

	for (size_t i = 0; i < COUNT(tables); i++)
		for (size_t j = 1; tables[i][j] != NULL; j++)
			CU_ASSERT_TRUE(strcmp(tables[i][j - 1], tables[i][j]) < 0);
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "names that owners use for servers stay below 60 (C-936)", names_that_owners_use_stay_below_60 },
		{ "a certificate for a label below another domain counts (C-936)",
		    a_certificate_of_its_own_counts_for_a_label_below },
		{ "each of 200 pairs has its class and edit (C-177, C-178)",
		    each_pair_has_its_class_and_edit },
		{ "a found name is cut to the part that resembles (C-932)",
		    found_names_are_cut_to_what_resembles },
		{ "fold knows every letter that ICU folds to ASCII (C-177)",
		    fold_knows_every_letter_that_icu_folds_to_ascii },
		{ "folding twice is folding once (C-177)", fold_twice_is_fold_once },
		{ "fold makes equal what looks alike", fold_makes_equal_what_looks_alike },
		{ "a pattern has its names and the names below them (C-903)",
		    patterns_have_their_names_and_the_names_below_them },
		{ "the reasons of a score sum to it (C-181)", reasons_sum_to_the_score },
		{ "plain look-alikes with an address reach 70 (C-902)",
		    plain_look_alikes_with_an_address_reach_70 },
		{ "honest neighbours with an address stay below 60 (C-902)",
		    honest_neighbours_with_an_address_stay_below_60 },
		{ "a score changes when a registration is no longer new",
		    scores_change_when_a_registration_is_no_longer_new },
		{ "the tables of words are sorted", tables_are_sorted },
		CU_TEST_INFO_NULL,
	};
	int failed;

	arena = arena_new(SIZE_MAX / 4);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
