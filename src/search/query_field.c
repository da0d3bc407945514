/* SPDX-License-Identifier: ISC */
/* Reads the tests of one field and makes the nodes of the tree. The syntax is read first and the
 * values are typed afterwards, because the type of the field decides the meaning of a word:
 *
 *   port:22,80          one MATCH with two values: a list, no value of the field contains a comma
 *   os:{linux,win*}     one MATCH and one WILDCARD, joined by OR
 *   seen:2026-01-02     a RANGE from the first to the last instant of the day, for a field of dates
 *   port:[1 TO 9]       one RANGE
 *
 * A set or list is one test, whatever its length, so that it counts once against
 * LIM_QUERY_CLAUSES. Only dates become one RANGE each. */
#include "config.h"

#include "search/query_warn_priv.h"

/* The values of one test, not yet typed. */
struct typed_words {
	struct word w[LIM_QUERY_SET];
	size_t n;
};

struct node *
node_new(struct parser *p, enum node_type type, size_t at)
{
	struct node *n = ARENA_NEW(p->a, struct node);

	n->type = type;
	n->at = (uint32_t)str_chars((struct str){ p->text.p, at }) + 1;
	return n;
}

struct node *
node_not(struct parser *p, struct node *kid)
{
	struct node *n;

	if (kid->type == NODE_NOT)
		return kid->kids[0];
	n = ARENA_NEW(p->a, struct node);
	n->type = NODE_NOT;
	n->at = kid->at;
	n->kids = ARENA_ARRAY(p->a, 1, struct node *);
	n->kids[0] = kid;
	n->nkids = 1;
	return n;
}

static void
append_kids(struct node *n, struct node *kid)
{
	if (kid->type != n->type) {
		n->kids[n->nkids++] = kid;
		return;
	}
	for (size_t i = 0; i < kid->nkids; i++)
		n->kids[n->nkids++] = kid->kids[i];
}

struct node *
node_join(struct parser *p, enum node_type type, struct node *a, struct node *b)
{
	struct node *n = ARENA_NEW(p->a, struct node);

	n->type = type;
	n->at = a->at;
	n->kids = ARENA_ARRAY(p->a, a->nkids + b->nkids + 2, struct node *);
	append_kids(n, a);
	append_kids(n, b);
	return n;
}

bool
query_clause(struct parser *p, size_t at)
{
	if (++p->clauses <= LIM_QUERY_CLAUSES)
		return true;
	query_fail(p, at,
	    "the query has more than %d tests; a list such as field:{a,b} is one test",
	    (int)LIM_QUERY_CLAUSES);
	return false;
}

bool
query_deeper(struct parser *p, unsigned levels, size_t at)
{
	if (p->depth + levels <= LIM_QUERY_DEPTH)
		return true;
	query_fail(p, at, "the query is nested deeper than %d levels of brackets, NOT, - ! and +",
	    (int)LIM_QUERY_DEPTH);
	return false;
}

/* Makes a test of a field and counts it. */
static struct node *
new_test(struct parser *p, enum node_type type, const struct schema_field *f, size_t at)
{
	struct node *n;

	if (!query_clause(p, at))
		return NULL;
	n = node_new(p, type, at);
	n->field = f;
	return n;
}

/* ---- tests ---- */

static struct node *
join_or(struct parser *p, struct node *a, struct node *b)
{
	return a == NULL ? b : node_join(p, NODE_OR, a, b);
}

/* A date is a RANGE from its first to its last instant. */
static struct node *
any_date(struct parser *p, const struct schema_field *f, const struct typed_words *words)
{
	struct node *all = NULL, *n;
	struct span v;

	if (words->n > 1 && !query_deeper(p, 1, words->w[0].at))
		return NULL;
	for (size_t i = 0; i < words->n; i++) {
		if (!value_span(p, f, &words->w[i], &v))
			return NULL;
		n = new_test(p, NODE_RANGE, f, words->w[i].at);
		if (n == NULL)
			return NULL;
		n->lo = (struct bound){ true, true, v.first };
		n->hi = (struct bound){ true, true, v.last };
		all = join_or(p, all, n);
	}
	return all;
}

/* Makes a test with room for n values. */
static struct node *
new_values_test(
    struct parser *p, const struct schema_field *f, enum node_type type, size_t n, size_t at)
{
	struct node *made = new_test(p, type, f, at);

	if (made != NULL)
		made->values = ARENA_ARRAY(p->a, n, struct value);
	return made;
}

static enum node_type
kind_of(const struct schema_field *f, const struct word *w)
{
	bool wild =
	    w->wild && value_has_patterns(f) && !(f->type == VALUE_TEXT && lex_is_url(w->s));

	return wild ? NODE_WILDCARD : NODE_MATCH;
}

