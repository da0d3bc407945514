/* SPDX-License-Identifier: ISC */
/* Reads documents (document.h). A rebuild reads every document of the database, so this is one pass
   over the text without a tree of values. PostgreSQL stores what src/record printed, which is valid
   JSON: the checks here only keep the reader inside the text. */
#include "config.h"

#include "search/document.h"

#include <errno.h>

enum { DEPTH_MAX = 64, NUMBER_MAX = 64 };

/* A member of the JSON objects of a document. */
struct member {
	struct str name;
	const struct schema_field *field; /* NULL: an object */
	struct member *kids;
	size_t nkids;
};

struct document_members {
	struct member root;
	const char *nested; /* the member with the nested objects; NULL: none */
};

struct json_reader {
	const char *p, *end;
	const struct document_members *of;
	const struct document_sink *to;
	const char *fault;
	unsigned depth;
};

/* ---- the tree of members ---- */

static struct member *
find_or_add_member(struct member *m, struct str name)
{
	for (size_t i = 0; i < m->nkids; i++)
		if (str_eq(m->kids[i].name, name))
			return &m->kids[i];
	m->kids = reallocarray(m->kids, m->nkids + 1, sizeof(*m->kids));
	if (m->kids == NULL)
		panic("out of memory");
	m->kids[m->nkids] = (struct member){ .name = name };
	return &m->kids[m->nkids++];
}

static void
add_document_member(struct member *root, const struct schema_field *f)
{
	struct str rest = str_of(f->name);
	struct member *m = root;

	if (f->store == STORE_VIRTUAL) /* documents do not contain it */
		return;
	while (rest.n > 0) {
		const char *dot = memchr(rest.p, '.', rest.n);
		size_t n = dot == NULL ? rest.n : (size_t)(dot - rest.p);

		m = find_or_add_member(m, (struct str){ rest.p, n });
		rest = (struct str){ rest.p + n + (dot != NULL), rest.n - n - (dot != NULL) };
	}
	m->field = f;
}

struct document_members *
document_members_new(enum dataset d, size_t nfields)
{
	struct document_members *m = mem_zero(sizeof(*m));
	const struct schema_field *fields;

	(void)schema_fields(d, &fields);
	m->nested = schema_nested(d);
	for (size_t i = 0; i < nfields; i++)
		add_document_member(&m->root, &fields[i]);
	return m;
}

static void
free_members(struct member *m)
{
	for (size_t i = 0; i < m->nkids; i++)
		free_members(&m->kids[i]);
	free(m->kids);
}

void
document_members_free(struct document_members *m)
{
	if (m == NULL)
		return;
	free_members(&m->root);
	free(m);
}

/* ---- bytes ---- */

static bool
record_fault(struct json_reader *t, const char *what)
{
	if (t->fault == NULL)
		t->fault = what;
	return false;
}

static char
peek_char(struct json_reader *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\r' || *t->p == '\t'))
		t->p++;
	return t->p < t->end ? *t->p : '\0';
}

static bool
skip_char(struct json_reader *t, char c)
{
	if (peek_char(t) != c)
		return false;
	t->p++;
	return true;
}

/* ---- strings ---- */

static bool
read_hex4(const char *p, uint32_t *out)
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
append_code_point(char *out, uint32_t c)
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

/* p points behind "\u". Returns the place after the escape, or NULL when it is not valid. */
static const char *
unescape_unicode(const char *p, const char *end, char *out, size_t *n)
{
	uint32_t c, low;

	if (end - p < 4 || !read_hex4(p, &c))
		return NULL;
	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
	    read_hex4(p + 2, &low) && low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	*n += append_code_point(out + *n, c);
	return p;
}

static bool
unescape_json_string(struct json_reader *t, struct str raw, struct str *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char *room = arena_alloc(t->to->arena, raw.n + 4);
	const char *p = raw.p, *end = raw.p + raw.n;
	size_t n = 0;

	while (p != NULL && p < end) {
		const char *k;

		if (*p != '\\') {
			room[n++] = *p++;
			continue;
		}
		p++; /* read_string made sure that a character follows */
		k = strchr(from, *p);
		if (*p == 'u') {
			p = unescape_unicode(p + 1, end, room, &n);
		} else if (k != NULL && *p != '\0') {
			room[n++] = to[k - from];
			p++;
		} else {
			p = NULL;
		}
	}
	*out = (struct str){ room, n };
	return p != NULL || record_fault(t, "bad escape");
}

