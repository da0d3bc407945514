/* SPDX-License-Identifier: ISC */
/* The encoder of rows (row.h). Each column has a cell, which collects the values of one document:
 *
 *   document_read --> text(services.product, "nginx") --> cells d_ and u_ of the field
 *
 *   cell of a flat column       items "a" "b" "a"                     -> 2 "a" "b"            at the end of the document
 *   cell of a nested column     items of the object that is read      -> closed, ended        at the end of the object
 *                               closed: the items of the objects before; ended: how many each has
 *
 * An item is the bytes of the value in RowBinary, which are the same in Native. Each value is
 * written once, so the items are sorted when a list ends. At the end of the document the cells are
 * emptied into a row, which has the lists with their lengths one after the other, or into a block,
 * which has the ends of all lists of a column before all its items. */
#include "config.h"

#include "search/clickhouse/row.h"
#include "search/clickhouse/words.h"
#include "search/document.h"
#include "search/text.h"

#include <endian.h>

enum { ENCODER_MEMORY = 1 << 30, CONTENTS = CH_UNITED + 1, FEW_ITEMS = 32 };

/* Most items differ in their first bytes, so `head` has these as a number, and most comparisons do
   not read the bytes of the cell. */
struct item {
	uint64_t head; /* the first eight bytes, the first one uppermost; zeros behind the end */
	size_t at, n;
};

/* A nested object that has ended: its items, and their bytes in the cell. */
struct ended {
	size_t items, bytes;
};

struct cell {
	struct ch_column column;
	bool nested, arrays; /* arrays: it has an array for each nested object, not a text */
	struct buf bytes;
	struct item *items;
	size_t nitems, room;
	struct buf closed;
	struct ended *ended;
	size_t nended, ended_room;
};

/* The ends of arrays: each is the number of items of this array and of all before it. */
struct ends {
	uint64_t *p; /* in the order of the bytes of Native */
	size_t n, room;
	uint64_t last;
};

/* The column of a block. */
struct ch_block_column {
	struct ends ends[2]; /* the arrays, and the arrays in them */
	struct buf data;
};

/* The cells of a field; NULL: it has none of this content. */
struct places {
	struct ch_storage how;
	struct cell *terms, *values, *folded, *tokens, *numbers, *united;
	const struct schema_field *categories, *classification; /* derived from a tag */
};

struct ch_encoder {
	enum dataset dataset;
	struct cell *cells;
	size_t ncells;
	struct cell *of[CONTENTS]; /* the cells of no field */
	struct places *places;     /* [field] */
	const struct schema_field *naming[SCHEMA_NAMING];
	struct document_members *members;
	const struct tag **tags; /* sorted by slug */
	size_t ntags;
	struct arena *arena; /* for one document */
	struct buf list;
	/* The document that is read: */
	struct ch_dict *dict;
	size_t objects;
	unsigned char service[3]; /* the key of the nested object */
	const char *fault;
};

/* ---- cells ---- */

static void
add_item(struct cell *c, const void *bytes, size_t n)
{
	uint64_t head = 0;

	if (c == NULL)
		return;
	if (c->nitems == c->room) {
		c->room = c->room == 0 ? 16 : c->room * 2;
		c->items = mem_grow(c->items, c->room * sizeof(*c->items));
	}
	if (n > 0)
		memcpy(&head, bytes, n < sizeof(head) ? n : sizeof(head));
	c->items[c->nitems++] = (struct item){ be64toh(head), c->bytes.n, n };
	buf_add(&c->bytes, bytes, n);
}

static void
add_number_item(struct cell *c, uint64_t v, size_t bytes)
{
	uint64_t room = htole64(v);

	add_item(c, &room, bytes);
}

/* Compares two items by their bytes. */
static int
compare_items(const struct item *x, const struct item *y, const char *bytes)
{
	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	if (x->n <= sizeof(x->head) && x->n == y->n)
		return 0;
	return str_cmp((struct str){ bytes + x->at, x->n }, (struct str){ bytes + y->at, y->n });
}

