/* SPDX-License-Identifier: ISC */
/* Documents as the builder reads them: one pass over the text that PostgreSQL wrote, without a tree,
   since a rebuild reads all of them. Members that no field wants are skipped. */
#include "config.h"

#include "search/index/build_priv.h"

#include <errno.h>

enum { DEPTH_MAX = 64, NUMBER_MAX = 64 };

struct text {
	const char *p, *end;
	struct index_builder *b;
	struct str *ip;
	const char *fault;
	unsigned depth;
};

static bool
bad(struct text *t, const char *what)
{
	if (t->fault == NULL)
		t->fault = what;
	return false;
}

static char
peek(struct text *t)
{
	while (t->p < t->end &&
	       (*t->p == ' ' || *t->p == '\n' || *t->p == '\r' || *t->p == '\t'))
		t->p++;
	return t->p < t->end ? *t->p : '\0';
}

static bool
eat(struct text *t, char c)
{
	if (peek(t) != c)
		return false;
	t->p++;
	return true;
}

/* ---- strings ---- */

static bool
hex4(const char *p, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		uint32_t d = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
			     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
			     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
						    : 16;

		if (d == 16)
			return false;
		*out = *out * 16 + d;
	}
	return true;
}

static size_t
put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* p stands behind "\u"; returns what follows, or NULL. */
static const char *
unescape_u(const char *p, const char *end, char *out, size_t *n)
{
	uint32_t c, low;

	if (end - p < 4 || !hex4(p, &c))
		return NULL;
	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
	    hex4(p + 2, &low) && low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	*n += put_utf8(out + *n, c);
	return p;
}

static bool
unescape(struct text *t, struct str raw, struct str *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char *room = arena_alloc(t->b->arena, raw.n + 4);
	const char *p = raw.p, *end = raw.p + raw.n;
	size_t n = 0;

	while (p != NULL && p < end) {
		const char *k;

		if (*p != '\\') {
			room[n++] = *p++;
			continue;
		}
		p++; /* the scan before saw that something follows */
		k = strchr(from, *p);
		if (*p == 'u') {
			p = unescape_u(p + 1, end, room, &n);
		} else if (k != NULL && *p != '\0') {
			room[n++] = to[k - from];
			p++;
		} else {
			p = NULL;
		}
	}
	*out = (struct str){ room, n };
	return p != NULL || bad(t, "bad escape");
}

/* The quote is eaten. */
static bool
string(struct text *t, struct str *out)
{
	const char *start = t->p;
	bool escaped = false;

	while (t->p < t->end && *t->p != '"') {
		if (*t->p == '\\') {
			escaped = true;
			t->p++;
		}
		t->p++;
	}
	if (t->p >= t->end)
		return bad(t, "unterminated string");
	*out = (struct str){ start, (size_t)(t->p - start) };
	t->p++;
	return !escaped || unescape(t, *out, out);
}

/* ---- values ---- */

static bool value(struct text *t, const struct member *m);

static bool
literal(struct text *t, const struct member *m)
{
	static const struct str words[] = { STR_INIT("false"), STR_INIT("true"),
		STR_INIT("null") };
	struct str rest = { t->p, (size_t)(t->end - t->p) };

	for (int i = 0; i < 3; i++)
		if (str_starts(rest, words[i])) {
			t->p += words[i].n;
			if (i < 2 && m != NULL && m->field != NULL &&
			    m->field->type == VALUE_BOOLEAN)
				build_value_int(t->b, m, i);
			return true;
		}
	return bad(t, "no value");
}

static bool
number(struct text *t, const struct member *m)
{
	struct str s = { t->p, 0 };
	char z[NUMBER_MAX + 1];
	int64_t i;
	double n;

	while (t->p < t->end && strchr("+-0123456789.eE", *t->p) != NULL && *t->p != '\0')
		t->p++;
	s.n = (size_t)(t->p - s.p);
	if (m == NULL || m->field == NULL || s.n > NUMBER_MAX)
		return true;
	if (m->field->type == VALUE_INTEGER && str_int64(s, &i)) {
		build_value_int(t->b, m, i);
		return true;
	}
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	n = strtod(z, NULL);
	if (m->field->type == VALUE_NUMBER)
		build_value_num(t->b, m, n);
	else if (m->field->type == VALUE_INTEGER && n >= -9e15 && n <= 9e15 &&
		 n == (double)(int64_t)n)
		build_value_int(t->b, m, (int64_t)n);
	return true;
}

static const struct member *
kid_of(const struct member *m, struct str name)
{
	for (size_t i = 0; m != NULL && i < m->nkids; i++)
		if (str_eq(m->kids[i].name, name))
			return &m->kids[i];
	return NULL;
}

static bool
object(struct text *t, const struct member *m)
{
	struct str name;

	if (eat(t, '}'))
		return true;
	do {
		if (!eat(t, '"') || !string(t, &name) || !eat(t, ':'))
			return bad(t, "no member");
		if (!value(t, kid_of(m, name)))
			return false;
	} while (eat(t, ','));
	return eat(t, '}') || bad(t, "unterminated object");
}

static bool
array(struct text *t, const struct member *m)
{
	bool nested = m != NULL && m->field == NULL && str_is(m->name, "services");

	if (eat(t, ']'))
		return true;
	do {
		if (nested)
			build_nested_begin(t->b);
		if (!value(t, m))
			return false;
	} while (eat(t, ','));
	return eat(t, ']') || bad(t, "unterminated array");
}

static bool
string_value(struct text *t, const struct member *m)
{
	struct str s;

	t->p++;
	if (!string(t, &s))
		return false;
	if (m == NULL || m->field == NULL)
		return true;
	if (m->field->type == VALUE_IP)
		*t->ip = s;
	else
		build_value_str(t->b, m, s);
	return true;
}

static bool
value(struct text *t, const struct member *m)
{
	bool ok;

	if (t->depth >= DEPTH_MAX)
		return bad(t, "too deep");
	t->depth++;
	switch (peek(t)) {
	case '"':
		ok = string_value(t, m);
		break;
	case '{':
		t->p++;
		ok = object(t, m);
		break;
	case '[':
		t->p++;
		ok = array(t, m);
		break;
	case 't':
	case 'f':
	case 'n':
		ok = literal(t, m);
		break;
	default:
		ok = t->p < t->end && (*t->p == '-' || (*t->p >= '0' && *t->p <= '9'))
			 ? number(t, m)
			 : bad(t, "no value");
	}
	t->depth--;
	return ok;
}

bool
build_json(struct index_builder *b, struct str json, struct str *ip, const char **fault)
{
	struct text t = { .p = json.p, .end = json.p + json.n, .b = b, .ip = ip };
	bool ok;

	*ip = STR_NULL;
	ok = peek(&t) == '{' ? value(&t, &b->root) : bad(&t, "no object");
	if (ok && (peek(&t), t.p != t.end))
		ok = bad(&t, "more than one value");
	*fault = t.fault;
	return ok;
}
