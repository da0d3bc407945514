/* SPDX-License-Identifier: ISC */
/* src/detection: queries, anchors and samples of detection rules. */
#include "config.h"

#include "detection/sample.h"
#include "json/tree.h"
#include "t/unit/tap.h"

static struct arena *arena, *scratch;
static const struct ts now = { 1767225600LL * 1000000 }; /* 2026-01-01T00:00:00Z */

static struct rule_query
parsed(enum dataset d, const char *query, const char *exclude)
{
	struct rule_query_fault fault;
	struct rule_query q;

	if (!rule_query_parse(arena, d, str_of(query), str_of(exclude), now, &q, &fault)) {
		printf("# %s: %.*s\n", fault.member, (int)fault.fault.message.n,
		    fault.fault.message.p);
		CU_FAIL_FATAL("the query is refused");
	}
	return q;
}

static void
exclude_takes_away(void)
{
	static const struct {
		const char *query, *exclude;
		bool passes;
	} rows[] = { { "product:redis", "", true }, { "", "", true },
		{ "product:redis", "port:6379", false }, { "product:redis", "port:22", true },
		{ "product:ssh", "port:22", false }, { "", "product:redis", false },
		{ "ip:192.0.2.0/24", "product:ssh OR port:22", true } };
	const struct match_document d = {
		.own = json_parse(
		    arena, STR("{\"ip\":\"192.0.2.7\",\"port\":6379,\"product\":\"Redis\"}"))
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rule_query q = parsed(DATASET_SERVICES, rows[i].query, rows[i].exclude), one,
				  besides;

		CU_ASSERT_EQUAL(rule_query_passes(scratch, &q, &d, NULL), rows[i].passes);
		one = (struct rule_query){ .excludes = false };
		rule_query_join(arena, &q, NULL, &one.query);
		CU_ASSERT_EQUAL(rule_query_passes(scratch, &one, &d, NULL), rows[i].passes);
		besides = parsed(DATASET_SERVICES, "NOT port:22", "");
		rule_query_join(arena, &q, &besides.query, &one.query);
		CU_ASSERT_FALSE(rule_query_passes(scratch, &one, &d, NULL));
	}
}

static void
faults_name_the_member(void)
{
	struct rule_query_fault fault;
	struct rule_query q;

	CU_ASSERT_FALSE(
	    rule_query_parse(arena, DATASET_HOSTS, STR("os:("), STR(""), now, &q, &fault));
	CU_ASSERT_STRING_EQUAL(fault.member, "query");
	CU_ASSERT_EQUAL(fault.fault.at, 5); /* the end, where a value is missing */
	CU_ASSERT_FALSE(rule_query_parse(
	    arena, DATASET_HOSTS, STR("os:linux"), STR("colour:red"), now, &q, &fault));
	CU_ASSERT_STRING_EQUAL(fault.member, "exclude");
	CU_ASSERT_EQUAL(fault.fault.at, 1);
}

