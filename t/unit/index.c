/* SPDX-License-Identifier: ISC */
/* src/search/index: random documents and queries against looking at everything, several segments
   with replaced documents, broken files, budgets. */
#include "config.h"

#include "search/engine.h"
#include "search/index/write/build_priv.h"
#include "search/index/format/ordinals.h"
#include "search/index/format/parity.h"
#include "t/unit/index_world.h"
#include "t/unit/query_print.h"
#include "t/unit/tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void
one_segment_answers_exactly(void)
{
	struct world w;

	world_begin(&w, 1);
	add_segment(&w, 400, 1000);
	compare_many(&w, 400);
	world_end(&w);
}

/* The environment has another number of queries and of documents for make campaign-agree. */
static void
two_evaluators_agree_with_the_index(void)
{
	const char *text = getenv("AGREE");
	unsigned n = text == NULL ? 500 : (unsigned)strtoul(text, NULL, 10);
	struct world w;

	world_begin(&w, 151);
	add_segment(&w, n / 2, 3 * n);
	add_segment(&w, n - n / 2, 3 * n);
	compare_judgements(&w, n);
	world_end(&w);
}

static void
several_segments_answer_exactly(void)
{
	struct world w;

	world_begin(&w, 2);
	add_segment(&w, 200, 600);
	add_segment(&w, 30, 600);
	add_segment(&w, 60, 900);
	add_segment(&w, 1, 900);
	CU_ASSERT_TRUE(w.state.segments[0].ndead > 0);
	compare_many(&w, 400);
	world_end(&w);
}

/* The key of an IPv4 address; it lives until the next call. */
static struct str
v4_key(uint32_t ip)
{
	static char key[5] = { 4 };

	for (int i = 0; i < 4; i++)
		key[1 + i] = (char)(ip >> (24 - 8 * i));
	return (struct str){ key, sizeof(key) };
}

/* ---- files ---- */

static struct str
read_all(const char *path, struct arena *a)
{
	struct buf b = { .a = a };
	FILE *f = fopen(path, "r");
	int c;

	while (f != NULL && (c = getc(f)) != EOF)
		buf_char(&b, (char)c);
	if (f != NULL)
		fclose(f);
	return buf_done(&b);
}

static void
write_all(const char *path, struct str s)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(s.p, 1, s.n, f) != s.n || fclose(f) != 0)
		panic("%s: not written", path);
}

/* Opens the directory again and returns the fault, "" for none. */
static void
problem_of(const struct world *w, char out[INDEX_FAULT])
{
	struct engine *e = engine_open_index(w->directory);
	struct node all = { .type = NODE_ALL };
	struct query q = { .dataset = DATASET_HOSTS, .root = &all };
	struct engine_status st;
	struct count n;

	engine_status(e, DATASET_HOSTS, &st);
	snprintf(out, INDEX_FAULT, "%s", st.problem == NULL ? "" : st.problem);
	CU_ASSERT_EQUAL(engine_count(e, w->n.a, &q, &plenty, &n),
	    st.problem == NULL ? ENGINE_OK : ENGINE_UNAVAILABLE);
	engine_close(e);
}

static void
broken_files_are_refused(void)
{
	char segment[4096], manifest[4096], parity[4096], why[INDEX_FAULT];
	const char *files[] = { segment, manifest };
	struct world w;

	world_begin(&w, 3);
	add_segment(&w, 20, 100);
	segment_path(
	    w.directory, DATASET_HOSTS, w.state.segments[0].file.id, segment, sizeof(segment));
	snprintf(manifest, sizeof(manifest), "%s/hosts.manifest", w.directory);
	parity_path(segment, parity, sizeof(parity));
	CU_ASSERT_EQUAL(unlink(parity), 0); /* t/unit/index_damage.c is about files that have one */
	problem_of(&w, why);
	CU_ASSERT_STRING_EQUAL(why, "");
	for (int k = 0; k < 2; k++) {
		struct str whole = read_all(files[k], w.n.a), copy;
		unsigned accepted = 0;

		for (unsigned i = 0; i < 200; i++) {
			uint32_t at = naive_random(&w.n, (uint32_t)whole.n);

			copy = arena_str(w.n.a, whole);
			((char *)(uintptr_t)copy.p)[at] ^= (char)(1 << naive_random(&w.n, 8));
			if (i % 4 == 0)
				copy = (struct str){ whole.p, at };
			write_all(files[k], copy);
			problem_of(&w, why);
			accepted += why[0] == '\0';
		}
		CU_ASSERT_EQUAL(accepted, 0);
		write_all(files[k], whole);
	}
	problem_of(&w, why);
	CU_ASSERT_STRING_EQUAL(why, "");
	unlink(segment);
	problem_of(&w, why);
	CU_ASSERT_STRING_NOT_EQUAL(why, "");
	world_end(&w);
}

