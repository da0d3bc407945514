/* SPDX-License-Identifier: ISC */
/* Merges the rows of a filled layout (clickhouse_priv.h), with a thread for each server.
 *
 * OPTIMIZE FINAL is sent to the local table of each server. Release 18 refuses it while the server
 * merges parts of the table by itself, as it does after a fill:
 *
 *   wait until system.merges has no row of the table ---> OPTIMIZE ---> merged
 *      ^                                                     |
 *      +---- refused, at most TRIES times -------------------+--------> failed (the disk is too small, ...)
 *
 * Without optimize_throw_if_noop the server would report success although it has merged nothing. A
 * server that has begun a merge completes it even if the connection is lost. */
#include "config.h"

#include "indexer/clickhouse_priv.h"
#include "indexer/thread.h"

#include <inttypes.h>
#include <poll.h>

enum {
	MERGE_S = 12 * 3600,
	PAUSE_MS = 1000,
	TRIES = 3,
	ANSWER_MAX = 1 << 16,
	CANNOT_ASSIGN_OPTIMIZE = 388, /* the code of an exception */
};

struct merge {
	const char *url;
	struct ch_http *http;
	struct str optimize, count;
	int64_t deadline;
	pthread_t thread;
	bool running, ok;
	char message[CH_MESSAGE];
};

static bool
run_merge_statement(struct merge *m, struct str sql, const char *settings, struct ch_answer *a)
{
	const struct ch_statement s = { .sql = sql,
		.settings = settings,
		.query_id = "",
		.deadline = m->deadline,
		.most = ANSWER_MAX };
	enum ch_rc rc = ch_http_run(m->http, &s, a);

	if (rc != CH_OK)
		snprintf(m->message, sizeof(m->message), "%.80s: %s: %.250s", m->url,
		    ch_rc_name(rc), a->message);
	return rc == CH_OK;
}

static bool
wait_for_background_merges(struct merge *m)
{
	struct ch_answer a;

	while (run_merge_statement(m, m->count, "", &a)) {
		if (a.body.n > 0 && a.body.p[0] == '0')
			return true;
		(void)poll(NULL, 0, PAUSE_MS);
	}
	return false;
}

static void *
merge_at_server(void *arg)
{
	struct merge *m = arg;
	struct ch_answer a = { .code = CANNOT_ASSIGN_OPTIMIZE };

	for (int i = 0; i < TRIES && !m->ok && a.code == CANNOT_ASSIGN_OPTIMIZE; i++) {
		if (i > 0)
			(void)poll(NULL, 0, PAUSE_MS);
		if (!wait_for_background_merges(m))
			break;
		m->ok = run_merge_statement(m, m->optimize, "optimize_throw_if_noop=1", &a);
	}
	return NULL;
}

static void
start_merge(struct merge *m, struct ch_server server)
{
	server.url = m->url;
	m->http = ch_http_open(&server);
	m->deadline = mono_us() + MERGE_S * SECOND_US;
	m->running = thread_start(&m->thread, merge_at_server, m);
	if (!m->running)
		snprintf(m->message, sizeof(m->message), "%.80s: no thread", m->url);
}

static bool
end_merge(struct merge *m)
{
	if (m->running && pthread_join(m->thread, NULL) != 0)
		panic("pthread_join failed");
	ch_http_close(m->http);
	return m->ok;
}

/* Merges the rows at all servers at the same time, and logs each server that could not. */
static bool
merge_everywhere(struct ch_follower *f, struct str optimize, struct str count)
{
	unsigned n = f->cluster->nurls;
	struct merge *all = mem_array(n, sizeof(*all));
	bool ok = true;

	for (unsigned i = 0; i < n; i++) {
		all[i] = (struct merge){
			.url = f->cluster->urls[i], .optimize = optimize, .count = count
		};
		start_merge(&all[i], f->cluster->server);
	}
	for (unsigned i = 0; i < n; i++) {
		if (end_merge(&all[i]))
			continue;
		ok = false;
		log_event(LOGP_WARNING, "index",
		    "dataset=%s clickhouse=merging layout=%u failed=\"%s\"", f->name, f->at.layout,
		    all[i].message);
	}
	free(all);
	return ok;
}

void
ch_merge_layout(struct ch_follower *f)
{
	struct buf optimize = { 0 }, count = { 0 };
	int64_t start = mono_us();
	char table[CH_NAME];

	if (f->cluster->release.replicated)
		return;
	ch_table_name(f->dataset, f->at.layout, CH_LOCAL_ROWS, table);
	buf_printf(&optimize, "OPTIMIZE TABLE %s FINAL", table);
	buf_printf(&count,
	    "SELECT count() FROM system.merges WHERE database = currentDatabase() AND table = '%s' "
	    "FORMAT TabSeparated",
	    table);
	if (merge_everywhere(f, buf_done(&optimize), buf_done(&count)))
		log_event(LOGP_INFO, "index", "dataset=%s clickhouse=merged layout=%u ms=%" PRId64,
		    f->name, f->at.layout, (mono_us() - start) / 1000);
	buf_free(&optimize);
	buf_free(&count);
}
