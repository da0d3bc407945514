/* SPDX-License-Identifier: ISC */
/* Evaluates a query on one record in memory, for alert rules (src/alert/evaluate.c), or on one
 * whole document, for detection rules. No index exists for these, so this is a second evaluator of
 * the same tree.
 *
 * It must agree with the index (src/search/index/read/leaf.c) on every value, or a rule would
 * fire for records that the same search does not find. Both use the functions of text.c, and
 * base/ipnet.c. The scratch arena is emptied between values, because a record may have long
 * texts and a rule hundreds of values. */
#include "config.h"

#include "json/json.h"
#include "json/tree.h"
#include "search/match.h"
#include "search/text.h"

#include <assert.h>

/* The clock is a system call, so it is read after WORK_OF_CLOCK bytes of comparisons: about 0.1 ms. */
enum { WORK_OF_CLOCK = 65536, WORK_OF_TEST = 64 };

struct match {
	struct arena *scratch;
	struct match_limit *limit; /* NULL: none */
	const struct json_value
	    *record; /* its members have the names of fields; NULL: doc is set */
	const struct match_document *doc; /* whose members nest */
	const struct json_value *nested;  /* within NODE_NESTED: the nested object; else NULL */
	enum dataset dataset;
	struct ts now;
};

/* ---- time ---- */

/* Counts work, and returns false when the limit is reached. */
static bool
spend(struct match_limit *l, uint64_t work)
{
	if (l == NULL)
		return true;
	l->work += work;
	if (!l->over && l->work >= WORK_OF_CLOCK) {
		l->work = 0;
		l->over = cpu_us() >= l->until;
	}
	return !l->over;
}

static bool
is_over(const struct match_limit *l)
{
	return l != NULL && l->over;
}

/* A pattern may be compared with each part of a text as often as it has characters. */
static uint64_t
work_of_strings(struct str wanted, struct str have)
{
	return WORK_OF_TEST + have.n + have.n * (wanted.n / 8);
}

/* ---- strings ---- */

struct word_list {
	struct str *p;
	bool *found;
	size_t n, missing;
};

static void
collect_token(void *arg, struct str token)
{
	struct word_list *w = arg;

	w->p[w->n++] = token;
}

static void
check_off_token(void *arg, struct str token)
{
	struct word_list *w = arg;

	for (size_t i = 0; i < w->n; i++)
		if (!w->found[i] && str_eq(w->p[i], token)) {
			w->found[i] = true;
			w->missing--;
		}
}

/* Whether the text has every word of wanted. False when wanted has no word. */
static bool
has_words(struct arena *a, struct str wanted, struct str text)
{
	struct word_list w = { .p = ARENA_ARRAY(a, wanted.n + 1, struct str),
		.found = ARENA_ARRAY(a, wanted.n + 1, bool) };

	text_tokens(a, wanted, collect_token, &w);
	w.missing = w.n;
	text_tokens(a, text, check_off_token, &w);
	return w.n > 0 && w.missing == 0;
}

struct pattern_search {
	struct str pattern;
	bool found;
};

static void
compare_token(void *arg, struct str token)
{
	struct pattern_search *h = arg;

	h->found = h->found || text_glob(h->pattern, token);
}

static bool
has_word_like(struct arena *a, struct str pattern, struct str text)
{
	struct pattern_search h = { .pattern = text_fold(a, pattern) };

	text_tokens(a, text, compare_token, &h);
	return h.found;
}

/* A DNS name of the record in the form that names have in queries: lower case, without the trailing
   dot. */