/* Bytes of the sections changed and the checksums made right again. */
static struct str
forged(struct world *w, struct str whole, uint64_t *checksum)
{
	char *p = (char *)(uintptr_t)arena_str(w->n.a, whole).p;
	struct segment_header *h = (struct segment_header *)(void *)p;
	struct section *table = (struct section *)(void *)(p + h->table_at);

	for (uint32_t i = 0, n = 1 + naive_random(&w->n, 20); i < n; i++) {
		const struct section *s = &table[naive_random(&w->n, h->nsections)];

		p[s->at + naive_random(&w->n, (uint32_t)s->n)] = (char)naive_random(&w->n, 256);
	}
	for (uint32_t i = 0; i < h->nsections; i++)
		table[i].checksum = index_checksum(p + table[i].at, table[i].n, table[i].kind);
	h->checksum = 0;
	h->checksum =
	    index_checksum(table, h->nsections * sizeof(*table), index_checksum(h, sizeof(*h), 0));
	*checksum = h->checksum;
	return (struct str){ p, whole.n };
}

static void
forged_files_cannot_crash(void)
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(DATASET_HOSTS, &fields), taken = 0;
	char segment[4096], err[INDEX_FAULT];
	struct str whole;
	struct world w;

	world_begin(&w, 4);
	add_segment(&w, 300, 1000);
	segment_path(
	    w.directory, DATASET_HOSTS, w.state.segments[0].file.id, segment, sizeof(segment));
	whole = read_all(segment, w.n.a);
	for (unsigned i = 0; i < 150; i++) {
		struct engine *e;

		write_all(segment, forged(&w, whole, &w.state.segments[0].file.checksum));
		CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
		e = engine_open_index(w.directory);
		for (unsigned k = 0; k < 10; k++) {
			struct query q = { .dataset = DATASET_HOSTS,
				.root = naive_query(&w.n, 3, false) };
			struct agg agg = { &fields[naive_random(&w.n, (uint32_t)nfields)], 100 };
			struct page_request want = { .limit = 20 };
			struct group g;
			struct page page;

			costs_use(world_costs(k));
			if (!agg.field->aggregatable)
				continue;
			if (engine_aggregate(e, w.n.a, &q, &plenty, &agg, 1, &g) == ENGINE_OK)
				taken++;
			(void)!engine_search(e, w.n.a, &q, &plenty, &want, &page);
		}
		engine_close(e);
	}
	costs_use(NULL);
	CU_ASSERT_TRUE(taken > 100);
	world_end(&w);
}

static void
a_refused_generation_leaves_the_old_one(void)
{
	int64_t until = mono_us() + 120000000;
	struct engine_status st;
	char segment[4096];
	struct engine *e;
	struct world w;

	world_begin(&w, 5);
	add_segment(&w, 30, 100);
	e = engine_open_index(w.directory);
	add_segment(&w, 40, 100);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[w.state.nsegments - 1].file.id,
	    segment, sizeof(segment));
	CU_ASSERT_EQUAL(truncate(segment, 1000), 0);
	do {
		engine_refresh(e);
		engine_status(e, DATASET_HOSTS, &st);
	} while (st.problem == NULL && mono_us() < until);
	CU_ASSERT_PTR_NOT_NULL(st.problem);
	CU_ASSERT_EQUAL(st.generation, 1);
	CU_ASSERT_EQUAL(st.documents, 30);
	index_state_drop(&w.state, w.state.nsegments - 1, w.state.nsegments);
	add_segment(&w, 50, 100);
	do {
		engine_refresh(e);
		engine_status(e, DATASET_HOSTS, &st);
	} while (st.generation < 3 && mono_us() < until);
	CU_ASSERT_EQUAL(st.generation, 3);
	CU_ASSERT_PTR_NULL(st.problem);
	engine_close(e);
	world_end(&w);
}

