/* SPDX-License-Identifier: ISC */
/* Each result of the engine becomes one of the codes of C-065 and C-066. */
#include "config.h"

#include "api/api.h"
#include "api/search/share.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "t/unit/tap.h"

static struct arena *arena;
static struct req rq;
static const struct key someone;

static void
begin(void)
{
	arena_reset(arena);
	rq = (struct req){ .arena = arena, .area = AREA_SEARCH, .deadline = 77, .key = &someone };
}

static enum error
after(enum engine_rc rc)
{
	begin();
	CU_ASSERT_EQUAL(run_end(&rq, rc), rc == ENGINE_OK ? PASS : FAILED);
	return rq.error;
}

static void
engine_failures_have_their_codes(void)
{
	CU_ASSERT_EQUAL(after(ENGINE_OK), ERR_UNSET);
	CU_ASSERT_EQUAL(after(ENGINE_FAILED), ERR_SEARCH_UPSTREAM_FAILED); /* C-065: 502 */
	CU_ASSERT_EQUAL(rq.status, 502);
	CU_ASSERT_EQUAL(after(ENGINE_UNAVAILABLE), ERR_SEARCH_UNAVAILABLE); /* C-065: 503 */
	CU_ASSERT_EQUAL(rq.status, 503);
	CU_ASSERT_EQUAL(after(ENGINE_TIMEOUT), ERR_SEARCH_TIMEOUT); /* C-066 */
	CU_ASSERT_EQUAL(rq.retry_after, 0);
	CU_ASSERT_EQUAL(after(ENGINE_TOO_EXPENSIVE), ERR_SEARCH_COUNT_TOO_EXPENSIVE);
}

/* C-066: Retry-After with search_busy alone. */
static void
too_many_at_once_is_busy(void)
{
	struct budget budget;

	begin();
	conf.search_parallel = 1;
	CU_ASSERT_EQUAL(share_begin(&rq, &budget), PASS);
	CU_ASSERT_EQUAL(budget.deadline, 77);
	CU_ASSERT_NOT_EQUAL(daemon_slot()->searching, 0);
	CU_ASSERT_EQUAL(budget.slice_until, 0); /* no pool surfaced_heavy: no slices */
	conf.search_parallel = 0;
	CU_ASSERT_EQUAL(share_begin(&rq, &budget), FAILED);
	CU_ASSERT_EQUAL(rq.error, ERR_SEARCH_BUSY);
	CU_ASSERT_EQUAL(rq.retry_after, 1);
}

static void
query_faults_say_where(void)
{
	struct query query;
	struct str out;

	begin();
	CU_ASSERT_EQUAL(run_parse(&rq, DATASET_HOSTS, STR("port:22 ("), &query), FAILED);
	CU_ASSERT_EQUAL(rq.error, ERR_INVALID_SEARCH_QUERY);
	out = buf_done(&rq.out);
	CU_ASSERT_PTR_NOT_NULL(memmem(out.p, out.n, "Character ", 10));
	CU_ASSERT_EQUAL(run_parse(&rq, DATASET_HOSTS, STR("port:22"), &query), PASS);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "failures of the engine have their codes (C-065, C-066)",
		    engine_failures_have_their_codes },
		{ "too many searches at once get search_busy (C-066)", too_many_at_once_is_busy },
		{ "faults of queries have their position", query_faults_say_where },
		CU_TEST_INFO_NULL,
	};
	char err[256];
	int rc;

	if (!conf_load("surfaced", NULL, err, sizeof(err)))
		panic("%s", err);
	arena = arena_new(16 * 1024 * 1024);
	rc = tap_main(tests);
	arena_free(arena);
	return rc;
}
