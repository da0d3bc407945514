/* SPDX-License-Identifier: ISC */
/* One pass over a text: is it exactly one value of RFC 8259, and nothing that parsers disagree about
   (C-024 to C-030)? It runs over every body before json-c and over every line of an import, so the
   common case allocates nothing. The same pass records where values stand, or builds a tree of them. */
#include "config.h"

#include "json/json.h"
#include "json/json_priv.h"

enum {
	FEW = 16, /* an object's members, up to which names are compared each with each */
	LOCAL = 64,  /* members and items open at once before the arena is asked */
	SPANS = 256, /* spans to begin with */
};

struct reader {
	struct scan *s;
	const char *start, *p, *end;
	char *own; /* SCAN_TREE: the text again, to unescape in place */
	unsigned left;
	struct json_value
	    *stack; /* the members (and of a tree the items) of what is open */
	size_t top, room;
	struct json_value local[LOCAL];
};

static bool value(struct reader *r, struct json_value *v);

static bool
fail(struct reader *r, const char *at, const char *what)
{
	r->s->fault = (struct json_fault){ (size_t)(at - r->start), what };
	return false;
}

/* Not what the grammar has here: says it of the byte at hand. */
static bool
unexpected(struct reader *r)
{
	return fail(r, r->p, r->p == r->end ? "unexpected end" : "unexpected character");
}

