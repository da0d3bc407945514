/* SPDX-License-Identifier: ISC */
/* src/secret: the rows of tbl/secrets.h, the corpus of complaints, and texts without their secrets. */
#include "config.h"

#include "base/limits.h"
#include "secret/secret.h"
#include "t/unit/secret_samples.h"
#include "t/unit/tap.h"

#include <dirent.h>

static struct arena *arena;

static struct secrets
find(struct str text)
{
	return secrets_find(arena, text, SAMPLES_NOW);
}

static void
complain(const char *what, struct str text, const struct secrets *found)
{
	printf("# %s: %.*s\n", what, (int)text.n, text.p);
	for (size_t i = 0; i < found->n; i++)
		printf("#   %.*s at %zu: %.*s\n", (int)found->p[i].type.n, found->p[i].type.p,
		    found->p[i].offset, (int)found->p[i].text.n, found->p[i].text.p);
}

static bool
is_found(const struct secrets *l, const char *type, const struct made *m)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_is(l->p[i].type, type) && l->p[i].offset == m->start &&
		    l->p[i].text.n == m->end - m->start)
			return true;
	return false;
}

static void
each_row_finds_its_samples(void)
{
	/* C-185 */
	for (size_t i = 0; i < secret_nsamples; i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			uint64_t state = seed * 1000 + i;
			struct made m =
			    sample_make(arena, secret_samples[i].text, SAMPLE_TRUE, &state);
			struct secrets l = find(m.text);
			bool good = l.n == 1 && is_found(&l, secret_samples[i].type, &m);

			CU_ASSERT_TRUE(good);
			if (!good)
				complain(secret_samples[i].type, m.text, &l);
		}
}

static bool
has_type(const struct secrets *l, const char *type)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_is(l->p[i].type, type))
			return true;
	return false;
}

static const struct {
	const char *type, *lead, *shape;
} table[] = {
#define SECRET(type, provider, anchors, lead, shape, check, entropy, near, severity)               \
	{ #type, lead, shape },
#include "tbl/secrets.h"
#undef SECRET
};

static const char *
shape_of(const char *type)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if (strcmp(table[i].type, type) == 0)
			return table[i].shape;
	panic("no row %s", type);
}

/* Whether the anchor is at or near the end of the secret. */
static bool
anchor_is_late(const char *type)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if (strcmp(table[i].type, type) == 0)
			return table[i].lead[0] != '\0' && strcmp(type, "telegram_token") != 0;
	panic("no row %s", type);
}

static void
each_row_has_a_sample(void)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		size_t k = 0;

		while (k < secret_nsamples && strcmp(secret_samples[k].type, table[i].type) != 0)
			k++;
		CU_ASSERT_TRUE(k < secret_nsamples);
		if (k == secret_nsamples)
			printf("# no sample of %s\n", table[i].type);
	}
}

/* C-185: a letter before it, a blank within it, one character again and again, and a changed check digit. */
static void
near_misses_of_each_row_are_silent(void)
{
	for (size_t i = 0; i < secret_nsamples; i++) {
		const char *type = secret_samples[i].type, *text = secret_samples[i].text;
		bool block =
		    strstr(text, "PRIVATE KEY") != NULL || strstr(text, "Private-") != NULL;
		bool url = strcmp(type, "url_password") == 0;
		uint64_t state = 77 + i;

		for (int form = SAMPLE_WEAK; form < SAMPLE_FORMS; form++) {
			struct made m = sample_make(arena, text, (enum sample_form)form, &state);
			struct secrets l = find(m.text);
			/* a blank in its body does not hide a private key, nor a changed identifier one */
			bool silent = !is_found(&l, type, &m) || block;

			CU_ASSERT_TRUE(silent);
			if (!silent)
				complain(type, m.text, &l);
		}
		if (!url && !block && strchr(text, '%') == NULL && strstr(text, "\\n{<}") == NULL &&
		    strchr(shape_of(type), '<') == NULL) {
			struct made m = sample_make(arena, text, SAMPLE_TRUE, &state);
			struct str left = { m.text.p, m.start };
			struct str right = { m.text.p + m.start, m.text.n - m.start };
			struct str moved = arena_printf(
			    arena, "%.*sq%.*s", (int)left.n, left.p, (int)right.n, right.p);
			struct secrets l = find(moved);

			CU_ASSERT_FALSE(has_type(&l, type));
			if (has_type(&l, type))
				complain(type, moved, &l);
		}
		if (strstr(text, "{k30}") != NULL) {
			struct made m = sample_make(arena, text, SAMPLE_TRUE, &state);
			struct secrets l = find(m.text);
			char *changed = mem_alloc(m.text.n);

			CU_ASSERT_TRUE(l.n == 1 && l.p[0].valid);
			memcpy(changed, m.text.p, m.text.n);
			changed[m.end - 1] = changed[m.end - 1] == 'a' ? 'b' : 'a';
			l = find((struct str){ changed, m.text.n });
			free(changed);
			CU_ASSERT_FALSE(has_type(&l, type));
		}
	}
}

