/* SPDX-License-Identifier: ISC */
/* Translates one test of a query to a condition of SQL (sql.h). The columns of a field are arrays,
 * those of a nested field arrays of arrays:
 *
 *                   about documents                                      in a lambda about nested objects
 *   asn             has(i_asn, 64500)                                    s2, which repeats the result for each object
 *   services.port   has(u_services_port, 22)                             has(s0, 22), where s0 is i_services_port
 *   os              has(d_os, 201326597)                                 s3, which repeats the result
 *   services.product  has(u_services_product, 486539266)                 has(s1, 486539266), where s1 is
 *                                                                        d_services_product
 *   services.names  arrayExists(a -> has(a, ...), n_services_names)      has(s4, ...), where s4 is n_services_names
 */
#include "config.h"

#include "search/clickhouse/sql_priv.h"
#include "search/clickhouse/words.h"
#include "search/text.h"

#include <inttypes.h>

void
ch_put_hex(struct buf *b, struct str s)
{
	buf_z(b, "unhex('");
	for (size_t i = 0; i < s.n; i++)
		buf_printf(b, "%02X", (unsigned char)s.p[i]);
	buf_z(b, "')");
}

void
ch_put_name(struct buf *b, const char *name)
{
	buf_char(b, '`');
	for (; *name != '\0'; name++) {
		if (*name == '`' || *name == '\\')
			buf_char(b, '\\');
		buf_char(b, *name);
	}
	buf_char(b, '`');
}

const struct schema_field *
ch_own_field(const struct schema_field *f)
{
	return f->of != NULL ? f->of : f;
}

void
ch_put_arg(const struct ch_scope *s, struct buf *b, struct str expression)
{
	struct ch_lambda *l = s->in;
	size_t i = 0;

	while (i < l->n && !str_eq(l->args[i], expression))
		i++;
	if (i == l->n)
		l->args[l->n++] = arena_str(s->plan->a, expression);
	buf_printf(b, "s%zu", i);
}

struct str
ch_like(struct arena *a, struct str pattern)
{
	struct buf b = { .a = a };

	pattern = text_fold(a, pattern);
	for (size_t i = 0; i < pattern.n; i++) {
		char c = pattern.p[i];

		if (c == '%' || c == '_' || c == '\\')
			buf_char(&b, '\\');
		buf_char(&b, c == '*' ? '%' : c == '?' ? '_' : c);
	}
	return buf_done(&b);
}

/* ---- arrays of a field ---- */

/* An array whose elements are tested. For a nested column about documents that has no united one,
   the test is wrapped in arrayExists(a -> ..., column), which close_array ends. */
struct array {
	char name[CH_NAME];
	char column[CH_NAME]; /* "": not wrapped */
};

/* Begins a test of the array of values of one document or nested object. */
static struct array
open_array(
    const struct ch_scope *s, struct buf *b, const struct schema_field *f, const char *column)
{
	struct array x = { .column = "" };
	struct buf arg = { .a = s->plan->a };

	if (f->nested && s->in == NULL) {
		buf_z(b, "arrayExists(a -> ");
		snprintf(x.name, CH_NAME, "a");
		snprintf(x.column, CH_NAME, "%s", column);
	} else if (f->nested) {
		ch_put_arg(s, &arg, str_of(column));
		snprintf(x.name, CH_NAME, "%.*s", (int)arg.n, arg.p);
	} else {
		snprintf(x.name, CH_NAME, "%s", column);
	}
	return x;
}

static void
close_array(struct buf *b, const struct array *x)
{
	if (x->column[0] != '\0')
		buf_printf(b, ", %s)", x->column);
}

static struct array
open_leaf_values(
    const struct ch_scope *s, struct buf *b, const struct schema_field *f, enum ch_content content)
{
	bool united = f->nested && s->in == NULL && (content == CH_TERMS || content == CH_NUMBERS);
	struct array x = { .column = "" };
	char column[CH_NAME];

	if (united) {
		ch_column_name(f, CH_UNITED, x.name);
		return x;
	}
	ch_column_name(f, content, column);
	return open_array(s, b, f, column);
}

