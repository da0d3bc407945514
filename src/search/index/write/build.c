/* SPDX-License-Identifier: ISC */
/* The builder: which slots a value belongs to. build_priv.h has an overview. The hard part is what
   a value implies. A text adds itself and its tokens; a tag adds its categories and its
   classification, which come from the tag table and not from the document; a value of a field with
   labels remembers the label of the same document (as_name of an asn). */
#include "config.h"

#include "search/index/write/build_priv.h"
#include "search/text.h"

/* ---- what a value implies ---- */

static const struct schema_field *
derived_field(const struct schema_field *f, const char *what)
{
	char name[128];
	int n = snprintf(name, sizeof(name), "%s.%s", f->name, what);

	return n < 0 || (size_t)n >= sizeof(name)
		   ? NULL
		   : schema_find(f->dataset, (struct str){ name, (size_t)n });
}

static enum term_form
form_of(const struct schema_field *f, enum part p)
{
	switch (f->type) {
	case VALUE_KEYWORD:
		return p == PART_VALUES ? FORM_STRINGS : FORM_NONE;
	case VALUE_TEXT: /* whole texts without a facet are only compared: a hash suffices */
		return p == PART_TOKENS || f->aggregatable ? FORM_STRINGS : FORM_HASHED;
	case VALUE_DNS:
		return p == PART_VALUES ? FORM_NAMES : FORM_NONE;
	case VALUE_INTEGER:
	case VALUE_NUMBER:
		return p == PART_VALUES ? FORM_INTS : FORM_NONE;
	case VALUE_BOOLEAN: /* a boolean that a date decides has no values */
		return p == PART_VALUES && f->passed == NULL ? FORM_INTS : FORM_NONE;
	case VALUE_IP: /* an address that is the key of its document is found by the keys */
		return p == PART_VALUES && f != schema_address(f->dataset) ? FORM_ADDRS : FORM_NONE;
	case VALUE_DATE:
		return FORM_NONE;
	}
	return FORM_NONE;
}

struct index_builder *
build_new(enum dataset d, const struct index_tags *tags, size_t nfields)
{
	struct index_builder *b = mem_zero(sizeof(*b));

	b->dataset = d;
	b->addresses = schema_address(d) != NULL;
	b->tags = tags;
	b->nfields = nfields;
	(void)schema_fields(d, &b->fields);
	b->slots = mem_array(b->nfields * PARTS, sizeof(*b->slots));
	b->dates = mem_array(b->nfields, sizeof(*b->dates));
	b->hashes = mem_array(b->nfields, sizeof(*b->hashes));
	b->derived = mem_array(b->nfields, sizeof(*b->derived));
	b->members = document_members_new(d, nfields);
	for (size_t i = 0; i < b->nfields; i++) {
		b->derived[i].categories = derived_field(&b->fields[i], "category");
		b->derived[i].classification = derived_field(&b->fields[i], "classification");
		if (b->fields[i].label != NULL)
			b->labelled = &b->fields[i];
		for (int p = 0; p < PARTS; p++)
			b->slots[i * PARTS + p].form = form_of(&b->fields[i], p);
	}
	b->arena = arena_new(1u << 30);
	b->pairs_from = PAIRS_FROM;
	b->combinations = COMBINATIONS_MAX;
	return b;
}

struct index_builder *
index_build_new(enum dataset d, const struct index_tags *tags)
{
	const struct schema_field *fields;

	return build_new(d, tags, schema_fields(d, &fields));
}

void
build_clear(struct index_builder *b)
{
	for (size_t i = 0; i < b->nfields * PARTS; i++)
		gather_free(&b->slots[i]);
	for (size_t i = 0; i < b->nfields; i++) {
		free(b->dates[i].p);
		free(b->hashes[i].p);
		b->dates[i] = (struct dates){ 0 };
		b->hashes[i] = (struct hashes){ 0 };
	}
	b->ndocs = b->nv4 = b->nnested = 0;
	b->nlabel = 0;
	b->last.n = 0;
	keys_free(&b->keys);
	arrived_free(&b->arrived);
	share_free(&b->share);
	for (int l = 0; l < LEVELS; l++) {
		free(b->renumber[l]);
		b->renumber[l] = NULL;
	}
	arena_reset(b->arena);
}