static int
by_row_bytes(const void *a, const void *b, void *arg)
{
	return compare_items(a, b, arg);
}

/* Sorts short lists by insertion, because most lists are short and qsort_r is slow for them. */
static void
sort_items(struct cell *c)
{
	if (c->nitems > FEW_ITEMS) {
		qsort_r(c->items, c->nitems, sizeof(*c->items), by_row_bytes, c->bytes.p);
		return;
	}
	for (size_t i = 1; i < c->nitems; i++) {
		struct item item = c->items[i];
		size_t k = i;

		for (; k > 0 && compare_items(&c->items[k - 1], &item, c->bytes.p) > 0; k--)
			c->items[k] = c->items[k - 1];
		c->items[k] = item;
	}
}

static bool
holds_texts(const struct cell *c)
{
	enum ch_content k = c->column.content;

	return k == CH_VALUES || k == CH_FOLDED || k == CH_TOKENS;
}

/* Writes the items, each once, and empties the cell. Returns how many were written. */
static size_t
end_list(struct cell *c, struct buf *out)
{
	size_t n = 0;

	if (c->nitems == 0)
		return 0;
	sort_items(c);
	for (size_t i = 0; i < c->nitems; i++)
		if (n == 0 || compare_items(&c->items[n - 1], &c->items[i], c->bytes.p) != 0)
			c->items[n++] = c->items[i];
	for (size_t i = 0; i < n; i++) {
		if (holds_texts(c))
			ch_put_length(out, c->items[i].n);
		buf_add(out, c->bytes.p + c->items[i].at, c->items[i].n);
	}
	c->nitems = 0;
	buf_clear(&c->bytes);
	return n;
}

static void
end_cell_object(const struct ch_encoder *e, struct cell *c)
{
	size_t at = c->closed.n, n = 1;

	if (c->arrays)
		n = end_list(c, &c->closed);
	else
		ch_put_text(
		    &c->closed, (struct str){ (const char *)e->service, sizeof(e->service) });
	if (c->nended == c->ended_room) {
		c->ended_room = c->ended_room == 0 ? 16 : c->ended_room * 2;
		c->ended = mem_grow(c->ended, c->ended_room * sizeof(*c->ended));
	}
	c->ended[c->nended++] = (struct ended){ n, c->closed.n - at };
}

/* Ends the nested object that was read, in all cells of nested columns. */
static void
end_object(struct ch_encoder *e)
{
	for (size_t i = 0; e->objects > 0 && i < e->ncells; i++)
		if (e->cells[i].nested)
			end_cell_object(e, &e->cells[i]);
}

/* ---- values ---- */

static void
add_id(struct ch_encoder *e, const struct schema_field *f, struct str s)
{
	uint32_t id;

	if (!ch_dict_id(e->dict, f, s, &id)) {
		e->fault = "the dictionary of a field is full";
		return;
	}
	add_number_item(e->places[f->index].terms, id, sizeof(id));
	add_number_item(e->places[f->index].united, id, sizeof(id));
}

static void
add_integer(struct ch_encoder *e, const struct schema_field *f, int64_t v)
{
	add_number_item(e->places[f->index].numbers, (uint64_t)v, sizeof(v));
	add_number_item(e->places[f->index].united, (uint64_t)v, sizeof(v));
}

static void
add_row_word(struct ch_encoder *e, const struct schema_field *f, enum ch_word kind, struct str s)
{
	uint64_t word = ch_word(f, kind, s);

	add_number_item(e->of[CH_WORDS], word, sizeof(word));
	if (f->nested)
		add_number_item(e->of[CH_NESTED_WORDS], word, sizeof(word));
}

static int
by_row_slug(const void *a, const void *b)
{
	return str_cmp(
	    (*(const struct tag *const *)a)->slug, (*(const struct tag *const *)b)->slug);
}

