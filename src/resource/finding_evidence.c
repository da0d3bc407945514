/* SPDX-License-Identifier: ISC */
/* Evidence is measured as PostgreSQL prints jsonb, because the CHECK of the table measures that
   text: a blank behind each comma and colon, characters without needless escapes, and numbers
   without an exponent, so that 1e9 has ten digits.

     text of a value      is written here in that form, so its length is its size, but for ...
     extra                an upper bound of the digits that an exponent stands for

   A number beyond the range of PostgreSQL has more digits than LIM_EVIDENCE, and so it is always
   left out. */
#include "config.h"

#include "resource/finding_evidence.h"

#include "base/limits.h"
#include "json/tree.h"

static const char cut_mark[] = "\"truncated\": true";

enum { MARK = sizeof(cut_mark) - 1, BETWEEN = 2 };

struct text {
	struct buf b;
	size_t extra;
	bool nul; /* it has the character U+0000, which PostgreSQL cannot store */
};

struct member {
	struct str name;
	const struct json_value *v;
	struct str text; /* "name": value */
	size_t size;
};

struct members {
	struct arena *a;
	struct member *p;
	size_t n, size;
	bool nul;
};

static size_t
size_of(const struct text *t)
{
	return t->b.n + t->extra;
}

static void
put_str(struct text *t, struct str s)
{
	t->nul |= s.n > 0 && memchr(s.p, '\0', s.n) != NULL;
	json_write_str(&t->b, s);
}

static void
put_number(struct text *t, struct str s)
{
	size_t exponent = 0;

	for (size_t i = 0, digits = s.n; i < s.n; i++) {
		if (s.p[i] == 'e' || s.p[i] == 'E')
			digits = i;
		else if (i > digits && ascii_digit(s.p[i]) && exponent <= LIM_EVIDENCE)
			exponent = exponent * 10 + (size_t)(s.p[i] - '0');
	}
	buf_str(&t->b, s);
	t->extra += exponent;
}

static void put_value(struct text *t, const struct json_value *v);

static bool
put_member(void *arg, struct str name, struct json_value *v)
{
	struct text *t = arg;

	if (t->b.p[t->b.n - 1] != '{')
		buf_z(&t->b, ", ");
	put_str(t, name);
	buf_z(&t->b, ": ");
	put_value(t, v);
	return true;
}

static void
put_value(struct text *t, const struct json_value *v)
{
	switch (json_type(v)) {
	case JSON_NULL:
		buf_z(&t->b, "null");
		break;
	case JSON_BOOL:
		buf_z(&t->b, json_bool(v) ? "true" : "false");
		break;
	case JSON_NUMBER:
		put_number(t, json_lexeme(v));
		break;
	case JSON_STRING:
		put_str(t, json_text(v));
		break;
	case JSON_ARRAY:
		buf_char(&t->b, '[');
		for (size_t i = 0; i < json_length(v); i++) {
			if (i > 0)
				buf_z(&t->b, ", ");
			put_value(t, json_at(v, i));
		}
		buf_char(&t->b, ']');
		break;
	case JSON_OBJECT:
		buf_char(&t->b, '{');
		json_each(v, put_member, t);
		buf_char(&t->b, '}');
		break;
	}
}

static bool
add_evidence_member(void *arg, struct str name, struct json_value *v)
{
	struct members *all = arg;
	struct text t = { .b = { .a = all->a } };
	struct member *m;

	put_str(&t, name);
	buf_z(&t.b, ": ");
	put_value(&t, v);
	all->p = arena_room(all->a, all->p, all->n, sizeof(*all->p));
	m = &all->p[all->n++];
	*m = (struct member){ .name = name, .v = v, .size = size_of(&t) };
	m->text = buf_done(&t.b);
	all->size += m->size + BETWEEN;
	all->nul |= t.nul;
	return true;
}

/* The beginning of a text that has at most size bytes with its quotes; STR_NULL: not even one
   character. */
static struct str
first_characters(struct arena *a, struct str s, size_t size)
{
	size_t most = s.n < size ? s.n : size;

	while (most > 0) {
		struct text t = { .b = { .a = a } };

		most = str_utf8_bad((struct str){ s.p, most });
		put_str(&t, (struct str){ s.p, most });
		if (size_of(&t) <= size)
			return most > 0 ? buf_done(&t.b) : STR_NULL;
		most -= (size_of(&t) - size + 5) /
			6; /* a character is at most six bytes longer than here */
	}
	return STR_NULL;
}

/* The first items of a list that have at most size bytes; STR_NULL: not even one. */
static struct str
first_items(struct arena *a, const struct json_value *list, size_t size)
{
	struct text t = { .b = { .a = a } };
	size_t end = 0;

	buf_char(&t.b, '[');
	for (size_t i = 0; i < json_length(list) && size_of(&t) < size; i++) {
		if (i > 0)
			buf_z(&t.b, ", ");
		put_value(&t, json_at(list, i));
		if (size_of(&t) < size)
			end = t.b.n;
	}
	if (end == 0)
		return STR_NULL;
	t.b.n = end;
	buf_char(&t.b, ']');
	return buf_done(&t.b);
}

static struct str
first_part(struct arena *a, const struct member *m, size_t room)
{
	struct text name = { .b = { .a = a } };
	struct str part;

	put_str(&name, m->name);
	buf_z(&name.b, ": ");
	if (size_of(&name) + 3 > room)
		return STR_NULL;
	if (json_type(m->v) == JSON_STRING)
		part = first_characters(a, json_text(m->v), room - size_of(&name));
	else if (json_type(m->v) != JSON_ARRAY)
		return STR_NULL;
	else
		part = first_items(a, m->v, room - size_of(&name));
	if (part.p == NULL)
		return STR_NULL;
	buf_str(&name.b, part);
	return buf_done(&name.b);
}

static int
by_size(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->size != y->size ? (x->size < y->size ? -1 : 1) : str_cmp(x->name, y->name);
}

/* The smallest members go first, so that one long text costs none of the others. */
static struct str
cut_members(struct members *all)
{
	struct buf b = { .a = all->a };
	size_t room = LIM_EVIDENCE - 2 - MARK;
	bool cut = false;

	qsort(all->p, all->n, sizeof(*all->p), by_size);
	buf_char(&b, '{');
	for (size_t i = 0; i < all->n && !cut; i++) {
		const struct member *m = &all->p[i];
		struct str text = m->text;

		if (str_is(m->name, "truncated"))
			continue;
		cut = m->size + BETWEEN > room;
		if (cut)
			text = room > BETWEEN ? first_part(all->a, m, room - BETWEEN) : STR_NULL;
		if (text.p == NULL)
			break;
		buf_str(&b, text);
		buf_z(&b, ", ");
		room -= cut ? 0 : m->size + BETWEEN;
	}
	buf_z(&b, cut_mark);
	buf_char(&b, '}');
	return buf_done(&b);
}

const char *
finding_evidence(struct arena *a, struct json *evidence)
{
	const struct json_value *v = json_parse(a, evidence->text);
	struct members all = { .a = a };

	if (v == NULL || json_type(v) != JSON_OBJECT)
		return "evidence must be an object";
	json_each(v, add_evidence_member, &all);
	if (all.nul)
		return "evidence contains the character U+0000";
	if (all.size + 2 - (all.n > 0 ? BETWEEN : 0) > LIM_EVIDENCE)
		evidence->text = cut_members(&all);
	return NULL;
}
