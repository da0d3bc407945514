/* SPDX-License-Identifier: ISC */
/* The scanner: one pass over a text that decides whether it is exactly one value of RFC 8259 and
   has nothing that parsers disagree about (C-024 to C-030). It runs over every body before json-c
   and over every line of an import, so a text with few members needs no memory. The same pass
   records the span of each value, or builds a tree.

   The only state beyond the position is one stack of names (and, for a tree, of values), shared by
   all open containers. Each container remembers where its part begins:

       {"a":1,"b":{"c":2,"d":     stack: [ a | b | c | d ]
                                           ^       ^
                                 base of the outer   base of the inner object

   At the end of a container its part of the stack is copied into the tree if there is one, checked
   for duplicates, and dropped. The depth limit also limits the recursion of scan_value. */
#include "config.h"

#include "json/json.h"
#include "json/json_priv.h"

enum {
	FEW = 16,    /* members of an object up to which all pairs of names are compared */
	LOCAL = 64,  /* entries of the stack before it moves to the arena */
	SPANS = 256, /* initial room for spans */
};

struct reader {
	struct scan *s;
	const char *start, *p, *end;
	char *own;     /* SCAN_TREE: the text as writable memory, to unescape in place */
	unsigned left; /* levels of containers that may still be opened */
	/* The members (and items, for a tree) of the open containers. */
	struct json_value *stack;
	size_t top, room;
	struct json_value local[LOCAL];
};

static bool scan_value(struct reader *r, struct json_value *v);

static bool
set_scan_fault(struct reader *r, const char *at, const char *what)
{
	r->s->fault = (struct json_fault){ (size_t)(at - r->start), what };
	return false;
}

/* Fails because the grammar does not allow the next byte. */
static bool
unexpected(struct reader *r)
{
	return set_scan_fault(r, r->p, r->p == r->end ? "unexpected end" : "unexpected character");
}