void
index_build_free(struct index_builder *b)
{
	if (b == NULL)
		return;
	build_clear(b);
	document_members_free(b->members);
	free(b->derived);
	free(b->slots);
	free(b->dates);
	free(b->hashes);
	free(b->ip4);
	free(b->ip6);
	free(b->first);
	free(b->owner);
	free(b->label);
	arena_free(b->arena);
	free(b);
}

void
index_build_family(struct index_builder *b, uint32_t family)
{
	b->family = family;
}

uint32_t
index_build_documents(const struct index_builder *b)
{
	return b->ndocs;
}

size_t
index_build_memory(const struct index_builder *b)
{
	size_t n = (b->ip4_room + b->first_room + b->owner_room) * 4 + b->ip6_room +
		   b->keys.bytes.room + b->keys.at.room + b->arrived.bytes.room +
		   b->arrived.room * sizeof(*b->arrived.at);

	for (size_t i = 0; i < b->nfields * PARTS; i++)
		n += gather_memory(&b->slots[i]);
	for (size_t i = 0; i < b->nfields; i++)
		n += b->dates[i].room * sizeof(int64_t) + b->hashes[i].room * sizeof(uint32_t);
	return n;
}

/* ---- values ---- */

static uint32_t
current_document(const struct index_builder *b, const struct schema_field *f)
{
	return f->nested ? b->nnested - 1 : b->ndocs;
}

static struct gather *
field_slot(struct index_builder *b, const struct schema_field *f, enum part p)
{
	return &b->slots[(size_t)f->index * PARTS + p];
}

void
build_nested_begin(void *arg)
{
	struct index_builder *b = arg;

	b->owner =
	    grow_array(b->owner, &b->owner_room, b->nnested + UINT64_C(1), sizeof(*b->owner));
	b->owner[b->nnested++] = b->ndocs;
}

void
build_date(struct index_builder *b, const struct schema_field *f, uint32_t doc, int64_t us)
{
	struct dates *d = &b->dates[f->index];

	d->p = grow_array(d->p, &d->room, doc + UINT64_C(1), sizeof(*d->p));
	while (d->n <= doc)
		d->p[d->n++] = INT64_MIN;
	d->p[doc] = us;
}

void
hashes_fill(struct hashes *h, uint32_t n)
{
	h->p = grow_array(h->p, &h->room, n, sizeof(*h->p));
	while (h->n < n)
		h->p[h->n++] = 0;
}

void
build_hash(struct index_builder *b, const struct schema_field *f, uint32_t doc, uint32_t hash)
{
	struct hashes *h = &b->hashes[f->index];

	hashes_fill(h, doc + 1);
	h->p[doc] = hash;
}

static void
add_tag(struct index_builder *b, const struct derived *m, struct str slug)
{
	const struct tag *t = index_tags_find(b->tags, slug);

	if (t == NULL)
		return;
	for (size_t i = 0; i < t->ncategories; i++)
		gather_str(field_slot(b, m->categories, PART_VALUES),
		    current_document(b, m->categories), t->categories[i]);
	if (m->classification != NULL)
		gather_str(field_slot(b, m->classification, PART_VALUES),
		    current_document(b, m->classification), t->classification);
}

struct token_sink {
	struct gather *g;
	uint32_t doc;
};

static void
add_token(void *arg, struct str token)
{
	struct token_sink *k = arg;

	gather_str(k->g, k->doc, token);
}

/* Adds a text value to every slot that it implies:
 *
 *   keyword, dns name   the value; of a tag also its categories and its classification (add_tag)
 *   text                its tokens, and the whole value: as a string for facets, else as a hash
 *   date                the array of dates; a text that is no date is left out
 *   address             its key, unless it is the key of the document, which is found without terms
 *
 * A hash of the whole text suffices where it is only compared (NODE_EXACT): banners are up to
 * kilobytes long, nearly all different, and would fill the dictionary. */
