/* SPDX-License-Identifier: ISC */
/* The grammar of queries (C-720), by recursive descent:

     or      = and { "OR" and }
     and     = unary { ["AND"] unary }
     unary   = { "NOT" | "-" | "!" | "+" } primary
     primary = "(" or ")" | field op value | "_exists_:" field | addresses | word | phrase | "*"

   Every bracket and every sign is a level of LIM_QUERY_DEPTH, so the depth of the recursion is
   bounded. */
#include "config.h"

#include "search/query_warn_priv.h"

static struct node *parse_or(struct parser *p);

/* Reads a group; the next character is its "(". */
static struct node *
parse_group(struct parser *p)
{
	size_t open = p->at++;
	struct node *n;

	if (!query_deeper(p, 1, open))
		return NULL;
	p->depth++;
	n = parse_or(p);
	p->depth--;
	if (n == NULL)
		return NULL;
	if (!lex_take(p, ")")) {
		query_fail(p, open, "this ( is never closed");
		return NULL;
	}
	return n;
}

/* The name at the beginning of a clause: a letter or "_", then letters, digits, "_", "." and
   "-". */
static struct str
name_at(struct str raw)
{
	size_t n = 0;

	for (; n < raw.n; n++) {
		char c = raw.p[n];
		bool letter = ascii_letter(c) || c == '_';
		bool other = ascii_digit(c) || c == '.' || c == '-';

		if (!letter && !(other && n > 0))
			break;
	}
	return (struct str){ raw.p, n };
}

struct spelling {
	const char *text;
	enum op op;
};

/* Longer spellings come before their prefixes. */
static const struct spelling after_name[] = {
	{ ":", OP_MATCH },
	{ "!=", OP_DIFFERS },
	{ ">=", OP_GE },
	{ "<=", OP_LE },
	{ ">", OP_GT },
	{ "<", OP_LT },
	{ "=", OP_EXACT },
};

static const struct spelling after_colon[] = {
	{ ">=", OP_GE },
	{ "<=", OP_LE },
	{ ">", OP_GT },
	{ "<", OP_LT },
	{ "=", OP_EXACT },
};

static bool
take_op(struct parser *p, const struct spelling *spellings, size_t n, enum op *op)
{
	for (size_t i = 0; i < n; i++)
		if (lex_take(p, spellings[i].text)) {
			*op = spellings[i].op;
			return true;
		}
	return false;
}

static const struct schema_field *
fail_unknown_field(struct parser *p, struct str name, size_t at)
{
	const char *near = schema_nearest(p->dataset, name);
	enum dataset source = schema_source(p->dataset);

	if (source != p->dataset && schema_is_nested(source, name))
		query_fail(p, at, "each document is one of the %s; write its tests without %s:( )",
		    schema_nested(source), schema_nested(source));
	else if (schema_is_nested(p->dataset, name))
		query_fail(p, at, "%s cannot stand here; write %s:( ... ) outside other %s:( )",
		    query_show(p, name), schema_nested(p->dataset), schema_nested(p->dataset));
	else if (p->nested && schema_resolve(p->dataset, name) != NULL)
		query_fail(p, at, "\"%s\" is not a field of %s; test it outside %s:( )",
		    query_show(p, name), schema_nested(p->dataset), schema_nested(p->dataset));
	else if (near != NULL)
		query_fail(
		    p, at, "unknown field \"%s\"; did you mean \"%s\"?", query_show(p, name), near);
	else
		query_fail(p, at,
		    "unknown field \"%s\"; /search/schemas lists them, and text with : "
		    "or = "
		    "needs quotes",
		    query_show(p, name));
	return NULL;
}

static const struct schema_field *
field_named(struct parser *p, struct str name, size_t at)
{
	const struct schema_field *f =
	    p->nested ? schema_member(p->dataset, name) : schema_resolve(p->dataset, name);

	return f != NULL ? f : fail_unknown_field(p, name, at);
}

static struct node *
new_exists(struct parser *p, const struct schema_field *f, size_t at)
{
	struct node *n;

	if (!query_clause(p, at))
		return NULL;
	n = node_new(p, NODE_EXISTS, at);
	n->field = f;
	return n;
}

