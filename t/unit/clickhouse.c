/* SPDX-License-Identifier: ISC */
/* src/search/clickhouse without a server: the statement of each node, the alphabet of statements, decoding, and what codes
   mean. t/search/clickhouse-records.t compares the answers of servers. */
#include "config.h"

#include "search/clickhouse/decode.h"
#include "search/clickhouse/http.h"
#include "search/clickhouse/sql.h"
#include "search/clickhouse/words.h"
#include "t/unit/index_naive.h"
#include "t/unit/tap.h"

static struct arena *a;

/* The plan of a query over layout 1, whose tests of dictionaries have the numbers 1 and 2 of their fields. */
static struct ch_plan
plan_of(enum dataset d, const char *text)
{
	struct query *q = ARENA_NEW(a, struct query);
	struct query_fault fault = { 0 };
	struct ch_plan p;

	if (!query_parse(a, d, str_of(text), (struct ts){ 1000000 }, q, &fault))
		panic("%s: %.*s", text, (int)fault.message.n, fault.message.p);
	ch_plan_begin(&p, a, q, 1, "surfaced");
	for (size_t i = 0; i < p.nlookups; i++) {
		p.lookups[i].ids = ARENA_ARRAY(a, 2, uint32_t);
		p.lookups[i].ids[0] = p.lookups[i].field->index << CH_ID_SHIFT | 1;
		p.lookups[i].n = 1;
	}
	return p;
}

/* The condition of a count. */
static struct str
condition_of(enum dataset d, const char *text)
{
	struct ch_plan p = plan_of(d, text);
	struct str sql = ch_sql_count(&p), mark = STR(" FINAL WHERE gone = 0"),
		   tail = STR(") FORMAT RowBinary");
	const char *from = memmem(sql.p, sql.n, mark.p, mark.n);

	if (from == NULL)
		panic("%.*s", (int)sql.n, sql.p);
	from += mark.n;
	return (struct str){ from, (size_t)(sql.p + sql.n - from) - tail.n };
}

struct golden {
	enum dataset dataset;
	const char *query, *condition;
};

static void
each_node_has_its_statement(void) /* C-419 */
{
	static const struct golden golden[] = {
#define GOLDEN(dataset, query, condition) { DATASET_##dataset, query, condition },
#include "t/unit/clickhouse_golden.h"
#undef GOLDEN
	};

	for (size_t i = 0; i < COUNT(golden); i++) {
		struct str got = condition_of(golden[i].dataset, golden[i].query);
		bool same = str_is(got, golden[i].condition);

		CU_ASSERT_TRUE(same);
		if (!same)
			printf("# GOLDEN(%s, \"%s\",\n#\t\"%.*s\")\n",
			    schema_dataset_name(golden[i].dataset), golden[i].query, (int)got.n,
			    got.p);
	}
}

