/* SPDX-License-Identifier: ISC */
/* src/search/index with the random records of every dataset: its answers to random queries against those of looking at
   every record (C-402). */
#include "config.h"

#include "search/index/format/segment.h"
#include "t/unit/index_world.h"
#include "t/unit/random_record.h"
#include "t/unit/tap.h"

enum { KEYS = 300 };

/* ---- the values of a record, as queries see them ---- */

static void
add_value(
    struct arena *a, struct naive_values *to, const struct schema_field *f, struct str s, int64_t i)
{
	struct segment_key key;
	struct ipnet net;

	if (to->n == COUNT(to->v))
		panic("a record has more values than a naive document");
	if (f->type == VALUE_IP) {
		if (!ipnet_parse(s, &net))
			panic("%.*s is no address", (int)s.n, s.p);
		s = arena_str(a, address_key(net.a, &key));
	}
	to->v[to->n++] = (struct naive_value){ f, s, i };
}

static void
add_field(struct arena *a, struct naive_values *to, const struct schema_field *f,
    const struct record_object *o, const char *name)
{
	const struct record_value *v = f->store == STORE_VIRTUAL ? NULL : record_find(o, name);
	int64_t when;

	if (f->passed != NULL && record_int(o, f->passed->relative, &when))
		add_value(a, to, f, STR_NULL, when < NAIVE_NOW.us);
	if (v == NULL)
		return;
	for (size_t i = 0; f->list && i < v->texts.n; i++)
		add_value(a, to, f, v->texts.p[i], 0);
	if (f->list)
		return;
	if (f->type == VALUE_INTEGER || f->type == VALUE_BOOLEAN || f->type == VALUE_DATE)
		add_value(a, to, f, STR_NULL, v->i);
	else
		add_value(a, to, f, v->s, 0);
}

static void
read_record(struct arena *a, const struct record *r, struct naive_doc *d)
{
	const struct record_member *m = record_nested_member(r->dataset);
	const struct record_value *list =
	    m == NULL ? NULL : record_find(r->root, schema_nested(r->dataset));
	const struct schema_field *fields;
	size_t n = schema_fields(r->dataset, &fields);

	d->nservices = list == NULL ? 0 : list->objects.n;
	for (size_t i = 0; i < n; i++) {
		if (!fields[i].nested)
			add_field(a, &d->own, &fields[i], r->root, fields[i].name);
		for (size_t k = 0; fields[i].nested && k < d->nservices; k++)
			add_field(
			    a, &d->services[k], &fields[i], list->objects.p[k], fields[i].relative);
	}
}

/* ---- segments of records ---- */

static int
by_key(const void *a, const void *b)
{
	return str_cmp(((const struct naive_doc *)a)->key, ((const struct naive_doc *)b)->key);
}

static void
replace_document(struct world *w, const struct naive_doc *d)
{
	for (size_t i = 0; i < w->ndocs; i++)
		if (str_eq(w->docs[i].key, d->key)) {
			w->docs[i] = *d;
			return;
		}
	w->docs = reallocarray(w->docs, w->ndocs + 1, sizeof(*w->docs));
	w->docs[w->ndocs++] = *d;
}

