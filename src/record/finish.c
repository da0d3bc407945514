/* SPDX-License-Identifier: ISC */
/* Brings a record into its canonical form: each text by its form, numbers within their bounds,
   lists sorted and without repetitions, times complete. The canonical form makes an import
   repeatable: the same facts in another order or spelling have the same bytes, so the second import
   of a file changes no row.

     1  every member by its row of the table           form.c; a bad member is a fault, or is left out (LENIENT)
     2  first_seen and last_seen complete each other
     3  members that follow from others                derive.c, which needs the canonical members
     4  nested objects: times, order, unique keys      needs the derived transport of a service, as it is in its key
     5  derive.c again                                 step 4 may have removed repetitions, which are
                                                       counted */
#include "config.h"

#include "record/place.h"

struct finishing {
	struct arena *a;
	enum record_manner manner;
	struct str *what;
};

static bool finish_object(
    const struct finishing *f, struct record_object *o, const struct place *at);

static bool
finish_texts(const struct finishing *f, const struct record_member *m, struct record_value *v,
    struct place *at)
{
	size_t n = 0;

	for (size_t i = 0; i < v->texts.n; i++) {
		const char *why = record_form(f->a, m, &v->texts.p[i], f->manner);

		at->item = i;
		if (why != NULL && f->manner == RECORD_STRICT)
			return place_fault(f->a, at, why, f->what);
		if (why == NULL && n < m->items)
			v->texts.p[n++] = v->texts.p[i];
	}
	v->texts.n = n;
	record_sort_texts(v);
	return true;
}

static bool
finish_objects(const struct finishing *f, struct record_value *v, struct place *at)
{
	for (size_t i = 0; i < v->objects.n; i++) {
		at->item = i;
		if (!finish_object(f, v->objects.p[i], at))
			return false;
	}
	return true;
}

static const char *
member_value_fault(const struct finishing *f, const struct record_member *m, struct record_value *v)
{
	if (m->type == VALUE_DATE) /* the bounds of a date are those of the type ts */
		return ts_is_printable((struct ts){ v->i }) ? NULL : "is out of range";
	if (m->type == VALUE_INTEGER || m->type == VALUE_BOOLEAN)
		return v->i < m->least || v->i > m->most ? "is out of range" : NULL;
	return record_form(f->a, m, &v->s, f->manner);
}

static bool
finish_value(const struct finishing *f, const struct record_member *m, struct record_value *v,
    const struct place *up)
{
	struct place at = { up, m->name, PLACE_NO_ITEM };
	const char *why;

	switch (m->shape) {
	case SHAPE_TEXTS:
		return finish_texts(f, m, v, &at);
	case SHAPE_OBJECTS:
		return finish_objects(f, v, &at);
	case SHAPE_OBJECT:
		return finish_object(f, v->object, &at);
	case SHAPE_VALUE:
		break;
	}
	why = member_value_fault(f, m, v);
	if (why == NULL)
		return true;
	v->set = false;
	return f->manner == RECORD_LENIENT || place_fault(f->a, &at, why, f->what);
}

static bool
finish_object(const struct finishing *f, struct record_object *o, const struct place *at)
{
	for (unsigned i = 0; i < o->of->nkids; i++)
		if (o->v[i].set && !finish_value(f, &o->of->kids[i], &o->v[i], at))
			return false;
	return true;
}

/* ---- times ---- */

struct times {
	struct record_value *first, *last; /* NULL: the object has no times */
};

static struct times
times_of(struct record_object *o)
{
	const struct record_member *first = record_kid(o->of, STR("first_seen"));
	const struct record_member *last = record_kid(o->of, STR("last_seen"));

	if (first == NULL || last == NULL)
		return (struct times){ NULL, NULL };
	return (struct times){ &o->v[first->place], &o->v[last->place] };
}

/* Sets a missing first_seen to last_seen, and the reverse. False: first_seen is the later one. */
static bool
complete_times(const struct times *t)
{
	if (t->first == NULL || t->last == NULL)
		return true;
	if (!t->first->set)
		*t->first = *t->last;
	if (!t->last->set)
		*t->last = *t->first;
	return !t->first->set || t->first->i <= t->last->i;
}

static void
inherit_times(const struct times *t, const struct times *from)
{
	if (t->first == NULL || t->last == NULL || t->first->set)
		return;
	*t->first = *from->first;
	*t->last = *from->last;
}

/* ---- nested objects ---- */

bool
record_nested_has_key(const struct record_member *m)
{
	return m != NULL && m->kids[0].key;
}

