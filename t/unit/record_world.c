/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/record_world.h"
#include "search/index/format/segment.h"
#include "t/unit/random_record.h"
#include "t/unit/tap.h"

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

int
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

/* In the order of the numbers of records, which is not that of their keys. */
size_t
make_records(struct world *w, unsigned step, struct naive_doc fresh[KEYS])
{
	size_t n = 0;

	for (unsigned k = 0; k < KEYS; k += step) {
		struct record r = random_record(w->n.a, w->state.dataset, true, k);
		struct buf b = { .a = w->n.a };

		record_print(&b, &r, NULL);
		fresh[n].json = buf_done(&b);
		fresh[n].key = record_key(w->n.a, &r);
		read_record(w->n.a, &r, &fresh[n++]);
	}
	return n;
}

struct index_segment
write_records(struct world *w, const struct naive_doc *fresh, size_t n)
{
	struct index_segment s;
	char err[INDEX_FAULT] = "";

	for (size_t i = 0; i < n; i++)
		CU_ASSERT_TRUE(index_build_add(w->b, fresh[i].key, fresh[i].json, err));
	CU_ASSERT_TRUE_FATAL(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	return s;
}

void
add_records(struct world *w, unsigned step)
{
	struct naive_doc *fresh = calloc(KEYS, sizeof(*fresh));
	size_t n = make_records(w, step, fresh);
	struct index_segment s = write_records(w, fresh, n);
	char err[INDEX_FAULT] = "";

	for (size_t i = 0; i < n; i++)
		replace_document(w, &fresh[i]);
	CU_ASSERT_TRUE(index_state_add(w->directory, &w->state, s, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	qsort(w->docs, w->ndocs, sizeof(*w->docs), by_key);
	w->n.samples = w->docs;
	w->n.nsamples = w->ndocs;
	free(fresh);
}

void
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

void
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
	out->json = host->json;
	out->place = (size_t)(service - host->services) + 1;
}

void
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