static struct str
plain_dns_name(struct arena *a, struct str name)
{
	if (name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	return arena_lower(a, name);
}

static bool
string_passes(struct arena *a, const struct node *n, struct str wanted, struct str have)
{
	enum value_type type = n->field->type;

	if (type == VALUE_DNS)
		have = plain_dns_name(a, have);
	if (n->type == NODE_EXACT)
		return str_eq(wanted, have);
	if (type == VALUE_TEXT)
		return n->type == NODE_WILDCARD ? has_word_like(a, wanted, have)
						: has_words(a, wanted, have);
	wanted = text_fold(a, wanted);
	have = text_fold(a, have);
	if (n->type == NODE_WILDCARD)
		return text_glob(wanted, have);
	return type == VALUE_DNS ? str_within(have, wanted) : str_eq(wanted, have);
}

/* ---- values ---- */

/* Converts a value of the record. False when it is not of the field's type. */
static bool
convert_value(const struct schema_field *f, const struct json_value *v, struct value *out)
{
	enum json_type type = json_type(v);

	out->type = f->type;
	switch (f->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		out->s = json_text(v);
		return type == JSON_STRING;
	case VALUE_IP:
		return type == JSON_STRING && ipnet_parse(json_text(v), &out->ip);
	case VALUE_INTEGER:
		return type == JSON_NUMBER && json_int(v, &out->i);
	case VALUE_NUMBER:
		out->n = json_num(v);
		return type == JSON_NUMBER;
	case VALUE_BOOLEAN:
		out->b = json_bool(v);
		return type == JSON_BOOL;
	case VALUE_DATE:
		return type == JSON_STRING && ts_parse(json_text(v), &out->ts);
	}
	panic("value_type %d", (int)f->type); /* UNCOVERED: the switch is complete */
}

static bool
is_one_of_values(
    struct arena *a, const struct node *n, const struct value *have, struct match_limit *limit)
{
	for (size_t i = 0; i < n->nvalues; i++) {
		const struct value *wanted = &n->values[i];

		switch (wanted->type) {
		case VALUE_KEYWORD:
		case VALUE_TEXT:
		case VALUE_DNS:
			if (!spend(limit, work_of_strings(wanted->s, have->s)))
				return false;
			if (string_passes(a, n, wanted->s, have->s))
				return true;
			arena_reset(a);
			continue;
		case VALUE_IP:
			if (ipnet_contains(&wanted->ip, have->ip.a))
				return true;
			continue;
		case VALUE_INTEGER:
		case VALUE_NUMBER:
		case VALUE_BOOLEAN:
		case VALUE_DATE:
			if (value_cmp(wanted, have) == 0)
				return true;
		}
	}
	return false;
}

static bool
is_within_bounds(const struct node *n, const struct value *have)
{
	int lo = n->lo.set ? value_cmp(have, &n->lo.v) : 1,
	    hi = n->hi.set ? value_cmp(have, &n->hi.v) : -1;

	return (lo > 0 || (lo == 0 && n->lo.inclusive)) && (hi < 0 || (hi == 0 && n->hi.inclusive));
}

bool
match_value(
    struct arena *a, const struct node *n, const struct json_value *v, struct match_limit *limit)
{
	struct value have;

	if (!spend(limit, WORK_OF_TEST))
		return false;
	if (json_type(v) == JSON_ARRAY) {
		for (size_t i = 0; i < json_length(v); i++)
			if (json_type(json_at(v, i)) != JSON_ARRAY &&
			    match_value(a, n, json_at(v, i), limit))
				return true;
		return false;
	}
	if (!convert_value(n->field, v, &have))
		return false;
	if (n->type == NODE_EXISTS)
		return true;
	return n->type == NODE_RANGE ? is_within_bounds(n, &have)
				     : is_one_of_values(a, n, &have, limit);
}

/* ---- fields of a whole document ---- */

const struct json_value *
match_member(const struct json_value *v, const char *name)
{
	char part[128];

	while (v != NULL && json_type(v) == JSON_OBJECT) {
		size_t n = strcspn(name, ".");

		if (n >= sizeof(part))
			panic(
			    "a member named %s", name); /* UNCOVERED: names of fields are shorter */
		memcpy(part, name, n);
		part[n] = '\0';
		v = json_get(v, part);
		if (name[n] == '\0')
			return v;
		name += n + 1;
	}
	return NULL;
}

/* The tests of a tag's category or classification: on what the table of tags says about one
   slug. */
static bool
meaning_passes(const struct match *m, const struct node *n, struct str slug)
{
	bool categories = str_ends(str_of(n->field->name), STR(".category"));
	const struct tag *t = m->doc->tags, *end = t + m->doc->ntags;

	while (t < end && !str_eq(t->slug, slug))
		t++;
	if (t == end)
		return false;
	if (n->type == NODE_EXISTS)
		return !categories || t->ncategories > 0;
	if (!categories)
		return is_one_of_values(m->scratch, n,
		    &(struct value){ .type = VALUE_KEYWORD, .s = t->classification }, m->limit);
	for (size_t i = 0; i < t->ncategories; i++)
		if (is_one_of_values(m->scratch, n,
			&(struct value){ .type = VALUE_KEYWORD, .s = t->categories[i] }, m->limit))
			return true;
	return false;
}

/* The test of a field that no document contains and that follows from its tags. */
static bool
tags_pass(const struct match *m, const struct node *n, const struct json_value *object)
{
	const struct json_value *tags = match_member(object, "tags");

	for (size_t i = 0; tags != NULL && i < json_length(tags); i++)
		if (json_type(json_at(tags, i)) == JSON_STRING &&
		    meaning_passes(m, n, json_text(json_at(tags, i))))
			return true;
	return false;
}

/* The test of a boolean that says whether the time of a date has passed. */
static bool
passed_passes(const struct match *m, const struct node *n, const struct json_value *object)
{
	const struct json_value *v = match_member(object, n->field->passed->relative);
	struct value have;

	if (v == NULL || !convert_value(n->field->passed, v, &have))
		return false;
	if (n->type == NODE_EXISTS)
		return true;
	have = (struct value){ .type = VALUE_BOOLEAN, .b = ts_cmp(have.ts, m->now) < 0 };
	return is_one_of_values(m->scratch, n, &have, m->limit);
}

/* The test of a field whose member of this object has this name. */
static bool
member_passes(
    const struct match *m, const struct node *n, const struct json_value *object, const char *name)
{
	const struct schema_field *source = n->field->of == NULL ? n->field : n->field->of;
	const struct json_value *v;

	if (source->store == STORE_VIRTUAL)
		return source->passed != NULL ? passed_passes(m, n, object)
					      : tags_pass(m, n, object);
	v = match_member(object, name);
	return v != NULL && match_value(m->scratch, n, v, m->limit);
}

static bool node_passes(const struct match *m, const struct node *n);

/* Whether any nested object of the document passes. */
static bool
nested_object_passes(const struct match *m, const struct node *n)
{
	const struct json_value *all =
	    m->doc == NULL ? NULL : match_member(m->doc->own, schema_nested(m->dataset));
	struct match each = *m;

	for (size_t i = 0; all != NULL && i < json_length(all) && !is_over(m->limit); i++) {
		each.nested = json_at(all, i);
		if (node_passes(&each, n))
			return true;
	}
	return false;
}

static bool
leaf_passes(const struct match *m, const struct node *n)
{
	const struct schema_field *f = n->field;
	const struct json_value *v;

	if (!spend(m->limit, WORK_OF_TEST))
		return false;
	if (m->record != NULL) {
		v = json_get(m->record, f->name);
		return v != NULL && match_value(m->scratch, n, v, m->limit);
	}
	assert(m->doc != NULL);
	if (f->of != NULL && m->doc->of != NULL)
		return f->of->nested ? member_passes(m, n, m->doc->own, f->name)
				     : member_passes(m, n, m->doc->of, f->of->name);
	if (!f->nested)
		return member_passes(m, n, m->doc->own, f->name);
	if (m->nested == NULL)
		return nested_object_passes(m, n);
	return member_passes(m, n, m->nested, f->relative);
}

/* ---- the tree, which is at most LIM_QUERY_DEPTH deep ---- */

static bool
node_passes(const struct match *m, const struct node *n)
{
	switch (n->type) {
	case NODE_ALL:
		return true;
	case NODE_NOT:
		return !node_passes(m, n->kids[0]);
	case NODE_AND:
		for (size_t i = 0; i < n->nkids; i++)
			if (!node_passes(m, n->kids[i]))
				return false;
		return true;
	case NODE_OR:
		for (size_t i = 0; i < n->nkids; i++)
			if (node_passes(m, n->kids[i]))
				return true;
		return false;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		return leaf_passes(m, n);
	case NODE_NESTED:
		return nested_object_passes(m, n->kids[0]);
	}
	panic("node_type %d", (int)n->type); /* UNCOVERED: the switch is complete */
}

bool
match_document(struct arena *scratch, const struct query *q, const struct match_document *d,
    struct match_limit *limit)
{
	bool result = node_passes(&(struct match){ .scratch = scratch,
				      .limit = limit,
				      .doc = d,
				      .now = q->now,
				      .dataset = q->dataset },
	    q->root);

	arena_reset(scratch);
	return result && !is_over(limit);
}

bool
query_matches(struct arena *scratch, const struct query *q, const struct json_value *record)
{
	bool result = node_passes(&(struct match){ .scratch = scratch, .record = record }, q->root);

	arena_reset(scratch);
	return result;
}

static bool
node_asks(const struct node *n, const char *field)
{
	for (size_t i = 0; i < n->nkids; i++)
		if (node_asks(n->kids[i], field))
			return true;
	return n->field != NULL && strcmp(n->field->name, field) == 0;
}

bool
query_asks(const struct query *q, const char *field)
{
	return node_asks(q->root, field);
}