static void
a_state_survives_being_stored(void)
{
	struct index_state back;
	char err[INDEX_FAULT];
	struct world w;

	world_begin(&w, 6);
	index_state_snapshot(&w.state, STR("10:20:10,14"));
	add_segment(&w, 30, 100);
	add_segment(&w, 30, 100);
	CU_ASSERT_TRUE(index_state_load(w.directory, DATASET_HOSTS, &back, err));
	CU_ASSERT_EQUAL(back.generation, 2);
	CU_ASSERT_STRING_EQUAL(back.snapshot, "10:20:10,14");
	CU_ASSERT_EQUAL(back.nsegments, w.state.nsegments);
	CU_ASSERT_EQUAL(back.segments[0].ndead, w.state.segments[0].ndead);
	CU_ASSERT_EQUAL(back.tags.n, 4);
	CU_ASSERT_TRUE(str_is(index_tags_find(&back.tags, STR("c2"))->categories[1], "malware/c2"));
	index_state_free(&back);
	world_end(&w);
}

static void
there_is_one_writer(void)
{
	struct world w;
	int one, two;

	world_begin(&w, 7);
	one = index_lock(w.directory);
	CU_ASSERT_TRUE(one >= 0);
	CU_ASSERT_EQUAL(index_lock(w.directory), -1);
	close(one);
	two = index_lock(w.directory);
	CU_ASSERT_TRUE(two >= 0);
	close(two);
	world_end(&w);
}

static void
work_is_bounded(void) /* C-059, C-066 */
{
	struct budget late = { mono_us() - 1, UINT64_MAX }, poor = { INT64_MAX, 3 };
	struct budget sliced = { INT64_MAX, UINT64_MAX, .slice_until = mono_us() };
	struct budget unused = { INT64_MAX, UINT64_MAX, .slice_cpu = INT64_MAX,
		.slice_until = INT64_MAX };
	struct agg agg = { schema_find(DATASET_HOSTS, STR("services.port")), 10 };
	struct query q = { .dataset = DATASET_HOSTS };
	struct query_fault fault;
	struct engine *e;
	struct count n;
	struct group g;
	struct world w;

	world_begin(&w, 8);
	add_segment(&w, 200, 400);
	e = engine_open_index(w.directory);
	CU_ASSERT_TRUE(query_parse(w.n.a, DATASET_HOSTS,
	    STR("services.product:*ng* AND NOT country_code:US"), ts_now(), &q, &fault));
	CU_ASSERT_EQUAL(engine_count(e, w.n.a, &q, &late, &n), ENGINE_TIMEOUT);
	CU_ASSERT_EQUAL(engine_aggregate(e, w.n.a, &q, &late, &agg, 1, &g), ENGINE_TIMEOUT);
	CU_ASSERT_EQUAL(engine_count(e, w.n.a, &q, &poor, &n), ENGINE_TOO_EXPENSIVE);
	CU_ASSERT_EQUAL(engine_aggregate(e, w.n.a, &q, &poor, &agg, 1, &g), ENGINE_TIMEOUT);
	CU_ASSERT_EQUAL(engine_count(e, w.n.a, &q, &sliced, &n), ENGINE_SLICED);
	CU_ASSERT_EQUAL(engine_aggregate(e, w.n.a, &q, &sliced, &agg, 1, &g), ENGINE_SLICED);
	CU_ASSERT_EQUAL(engine_count(e, w.n.a, &q, &unused, &n), ENGINE_OK);
	CU_ASSERT_EQUAL(engine_count(e, w.n.a, &q, &plenty, &n), ENGINE_OK);
	engine_close(e);
	world_end(&w);
}

