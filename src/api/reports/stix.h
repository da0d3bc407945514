/* SPDX-License-Identifier: ISC */
/* A report as a bundle of STIX 2.1: the same report gives the same bytes.

     disposition indicator   an object "indicator" with a pattern; a CVE a "vulnerability", a technique an "attack-pattern"
     mention, ignored        the observable itself, such as "domain-name"
     all of them             object_refs of the report, after the identity of its publisher, so that it is never
                             empty */
#ifndef API_REPORTS_STIX_H
#define API_REPORTS_STIX_H

#include "resource/report.h"

void stix_write(
    struct buf *b, const struct report_row *r, const struct indicator_row *rows, size_t n);
/* The pattern of a value, with its quotes and backslashes escaped; STR_NULL: the type has none. */
struct str stix_pattern(struct arena *a, struct str type, struct str value);

#endif
