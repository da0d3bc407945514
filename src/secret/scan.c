/* SPDX-License-Identifier: ISC */
/* Scans a text in one pass. The three bytes at each offset are looked up in a set. Where an anchor
   is found, its row decides whether a secret is there.

   The time is linear in the text, whatever it contains (C-190). A row reads a byte a bounded number
   of times:

     filter   most rows of a place are ruled out together, by a few bytes around it (struct secret_filter), and then by
              up to twelve bytes behind the anchor, all of which must have a class with which the row's shapes begin
     shape    a secret begins where a run of its first class begins, so a run has one candidate of a row, however many
              anchors are within it; the other runs of a shape begin behind a literal. A row has at most four shapes
              of at most twelve parts. A shape with "<" may begin within a run, whose end is remembered (struct secret_memo)
     lead     is a whole run before the anchor, of at most 86 characters; its beginning is remembered too
     PEM      the lines behind one block end where the next block begins
     near     words of all rows are looked for together, once for each place (struct secret_memo)
     AWS      the runs that may be a secret key are read once (struct secret_memo)

   and a place has at most 32 rows, the bits of a filter. */
#include "config.h"

#include "secret/secret_priv.h"

enum {
	NAME = 64,
	NAME_GAP = 8,
	AROUND = 32,   /* bytes around a piece of base64 */
	CUT_LEAST = 9, /* bytes of a secret that give it away (C-186) */
};

/* weak: gives way to a secret of another row. This is the password of a URL, or the secret key
   beside the id of an AWS key. */
struct found {
	struct secret secret;
	bool weak, named;
};

struct scan {
	struct arena *a;
	const struct secret_index *x;
	struct str text;
	struct ts now;
	struct found *list;
	size_t n;
	size_t done; /* the end of the last secret that is not weak */
	struct secrets out;
	struct secret_memo memo;
};

/* ---- the list ---- */

static void
add_found(struct scan *s, const struct found *f)
{
	if (s->n == LIM_SECRETS) {
		s->out.truncated = true;
		if (f->secret.offset < s->out.read)
			s->out.read = f->secret.offset;
		return;
	}
	s->list = arena_room(s->a, s->list, s->n, sizeof(*f));
	s->list[s->n++] = *f;
}

static void
add_aws_key(struct scan *s, const struct candidate *c)
{
	struct found f = { .weak = true, .named = true };

	f.secret = (struct secret){ .type = STR("aws_secret_key"),
		.provider = c->anchor->row->provider,
		.text = { s->text.p + c->second, c->second_n },
		.offset = c->second,
		.severity = SECRET_CRITICAL };
	add_found(s, &f);
}

static void
accept_candidate(struct scan *s, const struct candidate *c)
{
	const struct secret_row *r = c->anchor->row;
	struct found f = { .weak = r->check == SECRET_CHECK_URL };

	f.named = !f.weak;
	f.secret = (struct secret){
		.type = r->type,
		.provider = r->provider,
		.text = { s->text.p + c->start, c->end - c->start },
		.offset = c->start,
		.severity = c->second_n > 0 ? SECRET_CRITICAL : r->severity,
		.valid = c->valid,
	};
	if (c->start == c->at)
		f.secret.prefix = (struct str){ c->anchor->text, c->anchor->fixed };
	if (c->second_n > 0)
		add_aws_key(s, c);
	add_found(s, &f);
	if (!f.weak)
		s->done = c->end;
}

static int
by_offset(const void *x, const void *y)
{
	const struct found *a = x, *b = y;

	if (a->secret.offset != b->secret.offset)
		return a->secret.offset < b->secret.offset ? -1 : 1;
	return a->weak - b->weak;
}

/* Returns the identifier in name = "secret" and "name": "secret". It does not begin before
   `least`. */
static struct str
name_before(struct str text, size_t least, size_t start)
{
	const char *p = text.p;
	size_t at = start, end;
	bool equals = false;

	while (at > least && start - at < NAME_GAP && p[at - 1] != '\0' &&
	       strchr(" \t\"':=>", p[at - 1]) != NULL) {
		equals |= p[at - 1] == '=' || p[at - 1] == ':';
		at--;
	}
	end = at;
	while (at > least && end - at <= NAME &&
	       (ascii_alnum(p[at - 1]) || p[at - 1] == '_' || p[at - 1] == '-' || p[at - 1] == '.'))
		at--;
	if (!equals || at == end || end - at > NAME)
		return STR_NULL;
	return (struct str){ p + at, end - at };
}

