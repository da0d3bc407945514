/* SPDX-License-Identifier: ISC */
/* Warns about tests that exclude one another, such as country:(DE FR): the query is valid and finds
 * nothing, and its author should know why (C-418). query_warn.c warns about single values.
 *
 * A document has at most one value of most fields. So the possibility of a part of the tree is
 * decided field by field: each value that might pass, and the absence of a value, is tried in the
 * place of the field, while tests of other fields may be true or false as they like.
 *
 *     AND                            tried for country_code:   DE      FR      (none)
 *      +- country_code DE                                      true    false   false
 *      +- OR                                                   either  either  either
 *      |   +- port 22
 *      |   +- country_code US
 *      +- country_code FR                                      false   true    false
 *                                    the AND is never true: a warning
 *
 * So every combination of AND, OR, NOT, values and ranges is covered by one rule. The rule does not
 * compare fields with one another. Fields with several values are no contradiction: a host may have
 * two tags, and two of its services two ports. Within services:( ) all tests are about one
 * service, which has one port.
 *
 * The values tried for an ordered field are the ends of all ranges and values, and the values next
 * to them; those tried for any other field are all values in the query. ANOTHER is a value that differs from all of these and
 * fits any pattern, so two patterns are never found to exclude one another. */
#include "config.h"

#include "search/query_warn_priv.h"
#include "search/text.h"

#include <math.h>
#include <stdarg.h>

/* Bounds of the work, beyond which there is no warning: comparisons of the values of one field in one
   part of the tree, and nodes that are visited for the whole query. */
enum { COMPARISONS = 20000, VISITS = 500000 };

/* A value in the place of a field. */
struct trial {
	enum {
		ABSENT,
		ANOTHER,
		GIVEN,
		FOLDED, /* GIVEN in some case */
		BELOW   /* a name below v */
	} kind;
	struct value v;
	struct str folded; /* v.s */
};

struct search {
	struct parser *p;
	const struct schema_field *field; /* NULL: every test may be true or false */
	struct trial *trials;
	size_t n;
	size_t values; /* those in the tests of the field */
	size_t visits; /* nodes, for all fields */
};

struct chances {
	bool yes, no; /* it may be true; it may be false */
};

static const struct chances either = { true, true };

/* ---- whether a value passes a test ---- */

static bool
is_string(enum value_type type)
{
	return type == VALUE_KEYWORD || type == VALUE_TEXT || type == VALUE_DNS;
}

static struct chances
only(bool yes)
{
	return (struct chances){ yes, !yes };
}

static struct chances
chances_of_string(struct arena *a, const struct node *n, struct str wanted, const struct trial *t)
{
	enum value_type type = n->field->type;

	if (n->type == NODE_WILDCARD && t->kind != GIVEN && t->kind != FOLDED)
		return either;
	if (type == VALUE_TEXT && n->type != NODE_EXACT)
		return either;
	if (t->kind == ANOTHER)
		return only(false);
	if (n->type == NODE_WILDCARD)
		return only(text_glob(wanted, t->folded));
	if (n->type == NODE_EXACT && t->kind == FOLDED)
		return str_eq(text_fold(a, wanted), t->folded) ? either : only(false);
	if (n->type == NODE_EXACT)
		return only(t->kind == GIVEN && str_eq(wanted, t->v.s));
	return only(type == VALUE_DNS ? str_within(t->folded, wanted) : str_eq(wanted, t->folded));
}

static bool
is_in_range(const struct node *n, const struct value *v)
{
	int lo = n->lo.set ? value_cmp(v, &n->lo.v) : 1,
	    hi = n->hi.set ? value_cmp(v, &n->hi.v) : -1;

	return (lo > 0 || (lo == 0 && n->lo.inclusive)) && (hi < 0 || (hi == 0 && n->hi.inclusive));
}

