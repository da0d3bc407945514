/* SPDX-License-Identifier: ISC */
/* Tests of dates (leaf.h). Dates have no terms: each test looks at the dates of all documents. */
#include "config.h"

#include "search/index/read/leaf.h"

#define SECOND UINT64_C(1000000)

/* Both ends are inclusive. A document without a date has INT64_MIN, which no span contains. */
struct span_us {
	int64_t lo, hi;
};

/* Tests 64 dates. The first loop writes a byte for each, so that the compiler can use vectors; the
   second one packs eight bytes of 0 or 1 into eight bits by a multiplication. */
#define DATES_WORD(name, type)                                                                     \
	static uint64_t name(const type *d, type lo, type hi)                                      \
	{                                                                                          \
		unsigned char in[64];                                                              \
		uint64_t word = 0, eight;                                                          \
                                                                                                   \
		for (int i = 0; i < 64; i++)                                                       \
			in[i] = (unsigned char)((d[i] >= lo) & (d[i] <= hi));                      \
		for (int i = 0; i < 8; i++) {                                                      \
			memcpy(&eight, in + i * 8, sizeof(eight));                                 \
			word |= (eight * UINT64_C(0x0102040810204080) >> 56) << i * 8;             \
		}                                                                                  \
		return word;                                                                       \
	}

DATES_WORD(times_word, int64_t)
DATES_WORD(seconds_word, uint32_t)

/* The whole seconds of a span, counted from the epoch; lo is greater than hi when there are none. 0
   is no date. */
static void
span_seconds(const struct terms *t, const struct span_us *s, uint32_t *lo, uint32_t *hi)
{
	uint64_t after = (uint64_t)s->lo - (uint64_t)t->epoch,
		 before = (uint64_t)s->hi - (uint64_t)t->epoch;
	uint64_t from = after / SECOND + (after % SECOND != 0), to = before / SECOND;

	from = s->lo <= t->epoch ? 1 : from;
	to = s->hi < t->epoch ? 0 : to;
	*lo = from > UINT32_MAX ? UINT32_MAX : (uint32_t)from;
	*hi = from > UINT32_MAX ? 0 : to > UINT32_MAX ? UINT32_MAX : (uint32_t)to;
}

/* Tests the dates of those documents among 64 that have one. */
static uint64_t
packed_word(const struct packed *p, uint32_t base, uint32_t lo, uint32_t hi)
{
	uint32_t i = p->has.before[base >> 6], value;
	uint64_t word = 0;

	for (uint64_t bits = p->has.bits[base >> 6]; bits != 0; bits &= bits - 1) {
		value = packed_at(p, i++);
		if (value >= lo && value <= hi)
			word |= bits & -bits;
	}
	return word;
}

static uint64_t
dates_word(const struct terms *t, uint32_t base, const struct span_us *s)
{
	uint32_t lo, hi;

	if (t->dates != NULL)
		return times_word(t->dates + base, s->lo, s->hi);
	span_seconds(t, s, &lo, &hi);
	return t->seconds.has.bits != NULL ? packed_word(&t->seconds, base, lo, hi)
					   : seconds_word(t->seconds.values + base, lo, hi);
}

static uint64_t
last_dates_word(const struct terms *t, uint32_t base, uint32_t end, const struct span_us *s)
{
	uint64_t word = 0;

	for (uint32_t i = base; i < end; i++) {
		int64_t us = terms_date(t, i);

		word |= (uint64_t)(us >= s->lo && us <= s->hi) << (i - base);
	}
	return word;
}

static struct set
scan_dates(const struct leaf *leaf, const struct span_us *spans, size_t n)
{
	struct leaf f = *leaf;
	struct set out = { .form = SET_WORDS };
	struct set_space sp;

	f.l = f.node->field->nested ? LEVEL_NESTED : LEVEL_DOCUMENT;
	sp = run_space(f.r, f.l);
	if (!terms_have_dates(f.t))
		return set_none();
	out.words = pool_get(f.r->pool);
	memset(out.words, 0, sp.nwords * sizeof(*out.words));
	for (uint32_t base = 0; base < sp.limit; base += 64) {
		uint64_t word = 0;

		for (size_t k = 0; k < n; k++)
			word |= sp.limit - base < 64
				    ? last_dates_word(f.t, base, sp.limit, &spans[k])
				    : dates_word(f.t, base, &spans[k]);
		out.words[base >> 6] = word;
		if (base % 65536 == 0 && !run_spend(f.r, 65536))
			break;
	}
	return f.l == leaf->l ? out : eval_owners(f.r, out);
}

struct set
leaf_dates(const struct leaf *f)
{
	const struct node *n = f->node;
	struct span_us *spans = ARENA_ARRAY(f->r->arena, n->nvalues, struct span_us);

	for (size_t i = 0; i < n->nvalues; i++)
		spans[i].lo = spans[i].hi = n->values[i].ts.us;
	return scan_dates(f, spans, n->nvalues);
}

struct set
leaf_date_range(const struct leaf *f)
{
	const struct node *n = f->node;
	struct span_us s = { INT64_MIN + 1, INT64_MAX };

	if (n->lo.set)
		s.lo = n->lo.v.ts.us + !n->lo.inclusive;
	if (n->hi.set)
		s.hi = n->hi.v.ts.us - !n->hi.inclusive;
	return scan_dates(f, &s, 1);
}