static void
skip_json_space(struct reader *r)
{
	while (r->p < r->end && ascii_space(*r->p))
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
grow_stack(struct reader *r)
{
	struct json_value *more = ARENA_ARRAY(r->s->a, r->room * 2, struct json_value);

	memcpy(more, r->stack, r->top * sizeof(*more));
	r->stack = more;
	r->room *= 2;
}

static size_t
push_entry(struct reader *r)
{
	if (r->top == r->room)
		grow_stack(r);
	return r->top++;
}

/* ---- strings ---- */

/* True when none of the eight bytes at p is a quote, a backslash, a control character or outside
 * ASCII, which lets skip_plain pass eight bytes of a string at once. The bytes are one integer:
 *
 *   w - 0x20 in each byte     sets the high bit of a byte below 0x20
 *   w ^ '"' in each byte      is zero for a quote; minus 1, its high bit is set
 *   w                         has the high bit of a byte outside ASCII
 *
 * A borrow may set the bit of a further byte, but only when another byte is special already. So
 * the answer is never true by mistake; when it is false, the caller looks at each byte. */
static bool
eight_plain_bytes(const char *p)
{
	const uint64_t ones = 0x0101010101010101U, high = ones * 0x80;
	uint64_t w, quote, back;

	memcpy(&w, p, sizeof(w));
	quote = w ^ ones * '"';
	back = w ^ ones * '\\';
	return (((w - ones * 0x20) | (quote - ones) | (back - ones) | w) & high) == 0;
}

static int
hex_unit(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int digit = ascii_hex(p[i]);

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
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

/* Skips \uXXXX or a pair of surrogates; r->p is at the first backslash. */
static bool
skip_unicode_escape(struct reader *r)
{
	size_t rest = (size_t)(r->end - r->p);
	int unit = rest < 6 ? -1 : hex_unit(r->p + 2);

	if (unit < 0)
		return set_scan_fault(r, r->p, "invalid escape");
	if (is_high(unit)) {
		if (rest < 12 || r->p[6] != '\\' || r->p[7] != 'u' || !is_low(hex_unit(r->p + 8)))
			return set_scan_fault(r, r->p, "lone surrogate");
		r->p += 6;
	} else if (is_low(unit)) {
		return set_scan_fault(r, r->p, "lone surrogate");
	}
	r->p += 6;
	return true;
}

static bool
skip_escape(struct reader *r)
{
	if (r->end - r->p < 2)
		return set_scan_fault(r, r->end, "unexpected end");
	if (r->p[1] == 'u')
		return skip_unicode_escape(r);
	if (r->p[1] == '\0' || strchr("\"\\/bfnrt", r->p[1]) == NULL)
		return set_scan_fault(r, r->p, "invalid escape");
	r->p += 2;
	return true;
}

static bool
check_utf8_run(struct reader *r)
{
	const char *from = r->p;
	struct str run;

	while (r->p < r->end && (*r->p & 0x80) != 0)
		r->p++;
	run = (struct str){ from, (size_t)(r->p - from) };
	return str_utf8_bad(run) == run.n ||
	       set_scan_fault(r, from + str_utf8_bad(run), "invalid UTF-8");
}

static bool
is_special_byte(char c)
{
	return c == '"' || c == '\\' || (c & 0x80) != 0 || c < 0x20;
}

/* Skips to the next byte that needs attention inside a string. */
static void
skip_plain(struct reader *r)
{
	while (r->end - r->p >= 8 && eight_plain_bytes(r->p))
		r->p += 8;
	while (r->p < r->end && !is_special_byte(*r->p))
		r->p++;
}

/* Reads a string from after its opening quote to after its closing quote; *raw is the text between
   them. */
static bool
scan_string(struct reader *r, struct str *raw, bool *escaped)
{
	const char *from = r->p;

	*escaped = false;
	for (skip_plain(r); r->p == r->end || *r->p != '"'; skip_plain(r)) {
		if (r->p == r->end)
			return unexpected(r);
		if (*r->p == '\\') {
			*escaped = true;
			if (!skip_escape(r))
				return false;
		} else if ((*r->p & 0x80) != 0) {
			if (!check_utf8_run(r))
				return false;
		} else {
			return set_scan_fault(r, r->p, "control character in a string");
		}
	}
	*raw = (struct str){ from, (size_t)(r->p - from) };
	r->p++;
	return true;
}

static void
append_utf8(char **out, int c)
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
	unit = hex_unit(p + 2);
	*in += 6;
	if (is_high(unit)) {
		unit = 0x10000 + ((unit - 0xd800) << 10) + (hex_unit(p + 8) - 0xdc00);
		*in += 6;
	}
	append_utf8(out, unit);
}

/* Unescapes raw, which scan_string has checked. out has room for raw.n bytes and may be the memory
   of raw itself, since no escape is shorter than its character. */
static struct str
unescape_string(char *out, struct str raw)
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

/* The value of a string: a view of the text if it has no escapes, or if the text may be
   overwritten. */
static struct str
string_content(struct reader *r, struct str raw, bool escaped)
{
	if (!escaped)
		return raw;
	return unescape_string(
	    r->own != NULL ? r->own + (raw.p - r->start) : arena_alloc(r->s->a, raw.n), raw);
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
	return str_cmp((struct str){ a->name, a->name_n }, (struct str){ b->name, b->name_n });
}

static void
sift_down(struct json_value *v, size_t i, size_t n)
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

/* True when two of the members have the same name; for objects with more than FEW members.
 * Parsers disagree about which of two equal names counts, so such a body is refused.
 *
 * The names are sorted by heapsort. Its worst case is as fast as its usual case, and it needs no
 * memory: a client cannot choose names that make it slow, as with a hash table or quicksort. The
 * order is that of a tag first (name_tag), so most comparisons read no text. Sorting in place is
 * possible because the tree, if there is one, has its copy already. */
static bool
has_duplicate_name(struct json_value *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(v, i, n);
	for (size_t i = n; i-- > 1;) {
		struct json_value largest = v[0];

		v[0] = v[i];
		v[i] = largest;
		sift_down(v, 0, i);
	}
	for (size_t i = 1; i < n; i++)
		if (name_cmp(&v[i - 1], &v[i]) == 0)
			return true;
	return false;
}

/* True when a member since base has the name of the newest one; for objects with few members. */
static bool
repeats_recent_name(const struct reader *r, size_t base)
{
	const struct json_value *newest = &r->stack[r->top - 1];

	for (const struct json_value *v = &r->stack[base]; v < newest; v++)
		if (v->tag == newest->tag && name_cmp(v, newest) == 0)
			return true;
	return false;
}

/* Reads the name of a member and the colon, and pushes the name. */
static bool
scan_member_name(struct reader *r, size_t base)
{
	const char *at = r->p;
	struct json_value *v;
	struct str name = STR_NULL;
	bool escaped = false;
	size_t slot;

	if (!next_is(r, '"'))
		return unexpected(r);
	if (!scan_string(r, &name, &escaped))
		return false;
	name = string_content(r, name, escaped);
	if (escaped && !r->s->nul_names && memchr(name.p, '\0', name.n) != NULL)
		return set_scan_fault(r, at, "U+0000 in a key");
	slot = push_entry(r);
	v = &r->stack[slot];
	v->name = name.p;
	v->name_n = (uint32_t)name.n;
	v->tag = name_tag(name);
	if (r->top - base <= FEW && repeats_recent_name(r, base))
		return set_scan_fault(r, at, "duplicate key");
	skip_json_space(r);
	if (!next_is(r, ':'))
		return unexpected(r);
	skip_json_space(r);
	return true;
}

/* ---- containers ---- */

/* Makes the entries of the stack since base the items of v. */
static void
pop_items(struct reader *r, size_t base, enum json_type type, struct json_value *v)
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
scan_members(struct reader *r, size_t base)
{
	struct json_value v;

	do {
		size_t slot = r->top;

		skip_json_space(r);
		if (!scan_member_name(r, base) || !scan_value(r, &v))
			return false;
		if (r->s->mode == SCAN_TREE) {
			r->stack[slot].u = v.u;
			r->stack[slot].n = v.n;
			r->stack[slot].type = v.type;
		}
		skip_json_space(r);
	} while (next_is(r, ','));
	return next_is(r, '}') || unexpected(r);
}

static bool
scan_object(struct reader *r, struct json_value *v)
{
	size_t base = r->top;

	skip_json_space(r);
	if (!next_is(r, '}') && !scan_members(r, base))
		return false;
	if (r->s->mode == SCAN_TREE)
		pop_items(r, base, JSON_OBJECT, v);
	if (r->top - base > FEW && has_duplicate_name(&r->stack[base], r->top - base))
		return set_scan_fault(r, r->p - 1, "duplicate key");
	r->top = base;
	return true;
}

static bool
scan_items(struct reader *r)
{
	struct json_value v;

	do {
		skip_json_space(r);
		if (!scan_value(r, &v))
			return false;
		if (r->s->mode == SCAN_TREE) {
			size_t slot = push_entry(r);

			v.name = NULL;
			v.name_n = v.tag = 0;
			r->stack[slot] = v;
		}
		skip_json_space(r);
	} while (next_is(r, ','));
	return next_is(r, ']') || unexpected(r);
}

static bool
scan_array(struct reader *r, struct json_value *v)
{
	size_t base = r->top;

	skip_json_space(r);
	if (!next_is(r, ']') && !scan_items(r))
		return false;
	if (r->s->mode == SCAN_TREE)
		pop_items(r, base, JSON_ARRAY, v);
	r->top = base;
	return true;
}

static bool
scan_container(struct reader *r, struct json_value *v)
{
	bool ok;

	if (r->left == 0)
		return set_scan_fault(r, r->p, "nested too deeply");
	r->left--;
	ok = *r->p++ == '{' ? scan_object(r, v) : scan_array(r, v);
	r->left++;
	return ok;
}

/* ---- scalars ---- */

static bool
skip_digits(struct reader *r)
{
	const char *from = r->p;

	while (r->p < r->end && ascii_digit(*r->p))
		r->p++;
	return r->p > from || unexpected(r);
}

static bool
scan_number(struct reader *r)
{
	next_is(r, '-');
	if (!next_is(r, '0') &&
	    !skip_digits(r)) /* a digit after a leading zero is an error in the caller */
		return false;
	if (next_is(r, '.') && !skip_digits(r))
		return false;
	if (!next_is(r, 'e') && !next_is(r, 'E'))
		return true;
	if (!next_is(r, '+'))
		next_is(r, '-');
	return skip_digits(r);
}

static bool
scan_literal(struct reader *r, struct str w)
{
	if (!str_starts((struct str){ r->p, (size_t)(r->end - r->p) }, w))
		return set_scan_fault(r, r->p, "unexpected character");
	r->p += w.n;
	return true;
}

static bool
scan_string_value(struct reader *r, struct json_value *v)
{
	struct str raw = STR_NULL;
	bool escaped = false;

	r->p++;
	if (!scan_string(r, &raw, &escaped))
		return false;
	if (r->s->mode == SCAN_TREE)
		raw = string_content(r, raw, escaped);
	v->type = JSON_STRING;
	v->u.p = raw.p;
	v->n = (uint32_t)raw.n;
	return true;
}

static bool
scan_scalar(struct reader *r, struct json_value *v)
{
	const char *from = r->p;
	bool ok;

	if (*from == 't' || *from == 'f') {
		v->type = JSON_BOOL;
		ok = scan_literal(r, *from == 't' ? STR("true") : STR("false"));
	} else if (*from == 'n') {
		v->type = JSON_NULL;
		ok = scan_literal(r, STR("null"));
	} else {
		v->type = JSON_NUMBER;
		ok = scan_number(r);
	}
	v->u.p = from;
	v->n = (uint32_t)(r->p - from);
	return ok;
}

static size_t
reserve_span(struct scan *s)
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
scan_value(struct reader *r, struct json_value *v)
{
	const char *from = r->p;
	size_t span = r->s->mode == SCAN_SPANS ? reserve_span(r->s) : 0;
	bool ok;

	if (r->p == r->end)
		return unexpected(r);
	if (*r->p == '"')
		ok = scan_string_value(r, v);
	else if (*r->p == '{' || *r->p == '[')
		ok = scan_container(r, v);
	else
		ok = scan_scalar(r, v);
	if (ok && r->s->mode == SCAN_SPANS)
		r->s->spans[span] =
		    (struct span){ (uint32_t)(from - r->start), (uint32_t)(r->p - from) };
	return ok;
}

static bool
scan_document(struct reader *r, struct str text)
{
	if (text.n > UINT32_MAX)
		return set_scan_fault(r, r->start, "too long");
	if (str_starts(text, STR("\xef\xbb\xbf")))
		return set_scan_fault(r, r->start, "byte order mark");
	skip_json_space(r);
	if (!scan_value(r, &r->s->root))
		return false;
	skip_json_space(r);
	return r->p == r->end || set_scan_fault(r, r->p, "data behind the value");
}

static bool
run_scan(struct scan *s, struct str text, char *own)
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
	return scan_document(&r, text);
}

bool
scan_text(struct scan *s, struct str text)
{
	return run_scan(s, text, NULL);
}

bool
scan_own(struct scan *s, char *text, size_t n)
{
	return run_scan(s, (struct str){ text, n }, text);
}

bool
json_scan(struct arena *a, struct str text, unsigned depth, struct json_fault *fault)
{
	struct scan s = { .a = a, .mode = SCAN_CHECK, .depth = depth };
	bool ok = scan_text(&s, text);

	*fault = s.fault;
	return ok;
}