/* Appends has(x, v) or hasAny(x, [v, ...]) of texts. */
static void
put_has(struct buf *b, const struct array *x, const struct value *v, size_t n)
{
	buf_printf(b, n == 1 ? "has(%s, " : "hasAny(%s, [", x->name);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_z(b, ", ");
		ch_put_hex(b, v[i].s);
	}
	buf_z(b, n == 1 ? ")" : "])");
}

/* Appends "arrayExists(x -> (x LIKE p OR ...), array)". */
static void
put_like(struct arena *a, struct buf *b, const struct array *x, const struct node *n)
{
	buf_z(b, "arrayExists(x -> (");
	for (size_t i = 0; i < n->nvalues; i++) {
		if (i > 0)
			buf_z(b, " OR ");
		buf_z(b, "x LIKE ");
		ch_put_hex(b, ch_like(a, n->values[i].s));
	}
	buf_printf(b, "), %s)", x->name);
}

/* ---- dictionaries ---- */

static void
put_leaf_ids(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	struct array x = open_leaf_values(s, b, f, CH_TERMS);
	const struct ch_lookup *l = NULL;

	if (n->type == NODE_EXISTS) {
		buf_printf(b, "notEmpty(%s)", x.name);
		return;
	}
	for (size_t i = 0; i < s->plan->nlookups; i++)
		if (s->plan->lookups[i].test == n)
			l = &s->plan->lookups[i];
	if (l == NULL)
		panic("%s has not been looked up", f->name);
	if (l->n == 0)
		buf_z(b, "0");
	else if (l->n == 1)
		buf_printf(b, "has(%s, %" PRIu32 ")", x.name, l->ids[0]);
	for (size_t i = 0; l->n > 1 && i < l->n; i++)
		buf_printf(b, i == 0 ? "hasAny(%s, [%" PRIu32 : "%s, %" PRIu32,
		    i == 0 ? x.name : "", l->ids[i]);
	if (l->n > 1)
		buf_z(b, "])");
}

/* ---- keywords and names ---- */

/* Appends a test of one column of a keyword. */
static void
put_keyword_column(const struct ch_scope *s, struct buf *b, const struct node *n,
    const struct schema_field *f, enum ch_content content, const struct value *v)
{
	struct array x = open_leaf_values(s, b, f, content);

	if (n->type == NODE_EXISTS)
		buf_printf(b, "notEmpty(%s)", x.name);
	else if (n->type == NODE_WILDCARD)
		put_like(s->plan->a, b, &x, n);
	else
		put_has(b, &x, v, n->nvalues);
	close_array(b, &x);
}

/* The folded text of a query is the value itself, or one of f_X if folding changes the value. */
static void
put_keyword(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	bool folded = n->type == NODE_MATCH || n->type == NODE_WILDCARD;
	struct value *v = ARENA_ARRAY(s->plan->a, n->nvalues + 1, struct value);

	for (size_t i = 0; i < n->nvalues; i++) {
		v[i] = n->values[i];
		if (folded)
			v[i].s = text_fold(s->plan->a, v[i].s);
	}
	if (!folded || !ch_storage(f).folded) {
		put_keyword_column(s, b, n, f, CH_VALUES, v);
		return;
	}
	buf_char(b, '(');
	put_keyword_column(s, b, n, f, CH_VALUES, v);
	buf_z(b, " OR ");
	put_keyword_column(s, b, n, f, CH_FOLDED, v);
	buf_char(b, ')');
}

/* Whether the key of a document begins with the name (record/key.c): host of dns, domain of
   whois. */
static bool
is_key_name(const struct schema_field *f)
{
	return f->store == STORE_KEY && (f->dataset == DATASET_DNS || f->dataset == DATASET_WHOIS);
}

/* Builds the key of a name: its labels from the right, each followed by the byte 01. */
static struct str
key_of_name(struct arena *a, struct str name)
{
	struct buf b = { .a = a };

	while (name.n > 0) {
		const char *dot = memrchr(name.p, '.', name.n);
		size_t from = dot == NULL ? 0 : (size_t)(dot - name.p) + 1;

		buf_add(&b, name.p + from, name.n - from);
		buf_char(&b, 1);
		name.n = from == 0 ? 0 : from - 1;
	}
	return buf_done(&b);
}

/* A name and its subdomains have the keys from that of the name up to the same key with the last
   byte increased, which is excluded. */
