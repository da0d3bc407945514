/* SPDX-License-Identifier: ISC */
/* The compiler from the tree of a query to statements of ClickHouse over the tables of schema.h. It
 * performs no I/O.
 *
 *   os:linux services:(port:>8000 product:*ngin*)
 *
 *   1. ch_plan_begin      finds the tests of fields that have a dictionary: os and product
 *   2. ch_sql_lookup      one statement for the values that may pass them; of each row, ch_plan_offer keeps the number
 *                         with each test that the value passes. The test itself is made here, in C, by the functions
 *                         that the index uses; SQL only narrows what is looked at
 *   3. ch_sql_count, ...  statements over the rows, in which these tests are tests of numbers:
 *
 *        SELECT toUInt64(sum(n)) FROM (SELECT count() AS n FROM all_hosts_1 FINAL WHERE gone = 0
 *            AND (has(d_os, 201326597) AND arrayExists((s0, s1) -> (arrayExists(x -> x > 8000, s0)
 *            AND hasAny(s1, [486539266, 486539271])), i_services_port, d_services_product)))
 *
 * A test of a nested object is a lambda over parallel arrays, which all have an element for each
 * object. ClickHouse 18 does not find a column that only a lambda names, so the lambda gets
 * everything as arguments, and a test of the document as an array that repeats its result.
 *
 * No byte of a user's text is in a statement. Numbers are printed by this program, and texts are
 * unhex('...') of hexadecimal digits; ClickHouse computes these constants before it plans, so they
 * use the primary key as a literal would.
 *
 * Answers are exact, because values are counted by the number of their dictionary or by their
 * bytes, never by a hash. A statement over rows leaves out those that are not the newest of their
 * document, or an updated document would count twice until its parts are merged: it has FINAL, or
 * is a UNION of a SELECT without FINAL and one with it (parts.c). Texts are folded by the feeder
 * with the function of the index, since lowerUTF8 of ClickHouse folds differently. LIKE and
 * text_glob agree on UTF-8, where _ and ? are one character, and documents are UTF-8. */
#ifndef SEARCH_CLICKHOUSE_SQL_H
#define SEARCH_CLICKHOUSE_SQL_H

#include "search/clickhouse/schema.h"
#include "search/engine.h"

/* A test of a field that has a dictionary, and the numbers of the values that pass it. */
struct ch_lookup {
	const struct node *test;
	const struct schema_field *field; /* of the source */
	uint32_t *ids;
	size_t n;
};

/* The names of the parts that are read without FINAL and with it, each quoted, separated by commas;
   p NULL: none. Both NULL: all parts are read with FINAL. */
struct ch_part_lists {
	struct str large, small;
};

struct ch_plan {
	struct arena *a;
	const struct query *query;
	enum dataset source;
	bool view; /* documents are the nested objects of the source */
	unsigned layout;
	const char *database;
	struct ch_lookup *lookups;
	size_t nlookups;
	struct ch_part_lists parts;
};

/* A query is too expensive when more values of dictionaries than this pass its tests, all tests
   together. */
enum { CH_LOOKUP_ROWS = 20000 };

/* The field of the source that a field of a view belongs to. */
const struct schema_field *ch_own_field(const struct schema_field *f);
void ch_plan_begin(struct ch_plan *p, struct arena *a, const struct query *q, unsigned layout,
    const char *database);
/* The statement whose rows are (UInt8 field, String value, UInt32 id), at most CH_LOOKUP_ROWS + 1;
   STR_NULL: there is nothing to look up. */
struct str ch_sql_lookup(const struct ch_plan *p);
void ch_plan_offer(struct ch_plan *p, unsigned field, struct str value, uint32_t id);
/* The numbers that were offered and passed, of all tests; ch_plan_forget forgets them. */
size_t ch_plan_ids(const struct ch_plan *p);
void ch_plan_forget(struct ch_plan *p);