static size_t
lines_in(struct str text, size_t from, size_t to)
{
	size_t n = 0;

	while (from < to) {
		const char *p = memchr(text.p + from, '\n', to - from);

		if (p == NULL)
			break;
		n++;
		from = (size_t)(p - text.p) + 1;
	}
	return n;
}

static size_t
end_of(const struct found *f)
{
	return f->secret.offset + f->secret.text.n;
}

/* Sorts the list and drops weak secrets that overlap another one. */
static void
finish_list(struct scan *s)
{
	size_t end = 0, line = 1, counted = 0;

	if (s->n > 1)
		qsort(s->list, s->n, sizeof(s->list[0]), by_offset);
	s->out.p = ARENA_ARRAY(s->a, s->n, struct secret);
	for (size_t i = 0; i < s->n; i++) {
		struct found *f = &s->list[i];
		struct secret *one = &f->secret;

		if (one->offset < end ||
		    (f->weak && i + 1 < s->n && s->list[i + 1].secret.offset < end_of(f)))
			continue;
		line += lines_in(s->text, counted, one->offset);
		counted = one->offset;
		one->line = line;
		if (f->named)
			one->name = name_before(s->text, end, one->offset);
		s->out.p[s->out.n++] = *one;
		end = end_of(f);
	}
}

/* ---- candidates ---- */

/* Whether the bytes are characters of base64, with capitals, small letters and digits. */
static bool
is_base64_run(const struct candidate *c, size_t from, size_t n)
{
	bool upper = false, lower = false, digit = false;

	for (size_t i = from; i < from + n; i++) {
		char x = c->text.p[i];

		if ((c->x->class_of[(unsigned char)x] & CLASS_BASE64) == 0)
			return false;
		upper |= x >= 'A' && x <= 'Z';
		lower |= x >= 'a' && x <= 'z';
		digit |= ascii_digit(x);
	}
	return upper && lower && digit;
}

/* Whether the candidate is a piece of a longer base64 text between two of its signs + and /. Two
   slashes alone may be those of a path. */
static bool
is_piece_of_base64(const struct candidate *c)
{
	char before, behind;

	if (c->start <= AROUND || c->text.n - c->end <= AROUND)
		return false;
	before = c->text.p[c->start - 1];
	behind = c->text.p[c->end];
	return (before == '+' || before == '/') && (behind == '+' || behind == '/') &&
	       (before == '+' || behind == '+') &&
	       is_base64_run(c, c->start - AROUND, AROUND) && is_base64_run(c, c->end, AROUND);
}

/* Rows with the same anchor often end at the same text, whose entropy is computed once. */
static bool
has_entropy(const struct candidate *c, struct str text)
{
	struct secret_memo *m = c->memo;

	if (m->measured.p != text.p || m->measured.n != text.n)
		m->entropy = secret_entropy(text);
	m->measured = text;
	return m->entropy >= c->anchor->row->entropy / 10.0;
}

static bool
is_secret(struct candidate *c)
{
	const struct secret_row *r = c->anchor->row;
	struct str text;

	if (!secret_fits_shape(c))
		return false;
	/* the bounds of a secret without a shape are known only after its check */
	if (r->shape_text[0] != '\0' && !secret_is_near(c))
		return false;
	if (!secret_passes_check(c)) {
		c->open |= r->shape_text[0] != '\0' && c->end == c->text.n;
		return false;
	}
	if (r->check == SECRET_CHECK_PEM || r->check == SECRET_CHECK_PUTTY)
		return secret_is_near(c);
	if (r->shape_text[0] == '\0' && !secret_is_near(c))
		return false;
	text = (struct str){ c->text.p + c->start, c->end - c->start };
	if (c->start == c->at && r->check != SECRET_CHECK_URL)
		text = (struct str){ text.p + c->anchor->n, text.n - c->anchor->n };
	return has_entropy(c, text) && !secret_is_placeholder(text) && !is_piece_of_base64(c);
}

/* Whether the characters behind an anchor have a class with which a shape of the row begins. */
static bool
suits_behind(
    const struct secret_index *x, const struct secret_anchor *n, const char *p, size_t left)
{
	unsigned classes = n->class_behind;

	for (size_t i = 0; i < n->behind && i < left && classes != 0; i++)
		classes &= x->class_of[(unsigned char)p[i]];
	return n->behind == 0 || classes != 0;
}