/* Makes one test of the plain values among the words (NODE_MATCH) or of the patterns
   (NODE_WILDCARD). */
static struct node *
any_of_kind(struct parser *p, const struct schema_field *f, const struct typed_words *words,
    enum node_type type)
{
	struct node *n = new_values_test(p, f, type, words->n, words->w[0].at);
	struct span v;

	if (n == NULL)
		return NULL;
	for (size_t i = 0; i < words->n; i++) {
		const struct word *w = &words->w[i];

		if (kind_of(f, w) != type || query_is_port_name(p, f, w))
			continue;
		if (type == NODE_WILDCARD ? !value_pattern(p, f, w, &v.first)
					  : !value_span(p, f, w, &v))
			return NULL;
		if (type == NODE_MATCH)
			query_warn(p, f, w, false);
		n->values[n->nvalues++] = v.first;
	}
	return n;
}

/* field:a, field:{a,b}, field:a,b: plain values in one MATCH, patterns in one WILDCARD. */
static struct node *
any_of(struct parser *p, const struct schema_field *f, const struct typed_words *words)
{
	struct node *match, *wild;
	size_t patterns = 0;

	if (f->type == VALUE_DATE)
		return any_date(p, f, words);
	for (size_t i = 0; i < words->n; i++)
		patterns += kind_of(f, &words->w[i]) == NODE_WILDCARD;
	if (patterns == words->n)
		return any_of_kind(p, f, words, NODE_WILDCARD);
	match = any_of_kind(p, f, words, NODE_MATCH);
	if (match == NULL || patterns == 0)
		return match;
	wild = any_of_kind(p, f, words, NODE_WILDCARD);
	if (wild == NULL || !query_deeper(p, 1, match->at))
		return NULL;
	return node_join(p, NODE_OR, match, wild);
}

/* field=a: an EXACT test of strings; for other types the same as field:a. */
static struct node *
exact_test(struct parser *p, const struct schema_field *f, struct typed_words *words)
{
	const char *fault;
	struct node *n;

	for (size_t i = 0; i < words->n; i++)
		words->w[i].wild = false; /* "=" has no patterns */
	if (!value_has_patterns(f)) {
		n = any_of(p, f, words);
		for (size_t i = 0; n != NULL && f->type == VALUE_IP && i < n->nvalues; i++)
			if (n->values[i].ip.bits < 128) {
				query_fail(p, words->w[i].at, "= takes one address; write %s:%s",
				    f->name, query_show(p, words->w[i].s));
				return NULL;
			}
		return n;
	}
	n = new_values_test(p, f, NODE_EXACT, words->n, words->w[0].at);
	if (n == NULL)
		return NULL;
	for (size_t i = 0; i < words->n; i++) {
		n->values[i] = (struct value){ .type = f->type,
			.s = value_canonical(p, f, words->w[i].s, &fault) };
		query_warn(p, f, &words->w[i], true);
		if (f->type == VALUE_DNS && !value_dns(p, f, &words->w[i], &n->values[i]))
			return NULL;
	}
	n->nvalues = words->n;
	return n;
}

/* ---- ranges ---- */

static bool
has_order(struct parser *p, const struct schema_field *f, size_t at)
{
	switch (f->type) {
	case VALUE_IP:
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_DATE:
		return true;
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_BOOLEAN:
		break;
	}
	query_fail(p, at, "%s has no order: ranges are for numbers, dates and addresses%s", f->name,
	    f->type == VALUE_BOOLEAN ? "" : "; a set is {a,b}");
	return false;
}

/* Reads one end of a range. A day is excluded or included as a whole. */
static bool
parse_bound(struct parser *p, const struct schema_field *f, const struct word *w, enum op op,
    struct node *n)
{
	bool low = op == OP_GE || op == OP_GT, inclusive = op == OP_GE || op == OP_LE;
	struct bound *b = low ? &n->lo : &n->hi;
	struct span v;

	if (!value_span(p, f, w, &v))
		return false;
	if (f->type == VALUE_IP && v.first.ip.bits < 128) {
		query_fail(p, w->at, "a range of addresses takes no CIDR; write %s:%s", f->name,
		    query_show(p, w->s));
		return false;
	}
	*b = (struct bound){ true, inclusive, low == inclusive ? v.first : v.last };
	return true;
}

static struct node *
one_sided_range(struct parser *p, const struct schema_field *f, const struct word *w, enum op op)
{
	struct node *n;

	if (!has_order(p, f, w->at) || (n = new_test(p, NODE_RANGE, f, w->at)) == NULL)
		return NULL;
	return parse_bound(p, f, w, op, n) ? n : NULL;
}