static void
traps_are_silent(void)
{
	/* C-185, C-188 */
	for (size_t i = 0; i < secret_ntraps; i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			uint64_t state = seed * 5000 + i;
			struct made m =
			    sample_make(arena, secret_traps[i].text, SAMPLE_TRUE, &state);
			struct secrets l = find(m.text);

			CU_ASSERT_EQUAL(l.n, 0);
			if (l.n > 0)
				complain("trap", m.text, &l);
		}
}

static struct str
file_text(const char *path)
{
	struct buf b = { .a = arena };
	FILE *in = fopen(path, "rb");
	char room[4096];
	size_t n;

	while (in != NULL && (n = fread(room, 1, sizeof(room), in)) > 0)
		buf_add(&b, room, n);
	if (in != NULL)
		fclose(in);
	return buf_done(&b);
}

static void
the_corpus_of_complaints_is_silent(void)
{
	/* C-188 */
	static const char folder[] = "t/bench/data/secrets";
	DIR *d = opendir(folder);
	struct dirent *e;
	size_t files = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		struct str path = arena_printf(arena, "%s/%s", folder, e->d_name), text;
		struct secrets l;

		if (e->d_name[0] == '.')
			continue;
		text = file_text(path.p);
		l = find(text);
		files++;
		CU_ASSERT_TRUE(text.n > 100);
		CU_ASSERT_EQUAL(l.n, 0);
		if (l.n > 0)
			complain(path.p, STR(""), &l);
	}
	CU_ASSERT_TRUE(files >= 8);
	if (d != NULL)
		closedir(d);
}

/* The text of a sample as it is, with the row of its type. */
static struct made
sample(const char *type, uint64_t seed)
{
	for (size_t i = 0; i < secret_nsamples; i++)
		if (strcmp(secret_samples[i].type, type) == 0)
			return sample_make(arena, secret_samples[i].text, SAMPLE_TRUE, &seed);
	panic("no sample of %s", type);
}

static struct str
bare(const char *type, uint64_t seed)
{
	struct made m = sample(type, seed);

	return (struct str){ m.text.p + m.start, m.end - m.start };
}

static void
a_secret_has_its_place(void)
{
	struct str token = bare("github_token", 3);
	struct str text = arena_printf(arena, "one\ntwo\n  \"ci_token\": \"%.*s\",\n%.*s\n",
	    (int)token.n, token.p, (int)token.n, token.p);
	struct secrets l = find(text);

	CU_ASSERT_EQUAL_FATAL(l.n, 2);
	CU_ASSERT_EQUAL(l.p[0].line, 3);
	CU_ASSERT_EQUAL(l.p[0].offset, 23);
	CU_ASSERT_TRUE(str_is(l.p[0].name, "ci_token"));
	CU_ASSERT_EQUAL(l.p[1].line, 4);
	CU_ASSERT_PTR_NULL(l.p[1].name.p);
	CU_ASSERT_TRUE(l.p[0].valid);
	CU_ASSERT_EQUAL(l.p[0].severity, SECRET_CRITICAL);
	CU_ASSERT_TRUE(str_is(l.p[0].provider, "github"));
	CU_ASSERT_EQUAL(l.read, text.n);
	CU_ASSERT_FALSE(l.truncated);
}