static void
add_derived(struct ch_encoder *e, const struct places *p, struct str slug)
{
	const struct tag wanted = { .slug = slug }, *key = &wanted, *const * found;

	found = bsearch(&key, e->tags, e->ntags, sizeof(*e->tags), by_row_slug);
	if (found == NULL)
		return;
	for (size_t i = 0; i < (*found)->ncategories; i++)
		add_id(e, p->categories, (*found)->categories[i]);
	if (p->classification != NULL)
		add_id(e, p->classification, (*found)->classification);
}

struct text_place {
	struct ch_encoder *e;
	const struct schema_field *field;
};

static void
add_row_token(void *arg, struct str token)
{
	struct text_place *at = arg;

	add_row_word(at->e, at->field, CH_WORD_TOKEN, token);
	add_item(at->e->places[at->field->index].tokens, token.p, token.n);
}

static void
add_full_text(struct ch_encoder *e, const struct schema_field *f, struct str s)
{
	struct text_place at = { e, f };

	add_row_word(e, f, CH_WORD_ANY, STR(""));
	add_row_word(e, f, CH_WORD_WHOLE, s);
	text_tokens(e->arena, s, add_row_token, &at);
}

static void
add_keyword(struct ch_encoder *e, const struct schema_field *f, struct str s)
{
	const struct places *p = &e->places[f->index];

	if (p->how.ids)
		add_id(e, f, s);
	if (p->folded != NULL) {
		struct str folded = text_fold(e->arena, s);

		if (!str_eq(folded, s))
			add_item(p->folded, folded.p, folded.n);
	}
	if (p->categories != NULL)
		add_derived(e, p, s);
	if (f == e->naming[1])
		e->service[2] = str_is(s, "tcp")    ? 1
				: str_is(s, "udp")  ? 2
				: str_is(s, "sctp") ? 3
						    : 0;
}

static void
add_address_item(struct cell *c, struct str s)
{
	struct ipnet net;
	bool four;
	char key[17];

	if (c == NULL || !ipnet_parse(s, &net) || net.bits != 128)
		return;
	four = ip_is_v4(net.a);
	key[0] = four ? 4 : 6;
	memcpy(key + 1, net.a + (four ? 12 : 0), four ? 4 : 16);
	add_item(c, key, four ? 5 : 17);
}

static void
encode_text(void *arg, const struct schema_field *f, struct str s)
{
	struct ch_encoder *e = arg;
	const struct places *p = &e->places[f->index];
	struct ts t;

	switch (f->type) {
	case VALUE_KEYWORD:
	case VALUE_DNS:
		add_keyword(e, f, s);
		add_item(p->values, s.p, s.n);
		return;
	case VALUE_TEXT:
		add_full_text(e, f, s);
		add_item(p->values, s.p, s.n);
		return;
	case VALUE_DATE:
		if (ts_parse(s, &t))
			add_integer(e, f, t.us);
		return;
	case VALUE_IP:
		add_address_item(p->values, s);
		return;
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_BOOLEAN:
		return;
	}
}

static void
encode_integer(void *arg, const struct schema_field *f, int64_t v)
{
	struct ch_encoder *e = arg;

	add_integer(e, f, v);
	if (f == e->naming[0]) {
		e->service[0] = (unsigned char)(v >> 8);
		e->service[1] = (unsigned char)v;
	}
}

/* No field of a dataset has fractions; those of alert conditions are not stored here. */
static void
encode_number(void *arg, const struct schema_field *f, double v)
{
	(void)arg;
	(void)f;
	(void)v;
}

static void
encode_nested(void *arg)
{
	struct ch_encoder *e = arg;

	end_object(e);
	e->objects++;
	memset(e->service, 0, sizeof(e->service));
}

/* ---- an encoder ---- */

static const struct schema_field *
derived_from(const struct schema_field *f, const char *what)
{
	char name[CH_NAME];
	int n = snprintf(name, sizeof(name), "%s.%s", f->name, what);

	return n < 0 || (size_t)n >= sizeof(name)
		   ? NULL
		   : schema_find(f->dataset, (struct str){ name, (size_t)n });
}