static bool
is_open_end(const struct word *w)
{
	return w->wild && str_is(w->s, "*");
}

/* Reads the rest of a range after "[a" or "{a": TO b and the closing bracket. */
static struct node *
finish_range(
    struct parser *p, const struct schema_field *f, const struct word *from, bool inclusive)
{
	struct node *n;
	struct word to;
	enum op upper;
	size_t at = from->at;

	if (!lex_keyword(p, "TO")) {
		query_fail(p, p->at, "a range is written [a TO b], {a TO b} without its ends%s",
		    inclusive ? "" : "; a set {a,b}");
		return NULL;
	}
	lex_space(p);
	if (!has_order(p, f, at) || !lex_word(p, ",]}", &to))
		return NULL;
	lex_space(p);
	if (from->s.n == 0 || to.s.n == 0 || lex_end(p) ||
	    (p->text.p[p->at] != ']' && p->text.p[p->at] != '}')) {
		query_fail(p, p->at, "a range is written [a TO b]; * leaves an end open");
		return NULL;
	}
	upper = p->text.p[p->at++] == ']' ? OP_LE : OP_LT;
	n = new_test(p, is_open_end(from) && is_open_end(&to) ? NODE_EXISTS : NODE_RANGE, f, at);
	if (n == NULL ||
	    (!is_open_end(from) && !parse_bound(p, f, from, inclusive ? OP_GE : OP_GT, n)) ||
	    (!is_open_end(&to) && !parse_bound(p, f, &to, upper, n)))
		return NULL;
	return n;
}

/* Adds a member of a set or list. */
static bool
add_word(
    struct parser *p, const struct schema_field *f, struct typed_words *words, const struct word *w)
{
	if (w->s.n == 0 && !w->quoted) {
		query_fail(p, w->at, "%s needs a value here", f->name);
		return false;
	}
	if (words->n == LIM_QUERY_SET) {
		query_fail(p, w->at, "a set or list has at most %d values", (int)LIM_QUERY_SET);
		return false;
	}
	words->w[words->n++] = *w;
	return true;
}

/* Reads the rest of a set after "{a". */
static struct node *
finish_set(struct parser *p, const struct schema_field *f, const struct word *first)
{
	struct typed_words words = { .n = 0 };
	struct word w = *first;

	if (!add_word(p, f, &words, &w))
		return NULL;
	while (lex_take(p, ",")) {
		lex_space(p);
		if (!lex_word(p, ",]}", &w) || !add_word(p, f, &words, &w))
			return NULL;
		lex_space(p);
	}
	if (!lex_take(p, "}")) {
		query_fail(p, p->at, "a set is written {a,b}; put values with spaces in quotes");
		return NULL;
	}
	return any_of(p, f, &words);
}

struct node *
test_range_or_set(struct parser *p, const struct schema_field *f)
{
	bool inclusive = p->text.p[p->at++] == '[';
	struct word first;

	lex_space(p);
	if (!lex_word(p, ",]}", &first))
		return NULL;
	lex_space(p);
	if (!inclusive && !lex_end(p) && (p->text.p[p->at] == ',' || p->text.p[p->at] == '}'))
		return finish_set(p, f, &first);
	return finish_range(p, f, &first, inclusive);
}

/* ---- values ---- */

/* Whether lists with commas are allowed, as in port:22,80: no value of the field contains a
   comma. */
static bool
has_lists(const struct schema_field *f)
{
	return f->type == VALUE_INTEGER || f->type == VALUE_IP || schema_is_country(f);
}

static bool
read_value_list(
    struct parser *p, const struct schema_field *f, bool list, struct typed_words *words)
{
	struct word w;

	words->n = 0;
	do {
		if (!lex_word(p, list ? "," : "", &w) || !add_word(p, f, words, &w))
			return false;
	} while (list && lex_take(p, ","));
	return true;
}

struct node *
test_value(struct parser *p, const struct schema_field *f, enum op op)
{
	size_t at = p->at;
	bool list = has_lists(f) && (op == OP_MATCH || op == OP_EXACT || op == OP_DIFFERS);
	struct typed_words words;
	struct node *n;

	if (!lex_end(p) && p->text.p[at] == '(') {
		query_fail(p, at, "a group of values stands after a colon: %s:(a OR b)", f->name);
		return NULL;
	}
	if (!read_value_list(p, f, list, &words))
		return NULL;
	switch (op) {
	case OP_MATCH:
		return any_of(p, f, &words);
	case OP_EXACT:
		return exact_test(p, f, &words);
	case OP_DIFFERS:
		n = query_deeper(p, 1, at) ? exact_test(p, f, &words) : NULL;
		return n == NULL ? NULL : node_not(p, n);
	case OP_GE:
	case OP_LE:
	case OP_GT:
	case OP_LT:
		return one_sided_range(p, f, &words.w[0], op);
	}
	panic("op %d", (int)op); /* UNCOVERED: the switch is complete */
}