static void
space(struct reader *r)
{
	while (r->p < r->end &&
	       (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
		r->p++;
}

static bool
next_is(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

static void
grow(struct reader *r)
{
	struct json_value *more = ARENA_ARRAY(r->s->a, r->room * 2, struct json_value);

	memcpy(more, r->stack, r->top * sizeof(*more));
	r->stack = more;
	r->room *= 2;
}

static size_t
push(struct reader *r)
{
	if (r->top == r->room)
		grow(r);
	return r->top++;
}

/* ---- strings ---- */

/* Of eight bytes at once: none is a quote, a backslash, a control character or beyond ASCII. The
   subtractions set a byte's high bit exactly when some byte of the word is special. */
static bool
plain(const char *p)
{
	const uint64_t ones = 0x0101010101010101U, high = ones * 0x80;
	uint64_t w, quote, back;

	memcpy(&w, p, sizeof(w));
	quote = w ^ ones * '"';
	back = w ^ ones * '\\';
	return (((w - ones * 0x20) | (quote - ones) | (back - ones) | w) & high) == 0;
}

static int
hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int lower = c | 0x20;

		if (c >= '0' && c <= '9')
			v = v * 16 + (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			v = v * 16 + (lower - 'a' + 10);
		else
			return -1;
	}
	return v;
}

static bool
is_high(int unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool
is_low(int unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/* One \uXXXX or a pair of surrogates; r->p stands on the first backslash. */
static bool
unicode_escape(struct reader *r)
{
	size_t rest = (size_t)(r->end - r->p);
	int unit = rest < 6 ? -1 : hex4(r->p + 2);

	if (unit < 0)
		return fail(r, r->p, "invalid escape");
	if (is_high(unit)) {
		if (rest < 12 || r->p[6] != '\\' || r->p[7] != 'u' ||
		    !is_low(hex4(r->p + 8)))
			return fail(r, r->p, "lone surrogate");
		r->p += 6;
	} else if (is_low(unit)) {
		return fail(r, r->p, "lone surrogate");
	}
	r->p += 6;
	return true;
}

static bool
escape(struct reader *r)
{
	if (r->end - r->p < 2)
		return fail(r, r->end, "unexpected end");
	if (r->p[1] == 'u')
		return unicode_escape(r);
	if (r->p[1] == '\0' || strchr("\"\\/bfnrt", r->p[1]) == NULL)
		return fail(r, r->p, "invalid escape");
	r->p += 2;
	return true;
}

static bool
beyond_ascii(struct reader *r)
{
	const char *from = r->p;
	struct str run;

	while (r->p < r->end && (*r->p & 0x80) != 0)
		r->p++;
	run = (struct str){ from, (size_t)(r->p - from) };
	return str_utf8_bad(run) == run.n ||
	       fail(r, from + str_utf8_bad(run), "invalid UTF-8");
}

static bool
special(char c)
{
	return c == '"' || c == '\\' || (c & 0x80) != 0 || c < 0x20;
}

/* To the next byte that a string cannot simply contain. */
static void
skip_plain(struct reader *r)
{
	while (r->end - r->p >= 8 && plain(r->p))
		r->p += 8;
	while (r->p < r->end && !special(*r->p))
		r->p++;
}

/* From behind the opening quote to behind the closing one; *raw is what stands between them. */
static bool
string(struct reader *r, struct str *raw, bool *escaped)
{
	const char *from = r->p;

	*escaped = false;
	for (skip_plain(r); r->p == r->end || *r->p != '"'; skip_plain(r)) {
		if (r->p == r->end)
			return unexpected(r);
		if (*r->p == '\\') {
			*escaped = true;
			if (!escape(r))
				return false;
		} else if ((*r->p & 0x80) != 0) {
			if (!beyond_ascii(r))
				return false;
		} else {
			return fail(r, r->p, "control character in a string");
		}
	}
	*raw = (struct str){ from, (size_t)(r->p - from) };
	r->p++;
	return true;
}

static void
put_utf8(char **out, int c)
{
	char *o = *out;

	if (c < 0x80) {
		*o++ = (char)c;
	} else if (c < 0x800) {
		*o++ = (char)(0xc0 | c >> 6);
		*o++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*o++ = (char)(0xe0 | c >> 12);
		*o++ = (char)(0x80 | (c >> 6 & 0x3f));
		*o++ = (char)(0x80 | (c & 0x3f));
	} else {
		*o++ = (char)(0xf0 | c >> 18);
		*o++ = (char)(0x80 | (c >> 12 & 0x3f));
		*o++ = (char)(0x80 | (c >> 6 & 0x3f));
		*o++ = (char)(0x80 | (c & 0x3f));
	}
	*out = o;
}

static void
unescape_one(const char **in, char **out)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *p = *in, *at;
	int unit;

	if (p[1] != 'u') {
		at = strchr(from, p[1]);
		*(*out)++ = at == NULL ? p[1] : to[at - from];
		*in += 2;
		return;
	}
	unit = hex4(p + 2);
	*in += 6;
	if (is_high(unit)) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (hex4(p + 8) - 0xdc00);
		*in += 6;
	}
	put_utf8(out, unit);
}

/* raw has passed string(); out has room for raw.n bytes and may be raw's own memory, since nothing
   becomes longer. */
static struct str
unescape(char *out, struct str raw)
{
	const char *in = raw.p, *end = raw.p + raw.n;
	char *o = out;

	while (in < end) {
		if (*in == '\\')
			unescape_one(&in, &o);
		else
			*o++ = *in++;
	}
	return (struct str){ out, (size_t)(o - out) };
}

/* The string's value, in the text itself where it can be. */
static struct str
text_of(struct reader *r, struct str raw, bool escaped)
{
	if (!escaped)
		return raw;
	return unescape(
	    r->own != NULL ? r->own + (raw.p - r->start) : arena_alloc(r->s->a, raw.n),
	    raw);
}

/* ---- members ---- */

uint32_t
name_tag(struct str name)
{
	uint32_t first = 0, last = 0;

	if (name.n >= 4) {
		memcpy(&first, name.p, 4);
		memcpy(&last, name.p + name.n - 4, 4);
	} else {
		for (size_t i = 0; i < name.n; i++)
			first = first << 8 | (unsigned char)name.p[i];
	}
	return (first ^ (last << 15 | last >> 17)) * 0x9e3779b1U + (uint32_t)name.n;
}

static int
name_cmp(const struct json_value *a, const struct json_value *b)
{
	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	return str_cmp(
	    (struct str){ a->name, a->name_n }, (struct str){ b->name, b->name_n });
}

static void
sift(struct json_value *v, size_t i, size_t n)
{
	struct json_value moved = v[i];

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && name_cmp(&v[child], &v[child + 1]) < 0)
			child++;
		if (name_cmp(&moved, &v[child]) >= 0)
			break;
		v[i] = v[child];
	}
	v[i] = moved;
}

/* Heapsort: its worst case is its usual one and it needs no memory, so no choice of names by a client
   makes it slow (a hash table's would). */
