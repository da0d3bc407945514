/* SPDX-License-Identifier: ISC */
/* Time: the proleptic Gregorian calendar in microseconds, and the clocks and random bytes of the
 * kernel. The calendar is computed here, since libc's depends on the time zone and on hidden
 * state.
 *
 *   ts_now    the wall clock, which may step: for timestamps that people and clients see
 *   mono_us   never steps: for deadlines and pauses of one process
 *   boot_us   like mono_us, and also counts while the machine sleeps: for the windows of rates
 *   cpu_us    the CPU time of this thread: for the slices of searches */
#include "config.h"

#include "base/base.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

enum { SECOND = 1000000 };

/* The number of days from 1970-01-01 to a date. The year is counted from March, so that the leap
   day is its last day; an era is 400 years, after which the calendar repeats: 146097 days. */
static int64_t
days_from_date(int64_t year, int month, int day)
{
	int64_t era, yoe, doy;

	if (month <= 2)
		year--;
	era = (year >= 0 ? year : year - 399) / 400;
	yoe = year - era * 400;
	doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

/* The inverse of days_from_date. */
static void
date_from_days(int64_t days, int *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	*day = (int)(doy - (153 * mp + 2) / 5 + 1);
	*month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*year = (int)(yoe + era * 400 + (*month <= 2));
}

static int
month_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 && leap ? 29 : days[month - 1];
}

/* Removes n digits from the beginning of *s and sets *out to their value. */
static bool
read_digits(struct str *s, size_t n, int *out)
{
	int v = 0;

	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		v = v * 10 + (s->p[i] - '0');
	}
	s->p += n;
	s->n -= n;
	*out = v;
	return true;
}

/* Removes the first byte of *s if it is one of any. */
static bool
skip_one_of(struct str *s, const char *any)
{
	if (s->n == 0 || s->p[0] == '\0' || strchr(any, s->p[0]) == NULL)
		return false;
	s->p++;
	s->n--;
	return true;
}

static bool
read_date(struct str *s, int64_t *days)
{
	int y, m, d;

	if (!read_digits(s, 4, &y) || !skip_one_of(s, "-") || !read_digits(s, 2, &m) ||
	    !skip_one_of(s, "-") || !read_digits(s, 2, &d))
		return false;
	if (y < 1 || m < 1 || m > 12 || d < 1 || d > month_days(y, m))
		return false;
	*days = days_from_date(y, m, d);
	return true;
}

static bool
read_fraction(struct str *s, int64_t *us)
{
	int64_t unit = SECOND / 10;
	size_t n = 0;
	int d;

	*us = 0;
	if (!skip_one_of(s, "."))
		return true;
	for (; read_digits(s, 1, &d); n++, unit /= 10)
		*us += d * unit;
	return n > 0;
}

static bool
read_offset(struct str *s, int64_t *seconds)
{
	bool minus;
	int h, m;

	*seconds = 0;
	if (skip_one_of(s, "Zz"))
		return true;
	minus = s->n > 0 && s->p[0] == '-';
	if (!skip_one_of(s, "+-") || !read_digits(s, 2, &h) || !skip_one_of(s, ":") ||
	    !read_digits(s, 2, &m) || h > 23 || m > 59)
		return false;
	*seconds = (h * 60 + m) * 60 * (minus ? -1 : 1);
	return true;
}

/* Whether seconds since 1970 are the beginning of a month, at whose end a leap second may be. */
static bool
begins_month(int64_t seconds)
{
	int year, month, day;

	date_from_days(seconds / 86400, &year, &month, &day);
	return seconds % 86400 == 0 && day == 1;
}

bool
ts_parse(struct str s, struct ts *out)
{
	int64_t days, us, off;
	int h, m, sec;

	if (!read_date(&s, &days) || !skip_one_of(&s, "Tt ") || !read_digits(&s, 2, &h) ||
	    !skip_one_of(&s, ":") || !read_digits(&s, 2, &m) || !skip_one_of(&s, ":") ||
	    !read_digits(&s, 2, &sec))
		return false;
	if (h > 23 || m > 59 || sec > 60 || !read_fraction(&s, &us) || !read_offset(&s, &off) ||
	    s.n > 0)
		return false;
	/* no clock here counts leap seconds: 23:59:60 is the second after it */
	if (sec == 60 && !begins_month(days * 86400 + h * 3600 + m * 60 + sec - off))
		return false;
	out->us = (days * 86400 + h * 3600 + m * 60 + sec - off) * SECOND + us;
	return ts_is_printable(*out);
}

bool
ts_parse_date(struct str s, struct ts *out)
{
	int64_t days;

	if (!read_date(&s, &days) || s.n > 0)
		return false;
	out->us = days * 86400 * SECOND;
	return true;
}

struct part {
	int value, digits;
	char after;
};

/* Digit by digit: every answer has timestamps, and snprintf takes ten times as long. */
void
ts_print(struct ts t, char out[TS_LEN + 1])
{
	int64_t days = t.us / (86400LL * SECOND), us = t.us % (86400LL * SECOND);
	struct part parts[] = {
		{ 0, 4, '-' },
		{ 0, 2, '-' },
		{ 0, 2, 'T' },
		{ 0, 2, ':' },
		{ 0, 2, ':' },
		{ 0, 2, '.' },
		{ 0, 6, 'Z' },
	};

	if (us < 0) {
		us += 86400LL * SECOND;
		days--;
	}
	if (!ts_is_printable(t))
		panic("a timestamp outside the years 0001 to 9999");
	date_from_days(days, &parts[0].value, &parts[1].value, &parts[2].value);
	parts[3].value = (int)(us / SECOND / 3600);
	parts[4].value = (int)(us / SECOND / 60 % 60);
	parts[5].value = (int)(us / SECOND % 60);
	parts[6].value = (int)(us % SECOND);
	for (size_t i = 0; i < COUNT(parts); i++) {
		for (int k = parts[i].digits - 1; k >= 0; k--, parts[i].value /= 10)
			out[k] = (char)('0' + parts[i].value % 10);
		out[parts[i].digits] = parts[i].after;
		out += parts[i].digits + 1;
	}
	*out = '\0';
}

bool
ts_is_null(struct ts t)
{
	return t.us == INT64_MIN;
}

bool
ts_is_printable(struct ts t)
{
	return t.us >= TS_OLDEST_US && t.us <= TS_NEWEST_US;
}

int
ts_cmp(struct ts a, struct ts b)
{
	return (a.us > b.us) - (a.us < b.us);
}

static int64_t
clock_us(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) != 0)
		panic("clock_gettime failed");
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec / 1000;
}

struct ts
ts_now(void)
{
	return (struct ts){ clock_us(CLOCK_REALTIME) };
}

int64_t
mono_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

int64_t
boot_us(void)
{
	return clock_us(CLOCK_BOOTTIME);
}

int64_t
cpu_us(void)
{
	return clock_us(CLOCK_THREAD_CPUTIME_ID);
}

bool
mono_due(int64_t *at, int64_t every)
{
	int64_t now = mono_us();

	if (now < *at)
		return false;
	*at = now + every;
	return true;
}

void
random_bytes(void *out, size_t n)
{
	unsigned char *p = out;

	while (n > 0) {
		ssize_t k = getrandom(p, n, 0);

		if (k < 0 && errno != EINTR)
			panic("getrandom failed");
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
}
