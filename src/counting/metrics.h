/* SPDX-License-Identifier: ISC */
/* Counters and latency histograms of one host, in a file that its processes map. surfaced-meter
   serves them to Prometheus. No program decides anything by them, so a process that cannot map the
   file runs without counting.

   Numbers are added with relaxed atomics; a scrape may see a request's bucket before its sum. An
   operation gets its number when a process first asks for it, under the file's lock, and keeps it
   as long as the file exists. */
#ifndef COUNTING_METRICS_H
#define COUNTING_METRICS_H

#include "base/base.h"

#include <stdatomic.h>

enum counter {
#define COUNTER(id, name, help) COUNTER_##id,
#include "tbl/counters.h"
#undef COUNTER
	COUNTERS,
};

enum { METRICS_OPERATIONS = 256, METRICS_NAME = 48, METRICS_STATUSES = 18, METRICS_BUCKETS = 14 };

/* Upper bounds of the buckets; the last bucket, for all slower requests, has none. */
extern const int64_t metrics_bounds_us[METRICS_BUCKETS - 1];
/* The statuses counted separately; 0, the last, for all others. */
extern const int metrics_statuses[METRICS_STATUSES];

struct histogram {
	_Atomic uint64_t buckets[METRICS_BUCKETS]; /* not cumulative */
	_Atomic uint64_t sum_us;
};

struct metrics {
	uint64_t magic;
	_Atomic uint64_t counters[COUNTERS];
	_Atomic uint32_t operations;
	char names[METRICS_OPERATIONS][METRICS_NAME];
	struct histogram requests[METRICS_OPERATIONS][METRICS_STATUSES];
};

/* Maps the file in conf.run_directory and makes it when it is missing; NULL: impossible. */
struct metrics *metrics_open(void);
/* Maps an existing file only, for surfacectl: a file that root makes could not be written by the
   daemons. */
struct metrics *metrics_view(void);
void metrics_close(struct metrics *m);
/* The number of an operation, the same for every process; -1: the table is full. */
int metrics_operation(struct metrics *m, const char *name);
void metrics_request(struct metrics *m, int operation, int status, int64_t us);
void metrics_add(struct metrics *m, enum counter c);
/* Prometheus' text format. */
void metrics_write(struct buf *b, const struct metrics *m);
/* The bound of the bucket that contains the quantile `part` (0 to 1); 0 without requests. */
double metrics_quantile_ms(const uint64_t buckets[METRICS_BUCKETS], double part);

#endif