static struct chances
chances_of_test(const struct search *s, const struct node *n, const struct trial *t)
{
	struct chances out = { false, true }, one;

	if (t->kind == ABSENT || n->type == NODE_EXISTS)
		return only(t->kind != ABSENT);
	if (n->type == NODE_RANGE)
		return only(is_in_range(n, &t->v));
	if (n->nvalues == 0) /* query_warn.c has warned of its value */
		return either;
	for (size_t i = 0; i < n->nvalues; i++) {
		const struct value *wanted = &n->values[i];

		if (is_string(wanted->type))
			one = chances_of_string(s->p->a, n, wanted->s, t);
		else if (wanted->type == VALUE_IP)
			one = only(ipnet_contains(&wanted->ip, t->v.ip.a));
		else
			one = only(value_cmp(wanted, &t->v) == 0);
		out = (struct chances){ out.yes || one.yes, out.no && one.no };
	}
	return out;
}

/* ---- whether a part of the tree can be true ---- */

static struct chances
chances_of(struct search *s, const struct node *n, const struct trial *t)
{
	bool all = n->type == NODE_AND;
	struct chances out = { all, !all }, kid;

	s->visits++;
	switch (n->type) {
	case NODE_ALL:
		return only(true);
	case NODE_NESTED:
		return either;
	case NODE_NOT:
		kid = chances_of(s, n->kids[0], t);
		return (struct chances){ kid.no, kid.yes };
	case NODE_AND:
	case NODE_OR:
		for (size_t i = 0; i < n->nkids; i++) {
			kid = chances_of(s, n->kids[i], t);
			out.yes = all ? out.yes && kid.yes : out.yes || kid.yes;
			out.no = all ? out.no || kid.no : out.no && kid.no;
		}
		return out;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		return n->field == s->field ? chances_of_test(s, n, t) : either;
	}
	panic("node type %d", (int)n->type); /* UNCOVERED: the switch is complete */
}

/* ---- the values to try ---- */

static void
add_trial(struct search *s, int kind, struct value v)
{
	const struct schema_field *stored = s->field->of != NULL ? s->field->of : s->field;

	if (v.type == VALUE_INTEGER && stored->most > 0 &&
	    (v.i < stored->least || v.i > stored->most))
		return;
	s->trials = arena_room(s->p->a, s->trials, s->n, sizeof(*s->trials));
	s->trials[s->n] = (struct trial){ .kind = kind, .v = v };
	if (is_string(v.type))
		s->trials[s->n].folded = kind == BELOW
					     ? arena_printf(s->p->a, "\x01.%.*s", (int)v.s.n, v.s.p)
					     : text_fold(s->p->a, v.s);
	s->n++;
}

/* Adds the ordered values next to this one. */
static void
add_neighbours(struct search *s, struct value v)
{
	struct value below = v, above = v;

	if (v.type == VALUE_INTEGER) {
		below.i -= v.i > INT64_MIN;
		above.i += v.i < INT64_MAX;
	} else if (v.type == VALUE_DATE) {
		below.ts.us -= v.ts.us > INT64_MIN;
		above.ts.us += v.ts.us < INT64_MAX;
	} else if (v.type == VALUE_NUMBER) {
		below.n = nextafter(v.n, -INFINITY);
		above.n = nextafter(v.n, INFINITY);
	} else if (v.type == VALUE_IP) {
		for (int i = 15; i >= 0 && below.ip.a[i]-- == 0; i--)
			continue;
		for (int i = 15; i >= 0 && ++above.ip.a[i] == 0; i--)
			continue;
	} else {
		below.b = false;
		above.b = true;
	}
	add_trial(s, GIVEN, below);
	add_trial(s, GIVEN, above);
}

