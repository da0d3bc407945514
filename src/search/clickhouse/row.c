/* SPDX-License-Identifier: ISC */
/* The encoder of rows (row.h). Each column has a cell, which collects the values of one document:
 *
 *   document_read --> text(services.product, "nginx") --> cell n_... / terms / nested of the field
 *
 *   cell of a flat column       items "a" "b" "a"                     -> 2 "a" "b"            at the end of the document
 *   cell of a nested column     items of the object that is read      -> 1 "a"                at the end of the object
 *                               closed: the objects before            -> 3 objects ...        at the end of the document
 *
 * An item is the bytes of the value in RowBinary. Each value is written once, so the items are
 * sorted when a list ends. */
#include "config.h"

#include "search/clickhouse/row.h"
#include "search/clickhouse/words.h"
#include "search/document.h"
#include "search/text.h"

enum { ENCODER_MEMORY = 1 << 30, CONTENTS = CH_NUMBERS + 1 };

struct item {
	size_t at, n;
};

struct cell {
	struct ch_column column;
	bool nested;
	struct buf bytes;
	struct item *items;
	size_t nitems, room;
	struct buf closed; /* nested columns: the objects that have ended */
	size_t objects;
};

/* The cells of a field; NULL: it has none of this content. */
struct places {
	struct ch_storage how;
	struct cell *values, *folded, *tokens, *numbers;
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
	if (c == NULL)
		return;
	if (c->nitems == c->room) {
		c->room = c->room == 0 ? 16 : c->room * 2;
		c->items = mem_grow(c->items, c->room * sizeof(*c->items));
	}
	c->items[c->nitems++] = (struct item){ c->bytes.n, n };
	buf_add(&c->bytes, bytes, n);
}

static void
add_number_item(struct cell *c, uint64_t v, size_t bytes)
{
	unsigned char room[8];

	for (size_t i = 0; i < bytes; i++)
		room[i] = (unsigned char)(v >> 8 * i);
	add_item(c, room, bytes);
}

static int
by_row_bytes(const void *a, const void *b, void *arg)
{
	const struct item *x = a, *y = b;
	const char *bytes = arg;

	return str_cmp((struct str){ bytes + x->at, x->n }, (struct str){ bytes + y->at, y->n });
}

static bool
holds_texts(const struct cell *c)
{
	enum ch_content k = c->column.content;

	return k == CH_VALUES || k == CH_FOLDED || k == CH_TOKENS;
}

/* Writes the items, each once, and empties the cell. */
static void
end_list(struct cell *c, struct buf *out)
{
	size_t n = 0;

	if (c->nitems > 1)
		qsort_r(c->items, c->nitems, sizeof(*c->items), by_row_bytes, c->bytes.p);
	for (size_t i = 0; i < c->nitems; i++)
		if (i == 0 || by_row_bytes(&c->items[i - 1], &c->items[i], c->bytes.p) != 0)
			c->items[n++] = c->items[i];
	ch_put_length(out, n);
	for (size_t i = 0; i < n; i++) {
		if (holds_texts(c))
			ch_put_length(out, c->items[i].n);
		buf_add(out, c->bytes.p + c->items[i].at, c->items[i].n);
	}
	c->nitems = 0;
	buf_clear(&c->bytes);
}

/* The object that was read has ended. */
static void
end_object(struct ch_encoder *e)
{
	if (e->objects == 0)
		return;
	for (size_t i = 0; i < e->ncells; i++) {
		struct cell *c = &e->cells[i];

		if (!c->nested)
			continue;
		if (c->column.content == CH_NESTED_KEY) /* one text an object */
			ch_put_text(&c->closed,
			    (struct str){ (const char *)e->service, sizeof(e->service) });
		else
			end_list(c, &c->closed);
		c->objects++;
	}
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
	add_number_item(e->of[CH_TERMS], id, sizeof(id));
	if (f->nested)
		add_number_item(e->of[CH_NESTED], id, sizeof(id));
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
			add_number_item(p->numbers, (uint64_t)t.us, sizeof(t.us));
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

	add_number_item(e->places[f->index].numbers, (uint64_t)v, sizeof(v));
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

	c->nested = str_starts(str_of(c->column.type), STR("Array(Array(")) ||
		    c->column.content == CH_NESTED_KEY;
	e->of[c->column.content] = c;
	if (c->column.content == CH_VALUES)
		p->values = c;
	else if (c->column.content == CH_FOLDED)
		p->folded = c;
	else if (c->column.content == CH_TOKENS)
		p->tokens = c;
	else if (c->column.content == CH_NUMBERS)
		p->numbers = c;
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
	}
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

/* ---- rows ---- */

static void
write_row_cell(struct cell *c, const struct ch_version *v, bool gone, struct buf *out)
{
	switch (c->column.content) {
	case CH_PLACE:
		ch_put_text(out, v->key);
		return;
	case CH_VER:
		ch_put_number(out, v->ver, sizeof(v->ver));
		return;
	case CH_GONE:
		buf_char(out, gone);
		return;
	case CH_TERMS:
	case CH_NESTED:
	case CH_WORDS:
	case CH_NESTED_WORDS:
	case CH_NESTED_KEY:
	case CH_VALUES:
	case CH_FOLDED:
	case CH_TOKENS:
	case CH_NUMBERS:
		break;
	}
	if (c->nested) {
		ch_put_length(out, c->objects);
		buf_add(out, c->closed.p, c->closed.n);
		c->objects = 0;
		buf_clear(&c->closed);
	} else {
		end_list(c, out);
	}
}

static void
write_row(struct ch_encoder *e, const struct ch_version *v, bool gone, struct buf *out)
{
	for (size_t i = 0; i < e->ncells; i++)
		write_row_cell(&e->cells[i], v, gone, out);
	e->objects = 0;
	arena_reset(e->arena);
}

bool
ch_encode(struct ch_encoder *e, struct ch_dict *dict, const struct ch_version *v, struct str json,
    struct buf *out, char err[CH_FAULT])
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
	write_row(e, v, false, out);
	if (ok && e->fault == NULL)
		return true;
	snprintf(err, CH_FAULT, "document %.*s...: %s", (int)(json.n < 60 ? json.n : 60), json.p,
	    ok ? e->fault : fault);
	return false;
}

void
ch_encode_gone(struct ch_encoder *e, const struct ch_version *v, struct buf *out)
{
	write_row(e, v, true, out);
}