static void
put_key_names(const struct ch_scope *s, struct buf *b, const struct node *n)
{
	buf_char(b, '(');
	for (size_t i = 0; i < n->nvalues; i++) {
		struct str from = key_of_name(s->plan->a, n->values[i].s);
		struct buf to = { .a = s->plan->a };

		buf_add(&to, from.p, from.n);
		to.p[to.n - 1]++;
		buf_z(b, i > 0 ? " OR (place >= " : "(place >= ");
		ch_put_hex(b, from);
		buf_z(b, " AND place < ");
		ch_put_hex(b, (struct str){ to.p, to.n });
		buf_char(b, ')');
	}
	buf_char(b, ')');
}

static void
put_subdomains(struct buf *b, const struct array *x, const struct node *n)
{
	buf_z(b, "arrayExists(x -> (");
	for (size_t i = 0; i < n->nvalues; i++) {
		struct str name = n->values[i].s;

		buf_z(b, i > 0 ? " OR x = " : "x = ");
		ch_put_hex(b, name);
		buf_z(b, " OR endsWith(x, concat('.', ");
		ch_put_hex(b, name);
		buf_z(b, "))");
	}
	buf_printf(b, "), %s)", x->name);
}

/* Whether no value has an empty label: only then key_of_name builds the key of record/key.c. */
static bool
are_plain_names(const struct node *n)
{
	for (size_t i = 0; i < n->nvalues; i++) {
		struct str s = n->values[i].s;

		if (s.n == 0 || s.p[0] == '.' || s.p[s.n - 1] == '.' ||
		    memmem(s.p, s.n, "..", 2) != NULL)
			return false;
	}
	return n->nvalues > 0;
}

static void
put_name(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	struct array x;

	if (n->type == NODE_MATCH && is_key_name(f) && are_plain_names(n)) {
		put_key_names(s, b, n);
		return;
	}
	x = open_leaf_values(s, b, f, CH_VALUES);
	if (n->type == NODE_EXISTS)
		buf_printf(b, "notEmpty(%s)", x.name);
	else if (n->type == NODE_WILDCARD)
		put_like(s->plan->a, b, &x, n);
	else if (n->type == NODE_EXACT)
		put_has(b, &x, n->values, n->nvalues);
	else
		put_subdomains(b, &x, n);
	close_array(b, &x);
}

/* ---- texts ---- */

struct word_list {
	const struct schema_field *f;
	uint64_t *p;
	size_t n, room;
	struct arena *a;
};

static void
add_leaf_word(struct word_list *w, uint64_t word)
{
	uint64_t *more;

	for (size_t i = 0; i < w->n; i++)
		if (w->p[i] == word)
			return;
	if (w->n == w->room) {
		w->room = w->room == 0 ? 8 : 2 * w->room;
		more = ARENA_ARRAY(w->a, w->room, uint64_t);
		if (w->n > 0)
			memcpy(more, w->p, w->n * sizeof(*more));
		w->p = more;
	}
	w->p[w->n++] = word;
}

static void
add_word_of_token(void *arg, struct str token)
{
	struct word_list *w = arg;

	add_leaf_word(w, ch_word(w->f, CH_WORD_TOKEN, token));
}

/* Appends a test for all words of one text. Several words must be in one nested object: a host must
   not match when one word is in the banner of one service and another word in the banner of
   another. */
static void
put_words(const struct ch_scope *s, struct buf *b, const struct schema_field *f,
    const struct word_list *w)
{
	struct array x = { .column = "" };

	if (w->n == 0) {
		buf_z(b, "0");
		return;
	}
	if (s->in == NULL && (w->n == 1 || !f->nested))
		snprintf(x.name, CH_NAME, "words");
	else
		x = open_array(s, b, f, f->nested ? "nested_words" : "words");
	buf_char(b, '(');
	for (size_t i = 0; i < w->n; i++)
		buf_printf(b, "%shas(%s, %" PRIu64 ")", i > 0 ? " AND " : "", x.name, w->p[i]);
	buf_char(b, ')');
	close_array(b, &x);
}

