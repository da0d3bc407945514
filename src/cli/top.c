/* SPDX-License-Identifier: ISC */
/* surfacectl top: the requests that this host answers now, by operation, from the counters in
   shared memory. */
#include "config.h"

#include "cli/cli.h"
#include "counting/metrics.h"
#include "daemon/conf.h"

#include <inttypes.h>
#include <unistd.h>

enum { SECONDS_MAX = 3600, ARENA_CAP = 16 * 1024 * 1024 };

struct tally {
	uint64_t good, refused, failed; /* by status: below 400, 4xx, 5xx */
	uint64_t buckets[METRICS_BUCKETS];
};

static struct tally
tally_of(const struct metrics *m, uint32_t operation)
{
	struct tally t = { 0 };

	for (size_t k = 0; k < METRICS_STATUSES; k++) {
		const struct histogram *h = &m->requests[operation][k];
		uint64_t n = 0;

		for (size_t i = 0; i < METRICS_BUCKETS; i++) {
			uint64_t in = atomic_load(&h->buckets[i]);

			t.buckets[i] += in;
			n += in;
		}
		if (metrics_statuses[k] >= 500)
			t.failed += n;
		else if (metrics_statuses[k] >= 400)
			t.refused += n;
		else
			t.good += n;
	}
	return t;
}

struct line {
	struct str operation;
	double per_second, p50_ms, p95_ms;
	int64_t good, refused, failed;
};

static const struct field line_out[] = {
	FIELD(struct line, operation, 0),
	FIELD(struct line, per_second, 0),
	FIELD(struct line, good, 0),
	FIELD(struct line, refused, 0),
	FIELD(struct line, failed, 0),
	FIELD(struct line, p50_ms, 0),
	FIELD(struct line, p95_ms, 0),
	FIELD_END,
};

static struct line
difference(const char *name, const struct tally *before, const struct tally *now, int64_t seconds)
{
	struct line l = { .operation = str_of(name),
		.good = (int64_t)(now->good - before->good),
		.refused = (int64_t)(now->refused - before->refused),
		.failed = (int64_t)(now->failed - before->failed) };
	uint64_t buckets[METRICS_BUCKETS];

	for (size_t i = 0; i < METRICS_BUCKETS; i++)
		buckets[i] = now->buckets[i] - before->buckets[i];
	l.per_second = (double)(l.good + l.refused + l.failed) / (double)seconds;
	l.p50_ms = metrics_quantile_ms(buckets, 0.5);
	l.p95_ms = metrics_quantile_ms(buckets, 0.95);
	return l;
}

static int
busier(const void *a, const void *b)
{
	double one = ((const struct line *)a)->per_second,
	       other = ((const struct line *)b)->per_second;

	return (one < other) - (one > other);
}

/* Prints the requests of one interval, the busiest operation first. The counters in shared memory
   only grow, and are never reset, as the metrics are written from them as well. An interval is
   therefore the difference of two readings, also for the buckets of the histogram, from which the
   quantiles are estimated. Each counter is read atomically, but not all at one moment: a request
   may be counted in its status and missing in the rate of another line. An operation that is
   registered during the interval begins at zero. */
static int
print_interval(struct cli *c, const struct metrics *m, int64_t seconds)
{
	struct tally *before = ARENA_ARRAY(c->arena, METRICS_OPERATIONS, struct tally);
	struct line *lines = ARENA_ARRAY(c->arena, METRICS_OPERATIONS, struct line);
	struct list list = { lines, 0 };
	uint32_t n;

	for (uint32_t i = 0; i < METRICS_OPERATIONS; i++)
		before[i] = tally_of(m, i);
	sleep((unsigned)seconds);
	n = atomic_load(&m->operations);
	for (uint32_t i = 0; i < n && i < METRICS_OPERATIONS; i++) {
		struct tally now = tally_of(m, i);
		struct line l = difference(m->names[i], &before[i], &now, seconds);

		if (l.good + l.refused + l.failed > 0)
			lines[list.n++] = l;
	}
	qsort(lines, list.n, sizeof(*lines), busier);
	if (!c->json && isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
	return cli_print_list(c, "operations", line_out, list, sizeof(struct line));
}

static bool
parse_count(struct str given, int64_t *n)
{
	return given.p == NULL || (str_int64(given, n) && *n >= 1 && *n <= SECONDS_MAX);
}

static int
run_top(struct cli *c, int argc, char **argv)
{
	struct str interval = STR_NULL, times = STR_NULL;
	const struct cli_option options[] = { { "interval", .text = &interval },
		{ "times", .text = &times }, { NULL } };
	int64_t seconds = 1, rounds = INT64_MAX; /* until it is interrupted */
	struct cli_list words;
	struct cli view;
	struct metrics *m;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (!parse_count(interval, &seconds) || !parse_count(times, &rounds))
		return cli_usage(
		    c, "--interval and --times want a number from 1 to %d", SECONDS_MAX);
	m = metrics_view();
	if (m == NULL)
		return cli_fail(EXIT_FAILED,
		    "%s/metrics-*.map cannot be read: is this the host, and its"
		    " run_directory?",
		    conf.run_directory);
	view = *c;
	view.arena = arena_new(ARENA_CAP); /* memory of one round */
	for (int64_t i = 0; i < rounds; i++) {
		print_interval(&view, m, seconds);
		arena_reset(view.arena);
		fflush(stdout);
	}
	arena_free(view.arena);
	metrics_close(m);
	return EXIT_OK;
}

static const struct command top_command = { "top", "[--interval SECONDS] [--times N]",
	"requests of this host by operation, again and again", .run = run_top };

COMMAND(top_command);
