/* SPDX-License-Identifier: ISC */
/* The index of watched words: hash tables that find words by their folded form, and by this form
   without one or two letters. */
#include "config.h"

#include "lookalike/lookalike_priv.h"
#include "lookalike/words_priv.h"

#include "address/start_url.h"

uint64_t
word_hash(struct str s)
{
	return hash_str(HASH_START, s);
}

/* The hash of the text without the letters at two places. A place beyond the end omits nothing. */
static uint64_t
hash_without(struct str s, size_t one, size_t two)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < s.n; i++)
		if (i != one && i != two)
			h = hash_byte(h, s.p[i]);
	return h;
}

void
each_delete(struct str text, size_t deletes, void (*fn)(void *arg, uint64_t hash), void *arg)
{
	fn(arg, word_hash(text));
	for (size_t i = 0; i < text.n && deletes >= 1; i++) {
		/* Omitting either of two equal neighbours gives the same text. */
		if (i > 0 && text.p[i] == text.p[i - 1])
			continue;
		fn(arg, hash_without(text, i, text.n));
		for (size_t j = i + 1; j < text.n && deletes >= 2; j++)
			fn(arg, hash_without(text, i, j));
	}
}

size_t
edits_of(size_t length)
{
	return length >= FAR_WORD ? 2 : length >= TYPO_WORD ? 1 : 0;
}

/* ---- tables ---- */

static void
grow_heads(struct arena *a, struct word_table *t)
{
	size_t n = t->heads == NULL ? 1024 : ((size_t)t->mask + 1) * 2;

	t->heads = ARENA_ARRAY(a, n, uint32_t);
	t->mask = (uint32_t)n - 1;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t h = t->entries[i].hash;
		uint32_t *head = &t->heads[(h ^ h >> 29) & t->mask];

		t->entries[i].next = *head;
		*head = (uint32_t)i + 1;
	}
}

static void
table_add(struct arena *a, struct word_table *t, uint64_t hash, uint32_t word)
{
	uint32_t *head;

	if (t->heads == NULL || t->n > t->mask)
		grow_heads(a, t);
	t->entries = arena_room(a, t->entries, t->n, sizeof(*t->entries));
	head = &t->heads[(hash ^ hash >> 29) & t->mask];
	t->entries[t->n] = (struct word_entry){ hash, word, *head };
	*head = (uint32_t)++t->n;
}

const struct watched_word *
words_next(const struct lookalike_index *x, const struct word_table *t, uint64_t hash, uint32_t *at)
{
	if (t->n == 0)
		return NULL;
	*at = *at == 0 ? t->heads[(hash ^ hash >> 29) & t->mask] : t->entries[*at - 1].next;
	while (*at != 0 && t->entries[*at - 1].hash != hash)
		*at = t->entries[*at - 1].next;
	return *at == 0 ? NULL : &x->words[t->entries[*at - 1].word];
}

struct adding {
	struct lookalike_index *x;
	uint32_t word;
};

static void
add_variant(void *arg, uint64_t hash)
{
	struct adding *to = arg;

	table_add(to->x->a, &to->x->deletes, hash, to->word);
}

/* ---- the index ---- */

struct lookalike_index *
lookalike_index_new(struct arena *a)
{
	struct lookalike_index *x = ARENA_NEW(a, struct lookalike_index);

	x->a = a;
	return x;
}

static void
add_index_word(struct lookalike_index *x, const struct watched_word *w)
{
	struct adding to = { x, (uint32_t)x->nwords };

	x->words = arena_room(x->a, x->words, x->nwords, sizeof(*x->words));
	x->words[x->nwords++] = *w;
	table_add(x->a, &x->whole, word_hash(w->plain), to.word);
	if (!str_eq(w->paired, w->plain))
		table_add(x->a, &x->whole, word_hash(w->paired), to.word);
	if (w->edits > 0)
		each_delete(w->plain, w->edits, add_variant, &to);
}

size_t
lookalike_index_entries(const struct lookalike_index *x)
{
	return x->deletes.n;
}

/* An additional word is found with at most one edit, while the label itself may be found with two:
   a watched domain may have many words, and a long text has hundreds of variants with two letters
   missing. */
void
lookalike_index_add(
    struct lookalike_index *x, uint32_t watched, struct str domain, struct strs words)
{
	struct str rest = domain, label = str_until(&rest, '.');

	if (watched >= x->nwatched)
		x->nwatched = watched + 1;
	for (size_t i = 0; i <= words.n; i++) {
		struct str raw = i == 0 ? label : words.p[i - 1];
		struct watched_word w = { .raw = raw,
			.plain = fold_with(x->a, raw, false),
			.paired = fold_with(x->a, raw, true),
			.domain = domain,
			.suffix = rest,
			.watched = watched,
			.edits = i > 0 && edits_of(raw.n) > 1 ? 1 : edits_of(raw.n),
			.ordinary = is_ordinary(raw) };

		if (i == 0 || !str_eq(raw, label))
			add_index_word(x, &w);
	}
}