/* The words and signs that statements are made of. A text of a user would bring others. */
static bool
is_of_alphabet(struct str sql)
{
	static const char allowed[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ (),.'`=<>+-*[]";

	for (size_t i = 0; i < sql.n; i++)
		if (sql.p[i] == '\0' || strchr(allowed, sql.p[i]) == NULL)
			return false;
	return true;
}

/* Texts stand in unhex('...') alone; the other quoted texts are constants of the compiler. */
static bool
has_quotes_of_our_own(struct str sql)
{
	static const char *const ours[] = { "groupUniqArrayArray", "groupArrayArray", ".",
		"all_1_9_2", "all_10_10_0", "hosts_1", "dns_1", "surfaced" };
	static const struct str call = STR_INIT("unhex(");

	for (const char *p = sql.p, *end = sql.p + sql.n;
	     (p = memchr(p, '\'', (size_t)(end - p)));) {
		const char *close = memchr(p + 1, '\'', (size_t)(end - p - 1));
		struct str text = { p + 1, close == NULL ? 0 : (size_t)(close - p - 1) };
		bool good = false;

		if (close == NULL)
			return false;
		for (size_t i = 0; i < COUNT(ours); i++)
			good |= str_is(text, ours[i]);
		if (p - sql.p >= (ptrdiff_t)call.n && memcmp(p - call.n, call.p, call.n) == 0)
			good = strspn(text.p, "0123456789ABCDEF") == text.n && text.n % 2 == 0;
		if (!good)
			return false;
		p = close + 1;
	}
	return true;
}

static unsigned statements;

static void
check_statement(struct str sql)
{
	if (sql.p == NULL)
		return;
	statements++;
	CU_ASSERT_TRUE(is_of_alphabet(sql));
	CU_ASSERT_TRUE(has_quotes_of_our_own(sql));
	CU_ASSERT_PTR_NULL(memmem(sql.p, sql.n, "ngin", 4));
	CU_ASSERT_PTR_NULL(memmem(sql.p, sql.n, "example", 7));
}

static void
check_statements(const struct ch_plan *p)
{
	struct page_request first = { .after = STR_NULL, .limit = 10 },
			    next = { .after = STR("';DROP"), .limit = 10 };
	struct str key = STR("\x04\n'\\\"");
	const struct schema_field *f;
	size_t n = schema_fields(p->query->dataset, &f);

	check_statement(ch_sql_lookup(p));
	check_statement(ch_sql_parts(p));
	check_statement(ch_sql_count(p));
	check_statement(ch_sql_page(p, &first));
	check_statement(ch_sql_page(p, &next));
	check_statement(p->view ? STR_NULL : ch_sql_matched(p, &key, 1));
	for (; n > 0; n--, f++) {
		const struct schema_field *own = f->of != NULL ? f->of : f;

		if (!f->aggregatable)
			continue;
		if (ch_facet_of(f) == CH_FACET_TEXTS)
			check_statement(ch_sql_facet_texts(p, &(struct agg){ f, 5 }));
		else
			check_statement(ch_sql_facets(p, &own, 1, 6));
	}
}

static const struct ch_part_lists two_parts = { STR_INIT("'all_1_9_2'"),
	STR_INIT("'all_10_10_0'") };

static void
no_byte_of_a_query_is_in_a_statement(void) /* C-419 */
{
	struct naive n = { .a = a, .random = 7 };

	for (int i = 0; i < 300; i++) {
		struct query q = { .dataset = DATASET_HOSTS };
		struct ch_plan p;

		q.root = naive_query(&n, 3, false);
		ch_plan_begin(&p, a, &q, 1, "surfaced");
		check_statements(&p);
		p.parts = two_parts;
		check_statements(&p);
	}
	for (const char *const *text = (const char *const[]){ "os:\"a'b\\\\c\"",
		 "services.banner_hash:abc*%_", "hostnames:example.com ip:192.0.2.0/24",
		 "\"😀\" services:(banner:\"it's\")", NULL };
	     *text != NULL; text++) {
		struct ch_plan p = plan_of(DATASET_HOSTS, *text);

		check_statements(&p);
	}
	CU_ASSERT_TRUE(statements > 1000);
}

static void
parts_are_read_with_final_or_without(void) /* C-419 */
{
	static const char
	    all[] = "SELECT toUInt64(sum(n)) FROM (SELECT count() AS n FROM all_hosts_1 FINAL WHERE"
		    " gone = 0 AND has(i_asn, 5)) FORMAT RowBinary",
	    large[] = "SELECT toUInt64(sum(n)) FROM (SELECT count() AS n FROM all_hosts_1 WHERE"
		      " gone = 0 AND _part IN ('all_1_9_2') AND has(i_asn, 5)) FORMAT RowBinary",
	    both[] = "SELECT toUInt64(sum(n)) FROM (SELECT count() AS n FROM all_hosts_1 WHERE"
		     " gone = 0 AND _part IN ('all_1_9_2') AND has(i_asn, 5)"
		     " AND place NOT IN (SELECT place FROM `surfaced`.hosts_1 WHERE _part IN"
		     " ('all_10_10_0'))"
		     " UNION ALL SELECT count() AS n FROM all_hosts_1 FINAL WHERE gone = 0"
		     " AND _part IN ('all_10_10_0') AND has(i_asn, 5)) FORMAT RowBinary";
	struct ch_plan p = plan_of(DATASET_HOSTS, "asn:5");

	CU_ASSERT_TRUE(str_is(ch_sql_count(&p), all));
	p.parts.large = two_parts.large;
	CU_ASSERT_TRUE(str_is(ch_sql_count(&p), large));
	p.parts.small = two_parts.small;
	CU_ASSERT_TRUE(str_is(ch_sql_count(&p), both));
}

static void
names_of_databases_are_quoted(void)
{
	struct ch_plan p = plan_of(DATASET_HOSTS, "*");
	struct str want = STR("`a\\`b\\\\c`.hosts_1"), got;

	p.parts = two_parts;
	p.database = "a`b\\c";
	got = ch_sql_count(&p);
	CU_ASSERT_PTR_NOT_NULL(memmem(got.p, got.n, want.p, want.n));
}

/* The expressions of ch_sql_facets, in C. */
static uint64_t
packed(unsigned field, int64_t value)
{
	return UINT64_C(1) << 63 | (uint64_t)field << 55 |
	       ((uint64_t)value & ((UINT64_C(1) << 55) - 1));
}

static void
packed_values_are_unpacked(void)
{
	static const int64_t values[] = { 0, 1, -1, 443, INT32_MIN, INT32_MAX, INT64_C(1) << 53,
		-(INT64_C(1) << 54) };
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("os"));
	struct ch_packed p = ch_unpack(ch_id(f, 5, STR("x")));

	CU_ASSERT_EQUAL(p.field, f->index);
	CU_ASSERT_EQUAL(p.value, ch_id(f, 5, STR("x")));
	CU_ASSERT_TRUE(p.shown);
	CU_ASSERT_FALSE(ch_unpack(ch_id(f, 5, STR(""))).shown);
	for (size_t i = 0; i < COUNT(values); i++) {
		p = ch_unpack(packed(200, values[i]));
		CU_ASSERT_EQUAL(p.field, 200);
		CU_ASSERT_EQUAL(p.value, values[i]);
		CU_ASSERT_TRUE(p.shown);
	}
}

