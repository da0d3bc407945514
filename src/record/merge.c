/* SPDX-License-Identifier: ISC */
/* Merges two records of one key by the rules of tbl/merges.h.
 *
 * Tools report different facts about one service: a sweep reports that a port is open, another tool
 * the HTTP title, a third the certificate. So a service is not merged as a single value. Its
 * members form groups, and each group is taken completely from the later record that has any member
 * of the group:
 *
 *                      old (seen on Monday)      new (seen on Tuesday)      merged
 *   identity           product nginx             -                          product nginx        Monday's
 *   http               title "Hello", 200        title "Moved"              title "Moved"        Tuesday's alone: the
 *                                                                                                status was not seen again
 *   tls.certificate    -                         names a.example            names a.example
 *   first_seen         Monday                    Tuesday                    Monday
 *
 * The result does not depend on which of the two records is called old, except for a record without
 * last_seen. Two records of one second are common, because several tools have no finer time; then
 * the greater value is taken. */
#include "config.h"

#include "record/masked_priv.h"

enum winner { WINNER_NONE, WINNER_OLD, WINNER_NEW, WINNER_BOTH };

static const struct {
	const char *by;
	bool first, whole;
} groups[MERGES] = {
#define MERGE(id, by, first, whole) [MERGE_##id] = { by, first, whole },
#include "tbl/merges.h"
#undef MERGE
};

/* The merge of two records, or of two services that have times of their own. */
struct merging {
	struct arena *a;
	enum winner later;           /* WINNER_BOTH: equal times */
	enum winner winners[MERGES]; /* of each group */
};

/* ---- the winner of each group ---- */

static void
mark_groups(const struct record_object *o, enum winner side, enum winner *has)
{
	for (unsigned i = 0; i < o->of->nkids; i++) {
		const struct record_member *m = &o->of->kids[i];

		if (!o->v[i].set)
			continue;
		if (m->shape == SHAPE_OBJECT)
			mark_groups(o->v[i].object, side, has);
		else
			has[m->merge] = (enum winner)(has[m->merge] | side);
	}
}

/* Compares the members of one group in the order of the table. */
static int
compare_group(const struct record_object *x, const struct record_object *y, enum merge group)
{
	int c = 0;

	for (unsigned i = 0; c == 0 && i < x->of->nkids; i++) {
		const struct record_member *m = &x->of->kids[i];

		if (m->shape == SHAPE_OBJECT && x->v[i].set && y->v[i].set)
			c = compare_group(x->v[i].object, y->v[i].object, group);
		else if (m->merge == group)
			c = record_value_cmp(m, &x->v[i], &y->v[i]);
	}
	return c;
}

/* Decides by the member that the group names: the record that has this member, or, if both have it,
   the one with the smaller value. */
static enum winner
winner_by(const struct record_object *old, const struct record_object *new, enum merge group)
{
	const struct record_value *x = record_find(old, groups[group].by);
	const struct record_value *y = record_find(new, groups[group].by);

	if (x == NULL && y == NULL)
		return WINNER_BOTH;
	if (x == NULL || y == NULL)
		return x == NULL ? WINNER_NEW : WINNER_OLD;
	if (!groups[group].first || x->i == y->i)
		return WINNER_BOTH;
	return x->i < y->i ? WINNER_OLD : WINNER_NEW;
}

/* The winner of a group that both records have, in the order of the columns of tbl/merges.h:

     by      set: the record that has this member wins over one without it; with `first`, the smaller value wins
     later   otherwise the record with the later last_seen
     whole   at equal times the group with the greater members, compared as one value

   The result is WINNER_BOTH when none of these decides: then merge_value compares member by member,
   and takes the greater value. Every step is symmetric in old and new, so two files can be imported
   in either order. */
static enum winner
winner_of(const struct merging *g, const struct record_object *old, const struct record_object *new,
    enum merge group)
{
	enum winner w = WINNER_BOTH;

	if (groups[group].by[0] != '\0')
		w = winner_by(old, new, group);
	if (w == WINNER_BOTH && !groups[group].first)
		w = g->later;
	if (w == WINNER_BOTH && groups[group].whole)
		w = compare_group(old, new, group) < 0 ? WINNER_NEW : WINNER_OLD;
	return w;
}

static void
choose_winners(struct merging *g, const struct record_object *old, const struct record_object *new)
{
	enum winner has[MERGES] = { WINNER_NONE };

	mark_groups(old, WINNER_OLD, has);
	mark_groups(new, WINNER_NEW, has);
	for (int group = MERGE_UNION + 1; group < MERGES; group++)
		g->winners[group] = has[group] == WINNER_BOTH
					? winner_of(g, old, new, (enum merge)group)
					: has[group];
	g->winners[MERGE_EACH] = g->later;
}

/* A record without last_seen is treated as the later one, because it is being imported now. */
static enum winner
later_of(const struct record_object *old, const struct record_object *new)
{
	int64_t x, y;

	if (!record_int(old, "last_seen", &x) || !record_int(new, "last_seen", &y))
		return WINNER_NEW;
	if (x == y)
		return WINNER_BOTH;
	return x > y ? WINNER_OLD : WINNER_NEW;
}