/* One row (UInt64). */
struct str ch_sql_count(const struct ch_plan *p);
/* Rows (String key, UInt64 nested objects), or of a view (String key of the owner, String rest of
   the key). */
struct str ch_sql_page(const struct ch_plan *p, const struct page_request *want);
/* Rows of the documents of these keys: their key, and of each naming field an array with an array
   for each nested object that passes a test of the query. STR_NULL: no test is of a nested
   object. */
struct str ch_sql_matched(const struct ch_plan *p, const struct str *keys, size_t n);

/* ---- facets ---- */

/* How the buckets of a field are counted. */
enum ch_facet {
	CH_FACET_IDS,     /* by their numbers in the dictionary */
	CH_FACET_NUMBERS, /* by themselves, as a boolean or an integer of at most CH_PACKED_BITS bits */
	CH_FACET_TEXTS, /* by their bytes */
};

enum ch_facet ch_facet_of(const struct schema_field *f);

/* A value of any field of the first two kinds:
 *
 *   bits       63   62 to 55          54 to 0
 *   ids        0    0                 the number of the dictionary, 32 bits, which has the number of the field
 *   numbers    1    number of field   the value, as a complement of two */
enum { CH_PACKED_BITS = 55 };

struct ch_packed {
	unsigned field;
	bool shown;    /* false: the value cannot be a bucket */
	int64_t value; /* the number in the dictionary, or the value */
};

struct ch_packed ch_unpack(uint64_t v);
/* Rows (UInt64 packed, UInt64 count): the buckets of these fields, all of the first two kinds; of
   each field at most `most`. The rows of a field are adjacent: first the values that may be
   buckets, and these by descending count. Numbers with equal counts are in their order, ids in
   none. */
struct str ch_sql_facets(
    const struct ch_plan *p, const struct schema_field *const *fields, size_t n, unsigned most);
/* Rows (String value, UInt64 count, UInt8 shown): the first buckets of a field of the third kind,
   in their order, at most limit + 1. Values that cannot be buckets (shown 0) come last: they only
   show that there are more values. */
struct str ch_sql_facet_texts(const struct ch_plan *p, const struct agg *agg);
/* Rows (UInt32 id, String value): the first `most` values of a field, in their order, whose count
   is exactly `count`. */
struct str ch_sql_facet_ties(
    const struct ch_plan *p, const struct schema_field *f, uint64_t count, unsigned most);
/* Rows (UInt32 id, String value) of these numbers. */
struct str ch_sql_values(const struct ch_plan *p, const uint32_t *ids, size_t n);
/* Rows (Int64 value, UInt32 id of its label) of values of a field with labels. of_hits: the labels
   that documents of the query have. */
struct str ch_sql_labels(const struct ch_plan *p, const struct schema_field *f,
    const int64_t *values, size_t n, bool of_hits);

/* ---- layouts, tags and parts ---- */

/* Rows (UInt32 layout): none, or the layout that is asked. */
struct str ch_sql_layout(struct arena *a, enum dataset d);
/* Rows (String slug, String name, String classification, Array(String) categories). */
struct str ch_sql_tags(struct arena *a);
/* Rows in the order of names, one for each name that parts of the rows have on any shard:
     String   name
     UInt64   rows of the active parts
     UInt64   on how many shards it is active, or exists
     UInt64   on how many shards it is the large part
     UInt64   how many shards there are
     UInt64   the sum of a hash of rows, bytes and time of each active part, which changes when
              a shard has another part of this name
   No row: the cluster has replicas, or there are no parts. */
struct str ch_sql_parts(const struct ch_plan *p);
#define CH_PARTS_TYPES "sqqqqqq"
/* Rows (UInt64 group, UInt64 version): the greatest version, or the smallest, that rows of these
   parts have, in each of n groups of documents. The versions of a document are in one group. If n
   is the number of shards, and these have equal weights, a group is the documents of a shard. */
struct str ch_sql_versions(const struct ch_plan *p, struct str parts, bool greatest, uint64_t n);

#endif