/* Whether the anchor is at the offset, and the bytes around it may be those of a secret of its
   row. */
static bool
is_at(const struct scan *s, const struct secret_anchor *n, size_t at)
{
	const struct secret_index *x = s->x;
	const char *p = s->text.p + at;
	size_t left = s->text.n - at;

	if (left < n->n || p[n->probe] != n->text[n->probe])
		return false;
	if (n->class_before != 0 &&
	    (at == 0 || (x->class_of[(unsigned char)p[-1]] & n->class_before) == 0))
		return false;
	if (n->class_word != 0 && at > 0 &&
	    (x->class_of[(unsigned char)p[-1]] & n->class_word) != 0 &&
	    !secret_is_escape(s->text, at))
		return false;
	return suits_behind(x, n, p + n->n, left - n->n) && memcmp(p, n->text, n->n) == 0;
}

/* Whether the end of the text cuts off the candidate. A few characters behind an anchor give no
   secret away: "api_docs" at the end of a title is a word. */
static bool
is_cut_off(const struct candidate *c)
{
	const struct secret_row *r = c->anchor->row;

	return r->shape_text[0] == '\0' ||
	       (c->text.n - c->at - c->anchor->fixed >= CUT_LEAST && secret_is_near(c));
}

/* Tries an anchor whose three bytes are at an offset. Returns true when it begins a secret. */
static bool
try_anchor(struct scan *s, size_t probe_at, const struct secret_anchor *n)
{
	struct candidate c;
	size_t at = probe_at - n->probe;
	bool found;

	if (probe_at < n->probe + s->done || !is_at(s, n, at))
		return false;
	c = (struct candidate){ .a = s->a,
		.x = s->x,
		.anchor = n,
		.text = s->text,
		.now = s->now,
		.memo = &s->memo,
		.done = s->done,
		.at = at };
	found = is_secret(&c) && c.start >= s->done;
	if (c.open && c.at < s->out.open && is_cut_off(&c))
		s->out.open = c.start < c.at ? c.start : c.at;
	if (found)
		accept_candidate(s, &c);
	return found;
}

/* Returns the anchors of the bucket, one bit each, which the bytes beside the offset do not rule
   out. */
static uint32_t
filter_bucket(const struct scan *s, size_t probe_at, const struct secret_bucket *b)
{
	uint32_t may = UINT32_MAX >> (32 - b->n);

	for (int i = 0; b->filter != 0 && i < FILTER_BYTES; i++) {
		size_t at = probe_at + (size_t)secret_filter_place(i);

		/* the place before the text wraps round to SIZE_MAX */
		if (at < s->text.n)
			may &= s->x->filters[b->filter - 1].may[i][(unsigned char)s->text.p[at]];
	}
	return may;
}

/* Tries the anchors of a bucket at the offset of the three bytes. Returns true when one of them
   begins a secret. */
static bool
try_bucket(struct scan *s, size_t probe_at, const struct secret_bucket *b)
{
	for (uint32_t may = filter_bucket(s, probe_at, b); may != 0; may &= may - 1)
		if (try_anchor(s, probe_at, &s->x->anchors[b->first + __builtin_ctz(may)]))
			return true;
	return false;
}

static void
scan_text(struct scan *s)
{
	const struct secret_index *x = s->x;

	for (size_t i = 0; i + 3 <= s->text.n && !s->out.truncated;) {
		uint32_t probe = secret_probe(s->text.p + i) & (PROBE_BITS - 1);

		if ((x->probes[probe / 64] >> (probe % 64) & 1) != 0 &&
		    try_bucket(s, i, &x->buckets[probe % BUCKETS]) && s->done > i)
			i = s->done;
		else
			i++;
	}
}

struct secrets
secrets_find(struct arena *a, struct str text, struct ts now)
{
	struct scan s = { .a = a, .x = secret_index(), .text = text, .now = now };
	bool longer = text.n > LIM_SECRET_TEXT;

	if (longer)
		s.text.n = LIM_SECRET_TEXT;
	s.out.read = s.out.open = s.text.n;
	scan_text(&s);
	finish_list(&s);
	s.out.truncated |= longer;
	return s.out;
}