static struct node *
new_nested(struct parser *p, struct node *kid, size_t at)
{
	struct node *n;

	if (kid == NULL)
		return NULL;
	n = node_new(p, NODE_NESTED, at);
	n->kids = ARENA_ARRAY(p->a, 1, struct node *);
	n->kids[0] = kid;
	n->nkids = 1;
	return n;
}

/* Whether there is any nested object: a nested test that every object passes. */
static struct node *
new_nested_exists(struct parser *p, size_t at)
{
	if (!query_clause(p, at) || !query_deeper(p, 1, at))
		return NULL;
	return new_nested(p, node_new(p, NODE_ALL, at), at);
}

/* Reads the rest after "services:". */
static struct node *
parse_nested(struct parser *p, enum op op, size_t at)
{
	const char *object = schema_nested(p->dataset);
	struct node *kid;

	if (op == OP_MATCH && lex_keyword(p, "*"))
		return new_nested_exists(p, at);
	if (op != OP_MATCH || lex_end(p) || p->text.p[p->at] != '(') {
		query_fail(p, at, "%s takes tests in brackets, as in %s:(%s:...)", object, object,
		    schema_member(p->dataset, STR("port")) != NULL ? "port" : "field");
		return NULL;
	}
	p->nested = true;
	kid = parse_group(p);
	p->nested = false;
	return new_nested(p, kid, at);
}

static struct node *
parse_exists(struct parser *p, enum op op, size_t at)
{
	const struct schema_field *f;
	struct word w;

	if (op != OP_MATCH) {
		query_fail(p, at, "_exists_ is written _exists_:field");
		return NULL;
	}
	if (!lex_word(p, "", &w))
		return NULL;
	if (w.s.n == 0) {
		query_fail(p, w.at, "_exists_ needs the name of a field");
		return NULL;
	}
	if (!p->nested && schema_is_nested(p->dataset, w.s))
		return new_nested_exists(p, at);
	f = field_named(p, w.s, w.at);
	return f == NULL ? NULL : new_exists(p, f, at);
}

/* Reads the rest after "field:" and white space. */
static struct node *
parse_match(struct parser *p, const struct schema_field *f, size_t at)
{
	char c = lex_end(p) ? '\0' : p->text.p[p->at];
	struct node *n;

	if (lex_keyword(p, "*"))
		return new_exists(p, f, at);
	if (c == '[' || c == '{')
		return test_range_or_set(p, f);
	if (c != '(')
		return test_value(p, f, OP_MATCH);
	p->group_of = f;
	n = parse_group(p);
	p->group_of = NULL;
	return n;
}

static struct node *
parse_clause(struct parser *p, struct str name, enum op op, size_t at)
{
	const struct schema_field *f;

	lex_space(p);
	if (op == OP_MATCH)
		(void)take_op(p, after_colon, COUNT(after_colon), &op);
	lex_space(p);
	if (str_is(name, "_exists_"))
		return parse_exists(p, op, at);
	if (!p->nested && schema_is_nested(p->dataset, name))
		return parse_nested(p, op, at);
	f = field_named(p, name, at);
	if (f == NULL)
		return NULL;
	return op == OP_MATCH ? parse_match(p, f, at) : test_value(p, f, op);
}

/* Fails for what would test a field if one stood before it: :x, [1 TO 2] and {1,2} (C-417). */
static bool
has_no_field(struct parser *p, struct str raw)
{
	char c = raw.n > 0 ? raw.p[0] : '\0';

	if (c == '[' || c == '{')
		query_fail(p, p->at,
		    "a range or set needs a field before it, as in field:[1 TO 9] or "
		    "field:{a,b}; text with %c needs quotes",
		    c);
	else if (c == ':' && raw.n > 1)
		query_fail(p, p->at,
		    "a field is expected before this :, as in field:value; text with : needs "
		    "quotes");
	else
		return false;
	return true;
}

static struct node *
parse_word(struct parser *p)
{
	size_t at = p->at;
	struct str raw = lex_raw(p), name = name_at(raw);
	enum op op;

	if (is_ip_list(raw))
		return test_ip_list(p);
	if (lex_keyword(p, "*:*") || lex_keyword(p, "*"))
		return query_clause(p, at) ? node_new(p, NODE_ALL, at) : NULL;
	if (query_is_endpoint(p, raw) || has_no_field(p, raw))
		return NULL;
	if (name.n == 0 || lex_is_url(raw))
		return test_bare(p);
	p->at += name.n;
	if (take_op(p, after_name, COUNT(after_name), &op))
		return parse_clause(p, name, op, at);
	p->at = at;
	return test_bare(p);
}