static void
place_cell(struct ch_encoder *e, struct cell *c)
{
	struct places *p = c->column.field == NULL ? NULL : &e->places[c->column.field->index];

	c->arrays = str_starts(str_of(c->column.type), STR("Array(Array("));
	c->nested = c->arrays || c->column.content == CH_NESTED_KEY;
	e->of[c->column.content] = c;
	if (c->column.content == CH_TERMS)
		p->terms = c;
	else if (c->column.content == CH_VALUES)
		p->values = c;
	else if (c->column.content == CH_FOLDED)
		p->folded = c;
	else if (c->column.content == CH_TOKENS)
		p->tokens = c;
	else if (c->column.content == CH_NUMBERS)
		p->numbers = c;
	else if (c->column.content == CH_UNITED)
		p->united = c;
}

struct ch_encoder *
ch_encoder_new(enum dataset d)
{
	struct ch_encoder *e = mem_zero(sizeof(*e));
	struct ch_column columns[CH_COLUMNS];
	const struct schema_field *fields;
	size_t nfields = schema_fields(d, &fields);

	e->dataset = d;
	e->ncells = ch_columns(d, columns);
	e->cells = mem_array(e->ncells, sizeof(*e->cells));
	e->places = mem_array(nfields, sizeof(*e->places));
	for (size_t i = 0; i < nfields; i++) {
		e->places[i].how = ch_storage(&fields[i]);
		e->places[i].categories = derived_from(&fields[i], "category");
		e->places[i].classification = derived_from(&fields[i], "classification");
	}
	for (size_t i = 0; i < e->ncells; i++) {
		e->cells[i].column = columns[i];
		place_cell(e, &e->cells[i]);
	}
	if (e->of[CH_NESTED_KEY] != NULL)
		(void)schema_naming(d, e->naming);
	e->members = document_members_new(d, nfields);
	e->arena = arena_new(ENCODER_MEMORY);
	return e;
}

void
ch_encoder_free(struct ch_encoder *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->ncells; i++) {
		buf_free(&e->cells[i].bytes);
		buf_free(&e->cells[i].closed);
		free(e->cells[i].items);
		free(e->cells[i].ended);
	}
	buf_free(&e->list);
	document_members_free(e->members);
	free(e->cells);
	free(e->places);
	free(e->tags);
	arena_free(e->arena);
	free(e);
}

void
ch_encoder_tags(struct ch_encoder *e, const struct tag *tags, size_t n)
{
	free(e->tags);
	e->tags = mem_array(n, sizeof(*e->tags));
	for (size_t i = 0; i < n; i++)
		e->tags[i] = &tags[i];
	e->ntags = n;
	qsort(e->tags, n, sizeof(*e->tags), by_row_slug);
}

bool
ch_encode(struct ch_encoder *e, struct ch_dict *dict, struct str json, char err[CH_FAULT])
{
	const struct document_sink to = { .arg = e,
		.arena = e->arena,
		.text = encode_text,
		.integer = encode_integer,
		.number = encode_number,
		.nested = encode_nested };
	const char *fault;
	bool ok;

	e->dict = dict;
	e->fault = NULL;
	ok = document_read(e->members, json, &to, &fault);
	end_object(e);
	e->objects = 0;
	arena_reset(e->arena);
	if (ok && e->fault == NULL)
		return true;
	snprintf(err, CH_FAULT, "document %.*s...: %s", (int)(json.n < 60 ? json.n : 60), json.p,
	    ok ? e->fault : fault);
	return false;
}

/* Writes a column that is not an array. False: the column is an array. */
static bool
write_scalar(const struct cell *c, const struct ch_version *v, struct buf *out)
{
	switch (c->column.content) {
	case CH_PLACE:
		ch_put_text(out, v->key);
		return true;
	case CH_VER:
		ch_put_number(out, v->ver, sizeof(v->ver));
		return true;
	case CH_GONE:
		buf_char(out, v->gone);
		return true;
	case CH_WORDS:
	case CH_NESTED_WORDS:
	case CH_NESTED_KEY:
	case CH_TERMS:
	case CH_VALUES:
	case CH_FOLDED:
	case CH_TOKENS:
	case CH_NUMBERS:
	case CH_UNITED:
		return false;
	}
	return false;
}