/* The opening quote has been passed. */
static bool
read_string(struct json_reader *t, struct str *out)
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
		return record_fault(t, "unterminated string");
	*out = (struct str){ start, (size_t)(t->p - start) };
	t->p++;
	return !escaped || unescape_json_string(t, *out, out);
}

/* ---- values ---- */

static bool read_member(struct json_reader *t, const struct member *m);

static bool
read_literal(struct json_reader *t, const struct member *m)
{
	static const struct str words[] = { STR_INIT("false"), STR_INIT("true"), STR_INIT("null") };
	struct str rest = { t->p, (size_t)(t->end - t->p) };

	for (int i = 0; i < 3; i++)
		if (str_starts(rest, words[i])) {
			t->p += words[i].n;
			if (i < 2 && m != NULL && m->field != NULL &&
			    m->field->type == VALUE_BOOLEAN)
				t->to->integer(t->to->arg, m->field, i);
			return true;
		}
	return record_fault(t, "no value");
}

static bool
read_document_number(struct json_reader *t, const struct member *m)
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
		t->to->integer(t->to->arg, m->field, i);
		return true;
	}
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	n = strtod(z, NULL);
	if (m->field->type == VALUE_NUMBER)
		t->to->number(t->to->arg, m->field, n);
	else if (m->field->type == VALUE_INTEGER && n >= -9e15 && n <= 9e15 &&
		 n == (double)(int64_t)n)
		t->to->integer(t->to->arg, m->field, (int64_t)n);
	return true;
}

/* Members mostly come in one order, so the search begins behind the member that was found last, whose
   number is *last. */
static const struct member *
find_document_member(const struct member *m, struct str name, size_t *last)
{
	size_t n = m == NULL ? 0 : m->nkids;

	for (size_t i = 0; i < n; i++) {
		if (++*last >= n)
			*last = 0;
		if (str_eq(m->kids[*last].name, name))
			return &m->kids[*last];
	}
	return NULL;
}

static bool
read_json_object(struct json_reader *t, const struct member *m)
{
	struct str name;
	size_t last = SIZE_MAX - 1; /* before the first one */

	if (skip_char(t, '}'))
		return true;
	do {
		if (!skip_char(t, '"') || !read_string(t, &name) || !skip_char(t, ':'))
			return record_fault(t, "no member");
		if (!read_member(t, find_document_member(m, name, &last)))
			return false;
	} while (skip_char(t, ','));
	return skip_char(t, '}') || record_fault(t, "unterminated object");
}

static bool
read_array(struct json_reader *t, const struct member *m)
{
	bool nested = m != NULL && m->field == NULL && t->of->nested != NULL &&
		      str_is(m->name, t->of->nested);

	if (skip_char(t, ']'))
		return true;
	do {
		if (nested)
			t->to->nested(t->to->arg);
		if (!read_member(t, m))
			return false;
	} while (skip_char(t, ','));
	return skip_char(t, ']') || record_fault(t, "unterminated array");
}

static bool
read_string_value(struct json_reader *t, const struct member *m)
{
	struct str s;

	t->p++;
	if (!read_string(t, &s))
		return false;
	if (m != NULL && m->field != NULL)
		t->to->text(t->to->arg, m->field, s);
	return true;
}

static bool
read_member(struct json_reader *t, const struct member *m)
{
	bool ok;

	if (t->depth >= DEPTH_MAX)
		return record_fault(t, "too deep");
	t->depth++;
	switch (peek_char(t)) {
	case '"':
		ok = read_string_value(t, m);
		break;
	case '{':
		t->p++;
		ok = read_json_object(t, m);
		break;
	case '[':
		t->p++;
		ok = read_array(t, m);
		break;
	case 't':
	case 'f':
	case 'n':
		ok = read_literal(t, m);
		break;
	default:
		ok = t->p < t->end && (*t->p == '-' || (*t->p >= '0' && *t->p <= '9'))
			 ? read_document_number(t, m)
			 : record_fault(t, "no value");
	}
	t->depth--;
	return ok;
}

bool
document_read(const struct document_members *m, struct str json, const struct document_sink *to,
    const char **fault)
{
	struct json_reader t = { .p = json.p, .end = json.p + json.n, .of = m, .to = to };
	bool ok;

	ok = peek_char(&t) == '{' ? read_member(&t, &m->root) : record_fault(&t, "no object");
	if (ok && (peek_char(&t), t.p != t.end))
		ok = record_fault(&t, "more than one value");
	*fault = t.fault;
	return ok;
}
