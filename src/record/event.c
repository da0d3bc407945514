/* SPDX-License-Identifier: ISC */
/* Compares the old and the new record of a change member by member, and makes the events of the
   change (event.h has an example). tbl/event_kinds.h has the kinds, tbl/event_fields.h the members
   that events leave out, or show only when the record is gone.

   An event shows a part of each document, so each side of the comparison has two trees: the one
   that is compared, and the one that is shown, which gets the members that differ and is printed
   like any record. */
#include "config.h"

#include "record/event.h"

#include "record/record_priv.h"

#include <assert.h>
#include <pthread.h>

enum part { PART_RECORD, PART_NESTED, PARTS };
enum change { CHANGE_ADDED, CHANGE_CHANGED, CHANGE_GONE, CHANGES };

static const struct {
	const char *name;
	bool shows_members;
} kinds[EVENT_END] = {
#define EVENT_KIND(id, number, label, dataset, part, change, shows, about)                         \
	[EVENT_##id] = { label, shows },
#define COALESCED_KIND(id, number, label, about) [EVENT_##id] = { label, false },
#include "tbl/event_kinds.h"
};

static const enum event_kind kind_of[DATASETS][PARTS][CHANGES] = {
#define EVENT_KIND(id, number, name, dataset, part, change, shows_members, about)                  \
	[DATASET_##dataset][PART_##part][CHANGE_##change] = EVENT_##id,
#include "tbl/event_kinds.h"
};

const char *
event_kind_name(int64_t number)
{
	return number <= EVENT_NONE || number >= EVENT_END ? NULL : kinds[number].name;
}

bool
record_has_events(enum dataset d)
{
	return kind_of[d][PART_RECORD][CHANGE_ADDED] != EVENT_NONE;
}

bool
record_event_shows_new(enum dataset d)
{
	return kinds[kind_of[d][PART_RECORD][CHANGE_ADDED]].shows_members;
}

/* ---- members that events show ---- */

enum shown_when { SHOW_ALWAYS, SHOW_GONE, SHOW_NEVER };

static const struct {
	enum dataset dataset;
	const char *name;
	enum shown_when moment;
} exceptions[] = {
#define EVENT_FIELD(d, label, moment) { DATASET_##d, label, SHOW_##moment },
#include "tbl/event_fields.h"
#undef EVENT_FIELD
};

static unsigned char shown_when[RECORD_MEMBERS]; /* enum shown_when, by the member's id */

static void
mark_exceptions(void)
{
	for (size_t i = 0; i < COUNT(exceptions); i++) {
		const struct record_member *m = record_root(exceptions[i].dataset);
		struct str rest = str_of(exceptions[i].name);

		while (rest.p != NULL) {
			m = record_kid(m, str_until(&rest, '.'));
			if (m == NULL)
				panic("no member has the name %s", exceptions[i].name);
		}
		shown_when[m->id] = (unsigned char)exceptions[i].moment;
	}
}

static bool
is_shown(const struct record_member *m, bool gone)
{
	return !m->key &&
	       (shown_when[m->id] == SHOW_ALWAYS || (gone && shown_when[m->id] == SHOW_GONE));
}

/* ---- what an event shows of a value ---- */

/* A list is shown completely when both sides are short. Otherwise only the items that the other
   side lacks are shown, because the common items would hide the difference. Both lists are
   sorted. */
static struct record_value
shown_texts(struct arena *a, const struct record_value *v, const struct record_value *other)
{
	size_t nother = other->set ? other->texts.n : 0;
	bool whole = v->texts.n <= EVENT_ITEMS && nother <= EVENT_ITEMS;
	struct record_value out = { .set = true };

	out.texts.p = ARENA_ARRAY(a, EVENT_ITEMS, struct str);
	for (size_t i = 0, k = 0; i < v->texts.n && out.texts.n < EVENT_ITEMS; i++) {
		while (k < nother && str_cmp(other->texts.p[k], v->texts.p[i]) < 0)
			k++;
		if (whole || k == nother || !str_eq(other->texts.p[k], v->texts.p[i]))
			out.texts.p[out.texts.n++] = str_cut_bytes(v->texts.p[i], EVENT_TEXT);
	}
	return out;
}

static struct record_value
shown_value(struct arena *a, const struct record_member *m, const struct record_value *v,
    const struct record_value *other)
{
	struct record_value out = *v;

	if (!v->set)
		return out;
	if (m->shape == SHAPE_TEXTS)
		return shown_texts(a, v, other);
	if (m->type == VALUE_KEYWORD || m->type == VALUE_TEXT)
		out.s = str_cut_bytes(v->s, EVENT_TEXT);
	return out;
}

/* ---- one event ---- */

struct side {
	const struct record_object *is; /* NULL: this side lacks the object */
	struct record_object *shown;
};

struct event_writer {
	struct arena *a;
	struct buf fields; /* "product","http.title" */
	bool gone;
};

static void add_changed_members(struct event_writer *t, const struct record_member *of,
    struct side old, struct side new, struct str prefix);

static void
add_changed_object(struct event_writer *t, const struct record_member *m, struct side old,
    struct side new, struct str prefix)
{
	struct record_value *x = &old.shown->v[m->place], *y = &new.shown->v[m->place];
	bool had = old.is != NULL && old.is->v[m->place].set;
	bool has = new.is != NULL &&new.is->v[m->place].set;

	x->set = y->set = true;
	x->object = record_object_new(t->a, m);
	y->object = record_object_new(t->a, m);
	add_changed_members(t, m,
	    (struct side){ had ? old.is->v[m->place].object : NULL, x->object },
	    (struct side){ has ? new.is->v[m->place].object : NULL, y->object },
	    arena_printf(t->a, "%.*s%.*s.", (int)prefix.n, prefix.p, (int)m->name.n, m->name.p));
}

/* Adds the members that differ, with their dotted names. */
static void
add_changed_members(struct event_writer *t, const struct record_member *of, struct side old,
    struct side new, struct str prefix)
{
	static const struct record_value unset;

	for (unsigned i = 0; i < of->nkids; i++) {
		const struct record_member *m = &of->kids[i];
		const struct record_value *x = old.is == NULL ? &unset : &old.is->v[i];
		const struct record_value *y = new.is == NULL ? &unset : &new.is->v[i];

		if (!is_shown(m, t->gone) || record_value_cmp(m, x, y) == 0)
			continue;
		if (m->shape == SHAPE_OBJECT) {
			add_changed_object(t, m, old, new, prefix);
			continue;
		}
		buf_printf(&t->fields, "%s\"%.*s%.*s\"", t->fields.n > 0 ? "," : "", (int)prefix.n,
		    prefix.p, (int)m->name.n, m->name.p);
		old.shown->v[i] = shown_value(t->a, m, x, y);
		new.shown->v[i] = shown_value(t->a, m, y, x);
	}
}

/* Prints the members of the key of a nested object: {"port":443,"transport":"tcp"}. */
static void
print_name(struct arena *a, struct buf *b, const struct record_object *o)
{
	struct record_object *name = record_object_new(a, o->of);

	for (unsigned i = 0; i < o->of->nkids && o->of->kids[i].key; i++)
		name->v[i] = o->v[i];
	buf_z(b, "\"service\":");
	record_print_object(b, name, NULL);
	buf_char(b, ',');
}

/* named: the nested object; NULL: the event is about the record. */
static struct str
print_event(struct event_writer *t, const struct record_object *named,
    const struct record_object *before, const struct record_object *after)
{
	struct buf b = { .a = t->a };
	size_t names;

	buf_char(&b, '{');
	if (named != NULL)
		print_name(t->a, &b, named);
	buf_z(&b, "\"fields\":[");
	buf_str(&b, buf_done(&t->fields));
	buf_char(&b, ']');
	names = b.n;
	buf_z(&b, ",\"before\":");
	record_print_object(&b, before, NULL);
	buf_z(&b, ",\"after\":");
	record_print_object(&b, after, NULL);
	buf_char(&b, '}');
	if (b.n > EVENT_BYTES) {
		b.n = names;
		buf_z(&b, ",\"before\":{},\"after\":{}}");
	}
	return buf_done(&b);
}

/* ---- all events of a change ---- */

struct event_list {
	struct arena *a;
	enum dataset dataset;
	struct record_event *p;
	size_t n;
};

/* Adds the event of one object that was *old and is *new; either may be NULL. */
static void
add_event(struct event_list *s, enum part part, const struct record_object *old,
    const struct record_object *new, struct ts at)
{
	enum change change = old == NULL   ? CHANGE_ADDED
			     : new == NULL ? CHANGE_GONE
					   : CHANGE_CHANGED;
	enum event_kind kind = kind_of[s->dataset][part][change];
	const struct record_object *any = old == NULL ? new : old;
	struct event_writer t = {
		.a = s->a, .fields = { .a = s->a }, .gone = change == CHANGE_GONE
	};
	struct side before = { old, NULL }, after = { new, NULL };

	assert(any != NULL);
	before.shown = record_object_new(s->a, any->of);
	after.shown = record_object_new(s->a, any->of);
	if (kinds[kind].shows_members)
		add_changed_members(&t, any->of, before, after, STR(""));
	if (change == CHANGE_CHANGED && t.fields.n == 0)
		return;
	s->p = arena_room(s->a, s->p, s->n, sizeof(s->p[0]));
	s->p[s->n++] = (struct record_event){
		.kind = kind,
		.at = at,
		.what =
		    print_event(&t, part == PART_NESTED ? any : NULL, before.shown, after.shown),
	};
}

static struct ts
nested_at(const struct record_object *old, const struct record_object *new, struct ts at)
{
	int64_t x, y;

	if (new == NULL || !record_int(new, "last_seen", &y) ||
	    (old != NULL && record_int(old, "last_seen", &x) && x >= y))
		return at;
	return (struct ts){ y };
}

struct record
record_copy(struct arena *a, const struct record *r)
{
	struct record copy = record_new(a, r->dataset);

	memcpy(copy.root->v, r->root->v, r->root->of->nkids * sizeof(r->root->v[0]));
	return copy;
}

/* Walks the two lists of nested objects, which are sorted by their keys. */
static void
add_nested_events(
    struct event_list *s, const struct record *old, const struct record *new, struct ts at)
{
	struct record_object *const *x, *const *y;
	size_t i = 0, k = 0, nx = record_nested_all(old, &x);
	size_t ny = new == NULL ? 0 : record_nested_all(new, &y);

	while (i < nx || k < ny) {
		int c = i == nx ? 1 : k == ny ? -1 : record_nested_cmp(x[i], y[k]);
		const struct record_object *was = c <= 0 ? x[i++] : NULL;
		const struct record_object *is = c >= 0 ? y[k++] : NULL;

		add_event(s, PART_NESTED, was, is, nested_at(was, is, at));
	}
}

/* The event of the record comes first, so that the removal of a host with many services is not
   itself one of the events that are coalesced. */
struct record_event *
record_events(struct arena *a, const struct record_change *change, size_t *n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct record *old = change->old, *new = change->new;
	struct event_list s = { .a = a, .dataset = old == NULL ? new->dataset : old->dataset };

	*n = 0;
	if (!record_has_events(s.dataset))
		return NULL;
	if (pthread_once(&once, mark_exceptions) != 0)
		panic("pthread_once failed");
	add_event(&s, PART_RECORD, old == NULL ? NULL : old->root, new == NULL ? NULL : new->root,
	    change->at);
	if (old != NULL && kind_of[s.dataset][PART_NESTED][CHANGE_CHANGED] != EVENT_NONE)
		add_nested_events(&s, old, new, change->at);
	*n = s.n;
	return s.p;
}