/* ---- values ---- */

static struct record_object *merge_unit(
    struct arena *a, const struct record_object *old, const struct record_object *new);

static struct record_value
unite_texts(struct arena *a, const struct record_member *m, const struct record_value *old,
    const struct record_value *new)
{
	struct record_value v = { .set = true };

	v.texts.n = old->texts.n + new->texts.n;
	v.texts.p = ARENA_ARRAY(a, v.texts.n, struct str);
	for (size_t i = 0; i < v.texts.n; i++)
		v.texts.p[i] = i < old->texts.n ? old->texts.p[i] : new->texts.p[i - old->texts.n];
	record_sort_texts(&v);
	if (v.texts.n > m->items)
		v.texts.n = m->items;
	return v;
}

/* Merges two sorted lists of nested objects that have keys. */
static struct record_value
merge_nested(struct arena *a, const struct record_value *old, const struct record_value *new)
{
	size_t i = 0, k = 0, n = old->objects.n + new->objects.n;
	struct record_value v = { .set = true };

	v.objects.p = ARENA_ARRAY(a, n, struct record_object *);
	while (i < old->objects.n || k < new->objects.n) {
		struct record_object **out = &v.objects.p[v.objects.n++];
		int c = i == old->objects.n ? 1
			: k == new->objects.n
			    ? -1
			    : record_nested_cmp(old->objects.p[i], new->objects.p[k]);

		if (c < 0)
			*out = old->objects.p[i++];
		else if (c > 0)
			*out = new->objects.p[k++];
		else
			*out = merge_unit(a, old->objects.p[i++], new->objects.p[k++]);
	}
	return v;
}

static bool
is_group(enum merge m)
{
	return m > MERGE_UNION;
}

/* The value of a member that at least one of the records has. The cases in their order:

     member of a group     the winner of the group has it or has not; the other record does not fill the gap, because
                           a status of Monday beside a title of Tuesday would describe no response that was ever seen
     only one record has   that one
     services              merged one by one, by port and transport
     LEAST, UNION, EACH    as tbl/merges.h defines them
     GREATEST, and a tie   the greater value; unset is least */
static struct record_value
merge_value(const struct merging *g, const struct record_member *m, const struct record_value *old,
    const struct record_value *new)
{
	bool greater = record_value_cmp(m, old, new) < 0; /* the new value is; unset is least */
	enum winner w = g->winners[m->merge];

	if (is_group(m->merge) && w == WINNER_OLD)
		return *old;
	if (is_group(m->merge) && w == WINNER_NEW)
		return *new;
	if (!old->set || !new->set)
		return old->set ? *old : *new;
	if (m->shape == SHAPE_OBJECTS && record_nested_has_key(m))
		return merge_nested(g->a, old, new);
	switch (m->merge) {
	case MERGE_HTTP:
		if (m->shape == SHAPE_TEXTS)
			return unite_texts(g->a, m, old, new);
		break;
	case MERGE_LEAST:
		return greater ? *old : *new;
	case MERGE_UNION:
		return unite_texts(g->a, m, old, new);
	case MERGE_EACH:
		if (w == WINNER_OLD)
			return *old;
		if (w == WINNER_NEW)
			return *new;
		break;
	default:
		break;
	}
	return greater ? *new : *old;
}

static struct record_object *
merge_members(
    const struct merging *g, const struct record_object *old, const struct record_object *new)
{
	struct record_object *o = record_object_new(g->a, old->of);

	record_merge_secrets(g->a, o, old, new);
	for (unsigned i = 0; i < o->of->nkids; i++) {
		const struct record_member *m = &o->of->kids[i];

		if (!old->v[i].set && !new->v[i].set)
			continue;
		if (m->shape != SHAPE_OBJECT) {
			o->v[i] = merge_value(g, m, &old->v[i], &new->v[i]);
			continue;
		}
		o->v[i].set = true;
		o->v[i].object =
		    merge_members(g, old->v[i].set ? old->v[i].object : record_object_new(g->a, m),
			new->v[i].set ? new->v[i].object : record_object_new(g->a, m));
	}
	return o;
}

static struct record_object *
merge_unit(struct arena *a, const struct record_object *old, const struct record_object *new)
{
	struct merging g = { .a = a, .later = later_of(old, new) };

	choose_winners(&g, old, new);
	return merge_members(&g, old, new);
}

/* The two records must be finished, and the result is finished, too, without another call of
   record_finish: values were canonical, and merged lists stay sorted. Only derived members have to
   be made again. A failure is a panic: it would mean that two records with one key have parts that
   contradict each other, and storing the result would damage the row for every later import. */
struct record
record_merge(struct arena *a, const struct record *old, const struct record *new)
{
	struct record r = { old->dataset, merge_unit(a, old->root, new->root) };

	if (old->dataset != new->dataset)
		panic("records of two datasets are merged");
	/* members that follow from others may have come from different records */
	if (record_derive(a, &r) != NULL)
		panic("two good records merge to a bad one");
	return r;
}