/* 400 hosts with products of 16,000 letters each, in upper case, so that they are folded to compare. */
static void
add_long_terms(struct world *w)
{
	struct index_segment s;
	char err[INDEX_FAULT] = "";

	for (unsigned i = 0; i < 400; i++) {
		struct buf b = { .a = w->n.a };

		buf_printf(&b, "{\"ip\":\"10.1.%u.%u\",\"os\":\"", i / 256, i % 256);
		for (unsigned k = 0; k < 16000; k++)
			buf_char(&b, 'A');
		buf_printf(&b, "%u\"}", i);
		CU_ASSERT_TRUE(index_build_add(w->b, v4_key(0x0a010000 + i), buf_done(&b), err));
	}
	CU_ASSERT_TRUE(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_TRUE(index_state_add(w->directory, &w->state, s, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
}

/* Work is counted in what is looked at, not in terms, and no request's memory holds folded terms. */
static void
long_terms_and_patterns_are_bounded(void) /* C-059, C-066 */
{
	struct buf pattern = { 0 }, values = { 0 };
	struct query q = { .dataset = DATASET_HOSTS };
	struct arena *small = arena_new(16 * 1024 * 1024);
	struct query_fault fault;
	struct budget soon;
	struct engine *e;
	struct count n;
	struct world w;
	clock_t began;

	world_begin(&w, 9);
	add_long_terms(&w);
	e = engine_open_index(w.directory);
	buf_z(&pattern, "os:{");
	for (unsigned i = 0; i < 40; i++) {
		buf_z(&pattern, i == 0 ? "*" : ",*");
		for (unsigned k = 0; k < 150 + i; k++)
			buf_char(&pattern, 'a');
		buf_z(&pattern, "b*");
	}
	buf_char(&pattern, '}');
	CU_ASSERT_TRUE(query_parse(w.n.a, DATASET_HOSTS, buf_done(&pattern), ts_now(), &q, &fault));
	began = clock();
	soon = (struct budget){ mono_us() + 100000, UINT64_MAX };
	CU_ASSERT_EQUAL(engine_count(e, small, &q, &soon, &n), ENGINE_TIMEOUT);
	/* Of its own time, however busy the machine; a sanitizer is slow. */
	CU_ASSERT_TRUE((clock() - began) / CLOCKS_PER_SEC < 3);
	soon = (struct budget){ INT64_MAX, 1000000 };
	CU_ASSERT_EQUAL(engine_count(e, small, &q, &soon, &n), ENGINE_TOO_EXPENSIVE);
	arena_reset(small);
	buf_z(&values, "os:{aa");
	for (unsigned i = 0; i < 250; i++)
		buf_printf(&values, ",aa%u", i);
	buf_char(&values, '}');
	CU_ASSERT_TRUE(query_parse(w.n.a, DATASET_HOSTS, buf_done(&values), ts_now(), &q, &fault));
	CU_ASSERT_EQUAL(engine_count(e, small, &q, &plenty, &n), ENGINE_OK);
	CU_ASSERT_EQUAL(n.n, 0);
	engine_close(e);
	arena_free(small);
	buf_free(&pattern);
	buf_free(&values);
	world_end(&w);
}

static void
bad_documents_are_named(void)
{
	static const struct str bad[] = { STR_INIT(""), STR_INIT("[]"),
		STR_INIT("{\"ip\": \"10.0.0.1\""), STR_INIT("{\"ip\": \"10.0.0.1\"} x"),
		STR_INIT("{\"os\": \"\\u12\"}"), STR_INIT("{\"ip\": \"\\"), STR_INIT("{\"a\": }") };
	static const struct str keys[] = { STR_INIT(""), STR_INIT("\4abc"), STR_INIT("\5abcd"),
		STR_INIT("\4abcde"), STR_INIT("\6abcd") };
	struct index_tags none = { 0 };
	char err[INDEX_FAULT];

	for (size_t i = 0; i < COUNT(bad) + COUNT(keys); i++) {
		struct index_builder *b = index_build_new(DATASET_HOSTS, &none);
		struct str key = i < COUNT(bad) ? v4_key(9) : keys[i - COUNT(bad)];

		CU_ASSERT_FALSE(index_build_add(b, key, i < COUNT(bad) ? bad[i] : STR("{}"), err));
		CU_ASSERT_PTR_NOT_NULL(strstr(err, "document 1: "));
		index_build_free(b);
	}
}

static void
a_key_is_taken_once(void)
{
	struct index_tags none = { 0 };
	struct index_segment s;
	char err[INDEX_FAULT];

	for (int d = 0; d < DATASETS; d++) {
		struct index_builder *b = index_build_new((enum dataset)d, &none);

		CU_ASSERT_TRUE(index_build_add(b, v4_key(9), STR("{}"), err));
		CU_ASSERT_TRUE(index_build_add(b, v4_key(8), STR("{}"), err));
		CU_ASSERT_TRUE(index_build_add(b, v4_key(9), STR("{}"), err));
		CU_ASSERT_FALSE(index_build_write(b, "/nowhere", &s, err));
		CU_ASSERT_STRING_EQUAL(err, "two documents have one key");
		index_build_free(b);
	}
}

/* ---- files that change while an engine has them mapped ---- */

static enum engine_rc
count_all(struct engine *e, const struct world *w, uint64_t *n)
{
	struct node all = { .type = NODE_ALL };
	struct query q = { .dataset = DATASET_HOSTS, .root = &all };
	struct count count = { 0 };
	enum engine_rc rc = engine_count(e, w->n.a, &q, &plenty, &count);

	*n = count.n;
	return rc;
}

static void
a_truncated_file_kills_no_reader(void) /* C-423 */
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("hostnames"));
	char path[4096], err[INDEX_FAULT];
	struct segment *seg;
	const struct terms *t;
	struct term_text room;
	struct world w;
	struct engine *e;
	uint64_t n, bytes = 0;

	world_begin(&w, 11);
	add_segment(&w, 3000, 10000);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	e = engine_open_index(w.directory);
	seg = segment_open(w.directory, &w.state.segments[0], SEGMENT_BY_MARK, err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(seg);
	CU_ASSERT_EQUAL(truncate(path, 4096), 0);
	t = segment_terms(seg, f, PART_VALUES);
	for (uint32_t i = 0; i < t->n; i++)
		bytes += terms_str(t, i, &room).n;
	CU_ASSERT_EQUAL(bytes, 0);
	CU_ASSERT_EQUAL(seg->file.lost, 1);
	CU_ASSERT_FALSE(mapped_intact(&seg->file));
	segment_close(seg);
	CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_UNAVAILABLE);
	engine_refresh(e);
	CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_UNAVAILABLE);
	engine_close(e);
	world_end(&w);
}

