/* SPDX-License-Identifier: ISC */
/* src/search/index with the random records of every dataset: its answers to random queries against those of looking at
   every record (C-402). */
#include "config.h"

#include "search/index/format/segment.h"
#include "t/unit/random_record.h"
#include "t/unit/record_world.h"
#include "t/unit/tap.h"

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

/* ---- the order of documents ---- */

/* The bytes of a segment's file after its header, which has its id. */
static struct str
segment_body(const struct world *w, const struct index_segment *s)
{
	struct buf b = { .a = w->n.a };
	char path[4096], part[4096];
	size_t n;
	FILE *f;

	segment_path(w->directory, s->dataset, s->file.id, path, sizeof(path));
	f = fopen(path, "rb");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	CU_ASSERT_TRUE_FATAL(b.n > sizeof(struct segment_header));
	return (
	    struct str){ b.p + sizeof(struct segment_header), b.n - sizeof(struct segment_header) };
}

static void
order_of_arrival_changes_no_segment(void)
{
	struct naive_doc *fresh = calloc(KEYS, sizeof(*fresh));

	for (int d = 0; d < DATASETS; d++) {
		struct index_segment mixed, sorted;
		struct world w;
		size_t n;

		world_begin_with(&w, (enum dataset)d, 40);
		random_seed = 88172645463325252u + (unsigned)d;
		n = make_records(&w, 1, fresh);
		mixed = write_records(&w, fresh, n);
		qsort(fresh, n, sizeof(*fresh), by_key);
		sorted = write_records(&w, fresh, n);
		CU_ASSERT_TRUE(str_eq(segment_body(&w, &mixed), segment_body(&w, &sorted)));
		world_end(&w);
	}
	free(fresh);
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

/* An upgrade finds the files and the fields of the release before. */
static void
files_and_fields_keep_their_names(void) /* C-410 */
{
	char path[64];

	CU_ASSERT_EQUAL(INDEX_VERSION, 1);
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
		{ "a segment is the same in whichever order its documents arrive",
		    order_of_arrival_changes_no_segment },
		{ "keys are read as they were written", keys_are_read_as_they_were_written },
		{ "damaged keys are read within their bounds", damaged_keys_stay_within_bounds },
		{ "the files and the fields of an index keep their names (C-410)",
		    files_and_fields_keep_their_names },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
