/* SPDX-License-Identifier: ISC */
/* A document as a tree in the arena, for code that looks into JSON without a field table:
 * records, messages of Chromium, faults of a body. The scan builds the tree, because it reads
 * every byte anyway: for a host document of 1.4 kB that is several times as fast as creating
 * json-c's objects.
 *
 * The text is copied once, and strings are unescaped in the copy, since no escape is shorter
 * than its character. Every string is a view of that copy. Numbers keep their exact text, and
 * are converted when they are asked for. */
#include "config.h"

#include "base/limits.h"
#include "json/json.h"
#include "json/json_priv.h"

static struct json_value *
parse_tree(struct arena *a, struct str text, bool nul_names, struct json_fault *fault)
{
	struct scan *s = ARENA_NEW(a, struct scan);
	char *own = arena_alloc(a, text.n + 1); /* the NUL ends the strtod of json_num */

	if (text.n > 0)
		memcpy(own, text.p, text.n);
	s->a = a;
	s->mode = SCAN_TREE;
	s->depth = LIM_JSON_DEPTH;
	s->nul_names = nul_names;
	if (scan_own(s, own, text.n))
		return &s->root;
	*fault = s->fault;
	return NULL;
}

struct json_value *
json_parse(struct arena *a, struct str text)
{
	return json_parse_with_fault(a, text, &(struct json_fault){ 0 });
}

struct json_value *
json_parse_with_fault(struct arena *a, struct str text, struct json_fault *fault)
{
	return parse_tree(a, text, false, fault);
}

struct json_value *
json_parse_body(struct arena *a, struct str text)
{
	return parse_tree(a, text, true, &(struct json_fault){ 0 });
}

enum json_type
json_type(const struct json_value *v)
{
	return v == NULL ? JSON_NULL : v->type;
}

struct str
json_text(const struct json_value *v)
{
	return json_type(v) == JSON_STRING ? (struct str){ v->u.p, v->n } : STR_NULL;
}

bool
json_int(const struct json_value *v, int64_t *out)
{
	return json_type(v) == JSON_NUMBER &&
	       lexeme_int((struct str){ v->u.p, v->n }, out) == LEXEME_INT;
}

double
json_num(const struct json_value *v)
{
	return json_type(v) == JSON_NUMBER ? strtod(v->u.p, NULL) : 0;
}

struct str
json_lexeme(const struct json_value *v)
{
	return json_type(v) == JSON_NUMBER ? (struct str){ v->u.p, v->n } : STR_NULL;
}

bool
json_bool(const struct json_value *v)
{
	return json_type(v) == JSON_BOOL && v->u.p[0] == 't';
}

size_t
json_length(const struct json_value *v)
{
	return json_type(v) == JSON_ARRAY || json_type(v) == JSON_OBJECT ? v->n : 0;
}

struct json_value *
json_at(const struct json_value *v, size_t i)
{
	return i < json_length(v) ? &v->u.items[i] : NULL;
}

struct json_value *
json_get(const struct json_value *v, const char *name)
{
	struct str wanted = str_of(name);
	uint32_t tag = name_tag(wanted);

	if (json_type(v) != JSON_OBJECT)
		return NULL;
	for (uint32_t i = 0; i < v->n; i++) {
		struct json_value *m = &v->u.items[i];

		if (m->tag == tag && str_eq((struct str){ m->name, m->name_n }, wanted))
			return m;
	}
	return NULL;
}

struct str
json_get_text(const struct json_value *v, const char *name)
{
	return json_text(json_get(v, name));
}

struct ts
json_get_time(const struct json_value *v, const char *name)
{
	struct ts at;

	return ts_parse(json_get_text(v, name), &at) ? at : TS_NULL;
}

bool
json_get_bool(const struct json_value *v, const char *name)
{
	return json_bool(json_get(v, name));
}

void
json_each(const struct json_value *v,
    bool (*fn)(void *arg, struct str name, struct json_value *member), void *arg)
{
	if (json_type(v) != JSON_OBJECT)
		return;
	for (uint32_t i = 0; i < v->n; i++)
		if (!fn(arg, (struct str){ v->u.items[i].name, v->u.items[i].name_n },
			&v->u.items[i]))
			return;
}