static int
by_object(const void *a, const void *b)
{
	return record_object_cmp(
	    *(struct record_object *const *)a, *(struct record_object *const *)b);
}

/* Compares nested objects by the members of their key, which come first in the table. */
int
record_nested_cmp(const struct record_object *x, const struct record_object *y)
{
	int c = 0;

	for (unsigned i = 0; c == 0 && i < x->of->nkids && x->of->kids[i].key; i++)
		c = record_value_cmp(&x->of->kids[i], &x->v[i], &y->v[i]);
	return c;
}

static const char *
missing_key(const struct record_object *o)
{
	for (unsigned i = 0; i < o->of->nkids && o->of->kids[i].key; i++)
		if (!o->v[i].set)
			return i == 0 ? "has no port" : "has no transport";
	return NULL;
}

/* Sorts the nested objects, so that their order in the file of a tool has no effect. A repetition
   is handled in two ways:

     services      port and transport are their key       two with one key are a fault: which one is right is unknown
     other lists   no key: all members are compared       two equal ones become one

   merge.c walks two sorted lists side by side and relies on this order. */
static bool
order_nested(const struct finishing *f, const struct record_member *m, struct record_value *v)
{
	struct place at = { NULL, m->name, PLACE_NO_ITEM };
	bool keyed = record_nested_has_key(m);
	size_t n = 0;

	for (size_t i = 0; keyed && i < v->objects.n; i++) {
		const char *why = missing_key(v->objects.p[i]);

		at.item = i;
		if (why != NULL)
			return place_fault(f->a, &at, why, f->what);
	}
	at.item = PLACE_NO_ITEM;
	if (v->objects.n > 1)
		qsort(v->objects.p, v->objects.n, sizeof(v->objects.p[0]), by_object);
	for (size_t i = 0; i < v->objects.n; i++) {
		struct record_object *o = v->objects.p[i];

		if (n > 0 && keyed && record_nested_cmp(v->objects.p[n - 1], o) == 0)
			return place_fault(
			    f->a, &at, "two have the same port and transport", f->what);
		if (n == 0 || keyed || record_object_cmp(v->objects.p[n - 1], o) != 0)
			v->objects.p[n++] = o;
	}
	v->objects.n = n;
	return true;
}

static bool
finish_nested(const struct finishing *f, struct record *r, const struct times *of)
{
	const struct record_member *m = record_nested_member(r->dataset);
	struct record_value *v = m == NULL ? NULL : &r->root->v[m->place];

	if (v == NULL || !v->set)
		return true;
	for (size_t i = 0; i < v->objects.n; i++) {
		struct times t = times_of(v->objects.p[i]);
		struct place at = { NULL, m->name, i };

		if (!complete_times(&t))
			return place_fault(
			    f->a, &at, "first_seen is later than last_seen", f->what);
		if (record_nested_has_key(m))
			inherit_times(&t, of);
	}
	return order_nested(f, m, v);
}

bool
record_finish(struct arena *a, struct record *r, enum record_manner manner, struct str *what)
{
	struct finishing f = { a, manner, what };
	struct times t = times_of(r->root);
	const char *why;

	if (!finish_object(&f, r->root, NULL))
		return false;
	if (!complete_times(&t))
		return place_fault(a, NULL, "first_seen: is later than last_seen", what);
	why = record_derive(a, r);
	if (why != NULL)
		return place_fault(a, NULL, why, what);
	if (!finish_nested(&f, r, &t))
		return false;
	/* counts of nested objects follow from the list without repetitions */
	why = record_derive(a, r);
	return why == NULL || place_fault(a, NULL, why, what);
}

/* Called for --seen, and for a new record without any time. A time that is set is kept: the time in
   the file is more exact than that of the command line. Services without times get those of their
   host, which may have just been set here; nested objects without a key do not inherit times.

   last_seen is not checked here, because after record_finish either both times are set or none
   is. */
void
record_seen(struct record *r, struct ts when)
{
	const struct record_member *m = record_nested_member(r->dataset);
	struct record_value now = { .set = true, .i = when.us };
	struct times t = times_of(r->root), from = { &now, &now };

	inherit_times(&t, &from);
	if (!record_nested_has_key(m) || !r->root->v[m->place].set)
		return;
	for (size_t i = 0; i < r->root->v[m->place].objects.n; i++) {
		struct times n = times_of(r->root->v[m->place].objects.p[i]);

		inherit_times(&n, &t);
	}
}
