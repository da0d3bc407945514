/* SPDX-License-Identifier: ISC */
/* Counters and latency histograms of one host, in a file that its processes map. They are for people:
   nothing is decided by them, and where the file cannot be had nothing is counted. */
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

enum {
	METRICS_OPERATIONS = 256,
	METRICS_NAME = 48,
	METRICS_STATUSES = 18,
	METRICS_BUCKETS = 14
};

/* Requests no slower than this; the last bucket has no bound and takes the rest. */
extern const int64_t metrics_bounds_us[METRICS_BUCKETS - 1];
/* The statuses that are told apart; 0, the last, is all others. */
extern const int metrics_statuses[METRICS_STATUSES];

struct histogram {
	_Atomic uint64_t buckets[METRICS_BUCKETS]; /* each by itself */
	_Atomic uint64_t sum_us;
};

struct metrics {
	uint64_t magic;
	_Atomic uint64_t counters[COUNTERS];
	_Atomic uint32_t operations;
	char names[METRICS_OPERATIONS][METRICS_NAME];
	struct histogram requests[METRICS_OPERATIONS][METRICS_STATUSES];
};

/* conf.run_directory's file, made when it is missing; NULL: there is none. */
struct metrics *metrics_open(void);
/* For people: who looks first must not own what the daemons are to write. */
struct metrics *metrics_view(void);
void metrics_close(struct metrics *m);
/* The number of an operation, the same for every process; -1: there is no room. */
int metrics_operation(struct metrics *m, const char *name);
void metrics_request(struct metrics *m, int operation, int status, int64_t us);
void metrics_add(struct metrics *m, enum counter c);
/* Prometheus' text format. */
void metrics_write(struct buf *b, const struct metrics *m);
/* The bound below which this part (0 to 1) of the requests stayed; 0 for none. */
double metrics_quantile_ms(const uint64_t buckets[METRICS_BUCKETS], double part);

#endif
