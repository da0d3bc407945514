/* SPDX-License-Identifier: ISC */
/* The parts of a record that observations and findings show. */
#ifndef DETECT_SHOWN_H
#define DETECT_SHOWN_H

#include "search/match.h"

/* Returns the readable key of a record: "192.0.2.7", "192.0.2.7/443/tcp", or "www.example.org/A/"
   with the digest of the answer (C-823). */
struct str shown_key(struct arena *a, enum dataset d, const struct match_document *m);
/* Writes {"ip":...}: the members that identify the record. */
void shown_record(struct buf *b, enum dataset d, const struct match_document *m);
/* Writes [{"field","value"}]: the tests that the document passes. Tests below NOT are left out, and
   so are those after the end of the limit. */
void shown_matched(struct buf *b, struct arena *scratch, const struct query *q,
    const struct match_document *m, struct match_limit *limit);
/* Returns a member of the nested object, else of its document. NULL: neither has it. */
const struct json_value *shown_member(const struct match_document *m, const char *name);
/* Returns the text of a member, and of a list its first text. STR_NULL: there is none. */
struct str shown_text(const struct match_document *m, const char *name);
/* Sets the times when the record was first and last seen; the present time for a record without
   times. */
void shown_times(const struct match_document *m, struct ts *first, struct ts *last);
/* Whether the record is a host or a service that was not seen for 30 days. */
bool shown_is_stale(enum dataset d, const struct match_document *m) MUST_USE;

#endif