static void
add_ordered(struct search *s, struct value v)
{
	struct value last = v;

	if (v.type == VALUE_IP) {
		for (unsigned bit = (unsigned)v.ip.bits; bit < 128; bit++)
			last.ip.a[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
		v.ip.bits = last.ip.bits = 128;
		add_trial(s, GIVEN, last);
		add_neighbours(s, last);
	}
	add_trial(s, GIVEN, v);
	add_neighbours(s, v);
}

static void
add_trials_of_test(struct search *s, const struct node *n)
{
	s->values += n->nvalues + 2;
	if (n->lo.set)
		add_ordered(s, n->lo.v);
	if (n->hi.set)
		add_ordered(s, n->hi.v);
	for (size_t i = 0; i < n->nvalues && n->type != NODE_WILDCARD; i++) {
		if (!is_string(n->values[i].type)) {
			add_ordered(s, n->values[i]);
			continue;
		}
		add_trial(s, n->type == NODE_EXACT ? GIVEN : FOLDED, n->values[i]);
		if (n->field->type == VALUE_DNS)
			add_trial(s, BELOW, n->values[i]);
	}
}

static void
add_trials(struct search *s, const struct node *n)
{
	if (n->field != NULL && n->field == s->field)
		add_trials_of_test(s, n);
	for (size_t i = 0; n->type != NODE_NESTED && i < n->nkids; i++)
		add_trials(s, n->kids[i]);
}

static struct value
any_value(const struct schema_field *f)
{
	const struct schema_field *stored = f->of != NULL ? f->of : f;
	struct value v = { .type = f->type };

	if (f->type == VALUE_INTEGER)
		v.i = stored->least;
	return v;
}

/* Whether the node is false for every value of the field, and without one. */
static bool
is_never_true(struct search *s, const struct node *n)
{
	static const struct trial absent = { .kind = ABSENT }, another = { .kind = ANOTHER };

	s->trials = NULL;
	s->n = s->values = 0;
	add_trials(s, n);
	if (s->field != NULL && !is_string(s->field->type) && s->n == 0)
		add_trial(s, GIVEN, any_value(s->field));
	if (s->visits > VISITS || s->n * s->values > COMPARISONS || chances_of(s, n, &absent).yes)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (chances_of(s, n, &s->trials[i]).yes)
			return false;
	/* all values of an ordered field pass the same tests as one that was tried */
	return s->field == NULL || !is_string(s->field->type) || !chances_of(s, n, &another).yes;
}

/* ---- warnings ---- */

/* The value of a test as the user wrote it. */
static struct str
written_value(const struct parser *p, const struct node *n)
{
	struct str rest = str_cut(p->text, n->at - 1);
	size_t i = 1;

	rest = (struct str){ p->text.p + rest.n, p->text.n - rest.n };
	if (rest.n > 0 && rest.p[0] == '"') {
		while (i < rest.n && rest.p[i] != '"')
			i += 1 + (rest.p[i] == '\\' && i + 1 < rest.n);
		return (struct str){ rest.p, i < rest.n ? i + 1 : rest.n };
	}
	for (i = 0; i < rest.n && strchr(" \t\r\n()\"", rest.p[i]) == NULL; i++)
		continue;
	return (struct str){ rest.p, i };
}

/* The name before the first test, as the user wrote it: "country" in country:(DE FR). */
static struct str
written_name(const struct parser *p, const struct node *n)
{
	struct str before = str_cut(p->text, n->at - 1), name;
	const struct schema_field *f;

	while (before.n > 0 && strchr(" \t\r\n(:=", before.p[before.n - 1]) != NULL)
		before.n--;
	name = (struct str){ before.p + before.n, 0 };
	while (name.p > before.p &&
	       (ascii_alnum(name.p[-1]) || name.p[-1] == '_' || name.p[-1] == '.'))
		name = (struct str){ name.p - 1, name.n + 1 };
	f = name.n == 0 ? NULL : schema_resolve(p->dataset, name);
	if (f == NULL && name.n > 0)
		f = schema_member(p->dataset, name);
	return f == n->field ? name : str_of(n->field->name);
}

/* The first test of the field in a part of the tree; NULL: there is none. *plain becomes false if
   one of its tests is more than a value that is wanted. */
static const struct node *
first_test(const struct search *s, const struct node *n, bool *plain)
{
	const struct node *first = NULL;

	if (n->field != NULL && n->field == s->field) {
		*plain = *plain && n->nvalues == 1;
		return n;
	}
	for (size_t i = 0; n->type != NODE_NESTED && i < n->nkids; i++) {
		const struct node *test = first_test(s, n->kids[i], plain);

		if (test != NULL && test != n->kids[i])
			*plain = false;
		if (first == NULL)
			first = test;
	}
	return first;
}

static void
warn_never(struct search *s, const struct node *n)
{
	struct parser *p = s->p;
	bool plain = n->type == NODE_AND;
	const struct node *first = first_test(s, n, &plain);
	struct buf list = { .a = p->a };
	struct str name;

	if (first == NULL) {
		query_warning(p, n->at, "no document passes this test");
		return;
	}
	if (n == first) {
		query_warning(p, n->at, "%s never has a value in this range", s->field->name);
		return;
	}
	name = written_name(p, first);
	for (size_t i = 0; plain && i < n->nkids; i++)
		if (n->kids[i]->field == s->field) {
			struct str value = written_value(p, n->kids[i]);
			bool quoted = value.n > 1 && value.p[0] == '"';

			if (quoted)
				value = (struct str){ value.p + 1, value.n - 2 };
			buf_printf(&list, "%s%s%s%s", list.n == 0 ? "" : " OR ", quoted ? "\"" : "",
			    query_show(p, value), quoted ? "\"" : "");
		}
	if (plain && list.n < 200)
		query_warning(p, first->at,
		    "%s has one value, which cannot pass all of these tests; write %s:(%.*s) for "
		    "any of them",
		    s->field->name, query_show(p, name), (int)list.n, list.p);
	else
		query_warning(p, first->at,
		    "%s has one value, and none passes all of its tests here", s->field->name);
}

/* Whether a document, or a nested object within NODE_NESTED, has at most one value of the field.
   A host has the categories of all its tags. */
static bool
has_one_value(const struct schema_field *f, bool nested)
{
	const struct schema_field *stored = f->of != NULL ? f->of : f;

	return !f->list && f->nested == nested &&
	       (stored->store != STORE_VIRTUAL || stored->passed != NULL);
}

static void
collect_fields(
    struct arena *a, const struct node *n, const struct schema_field ***fields, size_t *k)
{
	for (size_t i = 0; n->field != NULL && i < *k; i++)
		if ((*fields)[i] == n->field)
			return;
	if (n->field != NULL) {
		*fields = arena_room(a, *fields, *k, sizeof(**fields));
		(*fields)[(*k)++] = n->field;
	}
	for (size_t i = 0; n->type != NODE_NESTED && i < n->nkids; i++)
		collect_fields(a, n->kids[i], fields, k);
}

/* Warns if a field makes the node false. Returns whether it does. */
static bool
check_part(struct search *s, const struct node *n, bool nested)
{
	const struct schema_field **fields = NULL;
	size_t k = 0;

	collect_fields(s->p->a, n, &fields, &k);
	for (size_t i = 0; i < k; i++) {
		s->field = fields[i];
		if ((n->type == NODE_RANGE || has_one_value(s->field, nested)) &&
		    is_never_true(s, n)) {
			warn_never(s, n);
			return true;
		}
	}
	s->field = NULL;
	return false;
}

/* Checks the parts of the tree before the whole, so that a warning names the smallest part. */
static bool
check_tree(struct search *s, const struct node *n, bool nested)
{
	bool warned = false;

	for (size_t i = 0; i < n->nkids; i++)
		warned = check_tree(s, n->kids[i], nested || n->type == NODE_NESTED) || warned;
	if (!warned && (n->type == NODE_AND || n->type == NODE_RANGE))
		warned = check_part(s, n, nested);
	return warned;
}

void
query_warn_never(struct parser *p, const struct node *root)
{
	struct search s = { .p = p };

	if (check_tree(&s, root, false) || check_part(&s, root, false))
		return;
	if (is_never_true(&s, root))
		warn_never(&s, root);
}