static struct node *
parse_primary(struct parser *p)
{
	size_t at = p->at;

	if (lex_end(p)) {
		query_fail(p, at, "the query ends where a test is expected");
		return NULL;
	}
	if (p->text.p[at] == ')') {
		query_fail(p, at, "a test is expected before this )");
		return NULL;
	}
	if (p->text.p[at] == '(')
		return parse_group(p);
	if (lex_keyword(p, "AND") || lex_keyword(p, "OR")) {
		query_fail(p, at,
		    "AND and OR need a test on both sides; quote the word to search for "
		    "it");
		return NULL;
	}
	if (p->group_of != NULL)
		return lex_keyword(p, "*") ? new_exists(p, p->group_of, at)
					   : test_value(p, p->group_of, OP_MATCH);
	return p->text.p[at] == '"' ? test_bare(p) : parse_word(p);
}

/* Counts each sign and NOT as a level, as each bracket is. */
static struct node *
parse_unary(struct parser *p)
{
	unsigned levels = 0;
	bool negative = false;
	struct node *n;

	for (;; levels++) {
		size_t at;

		lex_space(p);
		at = p->at;
		if (lex_keyword(p, "NOT") ||
		    (p->group_of == NULL && (lex_take(p, "-") || lex_take(p, "!"))))
			negative = !negative;
		else if (p->group_of != NULL || !lex_take(p, "+"))
			break;
		if (!query_deeper(p, levels + 1, at))
			return NULL;
	}
	p->depth += levels;
	n = parse_primary(p);
	p->depth -= levels;
	return n != NULL && negative ? node_not(p, n) : n;
}

/* Whether another operand of AND follows: not at the end of the group and not before OR. */
static bool
and_goes_on(struct parser *p)
{
	size_t at;
	bool or ;

	lex_space(p);
	at = p->at;
	or = lex_keyword(p, "OR");
	p->at = at;
	return ! or &&!lex_end(p) && p->text.p[at] != ')';
}

static struct node *
parse_and(struct parser *p)
{
	struct node *n = parse_unary(p), *next;

	while (n != NULL && and_goes_on(p)) {
		(void)lex_keyword(p, "AND");
		next = parse_unary(p);
		n = next == NULL ? NULL : node_join(p, NODE_AND, n, next);
	}
	return n;
}

static struct node *
parse_or(struct parser *p)
{
	struct node *n = parse_and(p), *next;

	while (n != NULL && lex_keyword(p, "OR")) {
		next = parse_and(p);
		n = next == NULL ? NULL : node_join(p, NODE_OR, n, next);
	}
	return n;
}

/* Checks the length and the characters of the whole text. */
static bool
check_query_text(struct parser *p)
{
	size_t bad = str_utf8_bad(p->text);

	if (p->text.n > LIM_QUERY) {
		query_fail(p, 0, "the query is longer than %d characters or bytes", (int)LIM_QUERY);
		return false;
	}
	if (bad < p->text.n) {
		query_fail(p, bad, "the query is not valid UTF-8 here");
		return false;
	}
	for (size_t i = 0; i < p->text.n; i++) {
		char c = p->text.p[i];

		if (c == 0x7f || (c >= 0 && c < ' ' && (c < '\t' || c > '\r'))) {
			query_fail(p, i, "the query holds a control character here");
			return false;
		}
	}
	return true;
}

bool
query_parse(struct arena *a, enum dataset d, struct str text, struct ts now, struct query *out,
    struct query_fault *fault)
{
	struct parser p = {
		.a = a, .dataset = d, .text = text, .now = now, .fault = fault, .out = out
	};
	struct node *root;

	*out = (struct query){ .dataset = d, .text = text, .now = now };
	if (!check_query_text(&p))
		return false;
	lex_space(&p);
	root = lex_end(&p) ? node_new(&p, NODE_ALL, 0) : parse_or(&p);
	if (root != NULL && !lex_end(&p)) {
		query_fail(&p, p.at, "this ) was never opened");
		return false;
	}
	out->root = root;
	if (root == NULL)
		return false;
	query_warn_quotes(&p);
	query_warn_never(&p, root);
	return true;
}
