/* SPDX-License-Identifier: ISC */
/* Timestamps and clocks. */
#ifndef BASE_TS_H
#define BASE_TS_H

#include "base/str.h"

/* Microseconds since 1970-01-01T00:00:00Z; TS_NULL means that there is no time. */
struct ts {
	int64_t us;
};

#define SECOND_US INT64_C(1000000)
#define DAY_US (86400 * SECOND_US)
#define TS_NULL ((struct ts){ INT64_MIN })
#define TS_LEN 27
/* The years 0001 to 9999, the range of ts_parse and ts_print. */
#define TS_OLDEST_US (-62135596800000000)
#define TS_NEWEST_US 253402300799999999
bool ts_is_null(struct ts t);
bool ts_is_printable(struct ts t);
int ts_cmp(struct ts a, struct ts b);
/* Parses RFC 3339 with an offset. The day must exist (C-081) and the time in UTC must be printable;
   digits finer than a microsecond are cut off. A leap second, 23:59:60 in UTC at the end of a
   month, is the second after it. */
bool ts_parse(struct str s, struct ts *out) MUST_USE;
/* Parses YYYY-MM-DD as midnight UTC. */
bool ts_parse_date(struct str s, struct ts *out) MUST_USE;
/* Prints 2026-01-02T03:04:05.123456Z, the same precision everywhere (C-120); panics if t is not
   printable. */
void ts_print(struct ts t, char out[TS_LEN + 1]);
struct ts ts_now(void); /* the wall clock */
int64_t mono_us(void);  /* a clock that never goes back and stops while the machine is suspended */
int64_t boot_us(void);  /* a clock that never goes back and runs during a suspension, too */
int64_t cpu_us(void);   /* CPU time of this thread; a system call, unlike mono_us() */
/* For work that is done every so often: true when the time *at has come, and sets *at to `every`
   from now. The first call with *at == 0 returns true. */
bool mono_due(int64_t *at, int64_t every);

#endif
