/* SPDX-License-Identifier: ISC */
/* The walk over all matches of a query (walk.h). The position is copied, since the page that it
   comes from is freed before the next one is asked for. */
#include "config.h"

#include "search/walk.h"

enum {
	PAGE_KEYS = 10000,
	READ_KEYS = 1000,
	WALK_MEMORY = 1 << 30,
	PAGE_US = 30000000, /* one page of keys */
};

const struct field walk_row_out[] = {
	FIELD(struct walk_row, at, 0),
	FIELD(struct walk_row, doc, NULLABLE),
	FIELD_END,
};

void
walk_begin(struct walk *w)
{
	w->keys = arena_new(WALK_MEMORY);
	w->tree = arena_new(WALK_MEMORY);
}

void
walk_end(struct walk *w)
{
	arena_free(w->keys);
	arena_free(w->tree);
	buf_free(&w->after);
}

/* An engine that answers an empty page with more to come would send the walk round in circles. */
static bool
next_keys(struct walk *w)
{
	const struct budget budget = { .deadline = mono_us() + PAGE_US, .work = UINT64_MAX };
	const struct page_request want = {
		.after = w->after.n == 0 ? STR_NULL : (struct str){ w->after.p, w->after.n },
		.limit = PAGE_KEYS,
	};

	arena_reset(w->keys);
	w->page = (struct page){ 0 };
	w->next = w->until = 0;
	w->engine_rc = engine_search(w->engine, w->keys, w->query, &budget, &want, &w->page);
	if (w->engine_rc == ENGINE_OK && w->page.has_more && w->page.nhits == 0)
		w->engine_rc = ENGINE_FAILED;
	w->ended = !w->page.has_more;
	return w->engine_rc == ENGINE_OK;
}

/* Services of one host, which are adjacent, have one document. */
static struct strs
keys_to_read(struct walk *w, size_t *of)
{
	bool services = schema_source(w->query->dataset) != w->query->dataset;
	struct str *keys = ARENA_ARRAY(w->rows, READ_KEYS, struct str), last = STR_NULL;
	size_t n = 0, i;

	for (i = w->next; i < w->page.nhits; i++) {
		struct str key = w->page.hits[i].key;

		if (services)
			key.n -= SERVICE_KEY;
		if (last.p == NULL || !str_eq(last, key)) {
			if (n == READ_KEYS)
				break;
			last = key;
			keys[n++] = db_bytea(w->rows, key);
		}
		of[i - w->next] = n;
	}
	w->until = i;
	return (struct strs){ keys, n };
}

/* Reads the documents of the next matches. Those behind the first document without its text are
   read again later. */
static bool
read_next(struct walk *w)
{
	size_t most = w->page.nhits - w->next, *of;
	const struct str **by_key;
	const struct walk_row *row;
	struct list rows = { 0 };
	struct strs keys;

	arena_reset(w->rows);
	arena_reset(w->tree);
	w->open = NULL;
	of = ARENA_ARRAY(w->rows, most, size_t);
	keys = keys_to_read(w, of);
	by_key = ARENA_ARRAY(w->rows, keys.n + 1, const struct str *);
	w->docs = ARENA_ARRAY(w->rows, most, const struct str *);
	w->db_rc = w->read(w->arg, schema_source(w->query->dataset), keys, &rows);
	if (w->db_rc != DB_OK)
		return false;
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		by_key[row[i].at] = &row[i].doc;
	for (size_t i = w->next; i < w->until; i++) {
		w->docs[i - w->next] = by_key[of[i - w->next]];
		if (w->docs[i - w->next] != NULL && w->docs[i - w->next]->p == NULL)
			w->until = i;
	}
	w->docs -= w->next; /* by the number of the hit from here on */
	return true;
}

static bool
write_match(struct walk *w, struct buf *b, const struct hit *hit, const struct str *doc)
{
	enum dataset d = w->query->dataset;
	bool found;

	if (doc == NULL)
		return false;
	if (schema_source(d) == d) {
		stored_write(b, w->tree, d, *doc, w->fields);
		return true;
	}
	if (doc != w->open) {
		arena_reset(w->tree);
		services_open(&w->services, w->tree, *doc, w->fields);
		w->open = doc;
	}
	found = hit->nnested > 0 &&
		service_write(b, &w->services, hit->nested->number, hit->nested->text[0]);
	return found;
}

enum walk_rc
walk_next(struct walk *w, struct buf *b)
{
	const struct hit *hit;
	bool found;

	while (w->next == w->page.nhits) {
		if (w->ended)
			return WALK_END;
		if (!next_keys(w))
			return WALK_ENGINE;
	}
	if (w->next == w->until && !read_next(w))
		return WALK_DATABASE;
	hit = &w->page.hits[w->next];
	found = write_match(w, b, hit, w->docs[w->next]);
	w->next++;
	buf_clear(&w->after);
	buf_str(&w->after, hit->key);
	return found ? WALK_RECORD : WALK_GONE;
}

enum dataset
walk_dataset(struct str name)
{
	enum dataset d = 0;

	while (d < DATASETS_AND_CONDITIONS && !str_is(name, schema_dataset_name(d)))
		d++;
	return d;
}

const struct record_fields *
walk_fields(struct arena *a, enum dataset d, const struct str *names, size_t n)
{
	struct buf all = { .a = a };
	struct str text, bad;

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(&all, ',');
		buf_str(&all, names[i]);
	}
	text = buf_done(&all);
	if (schema_source(d) != d)
		text = service_fields(a, text);
	return record_fields_parse(a, schema_source(d), text, &bad);
}

struct cells
walk_cells(struct arena *a, enum dataset d, const struct str *names, size_t n)
{
	struct str *paths = ARENA_ARRAY(a, n + 1, struct str);

	for (size_t i = 0; i < n; i++)
		paths[i] = schema_source(d) != d && service_field_of_place(names[i])
			       ? arena_printf(a, "host.%.*s", (int)names[i].n, names[i].p)
			       : names[i];
	return (struct cells){ names, paths, n };
}