static void
an_anchor_is_what_must_match(void)
{
	static const struct {
		const char *query, *field; /* field NULL: no anchor */
		size_t values;
	} rows[] = { { "services.product:redis", "services.product", 1 }, { "", NULL, 0 },
		{ "services.product:redis OR services.port:22", NULL, 0 },
		{ "services.port:{22,23,24} AND services.product:ssh", "services.product", 1 },
		{ "NOT services.product:redis", NULL, 0 }, { "services.product:red*", NULL, 0 },
		{ "services:(port:{80,443} -product:nginx)", "services.port", 2 },
		{ "ip:192.0.2.0/24", "ip", 1 }, { "hostnames:example.com", "hostnames", 1 },
		{ "redis", NULL, 0 }, { "tags.category:malware", NULL, 0 },
		{ "services.port>22", NULL, 0 }, { "services.http.title:login", NULL, 0 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rule_query q = parsed(DATASET_HOSTS, rows[i].query, "asn:1");
		const struct node *anchor = rule_query_anchor(&q);

		if (rows[i].field == NULL) {
			CU_ASSERT_PTR_NULL(anchor);
			continue;
		}
		CU_ASSERT_PTR_NOT_NULL_FATAL(anchor);
		CU_ASSERT_STRING_EQUAL(anchor->field->name, rows[i].field);
		CU_ASSERT_EQUAL(anchor->nvalues, rows[i].values);
	}
}

static void
time_is_noticed(void)
{
	static const struct {
		enum dataset dataset;
		const char *query, *exclude;
		bool uses;
	} rows[] = { { DATASET_CERTIFICATES, "expired:true", "", true },
		{ DATASET_CERTIFICATES, "not_after<2026-01-01", "", false },
		{ DATASET_CERTIFICATES, "not_after<now+14d", "", true },
		{ DATASET_HOSTS, "services.port:22", "last_seen<now-7d", true },
		{ DATASET_HOSTS, "services.product:now", "", false } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rule_query q = parsed(rows[i].dataset, rows[i].query, rows[i].exclude);

		CU_ASSERT_EQUAL(rule_query_uses_now(&q), rows[i].uses);
	}
}

static void
samples_are_judged(void)
{
	struct rule_query q = parsed(DATASET_SERVICES,
	    "http.capabilities:\"api/ollama\" AND http.capabilities:\"auth/none\"", "");
	struct rule_sample open = { .match = true,
		.record = json_parse(arena, STR("{\"port\":11434,\"http\":{\"capabilities\":[\"api/"
						"ollama\",\"auth/none\"]}}")) },
			   closed = { .record = json_parse(arena,
					  STR("{\"port\":443,\"http\":{\"status_code\":401}}")) };

	CU_ASSERT_TRUE(rule_sample_passes(scratch, &q, &open, NULL, 0, NULL));
	CU_ASSERT_TRUE(rule_sample_passes(scratch, &q, &closed, NULL, 0, NULL));
	closed.match = true;
	CU_ASSERT_FALSE(rule_sample_passes(scratch, &q, &closed, NULL, 0, NULL));
}

/* 60 patterns that nearly match each of 64 texts of 64 KiB would take seconds. */
static void
an_evaluation_ends_at_its_limit(void)
{
	enum { SERVICES = 64, PATTERNS = 60, TEXT = 65536 };
	struct buf doc = { .a = arena }, query = { .a = arena };
	struct match_limit limit = { .until = 0 };
	struct match_document d;
	struct rule_query q, not ;
	int64_t from;

	for (int i = 0; i < SERVICES; i++) {
		buf_printf(&doc, "%s{\"port\":%d,\"transport\":\"tcp\",\"banner\":\"",
		    i == 0 ? "{\"ip\":\"192.0.2.7\",\"services\":[" : ",", i + 1);
		for (int k = 0; k < TEXT; k++)
			buf_char(&doc, 'a');
		buf_z(&doc, "\"}");
	}
	buf_z(&doc, "]}");
	for (int i = 0; i < PATTERNS; i++)
		buf_printf(&query, "%sservices.banner:*aaaaaaaab%d", i == 0 ? "" : " OR ", i);
	buf_char(&query, '\0');
	d = (struct match_document){ .own = json_parse(arena, buf_done(&doc)) };
	q = parsed(DATASET_HOSTS, query.p, "");
	not = parsed(DATASET_HOSTS, "ip:192.0.2.7", query.p);
	for (int i = 0; i < 2; i++) {
		from = cpu_us();
		limit = (struct match_limit){ .until = from + 20000 };
		CU_ASSERT_FALSE(rule_query_passes(scratch, i == 0 ? &q : &not, &d, &limit));
		CU_ASSERT_TRUE(limit.over);
		CU_ASSERT_TRUE(cpu_us() - from < 500000);
	}
	limit = (struct match_limit){ .until = cpu_us() + 60000000 };
	q = parsed(DATASET_HOSTS, "ip:192.0.2.7", "");
	CU_ASSERT_TRUE(rule_query_passes(scratch, &q, &d, &limit));
	CU_ASSERT_FALSE(limit.over);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "A document that exclude finds does not match", exclude_takes_away },
		{ "A fault names its member and position (C-145)", faults_name_the_member },
		{ "An anchor is a test that each matching document passes (C-152)",
		    an_anchor_is_what_must_match },
		{ "A query that depends on the time is noticed (C-155)", time_is_noticed },
		{ "A sample is judged as its author expects (C-148)", samples_are_judged },
		{ "The evaluation of one document ends when its CPU time is over (C-156)",
		    an_evaluation_ends_at_its_limit },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new(SIZE_MAX / 4);
	scratch = arena_new(SIZE_MAX / 4);
	rc = tap_main(tests);
	arena_free(arena);
	arena_free(scratch);
	return rc;
}
