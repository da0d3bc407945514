/* SPDX-License-Identifier: ISC */
/* Shared by usage.c and usage_organisation.c: the members that both answers have, and the counts of
   a window, stored and of this host. */
#ifndef API_PEOPLE_USAGE_PRIV_H
#define API_PEOPLE_USAGE_PRIV_H

#include "api/people/usage_stored.h"
#include "counting/meter.h"

enum { USAGE_WINDOW_MAX = 180 };

struct usage_day {
	struct str date;
	int64_t requests;
	bool partial;
};

struct usage_freshness {
	struct ts current_through, persisted_through;
};

struct usage_month {
	struct ts from, to;
	int64_t requests;
};

struct usage_rate {
	int64_t limit, window_seconds;
};

extern const struct field usage_day_out[], usage_freshness_out[], usage_month_out[],
    usage_rate_out[];

struct usage_host {
	const struct meter_file *file; /* NULL: this host counts nothing now */
	struct uuid incarnation;
	struct ts now; /* by the clock of the quotas */
};

struct usage_span {
	uint32_t first, today, month_first; /* days */
};

struct usage_counts {
	struct usage_host here;
	struct usage_span at;
	const struct stored_usage *stored;
	struct stored_days *days;
};

/* Reads what is stored and finds the counts of this host. The window is the last `days` days. */
enum db_rc usage_read(struct req *rq, int64_t days, struct usage_counts *c) MUST_USE;
struct usage_freshness usage_freshness_of(const struct usage_counts *c);
/* The month to date, without its requests. */
struct usage_month usage_month_of(const struct usage_counts *c);
/* The quotas of the account and of its group (struct usage_quota). */
struct list usage_quotas(const struct req *rq, const struct usage_counts *c);
/* The days of the window without requests. */
struct usage_day *usage_no_days(
    struct req *rq, const struct usage_counts *c, const struct usage_freshness *f);

#endif