static void
a_known_file_is_trusted_and_another_is_verified(void) /* C-423 */
{
	char err[INDEX_FAULT];
	struct segment *seg;
	char path[4096];
	struct world w;

	world_begin(&w, 12);
	add_segment(&w, 30, 100);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	seg = segment_open(w.directory, &w.state.segments[0], SEGMENT_BY_MARK, err);
	CU_ASSERT_TRUE(seg != NULL && seg->file.trusted);
	segment_close(seg);
	CU_ASSERT_EQUAL(utimes(path, NULL), 0);
	seg = segment_open(w.directory, &w.state.segments[0], SEGMENT_BY_MARK, err);
	CU_ASSERT_TRUE(seg != NULL && !seg->file.trusted);
	segment_close(seg);
	world_end(&w);
}

/* Replaces the content of a file that is mapped and sets its times back, so that only the bounds of each read protect the
   reader. */
static void
replace_in_place(const char *path, struct str s)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(fstat(fd, &st), 0);
	CU_ASSERT_EQUAL(pwrite(fd, s.p, s.n, 0), (ssize_t)s.n);
	CU_ASSERT_EQUAL(futimens(fd, (struct timespec[]){ st.st_atim, st.st_mtim }), 0);
	close(fd);
}

/* A copy of a file with up to 200 numbers of its sections replaced, some by small ones, some by large ones. */
static struct str
rotten(struct world *w, struct str whole)
{
	char *p = (char *)(uintptr_t)arena_str(w->n.a, whole).p;
	const struct segment_header *h = (const struct segment_header *)(const void *)whole.p;
	const struct section *table = (const struct section *)(const void *)(whole.p + h->table_at);

	for (uint32_t i = 0, n = 1 + naive_random(&w->n, 200); i < n; i++) {
		const struct section *s = &table[naive_random(&w->n, h->nsections)];
		uint32_t v = naive_random(&w->n, 4) * 0x55555555u;

		v ^= naive_random(&w->n, 1u << naive_random(&w->n, 31));
		memcpy(p + s->at + naive_random(&w->n, (uint32_t)s->n) / 4 * 4, &v, sizeof(v));
	}
	return (struct str){ p, whole.n };
}

