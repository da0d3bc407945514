/* SPDX-License-Identifier: ISC */
/* The tree of members: made once, before main, from the rows of tbl/fields, whose names are dotted.
   The rows are a flat list, as manuals and field lists need it, so no code repeats the structure of
   the documents.

     rows                    members[] of one dataset
     "ip"                    root  -> ip | services
     "services.port"         services (list of objects) -> port | http
     "services.http.title"   http (object) -> title

   Adjacent rows with the same part at one level are one member there, so the rows of an object must
   be adjacent in the table. The members of one object are adjacent in members[], which makes a
   record an array that is walked by index. */
#include "config.h"

#include "record/record_priv.h"

static const struct {
	const char *name, *nested;
	int number;
} datasets[DATASETS] = {
#define DATASET(id, nr, label, unit, key, list, naming, pair) [DATASET_##id] = { label, list, nr },
#include "tbl/datasets.h"
};

enum store { STORE_TERMS, STORE_NATIVE, STORE_KEY, STORE_VIRTUAL, STORE_HIDDEN, STORE_GUARD };

struct row {
	enum dataset dataset;
	const char *name;
	enum value_type type;
	enum store store;
	enum form form;
	int64_t least, most;
	size_t items;
	enum merge merge;
};

static const struct row rows[] = {
#define SEARCH_FIELD(d, label, value, agg, keep, f, lo, hi, n, m)                                  \
	{ DATASET_##d, label, VALUE_##value, STORE_##keep, FORM_##f, lo, hi, n, MERGE_##m },
#define MEMBER(d, label, value, f, lo, hi, n, m)                                                   \
	{ DATASET_##d, label, VALUE_##value, STORE_TERMS, FORM_##f, lo, hi, n, MERGE_##m },
#include "tbl/fields.h"
};

/* The members of one object are adjacent. members[0] to members[DATASETS - 1] are the roots. */
static struct record_member members[RECORD_MEMBERS];
static unsigned nmembers = DATASETS;

/* Returns the part of the name of a row after the prefix, up to the next dot; STR_NULL when the
   name does not begin with the prefix. */
static struct str
part_below(const struct row *r, struct str prefix)
{
	struct str name = str_of(r->name);

	if (!str_starts(name, prefix))
		return STR_NULL;
	return (struct str){ name.p + prefix.n, strcspn(name.p + prefix.n, ".") };
}

static bool
is_leaf(struct str part)
{
	return part.p[part.n] == '\0';
}

static struct record_member
leaf(const struct row *r)
{
	return (struct record_member){ .shape = r->items > 0 ? SHAPE_TEXTS : SHAPE_VALUE,
		.type = r->type,
		.form = r->form,
		.merge = r->merge,
		.least = r->least,
		.most = r->most,
		.items = r->items,
		.key = r->store == STORE_KEY,
		.hidden = r->store == STORE_HIDDEN || r->store == STORE_GUARD };
}

static void add_kids(struct record_member *of, enum dataset d, struct str prefix);

static void
add_kids_below(struct record_member *m, enum dataset d, struct str name)
{
	char room[128];

	if (m->kids != NULL || m->shape == SHAPE_VALUE || m->shape == SHAPE_TEXTS)
		return;
	memcpy(room, name.p, name.n);
	room[name.n] = '.';
	add_kids(m, d, (struct str){ room, name.n + 1 });
	m->merge = m->kids[0].merge;
}

static void
add_kids(struct record_member *of, enum dataset d, struct str prefix)
{
	struct record_member *kids = &members[nmembers];
	struct str before = STR_NULL;
	unsigned n = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str part = part_below(&rows[i], prefix);

		if (rows[i].dataset != d || rows[i].store == STORE_VIRTUAL || part.p == NULL ||
		    str_eq(part, before))
			continue;
		if (nmembers + n == RECORD_MEMBERS)
			panic("more than %d members", RECORD_MEMBERS);
		kids[n] = is_leaf(part) ? leaf(&rows[i])
					: (struct record_member){ .shape = SHAPE_OBJECT };
		kids[n].name = before = part;
		kids[n].id = nmembers + n;
		kids[n].place = n;
		if (prefix.n == 0 && datasets[d].nested != NULL && str_is(part, datasets[d].nested))
			kids[n].shape = SHAPE_OBJECTS;
		n++;
	}
	nmembers += n;
	of->kids = kids;
	of->nkids = n;
	for (unsigned i = 0; i < n; i++)
		add_kids_below(&kids[i], d,
		    (struct str){ kids[i].name.p - prefix.n, prefix.n + kids[i].name.n });
}

__attribute__((constructor)) static void
make_members(void)
{
	for (unsigned d = 0; d < DATASETS; d++) {
		members[d] = (struct record_member){ .shape = SHAPE_OBJECT, .id = d };
		add_kids(&members[d], (enum dataset)d, STR(""));
	}
}

const char *
record_dataset_name(enum dataset d)
{
	return datasets[d].name;
}

int
record_dataset_number(enum dataset d)
{
	return datasets[d].number;
}

enum dataset
record_dataset(struct str name)
{
	unsigned d = 0;

	while (d < DATASETS && !str_is(name, datasets[d].name))
		d++;
	return (enum dataset)d;
}

const struct record_member *
record_root(enum dataset d)
{
	return &members[d];
}

const struct record_member *
record_kid(const struct record_member *of, struct str name)
{
	for (unsigned i = 0; i < of->nkids; i++)
		if (str_eq(of->kids[i].name, name))
			return &of->kids[i];
	return NULL;
}

const struct record_member *
record_nested_member(enum dataset d)
{
	return datasets[d].nested == NULL ? NULL
					  : record_kid(&members[d], str_of(datasets[d].nested));
}

/* ---- the tree of a record ---- */

struct record_object *
record_object_new(struct arena *a, const struct record_member *of)
{
	struct record_object *o =
	    arena_alloc(a, sizeof(*o) + of->nkids * sizeof(struct record_value));

	o->of = of;
	return o;
}

struct record
record_new(struct arena *a, enum dataset d)
{
	return (struct record){ d, record_object_new(a, &members[d]) };
}

/* A step from an object to its member that the first part of a dotted name names. */
struct step {
	const struct record_member *of;
	const char *name;
	const struct record_member *member;
};

/* Whether the first part of a dotted name is the name of the member. */
static bool
begins_with(const char *name, const struct record_member *m)
{
	return strncmp(name, m->name.p, m->name.n) == 0 &&
	       (name[m->name.n] == '.' || name[m->name.n] == '\0');
}

/* Finds the member that the first part of a dotted name names. An import looks for hundreds of names
   in each document, and always for the same strings, so each thread remembers its steps by the
   addresses of the object's description and of the string. The content of the string is compared
   as well, since the memory of a string may be used for another one later. An unknown name is a fault of the program
   and not of the data, because names are string constants in readers; hence the panic. */
static const struct record_member *
find_step(const struct record_member *of, const char *name)
{
	static _Thread_local struct step steps[1024];
	uint64_t h = ((uintptr_t)of ^ (uintptr_t)name << 4) * UINT64_C(0x9e3779b97f4a7c15);
	struct step *s = &steps[h >> 54];

	if (s->of == of && s->name == name && begins_with(name, s->member))
		return s->member;
	*s = (struct step){ of, name, record_kid(of, (struct str){ name, strcspn(name, ".") }) };
	if (s->member == NULL)
		panic("no member has the name %s", name);
	return s->member;
}

/* Finds the value of a dotted name. Without an arena, for reading, it ends at the first object that
   is not set; with an arena, for writing, it creates the missing objects. */
static struct record_value *
walk(struct arena *a, struct record_object *o, const char *name)
{
	for (;;) {
		const struct record_member *m = find_step(o->of, name);
		struct record_value *v = &o->v[m->place];

		name += m->name.n;
		if (*name == '\0')
			return v;
		if (!v->set) {
			if (a == NULL)
				return NULL;
			v->set = true;
			v->object = record_object_new(a, m);
		}
		o = v->object;
		name++;
	}
}

struct record_value *
record_make(struct arena *a, struct record_object *o, const char *name)
{
	return walk(a, o, name);
}

struct record_value *
record_find(const struct record_object *o, const char *name)
{
	struct record_value *v = walk(NULL, (struct record_object *)(uintptr_t)o, name);

	return v == NULL || !v->set ? NULL : v;
}

void
record_set_text(struct arena *a, struct record_object *o, const char *name, struct str value)
{
	struct record_value *v = record_make(a, o, name);

	v->set = value.p != NULL;
	v->s = value;
}

void
record_set_int(struct arena *a, struct record_object *o, const char *name, int64_t value)
{
	struct record_value *v = record_make(a, o, name);

	v->set = true;
	v->i = value;
}

void
record_set_bool(struct arena *a, struct record_object *o, const char *name, bool value)
{
	record_set_int(a, o, name, value);
}

void
record_set_time(struct arena *a, struct record_object *o, const char *name, struct ts value)
{
	if (!ts_is_null(value))
		record_set_int(a, o, name, value.us);
}

/* Makes room for item n of an array whose room is 4, 8, 16 ...: it is full when n is a power of
   two. No field contains the room, because a value in the tree is a union of two words and most
   lists are short. The old array stays in the arena until the arena is reset; all old copies
   together are smaller than the last one. Only a list that this macro has begun may grow with it:
   the lists of a parsed record have exactly their length. */
#define ROOM_FOR(a, p, n, type)                                                                    \
	((p) != NULL && ((n) < 4 || ((n) & ((n)-1)) != 0)                                          \
		? (p)                                                                              \
		: (type *)copy_array((a), (p), (n) * sizeof(type),                                 \
		      (n) < 4 ? 4 * sizeof(type) : 2 * (n) * sizeof(type)))

static void *
copy_array(struct arena *a, const void *p, size_t n, size_t room)
{
	void *copy = arena_alloc(a, room);

	if (p != NULL && n > 0)
		memcpy(copy, p, n);
	return copy;
}

void
record_add(struct arena *a, struct record_object *o, const char *name, struct str value)
{
	struct record_value *v = record_make(a, o, name);

	v->set = true;
	v->texts.p = ROOM_FOR(a, v->texts.p, v->texts.n, struct str);
	v->texts.p[v->texts.n++] = value;
}

void
record_set_texts(struct arena *a, struct record_object *o, const char *name, struct strs values)
{
	struct record_value *v = record_make(a, o, name);

	*v = (struct record_value){ .set = values.n > 0 };
	for (size_t i = 0; i < values.n; i++)
		record_add(a, o, name, values.p[i]);
}

struct record_object *
record_nested(struct arena *a, struct record *r)
{
	const struct record_member *m = record_nested_member(r->dataset);
	struct record_value *v = &r->root->v[m->place];

	v->set = true;
	v->objects.p = ROOM_FOR(a, v->objects.p, v->objects.n, struct record_object *);
	return v->objects.p[v->objects.n++] = record_object_new(a, m);
}

size_t
record_nested_all(const struct record *r, struct record_object *const **out)
{
	const struct record_member *m = record_nested_member(r->dataset);
	const struct record_value *v = m == NULL ? NULL : &r->root->v[m->place];

	if (v == NULL || !v->set)
		return 0;
	*out = v->objects.p;
	return v->objects.n;
}

struct str
record_text(const struct record_object *o, const char *name)
{
	const struct record_value *v = record_find(o, name);

	return v == NULL ? STR_NULL : v->s;
}

bool
record_int(const struct record_object *o, const char *name, int64_t *out)
{
	const struct record_value *v = record_find(o, name);

	if (v != NULL)
		*out = v->i;
	return v != NULL;
}

size_t
record_texts(const struct record_object *o, const char *name, const struct str **out)
{
	const struct record_value *v = record_find(o, name);

	*out = v == NULL ? NULL : v->texts.p;
	return v == NULL ? 0 : v->texts.n;
}

/* ---- comparison ---- */

static int
compare_counts(size_t x, size_t y)
{
	return (x > y) - (x < y);
}

static int
compare_member_texts(const struct record_value *x, const struct record_value *y)
{
	int c = 0;

	for (size_t i = 0; c == 0 && i < x->texts.n && i < y->texts.n; i++)
		c = str_cmp(x->texts.p[i], y->texts.p[i]);
	return c != 0 ? c : compare_counts(x->texts.n, y->texts.n);
}

static int
compare_objects(const struct record_value *x, const struct record_value *y)
{
	int c = 0;

	for (size_t i = 0; c == 0 && i < x->objects.n && i < y->objects.n; i++)
		c = record_object_cmp(x->objects.p[i], y->objects.p[i]);
	return c != 0 ? c : compare_counts(x->objects.n, y->objects.n);
}

int
record_value_cmp(
    const struct record_member *m, const struct record_value *x, const struct record_value *y)
{
	if (!x->set || !y->set)
		return (int)x->set - (int)y->set;
	switch (m->shape) {
	case SHAPE_TEXTS:
		return compare_member_texts(x, y);
	case SHAPE_OBJECT:
		return record_object_cmp(x->object, y->object);
	case SHAPE_OBJECTS:
		return compare_objects(x, y);
	case SHAPE_VALUE:
		break;
	}
	if (m->type == VALUE_INTEGER || m->type == VALUE_BOOLEAN || m->type == VALUE_DATE)
		return (x->i > y->i) - (x->i < y->i);
	return str_cmp(x->s, y->s);
}

int
record_object_cmp(const struct record_object *x, const struct record_object *y)
{
	int c = 0;

	for (unsigned i = 0; c == 0 && i < x->of->nkids; i++)
		c = record_value_cmp(&x->of->kids[i], &x->v[i], &y->v[i]);
	return c;
}

/* ---- lists ---- */

static int
by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

void
record_sort_texts(struct record_value *v)
{
	size_t n = 0;

	if (v->texts.n < 2)
		return;
	qsort(v->texts.p, v->texts.n, sizeof(v->texts.p[0]), by_text);
	for (size_t i = 0; i < v->texts.n; i++)
		if (n == 0 || !str_eq(v->texts.p[n - 1], v->texts.p[i]))
			v->texts.p[n++] = v->texts.p[i];
	v->texts.n = n;
}
