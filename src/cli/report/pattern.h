/* SPDX-License-Identifier: ISC */
/* Patterns of STIX 2, as far as they name values. Pure, linear, without recursion.
 *
 *   [ file:hashes.'SHA-256' = 'ab..' AND file:hashes.MD5 = 'cd..' ] FOLLOWEDBY [ url:value IN ('u',
 *   'v') ] WITHIN 5 SECONDS
 *     |    |                  |
 *     |    path               value                           observation 2: comparisons 3 and 4
 *     object    comparison 1        comparison 2
 *
 * A pattern is a condition, and a report needs its values alone; so the reader checks the
 * structure, and keeps the comparisons that name a value as it is. It refuses what it cannot
 * follow, since half of a condition may mean the opposite. */
#ifndef CLI_REPORT_PATTERN_H
#define CLI_REPORT_PATTERN_H

#include "base/base.h"

struct stix_comparison {
	struct str object, path; /* "file" and "hashes.'SHA-256'" as the pattern has them */
	struct str value;        /* without quotes and escapes */
	bool names; /* by =, IN or ISSUBSET without NOT: the pattern looks for the value */
	/* from 1: comparisons of one number are joined by AND; 0: it is joined with none */
	unsigned observation;
};

struct stix_pattern {
	const char *fault; /* NULL: the pattern was read */
	struct stix_comparison *p;
	size_t n;
};

struct stix_pattern stix_pattern_read(struct arena *a, struct str text);

#endif