static void
empty_nested(struct cell *c)
{
	c->nended = 0;
	buf_clear(&c->closed);
}

/* ---- a row ---- */

static void
write_nested(struct cell *c, struct buf *out)
{
	size_t at = 0;

	ch_put_length(out, c->nended);
	for (size_t i = 0; i < c->nended; i++) {
		if (c->arrays)
			ch_put_length(out, c->ended[i].items);
		buf_add(out, c->closed.p + at, c->ended[i].bytes);
		at += c->ended[i].bytes;
	}
	empty_nested(c);
}

void
ch_write_row(struct ch_encoder *e, const struct ch_version *v, struct buf *out)
{
	for (size_t i = 0; i < e->ncells; i++) {
		struct cell *c = &e->cells[i];

		if (write_scalar(c, v, out))
			continue;
		if (c->nested) {
			write_nested(c, out);
			continue;
		}
		buf_clear(&e->list);
		ch_put_length(out, end_list(c, &e->list));
		buf_str(out, buf_done(&e->list));
	}
}

/* ---- a block ---- */

static void
add_end(struct ends *to, size_t n)
{
	if (to->n == to->room) {
		to->room = to->room == 0 ? 256 : to->room * 2;
		to->p = mem_grow(to->p, to->room * sizeof(*to->p));
	}
	to->last += n;
	to->p[to->n++] = htole64(to->last);
}

static void
block_nested(struct cell *c, struct ch_block_column *to)
{
	add_end(&to->ends[0], c->nended);
	for (size_t i = 0; c->arrays && i < c->nended; i++)
		add_end(&to->ends[1], c->ended[i].items);
	buf_str(&to->data, buf_done(&c->closed));
	empty_nested(c);
}

void
ch_write_block(struct ch_encoder *e, const struct ch_version *v, struct ch_block *b)
{
	if (b->columns == NULL)
		b->columns = mem_array(e->ncells, sizeof(*b->columns));
	b->bytes = 0;
	b->rows++;
	for (size_t i = 0; i < e->ncells; i++) {
		struct ch_block_column *to = &b->columns[i];
		struct cell *c = &e->cells[i];

		if (c->nested)
			block_nested(c, to);
		else if (!write_scalar(c, v, &to->data))
			add_end(&to->ends[0], end_list(c, &to->data));
		b->bytes += (to->ends[0].n + to->ends[1].n) * sizeof(uint64_t) + to->data.n;
	}
}

void
ch_end_block(const struct ch_encoder *e, struct ch_block *b, struct buf *out)
{
	if (b->rows > 0) {
		ch_put_length(out, e->ncells);
		ch_put_length(out, b->rows);
	}
	for (size_t i = 0; b->rows > 0 && i < e->ncells; i++) {
		struct ch_block_column *c = &b->columns[i];

		ch_put_text(out, str_of(e->cells[i].column.name));
		ch_put_text(out, str_of(e->cells[i].column.type));
		for (int level = 0; level < 2; level++) {
			struct ends *ends = &c->ends[level];

			buf_add(out, ends->p, ends->n * sizeof(*ends->p));
			ends->n = 0;
			ends->last = 0;
		}
		buf_str(out, buf_done(&c->data));
		buf_clear(&c->data);
	}
	b->rows = b->bytes = 0;
}

void
ch_free_block(const struct ch_encoder *e, struct ch_block *b)
{
	for (size_t i = 0; b->columns != NULL && i < e->ncells; i++) {
		free(b->columns[i].ends[0].p);
		free(b->columns[i].ends[1].p);
		buf_free(&b->columns[i].data);
	}
	free(b->columns);
	*b = (struct ch_block){ .rows = 0 };
}
