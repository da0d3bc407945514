/* SPDX-License-Identifier: ISC */
/* Timestamps, and the two clocks. */
#ifndef BASE_TS_H
#define BASE_TS_H

#include "base/str.h"

/* Microseconds since 1970-01-01T00:00:00Z; TS_NULL is "unset". */
struct ts {
	int64_t us;
};

#define SECOND_US INT64_C(1000000)
#define DAY_US (86400 * SECOND_US)
#define TS_NULL ((struct ts){ INT64_MIN })
#define TS_LEN 27
/* The years 0001 to 9999: what ts_parse reads and ts_print prints. */
#define TS_OLDEST_US (-62135596800000000)
#define TS_NEWEST_US 253402300799999999
bool ts_is_null(struct ts t);
bool ts_is_printable(struct ts t);
int ts_cmp(struct ts a, struct ts b);
/* RFC 3339 with an offset, real calendar days (C-081), printable in UTC. Finer than 1 us is cut. */
bool ts_parse(struct str s, struct ts *out) MUST_USE;
/* YYYY-MM-DD: midnight UTC. */
bool ts_parse_date(struct str s, struct ts *out) MUST_USE;
/* 2026-01-02T03:04:05.123456Z: one precision everywhere (C-120). Of what is printable. */
void ts_print(struct ts t, char out[TS_LEN + 1]);
struct ts ts_now(void); /* the wall clock */
int64_t mono_us(void);  /* a clock that only goes forward */
int64_t boot_us(void);  /* likewise; it also counts while the machine is suspended */
int64_t cpu_us(void);   /* CPU time of this thread; a system call, unlike mono_us() */
/* Whether it is time; then the next one is as much later. 0: at once. */
bool mono_due(int64_t *at, int64_t every);

#endif