static void
each_integer_fits_a_packed_value(void)
{
	static const struct {
		const char *name, *type;
		int64_t least, most;
	} fields[] = {
#define SEARCH_FIELD(dataset, name, type, aggregatable, store, form, least, most, items, merge)                        \
	{ name, #type, least, most },
#include "tbl/fields.h"
	};

	for (size_t i = 0; i < COUNT(fields); i++) {
		bool fits = fields[i].least >= -(INT64_C(1) << (CH_PACKED_BITS - 1)) &&
			    fields[i].most < INT64_C(1) << (CH_PACKED_BITS - 1);

		CU_ASSERT_TRUE(strcmp(fields[i].type, "INTEGER") != 0 || fits);
	}
	CU_ASSERT_TRUE(COUNT(fields) > 100);
}

/* Values of a dictionary pass by the rules of the index, whatever SQL has found. */
static void
values_that_were_looked_up_are_tested_again(void)
{
	struct ch_plan p = plan_of(DATASET_HOSTS, "os:linux os:=Linux os:l?n*");
	unsigned os = schema_find(DATASET_HOSTS, STR("os"))->index;

	CU_ASSERT_EQUAL_FATAL(p.nlookups, 3);
	for (size_t i = 0; i < 3; i++)
		p.lookups[i].n = 0;
	ch_plan_offer(&p, os, STR("Linux"), 1);
	ch_plan_offer(&p, os, STR("Linux"), 1);
	ch_plan_offer(&p, os, STR("LINUX"), 2);
	ch_plan_offer(&p, os, STR("Linux 6"), 3);
	ch_plan_offer(&p, os + 1, STR("Linux"), 4);
	CU_ASSERT_EQUAL(p.lookups[0].n, 2);
	CU_ASSERT_EQUAL(p.lookups[1].n, 1);
	CU_ASSERT_EQUAL(p.lookups[2].n, 3);
}

/* ---- the schema ---- */

static void
columns_have_names_of_their_own(void)
{
	for (enum dataset d = 0; d < DATASETS; d++) {
		struct ch_column c[CH_COLUMNS];
		size_t n = ch_columns(d, c);

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < i; k++)
				CU_ASSERT_STRING_NOT_EQUAL(c[i].name, c[k].name);
	}
}

/* The compiler has no statement for them. */
static void
no_dataset_has_fractions(void)
{
	const struct schema_field *f;

	for (enum dataset d = 0; d < DATASETS; d++)
		for (size_t n = schema_fields(d, &f); n > 0; n--, f++)
			CU_ASSERT_NOT_EQUAL(f->type, VALUE_NUMBER);
}

static void
numbers_of_values_say_whether_they_are_buckets(void)
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, STR("os"));

	CU_ASSERT_EQUAL(ch_id(f, 5, STR("x")), f->index << 24 | 5);
	CU_ASSERT_EQUAL(ch_id(f, 5, STR("")), f->index << 24 | 1 << 23 | 5);
}

/* The test vectors of the paper: the key 00 01 ... 0f, and the texts "", 00, 00 01, ... */
static void
siphash_is_that_of_its_authors(void)
{
	static const uint64_t want[] = { UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd),
		UINT64_C(0x0d6c8009d9a94f5a), UINT64_C(0x85676696d7fb7e2d) };
	unsigned char key[16];

	for (unsigned char i = 0; i < 16; i++)
		key[i] = i;
	for (size_t n = 0; n < COUNT(want); n++)
		CU_ASSERT_EQUAL(ch_siphash(key, (struct str){ (const char *)key, n }), want[n]);
	CU_ASSERT_EQUAL(
	    ch_siphash(key, (struct str){ (const char *)key, 15 }), UINT64_C(0xa129ca6149be45e5));
}

/* ---- answers ---- */