/* A segment of the records with each `step`-th number, published. */
static void
add_records(struct world *w, unsigned step)
{
	struct naive_doc *fresh = calloc(KEYS, sizeof(*fresh));
	struct index_segment s;
	char err[INDEX_FAULT] = "";
	size_t n = 0;

	for (unsigned k = 0; k < KEYS; k += step) {
		struct record r = random_record(w->n.a, w->state.dataset, true, k);
		struct buf b = { .a = w->n.a };

		record_print(&b, &r, NULL);
		fresh[n].json = buf_done(&b);
		fresh[n].key = record_key(w->n.a, &r);
		read_record(w->n.a, &r, &fresh[n++]);
	}
	qsort(fresh, n, sizeof(*fresh), by_key);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_TRUE(index_build_add(w->b, fresh[i].key, fresh[i].json, err));
		replace_document(w, &fresh[i]);
	}
	CU_ASSERT_TRUE(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_TRUE(index_state_add(w->directory, &w->state, s, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	qsort(w->docs, w->ndocs, sizeof(*w->docs), by_key);
	w->n.samples = w->docs;
	w->n.nsamples = w->ndocs;
	free(fresh);
}

static void
remove_records(struct world *w, unsigned step)
{
	char err[INDEX_FAULT] = "";
	bool had = false;
	size_t n = 0;

	for (size_t i = 0; i < w->ndocs; i++) {
		if (i % step != 0) {
			w->docs[n++] = w->docs[i];
			continue;
		}
		CU_ASSERT_TRUE(
		    index_state_remove(w->directory, &w->state, w->docs[i].key, &had, err));
		CU_ASSERT_TRUE(had);
	}
	w->n.nsamples = w->ndocs = n;
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
}

static void
merge_all(struct world *w)
{
	size_t which[] = { 0, 1, 2 };
	struct index_merge *m = index_merge_begin(&w->state, which, COUNT(which));
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";

	CU_ASSERT_EQUAL_FATAL(w->state.nsegments, COUNT(which));
	CU_ASSERT_TRUE(index_merge_write(m, w->directory, &fresh, err));
	CU_ASSERT_TRUE(index_merge_take(m, w->directory, &w->state, fresh, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	CU_ASSERT_EQUAL(w->state.nsegments, 1);
	index_merge_free(m);
}

/* ---- services ---- */

/* The document of the view that a service of a host is. */
static void
read_service(struct world *w, const struct naive_doc *host, const struct naive_values *service,
    struct naive_doc *out)
{
	const struct schema_field *fields;
	size_t n = schema_fields(DATASET_SERVICES, &fields);
	const struct naive_value *port = NULL, *transport = NULL;
	struct buf key = { .a = w->n.a };
	char kind;

	for (size_t i = 0; i < n; i++) {
		const struct naive_values *from = fields[i].of->nested ? service : &host->own;

		for (size_t k = 0; k < from->n; k++)
			if (from->v[k].field == fields[i].of) {
				if (strcmp(fields[i].name, "port") == 0)
					port = &from->v[k];
				if (strcmp(fields[i].name, "transport") == 0)
					transport = &from->v[k];
				out->own.v[out->own.n] = from->v[k];
				out->own.v[out->own.n++].field = &fields[i];
			}
	}
	if (port == NULL || transport == NULL)
		panic("a service has no name");
	kind = str_is(transport->s, "tcp") ? 1 : str_is(transport->s, "udp") ? 2 : 3;
	buf_str(&key, host->key);
	buf_char(&key, (char)(port->i >> 8));
	buf_char(&key, (char)port->i);
	buf_char(&key, kind);
	out->key = buf_done(&key);
}

static void
compare_services(struct world *w, unsigned queries)
{
	struct naive_doc *hosts = w->docs;
	size_t nhosts = w->ndocs;

	w->docs = calloc(nhosts * NAIVE_SERVICES + 1, sizeof(*w->docs));
	w->ndocs = 0;
	for (size_t i = 0; i < nhosts; i++)
		for (size_t k = 0; k < hosts[i].nservices; k++)
			read_service(w, &hosts[i], &hosts[i].services[k], &w->docs[w->ndocs++]);
	qsort(w->docs, w->ndocs, sizeof(*w->docs), by_key);
	w->n.dataset = DATASET_SERVICES;
	w->n.samples = w->docs;
	w->n.nsamples = w->ndocs;
	compare_many(w, queries);
	free(w->docs);
	w->docs = hosts;
	w->ndocs = nhosts;
	w->n.dataset = w->state.dataset;
	w->n.samples = w->docs;
	w->n.nsamples = w->ndocs;
}

static void
services_are_a_view_of_hosts(void) /* C-403 */
{
	struct world w;

	world_begin_with(&w, DATASET_HOSTS, 60);
	random_seed = 88172645463325252u;
	add_records(&w, 2);
	compare_services(&w, 100);
	add_records(&w, 7);
	add_records(&w, 5);
	remove_records(&w, 9);
	compare_services(&w, 200);
	merge_all(&w);
	compare_services(&w, 100);
	world_end(&w);
}

/* After an import, after a second one that replaces some records, after deletions, and after a merge. */
static void
dataset_answers_exactly(enum dataset d)
{
	struct world w;

	world_begin_with(&w, d, 40 + d);
	random_seed = 88172645463325252u + d;
	add_records(&w, 2);
	compare_many(&w, 150);
	add_records(&w, 7);
	add_records(&w, 5);
	remove_records(&w, 9);
	compare_many(&w, 150);
	merge_all(&w);
	compare_many(&w, 100);
	world_end(&w);
}

static void
every_dataset_answers_exactly(void) /* C-402 */
{
	for (int d = 0; d < DATASETS; d++)
		dataset_answers_exactly((enum dataset)d);
}

/* ---- keys ---- */

/* Keys with one shared beginning, in ascending order: every second number. */
static struct str
numbered_key(unsigned i, struct segment_key *room)
{
	room->n = (size_t)snprintf((char *)room->bytes, sizeof(room->bytes), "org\1%s\1%05u%.*s",
	    i % 64 < 32 ? "a" : "example", 2 * i, (int)(i % 40),
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	return segment_key_str(room);
}

static int
by_bytes(const void *a, const void *b)
{
	return str_cmp(segment_key_str(a), segment_key_str(b));
}

enum { NUMBERED = 1000 };

static struct keys
make_keys(struct key_list *list, struct segment_key sorted[NUMBERED])
{
	uint64_t end;

	for (unsigned i = 0; i < NUMBERED; i++)
		(void)numbered_key(i, &sorted[i]);
	qsort(sorted, NUMBERED, sizeof(*sorted), by_bytes);
	for (unsigned i = 0; i < NUMBERED; i++)
		CU_ASSERT_TRUE(keys_add(list, segment_key_str(&sorted[i])));
	CU_ASSERT_FALSE(keys_add(list, segment_key_str(&sorted[NUMBERED - 1])));
	CU_ASSERT_FALSE(keys_add(list, STR("")));
	end = list->bytes.n;
	buf_add(&list->at, &end, sizeof(end));
	return (struct keys){ .n = NUMBERED,
		.at = (const uint64_t *)(const void *)list->at.p,
		.bytes = (const unsigned char *)list->bytes.p,
		.nbytes = list->bytes.n };
}

static void
keys_are_read_as_they_were_written(void)
{
	struct segment_key *sorted = calloc(NUMBERED, sizeof(*sorted)), got;
	struct key_list list = { .n = 0 };
	struct keys k = make_keys(&list, sorted);
	unsigned wrong = 0;

	CU_ASSERT_TRUE(keys_are_whole(&k));
	for (unsigned i = 0; i < NUMBERED; i++) {
		struct segment_key next = sorted[i];

		keys_read(&k, i, &got);
		next.bytes[next.n++] = 0;
		wrong += !str_eq(segment_key_str(&got), segment_key_str(&sorted[i]));
		wrong += keys_lower(&k, segment_key_str(&sorted[i])) != i;
		wrong += keys_lower(&k, segment_key_str(&next)) != i + 1;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(keys_lower(&k, STR("")), 0);
	CU_ASSERT_EQUAL(keys_lower(&k, STR("p")), NUMBERED);
	keys_free(&list);
	free(sorted);
}

/* Sanitizers see a read or a write outside. keys_are_whole refuses broken lengths and wrong orders; other changes of the
   bytes of a key are left to the checksum of the section. */
static void
damaged_keys_stay_within_bounds(void)
{
	struct segment_key *sorted = calloc(NUMBERED, sizeof(*sorted)), got;
	struct key_list list = { .n = 0 };
	struct keys k = make_keys(&list, sorted);
	unsigned long total = 0, refused = 0;

	random_seed = 88172645463325252u;
	for (unsigned i = 0; i < 500; i++) {
		char *p = random_pick(4) == 0 ? list.at.p + random_pick((unsigned)list.at.n)
					      : list.bytes.p + random_pick((unsigned)list.bytes.n);
		char was = *p;

		*p = (char)(was ^ (1 + random_pick(255)));
		refused += !keys_are_whole(&k);
		for (unsigned n = 0; n < NUMBERED; n += 7) {
			keys_read(&k, n, &got);
			total += got.n;
			CU_ASSERT_TRUE(
			    got.n <= KEY_MAX && keys_lower(&k, segment_key_str(&got)) <= NUMBERED);
		}
		*p = was;
	}
	CU_ASSERT_TRUE(total > 0);
	CU_ASSERT_TRUE(refused > 50);
	CU_ASSERT_TRUE(keys_are_whole(&k));
	keys_free(&list);
	free(sorted);
}

/* An upgrade must find the files of the former releases, whose only dataset was hosts. */
static void
files_of_hosts_keep_their_names(void) /* C-410 */
{
	char path[64];

	CU_ASSERT_EQUAL(INDEX_VERSION, 5);
	CU_ASSERT_EQUAL(INDEX_OLDEST, 3);
	manifest_path(".", DATASET_HOSTS, 0, path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "./hosts.manifest");
	segment_path(".", DATASET_HOSTS, 10, path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "./hosts-000000000000000a.seg");
	CU_ASSERT_EQUAL(
	    index_field_hash(schema_find(DATASET_HOSTS, STR("os"))), UINT64_C(0x06837f8bb2260f7e));
	CU_ASSERT_EQUAL(index_field_hash(schema_find(DATASET_HOSTS, STR("services.port"))),
	    UINT64_C(0xefd6d0e23f953d99));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "every dataset answers random queries exactly (C-402)",
		    every_dataset_answers_exactly },
		{ "services answer random queries as a view of hosts (C-403)",
		    services_are_a_view_of_hosts },
		{ "keys are read as they were written", keys_are_read_as_they_were_written },
		{ "damaged keys are read within their bounds", damaged_keys_stay_within_bounds },
		{ "the files of hosts have the names of former releases (C-410)",
		    files_of_hosts_keep_their_names },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