static void
an_aws_key_with_its_secret_is_critical(void)
{
	struct made id = sample("aws_access_key", 1);
	struct str key = bare("aws_secret_key", 2);
	struct str both[] = {
		arena_printf(
		    arena, "%.*s\n\"x\": \"%.*s\"\n", (int)id.text.n, id.text.p, (int)key.n, key.p),
		arena_printf(arena, "%.*s, %.*s\n", (int)key.n, key.p, (int)id.text.n, id.text.p),
	};
	struct secrets l = find(id.text);

	CU_ASSERT_TRUE(l.n == 1 && l.p[0].severity == SECRET_HIGH);
	for (size_t i = 0; i < COUNT(both); i++) {
		l = find(both[i]);
		CU_ASSERT_EQUAL_FATAL(l.n, 2);
		CU_ASSERT_TRUE(str_is(l.p[i].type, "aws_access_key"));
		CU_ASSERT_TRUE(str_is(l.p[1 - i].type, "aws_secret_key"));
		CU_ASSERT_TRUE(str_eq(l.p[1 - i].text, key));
		CU_ASSERT_EQUAL(l.p[0].severity, SECRET_CRITICAL);
		CU_ASSERT_EQUAL(l.p[1].severity, SECRET_CRITICAL);
	}
	/* a commit is no key */
	l = find(arena_printf(
	    arena, "%.*s 900150983cd24fb0d6963f7d28e17f7290015098", (int)id.text.n, id.text.p));
	CU_ASSERT_EQUAL(l.n, 1);
}