/* ---- without a field ---- */

bool
is_ip_list(struct str raw)
{
	struct ipnet net;

	do
		if (!ipnet_parse(str_until(&raw, ','), &net))
			return false;
	while (raw.p != NULL);
	return true;
}

/* The field of addresses without a name: the first of this type in the dataset. */
static const struct schema_field *
ip_field(const struct parser *p)
{
	const struct schema_field *f;
	size_t n = schema_fields(p->dataset, &f);

	for (; n > 0; n--, f++)
		if (f->type == VALUE_IP && (!p->nested || f->nested))
			return f;
	return NULL;
}

struct node *
test_ip_list(struct parser *p)
{
	const struct schema_field *f = ip_field(p);

	if (f != NULL)
		return test_value(p, f, OP_MATCH);
	query_fail(p, p->at, "an address cannot be tested here; put it in quotes to search text");
	return NULL;
}

/* Whether a word such as 10.0.0.0/33 is a network with a mistake: searching it as text would find
   nothing. */
static bool
is_bad_cidr(struct str raw)
{
	size_t dots = 0, slashes = 0;

	for (size_t i = 0; i < raw.n; i++) {
		dots += raw.p[i] == '.';
		slashes += raw.p[i] == '/';
		if (strchr("0123456789./", raw.p[i]) == NULL)
			return false;
	}
	return dots == 3 && slashes == 1;
}

bool
query_is_endpoint(struct parser *p, struct str raw)
{
	size_t n = raw.n;
	struct str ip = raw;
	struct ipnet net;

	while (n > 0 && ascii_digit(raw.p[n - 1]))
		n--;
	if (n < 2 || n == raw.n || raw.p[n - 1] != ':' ||
	    schema_resolve(p->dataset, STR("port")) == NULL)
		return false;
	ip.n = n - 1;
	if (ip.p[0] == '[' && ip.p[ip.n - 1] == ']')
		ip = (struct str){ ip.p + 1, ip.n - 2 };
	if (!ipnet_parse(ip, &net))
		return false;
	query_fail(p, p->at, "this is an address with a port; write %.*s port:%.*s", (int)ip.n,
	    ip.p, (int)(raw.n - n), raw.p + n);
	return true;
}

/* Fails for a word without a field in a dataset without text. */
static struct node *
fail_no_text(struct parser *p, struct word *w)
{
	const struct schema_field *f;
	size_t n = schema_fields(p->dataset, &f);
	struct query_fault was = *p->fault;
	struct value v;

	while (n > 1 && f->type != VALUE_DNS)
		n--, f++;
	if (w->wild || !value_dns(p, f, w, &v)) {
		*p->fault = was;
		v.s = STR("example.com");
	}
	query_fail(p, w->at,
	    "a word without a field searches text, and this dataset has none; write %s:%s", f->name,
	    query_show(p, v.s));
	return NULL;
}

static struct node *
bare_test_of(struct parser *p, const struct schema_field *f, const struct word *w)
{
	struct node *n = node_new(p, kind_of(f, w), w->at);
	struct span v;

	n->field = f;
	n->values = ARENA_ARRAY(p->a, 1, struct value);
	n->nvalues = 1;
	if (n->type == NODE_WILDCARD)
		return value_pattern(p, f, w, &n->values[0]) ? n : NULL;
	if (!value_span(p, f, w, &v))
		return NULL;
	n->values[0] = v.first;
	return n;
}

struct node *
test_bare(struct parser *p)
{
	const struct schema_field *f;
	size_t n = schema_fields(p->dataset, &f), at = p->at;
	struct node *all = NULL, *one;
	struct word w;

	if (is_bad_cidr(lex_raw(p))) {
		query_fail(p, at, "\"%s\" is not an address or CIDR", query_show(p, lex_raw(p)));
		return NULL;
	}
	if (!lex_word(p, "", &w) || !query_clause(p, at))
		return NULL;
	for (; n > 0; n--, f++) {
		if (f->type != VALUE_TEXT || (p->nested && !f->nested))
			continue;
		one = bare_test_of(p, f, &w);
		if (one == NULL)
			return NULL;
		one->bare = true;
		all = join_or(p, all, one);
	}
	return all != NULL ? all : fail_no_text(p, &w);
}