static bool
sorted_twice(struct json_value *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	for (size_t i = n; i-- > 1;) {
		struct json_value largest = v[0];

		v[0] = v[i];
		v[i] = largest;
		sift(v, 0, i);
	}
	for (size_t i = 1; i < n; i++)
		if (name_cmp(&v[i - 1], &v[i]) == 0)
			return true;
	return false;
}

/* Among the members since base, while they are few: has one the name of the newest? */
static bool
named_before(const struct reader *r, size_t base)
{
	const struct json_value *newest = &r->stack[r->top - 1];

	for (const struct json_value *v = &r->stack[base]; v < newest; v++)
		if (v->tag == newest->tag && name_cmp(v, newest) == 0)
			return true;
	return false;
}

/* Reads a name and its colon and pushes them. */
static bool
member_name(struct reader *r, size_t base)
{
	const char *at = r->p;
	struct json_value *v;
	struct str name = STR_NULL;
	bool escaped = false;
	size_t slot;

	if (!next_is(r, '"'))
		return unexpected(r);
	if (!string(r, &name, &escaped))
		return false;
	name = text_of(r, name, escaped);
	if (escaped && !r->s->nul_names && memchr(name.p, '\0', name.n) != NULL)
		return fail(r, at, "U+0000 in a key");
	slot = push(r);
	v = &r->stack[slot];
	v->name = name.p;
	v->name_n = (uint32_t)name.n;
	v->tag = name_tag(name);
	if (r->top - base <= FEW && named_before(r, base))
		return fail(r, at, "duplicate key");
	space(r);
	if (!next_is(r, ':'))
		return unexpected(r);
	space(r);
	return true;
}

/* ---- containers ---- */

/* Of a tree, what was pushed since base becomes the items of v. */
static void
collect(struct reader *r, size_t base, enum json_type type, struct json_value *v)
{
	v->type = type;
	v->n = (uint32_t)(r->top - base);
	v->u.items = NULL;
	if (v->n > 0) {
		v->u.items = ARENA_ARRAY(r->s->a, v->n, struct json_value);
		memcpy(v->u.items, &r->stack[base], v->n * sizeof(*v));
	}
}

static bool
members(struct reader *r, size_t base)
{
	struct json_value v;

	do {
		size_t slot = r->top;

		space(r);
		if (!member_name(r, base) || !value(r, &v))
			return false;
		if (r->s->mode == SCAN_TREE) {
			r->stack[slot].u = v.u;
			r->stack[slot].n = v.n;
			r->stack[slot].type = v.type;
		}
		space(r);
	} while (next_is(r, ','));
	return next_is(r, '}') || unexpected(r);
}

static bool
object(struct reader *r, struct json_value *v)
{
	size_t base = r->top;

	space(r);
	if (!next_is(r, '}') && !members(r, base))
		return false;
	if (r->s->mode == SCAN_TREE)
		collect(r, base, JSON_OBJECT, v);
	if (r->top - base > FEW && sorted_twice(&r->stack[base], r->top - base))
		return fail(r, r->p - 1, "duplicate key");
	r->top = base;
	return true;
}

static bool
items(struct reader *r)
{
	struct json_value v;

	do {
		space(r);
		if (!value(r, &v))
			return false;
		if (r->s->mode == SCAN_TREE) {
			size_t slot = push(r);

			v.name = NULL;
			v.name_n = v.tag = 0;
			r->stack[slot] = v;
		}
		space(r);
	} while (next_is(r, ','));
	return next_is(r, ']') || unexpected(r);
}

static bool
array(struct reader *r, struct json_value *v)
{
	size_t base = r->top;

	space(r);
	if (!next_is(r, ']') && !items(r))
		return false;
	if (r->s->mode == SCAN_TREE)
		collect(r, base, JSON_ARRAY, v);
	r->top = base;
	return true;
}

static bool
container(struct reader *r, struct json_value *v)
{
	bool ok;

	if (r->left == 0)
		return fail(r, r->p, "nested too deeply");
	r->left--;
	ok = *r->p++ == '{' ? object(r, v) : array(r, v);
	r->left++;
	return ok;
}

