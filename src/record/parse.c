/* SPDX-License-Identifier: ISC */
/* Parses JSON text to the tree of a record. The text comes from untrusted files or from the table
   record. The manner differs:

     RECORD_STRICT    our own format: an unknown member is a fault, because a misspelt name would lose data silently
     RECORD_LENIENT   documents that another release stored: a member that this release does not know is left out

   A value of the wrong JSON type is a fault in both manners. Forms and bounds are not checked here
   (finish.c). The texts of the record are those of the parsed JSON in the arena; they are not
   copied. */
#include "config.h"

#include "record/place.h"

struct reading {
	struct arena *a;
	struct record_object *object;
	enum record_manner manner;
	const struct place *up;
	struct str *what;
	bool ok;
};

static bool read_object(struct reading *up, const struct json_value *v, struct record_object *o,
    const struct place *at);

static bool
read_member_time(const struct json_value *v, struct record_value *out)
{
	struct ts t;

	if (json_type(v) != JSON_STRING || !ts_parse(json_text(v), &t))
		return false;
	out->i = t.us;
	return true;
}

/* Returns NULL, or the fault. */
static const char *
read_member_value(
    const struct record_member *m, const struct json_value *v, struct record_value *out)
{
	switch (m->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_IP:
		out->s = json_text(v);
		return json_type(v) == JSON_STRING ? NULL : "must be a string";
	case VALUE_INTEGER:
		return json_type(v) == JSON_NUMBER && json_int(v, &out->i) ? NULL
									   : "must be an integer";
	case VALUE_BOOLEAN:
		out->i = json_bool(v);
		return json_type(v) == JSON_BOOL ? NULL : "must be true or false";
	case VALUE_DATE:
		return read_member_time(v, out)
			   ? NULL
			   : "must be an RFC 3339 date and time with an offset";
	case VALUE_NUMBER:
		break;
	}
	panic("a member of type %d", (int)m->type); /* UNCOVERED: no record has one */
}

static bool
read_texts(struct reading *r, const struct record_member *m, const struct json_value *v,
    struct record_value *out, struct place *at)
{
	size_t n = json_length(v);

	if (json_type(v) != JSON_ARRAY)
		return place_fault(r->a, at, "must be an array of strings", r->what);
	if (n > m->items)
		return place_fault(r->a, at, "has too many items", r->what);
	out->texts.p = ARENA_ARRAY(r->a, n, struct str);
	out->texts.n = n;
	for (size_t i = 0; i < n; i++) {
		at->item = i;
		if (json_type(json_at(v, i)) != JSON_STRING)
			return place_fault(r->a, at, "must be a string", r->what);
		out->texts.p[i] = json_text(json_at(v, i));
	}
	return true;
}

static bool
read_objects(struct reading *r, const struct record_member *m, const struct json_value *v,
    struct record_value *out, struct place *at)
{
	size_t n = json_length(v), most = record_nested_has_key(m) ? LIM_HOST_SERVICES : LIM_LIST;

	if (json_type(v) != JSON_ARRAY)
		return place_fault(r->a, at, "must be an array of objects", r->what);
	if (n > most)
		return place_fault(r->a, at, "has too many items", r->what);
	out->objects.p = ARENA_ARRAY(r->a, n, struct record_object *);
	out->objects.n = n;
	for (size_t i = 0; i < n; i++) {
		at->item = i;
		out->objects.p[i] = record_object_new(r->a, m);
		if (!read_object(r, json_at(v, i), out->objects.p[i], at))
			return false;
	}
	return true;
}

static bool
read_known(struct reading *r, const struct record_member *m, const struct json_value *v)
{
	struct record_value *out = &r->object->v[m->place];
	struct place at = { r->up, m->name, PLACE_NO_ITEM };
	const char *why;

	out->set = true;
	switch (m->shape) {
	case SHAPE_TEXTS:
		return read_texts(r, m, v, out, &at);
	case SHAPE_OBJECTS:
		return read_objects(r, m, v, out, &at);
	case SHAPE_OBJECT:
		out->object = record_object_new(r->a, m);
		return read_object(r, v, out->object, &at);
	case SHAPE_VALUE:
		break;
	}
	why = read_member_value(m, v, out);
	return why == NULL || place_fault(r->a, &at, why, r->what);
}

static bool
read_named_member(void *arg, struct str name, struct json_value *v)
{
	struct reading *r = arg;
	const struct record_member *m = record_kid(r->object->of, name);
	struct place at = { r->up, name.n > 64 ? (struct str){ name.p, 64 } : name, PLACE_NO_ITEM };

	if (m != NULL)
		r->ok = read_known(r, m, v);
	else
		r->ok = r->manner == RECORD_LENIENT ||
			place_fault(r->a, &at, "is no member of this format", r->what);
	return r->ok;
}

static bool
read_object(
    struct reading *up, const struct json_value *v, struct record_object *o, const struct place *at)
{
	struct reading r = { up->a, o, up->manner, at, up->what, true };

	if (json_type(v) != JSON_OBJECT)
		return place_fault(r.a, at, "must be an object", r.what);
	json_each(v, read_named_member, &r);
	return r.ok;
}

bool
record_parse(struct arena *a, enum dataset d, struct str text, enum record_manner manner,
    struct record *out, struct str *what)
{
	struct reading r = { .a = a, .manner = manner, .what = what };
	struct json_fault fault;
	const struct json_value *v = json_parse_with_fault(a, text, &fault);

	if (v == NULL) {
		*what = arena_printf(a, "no valid JSON at byte %zu: %s", fault.at + 1, fault.what);
		return false;
	}
	*out = record_new(a, d);
	return read_object(&r, v, out->root, NULL);
}