void
build_value_str(void *arg, const struct schema_field *f, struct str s)
{
	struct index_builder *b = arg;
	const struct derived *m = &b->derived[f->index];
	struct gather *g = field_slot(b, f, PART_VALUES);
	struct token_sink sink;
	struct segment_key key;
	struct ipnet net;
	struct ts t;
	uint32_t id;

	switch (f->type) {
	case VALUE_DNS:
		if (s.n > TERM_SHORT) /* no name is so long, and a reader has no room for it */
			return;
		/* fall through */
	case VALUE_KEYWORD:
		id = gather_str(g, current_document(b, f), s);
		if (b->labelled != NULL && f == b->labelled->label)
			b->doc_label = id;
		if (m->categories != NULL)
			add_tag(b, m, s);
		return;
	case VALUE_TEXT:
		if (g->form == FORM_HASHED)
			build_hash(b, f, current_document(b, f), text_hash(s));
		else
			gather_str(g, current_document(b, f), s);
		sink = (struct token_sink){ field_slot(b, f, PART_TOKENS), current_document(b, f) };
		text_tokens(b->arena, s, add_token, &sink);
		return;
	case VALUE_DATE:
		if (ts_parse(s, &t))
			build_date(b, f, current_document(b, f), t.us);
		return;
	case VALUE_IP:
		if (g->form == FORM_ADDRS && ipnet_parse(s, &net) && net.bits == 128)
			gather_str(g, current_document(b, f), address_key(net.a, &key));
		return;
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_BOOLEAN:
		return;
	}
}

void
build_value_int(void *arg, const struct schema_field *f, int64_t v)
{
	struct index_builder *b = arg;
	uint32_t id = gather_int(field_slot(b, f, PART_VALUES), current_document(b, f), v);

	if (f == b->labelled)
		b->doc_labelled = id;
}

void
build_value_num(void *arg, const struct schema_field *f, double v)
{
	struct index_builder *b = arg;

	gather_int(field_slot(b, f, PART_VALUES), current_document(b, f), number_key(v));
}

/* ---- a document ---- */

static void
set_label(struct index_builder *b, uint32_t labelled, struct label label)
{
	b->label = grow_array(b->label, &b->label_room, labelled + UINT64_C(1), sizeof(*b->label));
	while (b->nlabel <= labelled)
		b->label[b->nlabel++].term = NO_TERM;
	b->label[labelled] = label;
}

static bool
has_label(const struct index_builder *b, uint32_t labelled)
{
	return labelled < b->nlabel && b->label[labelled].term != NO_TERM;
}

void
build_label(struct index_builder *b, uint32_t labelled, uint32_t label)
{
	if (labelled != NO_TERM && label != NO_TERM && !has_label(b, labelled))
		set_label(b, labelled, (struct label){ .term = label });
}

/* A term gets its label from the document with the least key. */
static void
label_arrives(struct index_builder *b)
{
	uint32_t labelled = b->doc_labelled;

	if (labelled == NO_TERM || b->doc_label == NO_TERM)
		return;
	if (!has_label(b, labelled) || arrived_cmp(b, b->ndocs, b->label[labelled].doc) < 0)
		set_label(b, labelled, (struct label){ b->doc_label, b->ndocs });
}

void
build_document_begin(struct index_builder *b)
{
	b->first = grow_array(b->first, &b->first_room, b->ndocs + UINT64_C(2), sizeof(*b->first));
	b->first[b->ndocs] = b->nnested;
}

static void
count_document(struct index_builder *b)
{
	b->ndocs++;
	b->first[b->ndocs] = b->nnested;
}

/* Returns false when the key does not follow that of the document before. */
bool
build_document_end(struct index_builder *b, struct str key)
{
	if (!build_key(b, b->ndocs, key))
		return false;
	count_document(b);
	return true;
}

/* A failure leaves some values of the broken document in the builder, which can then only be freed.
   No such document is expected, because the import has checked what the table contains. */
bool
index_build_add(struct index_builder *b, struct str key, struct str json, char err[INDEX_FAULT])
{
	const struct document_sink to = { .arg = b,
		.arena = b->arena,
		.text = build_value_str,
		.integer = build_value_int,
		.number = build_value_num,
		.nested = build_nested_begin };
	const char *fault;

	build_document_begin(b);
	b->doc_labelled = b->doc_label = NO_TERM;
	if (!document_read(b->members, json, &to, &fault)) {
		snprintf(err, INDEX_FAULT, "document %u: %s", b->ndocs + 1, fault);
		return false;
	}
	if (!build_key_arrives(b, key)) {
		snprintf(
		    err, INDEX_FAULT, "document %u: its key is none of this dataset", b->ndocs + 1);
		return false;
	}
	label_arrives(b);
	count_document(b);
	arena_reset(b->arena);
	return true;
}
