/* SPDX-License-Identifier: ISC */
/* Records as observations show them. */
#ifndef DETECT_SHOWN_H
#define DETECT_SHOWN_H

#include "search/match.h"

/* "192.0.2.7", "192.0.2.7/443/tcp", "www.example.org/A/" and the digest of the answer (AREAS.md
   13.7). */
struct str shown_key(struct arena *a, enum dataset d, const struct match_document *m);
/* Writes {"ip":...}: the members that name the record. */
void shown_record(struct buf *b, enum dataset d, const struct match_document *m);
/* Writes [{"field","value"}]: the tests that the document passes, without those below NOT. */
void shown_matched(
    struct buf *b, struct arena *scratch, const struct query *q, const struct match_document *m);
/* A member of the record, of the nested object before its document; NULL: it has none. */
const struct json_value *shown_member(const struct match_document *m, const char *name);
/* Its text, of a list the first one; STR_NULL: it has none. */
struct str shown_text(const struct match_document *m, const char *name);
/* When the record was first and last seen, now for a record without times. */
void shown_times(const struct match_document *m, struct ts *first, struct ts *last);
/* Whether hosts or services were not seen for 30 days. */
bool shown_is_stale(enum dataset d, const struct match_document *m) MUST_USE;

#endif
