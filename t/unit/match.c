/* SPDX-License-Identifier: ISC */
/* src/search/match.c: the query language on one record. */
#include "config.h"

#include "json/json.h"
#include "json/tree.h"
#include "search/query.h"
#include "t/unit/tap.h"

static struct arena *arena, *scratch;
static const struct ts now = { 1767225600LL * 1000000 }; /* 2026-01-01T00:00:00Z */

static const char finding[] =
    "{\"finding_key\":\"k\",\"finding_type\":\"Dangling_DNS\",\"severity\":\"high\","
    "\"status\":\"open\","
    "\"title\":\"Caf\\u00c9 login page, exposed\",\"description\":null,"
    "\"first_seen_at\":\"2025-12-31T10:00:00+00:00\",\"asset_name\":\"www.example.com\"}";
static const char service[] = "{\"service_key\":\"a\",\"technologies\":[\"nginx\","
			      "\"PHP\"],\"confidence\":0.75,\"tls_enabled\":false,"
			      "\"hostname\":\"WWW.Example.COM.\",\"ip\":\"192.0.2.7\","
			      "\"port\":8443,\"http_title\":\"\",\"product\":7}";

static void
is(enum dataset d, const char *record, const char *text, bool wanted)
{
	struct query_fault fault;
	struct query q;

	if (!query_parse(arena, d, str_of(text), now, &q, &fault)) {
		printf("# %s: %.*s\n", text, (int)fault.message.n, fault.message.p);
		CU_FAIL("the query is refused");
		return;
	}
	if (query_matches(scratch, &q, json_parse(arena, str_of(record))) != wanted) {
		printf("# %s\n", text);
		CU_FAIL("the record is judged wrongly");
	}
	arena_reset(arena);
}

static void
each(enum dataset d, const char *record, const char *const *yes, const char *const *no)
{
	for (; *yes != NULL; yes++)
		is(d, record, *yes, true);
	for (; *no != NULL; no++)
		is(d, record, *no, false);
}

static void
findings_pass_or_not(void)
{
	static const char *const yes[] = { "", "*", "severity:HIGH", "severity:{low,high}",
		"NOT severity:low", "finding_type:dangling_dns", "finding_type=Dangling_DNS",
		"finding_type:dang*", "finding_type:?angling_dns", "title:login",
		"title:\"page login\"", "title:caf\xc3\xa9", "title:exp*", "login", "finding_key:*",
		"NOT description:*", "status:open AND (severity:low OR title:page)",
		"first_seen_at:2025-12-31", "first_seen_at>=2025-12-31", "first_seen_at<2026-01-01",
		"first_seen_at>now-1d", "first_seen_at:[2025-12-01 TO *]",
		"asset_name:*.example.com", NULL };
	static const char *const no[] = { "severity:low", "NOT severity:high",
		"finding_type=dangling_dns", "finding_type:dangling", "title:logi",
		"title:\"login missing\"", "title:xy*", "description:*", "description:a",
		"NOT (title:login OR title:nothing)", "severity:high AND status:resolved",
		"first_seen_at:2025-12-30", "first_seen_at>2025-12-31", "asset_name:example.com",
		"missing", NULL };

	each(DATASET_FINDINGS, finding, yes, no);
}

static void
services_pass_or_not(void)
{
	static const char *const yes[] = { "port:8443", "port:22,8443", "port>8000",
		"port:[8443 TO 8443]", "port:{8442 TO 8444}", "technologies:php",
		"technologies:{ruby,nginx}", "technologies=PHP", "technologies:ng*",
		"tls_enabled:false", "confidence>=0.75", "confidence:0.75", "hostname:example.com",
		"hostname:www.example.com", "hostname=www.example.com", "hostname:*.example.com",
		"ip:192.0.2.0/24", "192.0.2.7", "ip:[192.0.2.1 TO 192.0.2.9]", "http_title=\"\"",
		NULL };
	static const char *const no[] = { "port:22", "port>8443", "port:{8443 TO 9000]",
		"technologies:ruby", "technologies=php", "tls_enabled:true", "confidence<0.75",
		"hostname:ample.com", "hostname:a.www.example.com", "ip:192.0.3.0/24",
		"ip:{192.0.2.7 TO 192.0.2.9}", "2001:db8::/32", "http_title:x", "product:*",
		"product:7", "version:*", NULL };

	each(DATASET_ASSET_SERVICES, service, yes, no);
}

static void
what_a_query_asks_is_found(void)
{
	static const struct {
		const char *query;
		bool asks;
	} rows[] = { { "", false }, { "severity:high", false }, { "status:open", true },
		{ "a OR (b AND NOT status:{open,resolved})", true }, { "status:*", true } };
	struct query_fault fault;
	struct query q;

	for (size_t i = 0; i < COUNT(rows); i++) {
		CU_ASSERT_TRUE_FATAL(
		    query_parse(arena, DATASET_FINDINGS, str_of(rows[i].query), now, &q, &fault));
		CU_ASSERT_EQUAL(query_asks(&q, "status"), rows[i].asks);
	}
}

static void
what_is_no_number_is_refused(void)
{
	static const char *const queries[] = { "confidence:high", "confidence:1.2.3",
		"confidence:1e999", "confidence:nan", "confidence:0x1" };
	struct query_fault fault;
	struct query q;

	for (size_t i = 0; i < COUNT(queries); i++)
		CU_ASSERT_FALSE(query_parse(
		    arena, DATASET_ASSET_SERVICES, str_of(queries[i]), now, &q, &fault));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "findings match a query or not", findings_pass_or_not },
		{ "services match a query or not", services_pass_or_not },
		{ "a query is known to use a field or not", what_a_query_asks_is_found },
		{ "a value that is no number is refused", what_is_no_number_is_refused },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new((size_t)16 << 20);
	scratch = arena_new((size_t)16 << 20);
	rc = tap_main(tests);
	arena_free(scratch);
	arena_free(arena);
	return rc;
}