/* Asks every kind of query and facet; any answer is right but one outside of memory. */
static unsigned
ask_everything(struct world *w, struct engine *e)
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(DATASET_HOSTS, &fields);
	unsigned answered = 0;

	for (size_t i = 0; i < nfields; i++) {
		struct query q = { .dataset = DATASET_HOSTS, .root = naive_query(&w->n, 3, false) };
		struct agg agg = { &fields[i], 100 };
		struct page_request want = { .limit = 20 };
		struct group g;
		struct page page;

		costs_use(world_costs((unsigned)i));
		if (fields[i].aggregatable)
			answered +=
			    engine_aggregate(e, w->n.a, &q, &plenty, &agg, 1, &g) == ENGINE_OK;
		(void)!engine_search(e, w->n.a, &q, &plenty, &want, &page);
	}
	costs_use(NULL);
	return answered;
}

/* A view adds up the totals of a field when it is first asked for. Every second engine does so before the damage, the
   others add up damaged numbers. */
static void
damage_in_place_stays_inside_of_memory(void) /* C-423 */
{
	struct arena *kept = arena_new(SIZE_MAX / 4);
	char paths[3][4096], err[INDEX_FAULT];
	struct str whole[COUNT(paths)];
	struct index_segment fresh;
	unsigned answered = 0, merged = 0;
	struct index_merge *m;
	struct world w;

	world_begin(&w, 17);
	add_segment(&w, 500, 1200);
	add_segment(&w, 200, 1200);
	segment_path(
	    w.directory, DATASET_HOSTS, w.state.segments[0].file.id, paths[0], sizeof(*paths));
	segment_path(
	    w.directory, DATASET_HOSTS, w.state.segments[1].file.id, paths[1], sizeof(*paths));
	ordinals_path(
	    w.directory, DATASET_HOSTS, w.state.segments[1].ordinals.id, paths[2], sizeof(*paths));
	for (size_t k = 0; k < COUNT(paths); k++)
		whole[k] = read_all(paths[k], kept);
	for (unsigned i = 0; i < 60; i++) {
		struct engine *e = engine_open_index(w.directory);

		if (i % 2 == 0)
			answered += ask_everything(&w, e);
		for (size_t k = 0; k < COUNT(paths); k++)
			replace_in_place(paths[k], rotten(&w, whole[k]));
		answered += ask_everything(&w, e);
		m = index_merge_begin(&w.state, (const size_t[]){ 0, 1 }, 2);
		merged += index_merge_write(m, w.directory, &fresh, err);
		index_merge_free(m);
		for (size_t k = 0; k < COUNT(paths); k++)
			replace_in_place(paths[k], whole[k]);
		engine_close(e);
	}
	CU_ASSERT_TRUE(answered > 1000);
	CU_ASSERT_EQUAL(merged, 0); /* its checksums would be those of damaged content */
	arena_free(kept);
	world_end(&w);
}

/* ---- a release with one more field ---- */

static enum engine_rc
ask(struct engine *e, const struct world *w, struct str text, uint64_t *n)
{
	struct query q = { .dataset = DATASET_HOSTS };
	struct count count = { 0 };
	struct query_fault fault;
	enum engine_rc rc;

	CU_ASSERT_TRUE(query_parse(w->n.a, DATASET_HOSTS, text, ts_now(), &q, &fault));
	rc = engine_count(e, w->n.a, &q, &plenty, &count);
	*n = count.n;
	return rc;
}