static void
previews_have_no_character_of_the_secret(void)
{
	static const struct {
		const char *type, *preview;
	} rows[] = {
		{ "github_token", "ghp_\xe2\x80\xa6"
				  "40" },
		{ "telegram_token", "\xe2\x80\xa6"
				    "46" },
		{ "discord_bot_token", "\xe2\x80\xa6"
				       "70" },
		{ "url_password", "\xe2\x80\xa6"
				  "12" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct made m = sample(rows[i].type, 5);
		struct secrets l = find(m.text);

		CU_ASSERT_EQUAL_FATAL(l.n, 1);
		CU_ASSERT_STRING_EQUAL(secret_preview(arena, &l.p[0]).p, rows[i].preview);
	}
}

/* Whether the text has nine characters of the secret, but for those of its prefix and of the lines around a key (C-186). */
static bool
has_a_piece(struct str text, struct str secret, size_t prefix)
{
	bool block = str_starts(secret, STR("-----"));

	for (size_t i = prefix; text.n > 0 && i + 9 <= secret.n; i++)
		if ((!block || (memchr(secret.p + i, '-', 9) == NULL &&
				   memchr(secret.p + i, ' ', 9) == NULL)) &&
		    memmem(text.p, text.n, secret.p + i, 9) != NULL)
			return true;
	return false;
}

static void
masked_texts_have_no_secret(void)
{
	/* C-186 */
	for (size_t i = 0; i < secret_nsamples; i++) {
		uint64_t state = 900 + i;
		struct made m = sample_make(arena, secret_samples[i].text, SAMPLE_TRUE, &state);
		struct str text =
		    arena_printf(arena, "before %.*s behind", (int)m.text.n, m.text.p);
		struct str masked = secrets_mask(arena, text), again = secrets_mask(arena, masked);
		struct secrets l = find(m.text);

		CU_ASSERT_TRUE(str_starts(masked, STR("before ")));
		CU_ASSERT_TRUE(str_ends(masked, STR(" behind")));
		CU_ASSERT_TRUE(masked.n <= text.n);
		CU_ASSERT_TRUE(str_eq(masked, again));
		if (l.n != 1)
			complain(secret_samples[i].type, m.text, &l);
		CU_ASSERT_EQUAL_FATAL(l.n, 1);
		CU_ASSERT_FALSE(has_a_piece(masked, l.p[0].text, l.p[0].prefix.n));
		if (has_a_piece(masked, l.p[0].text, l.p[0].prefix.n))
			complain(secret_samples[i].type, masked, &l);
	}
	CU_ASSERT_TRUE(str_is(secrets_mask(arena, STR("nothing here")), "nothing here"));
}

/* A body is cut by its tool, in the middle of a secret too. */
static void
secrets_that_the_end_cuts_off_are_left_out(void)
{
	for (size_t i = 0; i < secret_nsamples; i++) {
		uint64_t state = 31 + i;
		struct made m = sample_make(arena, secret_samples[i].text, SAMPLE_TRUE, &state);
		struct str whole = { m.text.p + m.start, m.end - m.start };

		if (anchor_is_late(secret_samples[i].type))
			continue;
		for (size_t end = m.start + whole.n / 2; end <= m.end; end++) {
			struct str masked = secrets_mask(arena, (struct str){ m.text.p, end });
			struct secrets l = find(m.text);
			bool bad = has_a_piece(masked, whole, l.p[0].prefix.n);

			CU_ASSERT_FALSE(bad);
			if (bad) {
				complain(secret_samples[i].type, masked, &l);
				break;
			}
		}
	}
}

static void
words_at_the_end_that_begin_like_a_token_are_kept(void)
{
	static const char *const texts[] = { "the api_docs", "for test_data", "a key-value", "web_app",
		"sk_buff", "pat.pending", "unit test_integration", "SG.abc" };

	for (size_t i = 0; i < COUNT(texts); i++)
		CU_ASSERT_TRUE(str_is(secrets_mask(arena, str_of(texts[i])), texts[i]));
}

static void
more_secrets_than_the_limit_are_cut_off(void)
{
	struct str token = bare("stripe_key", 4);
	struct buf b = { .a = arena };
	struct secrets l;
	struct str masked;

	for (int i = 0; i < LIM_SECRETS + 20; i++)
		buf_printf(&b, "%.*s\n", (int)token.n, token.p);
	l = find(buf_done(&b));
	CU_ASSERT_EQUAL(l.n, LIM_SECRETS);
	CU_ASSERT_TRUE(l.truncated);
	CU_ASSERT_EQUAL(l.read, (token.n + 1) * LIM_SECRETS);
	masked = secrets_mask(arena, buf_done(&b));
	CU_ASSERT_FALSE(has_a_piece(masked, token, 8));
}

static void
texts_longer_than_the_limit_are_cut_off(void)
{
	struct str token = bare("stripe_key", 4), masked;
	struct buf b = { .a = arena };
	struct secrets l;

	while (b.n < LIM_SECRET_TEXT)
		buf_z(&b, "words and words ");
	buf_str(&b, token);
	l = find(buf_done(&b));
	CU_ASSERT_EQUAL(l.n, 0);
	CU_ASSERT_TRUE(l.truncated);
	CU_ASSERT_EQUAL(l.read, LIM_SECRET_TEXT);
	masked = secrets_mask(arena, buf_done(&b));
	CU_ASSERT_EQUAL(masked.n, LIM_SECRET_TEXT);
}

static void
a_row_of_its_own_wins_over_the_password_of_a_url(void)
{
	struct str token = bare("github_token", 9);
	struct str text = arena_printf(arena, "https://x:%.*s@github.com", (int)token.n, token.p);
	struct secrets l = find(text);

	CU_ASSERT_EQUAL_FATAL(l.n, 1);
	CU_ASSERT_TRUE(str_is(l.p[0].type, "github_token"));
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "each row of the table has a sample", each_row_has_a_sample },
		{ "each row finds its samples (C-185)", each_row_finds_its_samples },
		{ "near misses of each row are silent (C-185)",
		    near_misses_of_each_row_are_silent },
		{ "near misses and placeholders of each provider are silent (C-188)",
		    traps_are_silent },
		{ "the corpus of complaints is silent (C-188)",
		    the_corpus_of_complaints_is_silent },
		{ "a secret has its line, offset and name", a_secret_has_its_place },
		{ "an AWS key with its secret is critical (C-930)",
		    an_aws_key_with_its_secret_is_critical },
		{ "previews have no character of the secret (C-186)",
		    previews_have_no_character_of_the_secret },
		{ "masked texts have no secret (C-186)", masked_texts_have_no_secret },
		{ "secrets that the end of a text cuts off are left out",
		    secrets_that_the_end_cuts_off_are_left_out },
		{ "words at the end that begin like a token are kept",
		    words_at_the_end_that_begin_like_a_token_are_kept },
		{ "more secrets than the limit are cut off",
		    more_secrets_than_the_limit_are_cut_off },
		{ "texts longer than the limit are cut off",
		    texts_longer_than_the_limit_are_cut_off },
		{ "a row of its own wins over the password of a URL",
		    a_row_of_its_own_wins_over_the_password_of_a_url },
		CU_TEST_INFO_NULL,
	};
	int failed;

	arena = arena_new(SIZE_MAX / 2);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