static void
put_text_value(const struct ch_scope *s, struct buf *b, const struct node *n,
    const struct schema_field *f, struct str text)
{
	struct word_list w = { .f = f, .a = s->plan->a };

	if (n->type == NODE_EXISTS)
		add_leaf_word(&w, ch_word(f, CH_WORD_ANY, STR("")));
	else if (n->type == NODE_EXACT)
		add_leaf_word(&w, ch_word(f, CH_WORD_WHOLE, text));
	else
		text_tokens(s->plan->a, text, add_word_of_token, &w);
	put_words(s, b, f, &w);
}

static void
put_leaf_text(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	struct array x;

	if (n->type == NODE_WILDCARD || (n->type == NODE_EXACT && ch_storage(f).values)) {
		x = open_leaf_values(s, b, f, n->type == NODE_EXACT ? CH_VALUES : CH_TOKENS);
		if (n->type == NODE_EXACT)
			put_has(b, &x, n->values, n->nvalues);
		else
			put_like(s->plan->a, b, &x, n);
		close_array(b, &x);
		return;
	}
	if (n->type == NODE_EXISTS) {
		put_text_value(s, b, n, f, STR(""));
		return;
	}
	buf_char(b, '(');
	for (size_t i = 0; i < n->nvalues; i++) {
		buf_z(b, i > 0 ? " OR " : "");
		put_text_value(s, b, n, f, n->values[i].s);
	}
	buf_char(b, ')');
}

/* ---- addresses ---- */

/* Encodes an address as a key: as IPv4 if four, else as IPv6, even if its bits are those of an IPv4
   address. */
static struct str
address_text(struct arena *a, const unsigned char ip[16], bool four)
{
	struct buf b = { .a = a };

	buf_char(&b, four ? 4 : 6);
	buf_add(&b, ip + (four ? 12 : 0), four ? 4 : 16);
	return buf_done(&b);
}

static void
put_between(struct buf *b, const char *x, const struct str *lo, bool above, const struct str *hi,
    bool below)
{
	buf_char(b, '(');
	if (lo != NULL) {
		buf_printf(b, "%s %s ", x, above ? ">" : ">=");
		ch_put_hex(b, *lo);
	}
	if (hi != NULL) {
		buf_printf(b, "%s%s %s ", lo != NULL ? " AND " : "", x, below ? "<" : "<=");
		ch_put_hex(b, *hi);
	}
	buf_char(b, ')');
}

/* The addresses of an IPv6 network are encoded as IPv6, even where their bits are those of IPv4
   addresses. */