static void
an_index_with_one_field_fewer_is_served(void) /* C-410 */
{
	const struct schema_field *fields, *missing;
	size_t nfields = schema_fields(DATASET_HOSTS, &fields);
	char named[128];
	struct agg agg = { .limit = 5 };
	struct group g;
	struct world w;
	struct engine *e;
	uint64_t n;

	world_begin(&w, 13);
	missing = &fields[nfields - 1];
	index_build_free(w.b);
	w.b = build_new(DATASET_HOSTS, &w.state.tags, nfields - 1);
	w.b->pairs_from = 1;
	add_segment(&w, 300, 1000);
	add_segment(&w, 20, 1000);
	e = engine_open_index(w.directory);
	CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
	CU_ASSERT_EQUAL(n, w.ndocs);
	CU_ASSERT_EQUAL(ask(e, &w, STR("services.port:>0"), &n), ENGINE_OK);
	CU_ASSERT_TRUE(n > 0);
	CU_ASSERT_EQUAL(ask(e, &w, STR("nothing"), &n), ENGINE_OK);
	snprintf(named, sizeof(named), "%s:*", missing->name);
	CU_ASSERT_EQUAL(ask(e, &w, str_of(named), &n), ENGINE_UNAVAILABLE);
	agg.field = schema_find(DATASET_HOSTS, STR("services.product"));
	CU_ASSERT_EQUAL(engine_aggregate(e, w.n.a,
			    &(struct query){ .dataset = DATASET_HOSTS,
				.root = &(struct node){ .type = NODE_ALL } },
			    &plenty, &agg, 1, &g),
	    ENGINE_OK);
	CU_ASSERT_TRUE(g.nbuckets > 0);
	engine_close(e);
	world_end(&w);
}

/* ---- hosts with many services ---- */

static struct str
host_with_every_service(struct arena *a)
{
	static const char *const transports[] = { "tcp", "udp", "sctp" };
	struct buf b = { .a = a };

	buf_z(&b, "{\"ip\":\"10.0.0.1\",\"services\":");
	for (size_t t = 0; t < COUNT(transports); t++)
		for (unsigned port = 0; port < 65536; port++)
			buf_printf(&b, "%s{\"port\":%u,\"transport\":\"%s\"}",
			    t == 0 && port == 0 ? "[" : ",", port, transports[t]);
	buf_z(&b, "]}");
	return buf_done(&b);
}

static void
a_host_with_every_service_lists_the_matching_ones(void)
{
	struct query q = { .dataset = DATASET_HOSTS };
	struct page_request want = { .limit = 1 };
	struct page page = { 0 };
	struct query_fault fault;
	struct index_segment s;
	char err[INDEX_FAULT] = "";
	struct engine *e;
	struct str host;
	struct world w;

	world_begin(&w, 18);
	host = host_with_every_service(w.n.a);
	CU_ASSERT_TRUE(host.n <= LIM_HOST_BYTES);
	CU_ASSERT_TRUE_FATAL(index_build_add(w.b, v4_key(0xc0000201), host, err));
	CU_ASSERT_TRUE_FATAL(index_build_write(w.b, w.directory, &s, err));
	CU_ASSERT_TRUE_FATAL(index_state_add(w.directory, &w.state, s, err));
	CU_ASSERT_TRUE_FATAL(index_publish(w.directory, &w.state, err));
	e = engine_open_index(w.directory);
	CU_ASSERT_TRUE(query_parse(
	    w.n.a, DATASET_HOSTS, STR("services.transport:sctp"), ts_now(), &q, &fault));
	CU_ASSERT_EQUAL(engine_search(e, w.n.a, &q, &plenty, &want, &page), ENGINE_OK);
	CU_ASSERT_EQUAL_FATAL(page.nhits, 1);
	CU_ASSERT_EQUAL_FATAL(page.hits[0].nnested, 65536);
	CU_ASSERT_EQUAL(page.hits[0].nested[65535].number, 65535);
	CU_ASSERT_TRUE(str_is(page.hits[0].nested[65535].text[0], "sctp"));
	engine_close(e);
	world_end(&w);
}

