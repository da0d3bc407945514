/* SPDX-License-Identifier: ISC */
/* Matches the characters around an anchor with the columns lead and shape. Each part takes as many
   characters as it can and nothing is tried twice, so the time for a candidate is at most the
   length of its shapes. The last run of each class is remembered, so candidates within a run do not
   read it again. */
#include "config.h"

#include "secret/secret_priv.h"

static bool
has_class(const struct candidate *c, size_t at, unsigned class)
{
	return (c->x->class_of[(unsigned char)c->text.p[at]] & class) != 0;
}

static bool
are_hex(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ascii_hex(p[i]) < 0)
			return false;
	return true;
}

bool
secret_ends_escape(struct str text, size_t at)
{
	const char *p = text.p + at;

	if (at >= 2 && p[-2] == '\\' && strchr("nrtbf", p[-1]) != NULL)
		return true;
	if (at >= 3 && p[-3] == '%' && are_hex(p - 2, 2))
		return true;
	return at >= 6 && p[-6] == '\\' && p[-5] == 'u' && are_hex(p - 4, 4);
}

bool
secret_may_begin(const struct candidate *c, size_t start, unsigned class)
{
	return start == 0 || !has_class(c, start - 1, class | CLASS_ALNUM) ||
	       secret_is_escape(c->text, start);
}

static struct secret_run *
last_run(struct candidate *c, unsigned class)
{
	return &c->memo->runs[__builtin_ctz(class)];
}

/* Returns the end of the bytes of a class that begin at an offset, of which there are at most `most`. */
static size_t
run_end(struct candidate *c, size_t from, unsigned class, size_t most)
{
	struct secret_run *r = last_run(c, class);
	size_t limit = c->text.n - from < most ? c->text.n : from + most;
	size_t i;

	if (from < r->from || from > r->end)
		*r = (struct secret_run){ from, from };
	if (r->end >= limit)
		return limit;
	for (i = r->end; i < limit && has_class(c, i, class);)
		i++;
	return r->end = i;
}

/* Returns the beginning of the bytes of a class that end at an offset, of which there are at most `most`. */
static size_t
run_start(struct candidate *c, size_t end, unsigned class, size_t most)
{
	struct secret_run *r = last_run(c, class);
	size_t limit = end < most ? 0 : end - most;
	size_t i = end;

	while (i > limit && has_class(c, i - 1, class))
		i = i <= r->end && i > r->from ? r->from : i - 1;
	if (i < end)
		*r = (struct secret_run){ i, r->from <= end && r->end > end ? r->end : end };
	return i < limit ? limit : i;
}

/* Moves *at past a part. Returns false when the text does not fit the part or ends within it. */
static bool
pass_part(struct candidate *c, const struct secret_part *p, size_t *at)
{
	size_t i = *at, n;

	if (p->literal.n > 0) {
		size_t left = c->text.n - i, most = left < p->literal.n ? left : p->literal.n;

		if (memcmp(c->text.p + i, p->literal.p, most) != 0)
			return false;
		c->open |= most < p->literal.n;
		*at = i + most;
		return most == p->literal.n;
	}
	*at = run_end(c, i, p->class, p->max);
	n = *at - i;
	c->open |= *at == c->text.n && n < p->min;
	return n >= p->min;
}

/* Whether a shape may begin at an offset, by its first byte. Most shapes fail here. */
static bool
may_begin_shape(const struct candidate *c, size_t at, const struct secret_part *first)
{
	if (at == c->text.n)
		return true;
	if (first->literal.n > 0)
		return c->text.p[at] == first->literal.p[0];
	return first->min == 0 || has_class(c, at, first->class);
}

static bool
fits_one(struct candidate *c, const struct secret_shape *s)
{
	size_t at = c->at + c->anchor->n;
	unsigned last = 0;

	if (!may_begin_shape(c, at, &s->parts[0]))
		return false;
	/* a secret begins where a run of its class begins, so the run is not read again for each
	   anchor within it */
	if (c->anchor->row->lead.max == 0 && !s->parts[0].before &&
	    ascii_alnum(c->text.p[c->start]) && !secret_may_begin(c, c->start, s->parts[0].class))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (!pass_part(c, &s->parts[i], &at))
			return false;
		if (s->parts[i].before)
			c->start = at;
		last = s->parts[i].class;
	}
	c->end = at;
	return at == c->text.n || !has_class(c, at, last | CLASS_ALNUM);
}

/* Sets the start to the beginning of the lead, which must be a whole run of its class. */
static bool
pass_lead(struct candidate *c, const struct secret_part *lead)
{
	size_t n;

	c->start = run_start(c, c->at, lead->class, (size_t)lead->max + 1);
	n = c->at - c->start;
	return n >= lead->min && n <= lead->max;
}

bool
secret_fits_shape(struct candidate *c)
{
	const struct secret_row *r = c->anchor->row;

	c->start = c->at;
	c->end = c->at + c->anchor->n;
	if (r->lead.max > 0 && !pass_lead(c, &r->lead))
		return false;
	if (ascii_alnum(c->text.p[c->start]) && !secret_may_begin(c, c->start, r->lead.class))
		return false;
	if (r->shapes[0].n == 0)
		return r->lead.max == 0 || c->end == c->text.n ||
		       !has_class(c, c->end, CLASS_ALNUM);
	for (size_t i = 0; i < r->nshapes; i++)
		if (fits_one(c, &r->shapes[i]))
			return true;
	return false;
}