static void
put_net(struct arena *a, struct buf *b, const char *x, const struct ipnet *net)
{
	bool four = ip_is_v4(net->a) && net->bits >= 96;
	unsigned char last[16];
	struct str lo, hi;

	memcpy(last, net->a, sizeof(last));
	for (unsigned bit = net->bits; bit < 128; bit++)
		last[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	lo = address_text(a, net->a, four);
	hi = address_text(a, last, four);
	put_between(b, x, &lo, false, &hi, false);
}

static void
put_address_test(struct arena *a, struct buf *b, const char *x, const struct node *n)
{
	struct str lo, hi;

	if (n->type == NODE_RANGE) {
		lo = address_text(a, n->lo.v.ip.a, ip_is_v4(n->lo.v.ip.a));
		hi = address_text(a, n->hi.v.ip.a, ip_is_v4(n->hi.v.ip.a));
		put_between(b, x, n->lo.set ? &lo : NULL, !n->lo.inclusive, n->hi.set ? &hi : NULL,
		    !n->hi.inclusive);
		return;
	}
	buf_char(b, '(');
	for (size_t i = 0; i < n->nvalues; i++) {
		buf_z(b, i > 0 ? " OR " : "");
		put_net(a, b, x, &n->values[i].ip);
	}
	buf_char(b, ')');
}

static void
put_address(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	struct array x;

	if (!ch_storage(f).values) {
		if (n->type == NODE_EXISTS)
			buf_z(b, "1");
		else
			put_address_test(s->plan->a, b, "place", n);
		return;
	}
	x = open_leaf_values(s, b, f, CH_VALUES);
	if (n->type == NODE_EXISTS) {
		buf_printf(b, "notEmpty(%s)", x.name);
	} else {
		buf_z(b, "arrayExists(x -> ");
		put_address_test(s->plan->a, b, "x", n);
		buf_printf(b, ", %s)", x.name);
	}
	close_array(b, &x);
}

/* ---- integers, booleans and dates ---- */

static int64_t
integer_of(const struct value *v)
{
	return v->type == VALUE_DATE ? v->ts.us : v->type == VALUE_BOOLEAN ? v->b : v->i;
}

/* The smallest int64 has no literal in SQL. */
static void
put_integer(struct buf *b, int64_t i)
{
	if (i == INT64_MIN)
		buf_printf(b, "(%" PRId64 " - 1)", i + 1);
	else
		buf_printf(b, "%" PRId64, i);
}

static void
put_number_range(struct buf *b, const struct array *x, const struct node *n)
{
	buf_z(b, "arrayExists(x -> (");
	if (n->lo.set) {
		buf_z(b, n->lo.inclusive ? "x >= " : "x > ");
		put_integer(b, integer_of(&n->lo.v));
	}
	if (n->hi.set) {
		buf_printf(b, "%sx %s ", n->lo.set ? " AND " : "", n->hi.inclusive ? "<=" : "<");
		put_integer(b, integer_of(&n->hi.v));
	}
	buf_printf(b, "), %s)", x->name);
}

static void
put_leaf_number(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	struct array x = open_leaf_values(s, b, f, CH_NUMBERS);

	if (n->type == NODE_EXISTS) {
		buf_printf(b, "notEmpty(%s)", x.name);
	} else if (n->type == NODE_RANGE) {
		put_number_range(b, &x, n);
	} else if (n->nvalues == 1) {
		buf_printf(b, "has(%s, ", x.name);
		put_integer(b, integer_of(&n->values[0]));
		buf_char(b, ')');
	} else {
		buf_z(b, "arrayExists(x -> x IN (");
		for (size_t i = 0; i < n->nvalues; i++) {
			buf_z(b, i > 0 ? ", " : "");
			put_integer(b, integer_of(&n->values[i]));
		}
		buf_printf(b, "), %s)", x.name);
	}
	close_array(b, &x);
}

/* A virtual boolean is true when the date f->passed is before the present time; its test is a test
   of that date. */
static void
put_passed(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	struct array x = open_leaf_values(s, b, f->passed, CH_NUMBERS);
	int64_t now = s->plan->query->now.us;

	if (n->type == NODE_EXISTS) {
		buf_printf(b, "notEmpty(%s)", x.name);
	} else {
		buf_z(b, "arrayExists(x -> (");
		for (size_t i = 0; i < n->nvalues; i++) {
			buf_printf(b, "%sx %s ", i > 0 ? " OR " : "", n->values[i].b ? "<" : ">=");
			put_integer(b, now);
		}
		buf_printf(b, "), %s)", x.name);
	}
	close_array(b, &x);
}

/* ---- */

static void
put_test(
    const struct ch_scope *s, struct buf *b, const struct node *n, const struct schema_field *f)
{
	if (f->passed != NULL) {
		put_passed(s, b, n, f);
		return;
	}
	if (ch_storage(f).ids) {
		put_leaf_ids(s, b, n, f);
		return;
	}
	switch (f->type) {
	case VALUE_KEYWORD:
		put_keyword(s, b, n, f);
		return;
	case VALUE_DNS:
		put_name(s, b, n, f);
		return;
	case VALUE_TEXT:
		put_leaf_text(s, b, n, f);
		return;
	case VALUE_IP:
		put_address(s, b, n, f);
		return;
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_BOOLEAN:
	case VALUE_DATE:
		put_leaf_number(s, b, n, f);
		return;
	}
}

void
ch_put_leaf(const struct ch_scope *s, struct buf *b, const struct node *n)
{
	const struct schema_field *f = ch_own_field(n->field);
	struct ch_scope documents = { s->plan, NULL };
	struct buf test = { .a = s->plan->a };
	char objects[CH_NAME];

	if (n->type != NODE_EXISTS && n->type != NODE_RANGE && n->nvalues == 0) {
		buf_z(b, "0"); /* no document can have the value */
		return;
	}
	if (s->in == NULL || f->nested) {
		put_test(s, b, n, f);
		return;
	}
	ch_object_column(s->plan->source, objects);
	buf_printf(&test, "arrayResize(emptyArrayUInt8(), length(%s), ", objects);
	put_test(&documents, &test, n, f);
	buf_char(&test, ')');
	ch_put_arg(s, b, buf_done(&test));
}