/* ---- cost ---- */

/* The hosts of a segment. The environment has another number for make campaign-search. */
static unsigned
distinct_hosts(void)
{
	const char *text = getenv("DISTINCT");

	return text == NULL ? 20000 : (unsigned)strtoul(text, NULL, 10);
}

/* Hosts that each have a value that no other host of any segment has. */
static void
add_distinct(struct world *w, unsigned nth)
{
	struct index_segment s;
	char err[INDEX_FAULT] = "", json[256];

	for (unsigned i = 0; i < distinct_hosts(); i++) {
		unsigned number = nth * distinct_hosts() + i;
		int n = snprintf(json, sizeof(json),
		    "{\"ip\":\"10.%u.%u.%u\",\"services\":[{\"port\":80,\"banner_hash\":"
		    "\"%08x%024x\"}]}",
		    number >> 16, number >> 8 & 255, number & 255, number * 2654435761u, number);

		CU_ASSERT_TRUE_FATAL(index_build_add(
		    w->b, v4_key(0x0a000000 + number), (struct str){ json, (size_t)n }, err));
	}
	CU_ASSERT_TRUE_FATAL(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_TRUE_FATAL(index_state_add(w->directory, &w->state, s, err));
}

static void
the_first_facet_of_a_large_field_is_cheap(void) /* C-409 */
{
	struct agg agg = { schema_find(DATASET_HOSTS, STR("services.banner_hash")), 25 };
	struct query q = { .dataset = DATASET_HOSTS, .root = &(struct node){ .type = NODE_ALL } };
	char err[INDEX_FAULT] = "";
	clock_t took[2];
	struct engine *e;
	struct group g;
	struct world w;

	world_begin(&w, 14);
	for (unsigned i = 0; i < 7; i++)
		add_distinct(&w, i);
	CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
	CU_ASSERT_EQUAL(w.state.nsegments, 7);
	e = engine_open_index(w.directory);
	for (unsigned i = 0; i < 2; i++) {
		took[i] = clock();
		CU_ASSERT_EQUAL(engine_aggregate(e, w.n.a, &q, &plenty, &agg, 1, &g), ENGINE_OK);
		took[i] = clock() - took[i];
		CU_ASSERT_EQUAL(g.nbuckets, 25);
		CU_ASSERT_TRUE(g.has_more);
	}
	/* 20 ms are for a million values; a sanitizer is slow, and a quadratic join took seconds. */
	CU_ASSERT_TRUE((took[0] - took[1]) * 1000 / CLOCKS_PER_SEC < 60);
	engine_close(e);
	world_end(&w);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "an index of one segment answers exactly", one_segment_answers_exactly },
		{ "an index of several segments answers exactly", several_segments_answer_exactly },
		{ "the index and both evaluators agree on each document (C-151)",
		    two_evaluators_agree_with_the_index },
		{ "broken files of an index are refused", broken_files_are_refused },
		{ "forged files of an index cannot crash a reader", forged_files_cannot_crash },
		{ "a refused generation leaves the old one in use",
		    a_refused_generation_leaves_the_old_one },
		{ "the state of the index survives storage", a_state_survives_being_stored },
		{ "a second writer of an index is refused", there_is_one_writer },
		{ "the work of a query is limited", work_is_bounded },
		{ "long terms and patterns are limited", long_terms_and_patterns_are_bounded },
		{ "documents that cannot be indexed are named", bad_documents_are_named },
		{ "a segment of any dataset refuses a second document of one key",
		    a_key_is_taken_once },
		{ "a truncated file kills no reader", a_truncated_file_kills_no_reader },
		{ "a known file is trusted and another one is verified",
		    a_known_file_is_trusted_and_another_is_verified },
		{ "damage of a trusted file never leads outside of memory",
		    damage_in_place_stays_inside_of_memory },
		{ "an index with one field fewer is served",
		    an_index_with_one_field_fewer_is_served },
		{ "a host with every service lists the matching ones",
		    a_host_with_every_service_lists_the_matching_ones },
		{ "the first facet of a large field is cheap",
		    the_first_facet_of_a_large_field_is_cheap },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