/* ---- scalars ---- */

static bool
digits(struct reader *r)
{
	const char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > from || unexpected(r);
}

static bool
number(struct reader *r)
{
	next_is(r, '-');
	if (!next_is(r, '0') &&
	    !digits(r)) /* a digit behind a leading zero fails in the caller */
		return false;
	if (next_is(r, '.') && !digits(r))
		return false;
	if (!next_is(r, 'e') && !next_is(r, 'E'))
		return true;
	if (!next_is(r, '+'))
		next_is(r, '-');
	return digits(r);
}

static bool
word(struct reader *r, struct str w)
{
	if (!str_starts((struct str){ r->p, (size_t)(r->end - r->p) }, w))
		return fail(r, r->p, "unexpected character");
	r->p += w.n;
	return true;
}

static bool
string_value(struct reader *r, struct json_value *v)
{
	struct str raw = STR_NULL;
	bool escaped = false;

	r->p++;
	if (!string(r, &raw, &escaped))
		return false;
	if (r->s->mode == SCAN_TREE)
		raw = text_of(r, raw, escaped);
	v->type = JSON_STRING;
	v->u.p = raw.p;
	v->n = (uint32_t)raw.n;
	return true;
}

static bool
scalar(struct reader *r, struct json_value *v)
{
	const char *from = r->p;
	bool ok;

	if (*from == 't' || *from == 'f') {
		v->type = JSON_BOOL;
		ok = word(r, *from == 't' ? STR("true") : STR("false"));
	} else if (*from == 'n') {
		v->type = JSON_NULL;
		ok = word(r, STR("null"));
	} else {
		v->type = JSON_NUMBER;
		ok = number(r);
	}
	v->u.p = from;
	v->n = (uint32_t)(r->p - from);
	return ok;
}

static size_t
span_begin(struct scan *s)
{
	if (s->nspans == s->spans_room) {
		size_t room = s->spans_room == 0 ? SPANS : 2 * s->spans_room;
		struct span *more = ARENA_ARRAY(s->a, room, struct span);

		if (s->nspans > 0)
			memcpy(more, s->spans, s->nspans * sizeof(*more));
		s->spans = more;
		s->spans_room = room;
	}
	return s->nspans++;
}

static bool
value(struct reader *r, struct json_value *v)
{
	const char *from = r->p;
	size_t span = r->s->mode == SCAN_SPANS ? span_begin(r->s) : 0;
	bool ok;

	if (r->p == r->end)
		return unexpected(r);
	if (*r->p == '"')
		ok = string_value(r, v);
	else if (*r->p == '{' || *r->p == '[')
		ok = container(r, v);
	else
		ok = scalar(r, v);
	if (ok && r->s->mode == SCAN_SPANS)
		r->s->spans[span] =
		    (struct span){ (uint32_t)(from - r->start), (uint32_t)(r->p - from) };
	return ok;
}

static bool
read_all(struct reader *r, struct str text)
{
	if (text.n > UINT32_MAX)
		return fail(r, r->start, "too long");
	if (str_starts(text, STR("\xef\xbb\xbf")))
		return fail(r, r->start, "byte order mark");
	space(r);
	if (!value(r, &r->s->root))
		return false;
	space(r);
	return r->p == r->end || fail(r, r->p, "data behind the value");
}

static bool
start(struct scan *s, struct str text, char *own)
{
	struct reader r; /* not cleared: its stack is two kilobytes */

	r.s = s;
	r.start = r.p = text.n > 0 ? text.p : "";
	r.end = r.p + text.n;
	r.own = own;
	r.left = s->depth;
	r.stack = r.local;
	r.top = 0;
	r.room = LOCAL;
	return read_all(&r, text);
}

bool
scan_text(struct scan *s, struct str text)
{
	return start(s, text, NULL);
}

bool
scan_own(struct scan *s, char *text, size_t n)
{
	return start(s, (struct str){ text, n }, text);
}

bool
json_scan(struct arena *a, struct str text, unsigned depth, struct json_fault *fault)
{
	struct scan s = { .a = a, .mode = SCAN_CHECK, .depth = depth };
	bool ok = scan_text(&s, text);

	*fault = s.fault;
	return ok;
}
