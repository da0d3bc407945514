/* SPDX-License-Identifier: ISC */
/* Merges the rows of a filled layout (cluster.h), with a thread for each server.
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

#include "search/clickhouse/cluster.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

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

/* Blocks all signals in the new thread, so that the main thread receives them. */
static void
start_merge(struct merge *m)
{
	sigset_t all, mask;

	sigfillset(&all);
	m->running = pthread_sigmask(SIG_SETMASK, &all, &mask) == 0 &&
		     pthread_create(&m->thread, NULL, merge_at_server, m) == 0;
	if (!m->running)
		snprintf(m->message, sizeof(m->message), "%.80s: no thread", m->url);
	if (pthread_sigmask(SIG_SETMASK, &mask, NULL) != 0)
		panic("pthread_sigmask failed");
}

static void
end_merge(struct merge *m)
{
	if (m->running && pthread_join(m->thread, NULL) != 0)
		panic("pthread_join failed");
	ch_http_close(m->http);
}

bool
ch_layout_merge(struct ch_cluster *c, enum dataset d, unsigned layout)
{
	struct merge *all = mem_array(c->nurls, sizeof(*all));
	struct ch_server server = c->server;
	struct buf optimize = { 0 }, count = { 0 };
	char table[CH_NAME];
	bool ok = true;

	ch_table_name(d, layout, CH_LOCAL_ROWS, table);
	buf_printf(&optimize, "OPTIMIZE TABLE %s FINAL", table);
	buf_printf(&count,
	    "SELECT count() FROM system.merges WHERE database = currentDatabase() AND table = '%s' "
	    "FORMAT TabSeparated",
	    table);
	for (unsigned i = 0; i < c->nurls; i++) {
		server.url = c->urls[i];
		all[i] = (struct merge){ .url = c->urls[i],
			.http = ch_http_open(&server),
			.optimize = buf_done(&optimize),
			.count = buf_done(&count),
			.deadline = mono_us() + MERGE_S * SECOND_US };
		start_merge(&all[i]);
	}
	for (unsigned i = 0; i < c->nurls; i++) {
		end_merge(&all[i]);
		if (ok && !all[i].ok)
			memcpy(c->message, all[i].message, sizeof(c->message));
		ok = ok && all[i].ok;
	}
	free(all);
	buf_free(&optimize);
	buf_free(&count);
	return ok;
}
