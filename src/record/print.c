/* SPDX-License-Identifier: ISC */
/* Prints records in the order of the tables, all members or a projection (the parameter fields of a
   request).

   A projection is a set of members, on[] by their id. "services.port" selects the list services
   and, in each object, the member port alone; "services" selects everything below it. An object
   without a selected member is left out, and its name and comma are removed again: print_object
   writes the name first, because only the walk below the object shows whether any member is
   printed. The same record and projection always print the same bytes.

   A hidden member is stored for the index and for merging, and is in no projection. */
#include "config.h"

#include "record/record_priv.h"

struct record_fields {
	bool on[RECORD_MEMBERS]; /* by id */
};

/* ---- projections ---- */

static void
select_below(struct record_fields *f, const struct record_member *m)
{
	if (m->hidden)
		return;
	f->on[m->id] = true;
	for (unsigned i = 0; i < m->nkids; i++)
		select_below(f, &m->kids[i]);
}

static bool
hides(const struct record_member *m)
{
	bool any = m->hidden;

	for (unsigned i = 0; i < m->nkids; i++)
		any |= hides(&m->kids[i]);
	return any;
}

const struct record_fields *
record_fields_answered(enum dataset d)
{
	static struct {
		bool known, hides;
		struct record_fields fields;
	} made[DATASETS];

	if (!made[d].known) {
		made[d].known = true;
		made[d].hides = hides(record_root(d));
		select_below(&made[d].fields, record_root(d));
	}
	return made[d].hides ? &made[d].fields : NULL;
}

static bool
select_name(struct record_fields *f, const struct record_member *m, struct str name)
{
	do {
		m = record_kid(m, str_until(&name, '.'));
		if (m == NULL || m->hidden)
			return false;
		f->on[m->id] = true;
	} while (name.p != NULL);
	select_below(f, m);
	return true;
}

const struct record_fields *
record_fields_parse(struct arena *a, enum dataset d, struct str names, struct str *bad)
{
	struct record_fields *f = ARENA_NEW(a, struct record_fields);

	*bad = STR("");
	for (size_t n = 0; n < LIM_FIELDS; n++) {
		struct str name = str_trim(str_until(&names, ','));

		if (!select_name(f, record_root(d), name)) {
			*bad = name;
			return NULL;
		}
		if (names.p == NULL)
			return f;
	}
	return NULL;
}

/* ---- printing ---- */

static bool print_object(
    struct buf *b, const struct record_object *o, const struct record_fields *f);

static void
print_member_texts(struct buf *b, const struct record_value *v)
{
	buf_char(b, '[');
	for (size_t i = 0; i < v->texts.n; i++) {
		if (i > 0)
			buf_char(b, ',');
		json_write_str(b, v->texts.p[i]);
	}
	buf_char(b, ']');
}

static void
print_objects(struct buf *b, const struct record_value *v, const struct record_fields *f)
{
	bool any = false;

	buf_char(b, '[');
	for (size_t i = 0; i < v->objects.n; i++) {
		if (any)
			buf_char(b, ',');
		if (print_object(b, v->objects.p[i], f))
			any = true;
		else if (any)
			b->n--; /* the comma of an object of which nothing is printed */
	}
	buf_char(b, ']');
}

static void
print_scalar(struct buf *b, const struct record_member *m, const struct record_value *v)
{
	char when[TS_LEN + 1];

	switch (m->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_IP:
		json_write_str(b, v->s);
		return;
	case VALUE_INTEGER:
		json_write_int(b, v->i);
		return;
	case VALUE_BOOLEAN:
		buf_z(b, v->i != 0 ? "true" : "false");
		return;
	case VALUE_DATE:
		ts_print((struct ts){ v->i }, when);
		buf_char(b, '"');
		buf_add(b, when, TS_LEN);
		buf_char(b, '"');
		return;
	case VALUE_NUMBER:
		break;
	}
	panic("a member of type %d", (int)m->type); /* UNCOVERED: no record has one */
}

/* Returns whether anything was printed. */
static bool
print_member_value(struct buf *b, const struct record_member *m, const struct record_value *v,
    const struct record_fields *f)
{
	switch (m->shape) {
	case SHAPE_VALUE:
		print_scalar(b, m, v);
		return true;
	case SHAPE_TEXTS:
		print_member_texts(b, v);
		return true;
	case SHAPE_OBJECTS:
		print_objects(b, v, f);
		return true;
	case SHAPE_OBJECT:
		return print_object(b, v->object, f);
	}
	panic("a member of shape %d", (int)m->shape); /* UNCOVERED: the switch is complete */
}

/* Prints an object, or nothing when none of its selected members is set. */
static bool
print_object(struct buf *b, const struct record_object *o, const struct record_fields *f)
{
	char before = '{';

	for (unsigned i = 0; i < o->of->nkids; i++) {
		const struct record_member *m = &o->of->kids[i];
		size_t start = b->n;

		if (!o->v[i].set || (f != NULL && !f->on[m->id]))
			continue;
		buf_char(b, before);
		buf_char(b, '"');
		buf_str(b, m->name);
		buf_add(b, "\":", 2);
		if (print_member_value(b, m, &o->v[i], f))
			before = ',';
		else
			b->n = start;
	}
	if (before == ',')
		buf_char(b, '}');
	return before == ',';
}

void
record_print(struct buf *b, const struct record *r, const struct record_fields *fields)
{
	if (!print_object(b, r->root, fields))
		buf_z(b, "{}");
}

void
record_print_object(
    struct buf *b, const struct record_object *o, const struct record_fields *fields)
{
	if (!print_object(b, o, fields))
		buf_z(b, "{}");
}