static void
rows_are_read_to_their_end(void)
{
	struct ch_rows r = { .a = a,
		.rest = STR("\7\2ab\1\0\0\0"
			    "\0\0\4\3\2\1") };
	struct ch_value v[CH_VALUES_MAX];

	CU_ASSERT_TRUE(ch_rows_next(&r, "bsw", v));
	CU_ASSERT_EQUAL(v[0].n, 7);
	CU_ASSERT_TRUE(str_is(v[1].s, "ab"));
	CU_ASSERT_EQUAL(v[2].n, 1);
	CU_ASSERT_TRUE(ch_rows_next(&r, "bsw", v));
	CU_ASSERT_EQUAL(v[2].n, 0x01020304);
	CU_ASSERT_FALSE(ch_rows_next(&r, "bsw", v));
	CU_ASSERT_FALSE(r.bad);
}

static void
arrays_of_arrays_give_first_values(void)
{
	struct ch_rows r = { .a = a, .rest = STR("\3\2\1a\1b\0\1\1c") };
	struct ch_value v[CH_VALUES_MAX];

	CU_ASSERT_TRUE_FATAL(ch_rows_next(&r, "T", v));
	CU_ASSERT_EQUAL_FATAL(v[0].length, 3);
	CU_ASSERT_TRUE(str_is(v[0].items[0].s, "a"));
	CU_ASSERT_FALSE(v[0].items[1].set);
	CU_ASSERT_TRUE(str_is(v[0].items[2].s, "c"));
}

static void
rows_that_end_early_are_bad(void)
{
	static const struct {
		const char *types;
		struct str rows;
	} bad[] = {
		{ "q", STR_INIT("1234567") },
		{ "s", STR_INIT("\5abcd") },
		{ "s", STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
		{ "T", STR_INIT("\3\1\1a") },
		{ "Q", STR_INIT("\1\1abc") },
		{ "w", STR_INIT("Code: 241, e.displayText()") },
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct ch_rows r = { .a = a, .rest = bad[i].rows };
		struct ch_value v[CH_VALUES_MAX];

		while (ch_rows_next(&r, bad[i].types, v))
			;
		CU_ASSERT_TRUE(r.bad);
	}
}

static void
codes_mean_what_the_manual_says(void) /* C-420 */
{
	static const struct {
		int code;
		enum ch_rc rc;
	} codes[] = { { 159, CH_TIMEOUT }, { 158, CH_EXPENSIVE }, { 168, CH_EXPENSIVE },
		{ 241, CH_EXPENSIVE }, { 396, CH_EXPENSIVE }, { 202, CH_BUSY },
		{ 279, CH_UNAVAILABLE }, { 209, CH_UNAVAILABLE }, { 210, CH_UNAVAILABLE },
		{ 242, CH_UNAVAILABLE }, { 47, CH_MISCONFIGURED }, { 60, CH_MISCONFIGURED },
		{ 81, CH_MISCONFIGURED }, { 115, CH_MISCONFIGURED }, { 192, CH_MISCONFIGURED },
		{ 193, CH_MISCONFIGURED }, { 516, CH_MISCONFIGURED }, { 62, CH_FAILED },
		{ 0, CH_FAILED } };

	for (size_t i = 0; i < COUNT(codes); i++)
		CU_ASSERT_EQUAL(ch_rc_of_code(codes[i].code), codes[i].rc);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "each node of a query has its statement (C-419)", each_node_has_its_statement },
		{ "no byte of a query is in a statement (C-419)",
		    no_byte_of_a_query_is_in_a_statement },
		{ "the parts that may have older rows are read with FINAL, the large ones without "
		  "(C-419)",
		    parts_are_read_with_final_or_without },
		{ "names of databases are quoted", names_of_databases_are_quoted },
		{ "packed values are unpacked", packed_values_are_unpacked },
		{ "each integer of a field fits a packed value", each_integer_fits_a_packed_value },
		{ "values that were looked up are tested by the rules of the index",
		    values_that_were_looked_up_are_tested_again },
		{ "each column of a table has a name of its own", columns_have_names_of_their_own },
		{ "no dataset has a field of fractions", no_dataset_has_fractions },
		{ "the number of a value says whether it can be a bucket",
		    numbers_of_values_say_whether_they_are_buckets },
		{ "SipHash is that of its authors", siphash_is_that_of_its_authors },
		{ "rows are read to their end", rows_are_read_to_their_end },
		{ "an array of arrays gives the first value of each",
		    arrays_of_arrays_give_first_values },
		{ "an answer that ends within a row is bad (C-420)", rows_that_end_early_are_bad },
		{ "codes of exceptions mean what the manual says (C-420)",
		    codes_mean_what_the_manual_says },
		CU_TEST_INFO_NULL,
	};
	int status;

	a = arena_new(SIZE_MAX / 4);
	status = tap_main(tests);
	arena_free(a);
	return status;
}
