/* SPDX-License-Identifier: ISC */
/* The operations: one file a tag of the spec, each with its route table. */
#ifndef API_API_H
#define API_API_H

#include "base/limits.h"
#include "http/http.h"
#include "search/engine.h"

/* ---- areas.c ---- */

extern const struct route *const areas[]; /* NULL ends the list */
extern const struct stmt *const *const area_stmts[];

extern const struct route search_routes[], aggregate_routes[], bulk_routes[],
    usage_routes[], description_routes[];
extern const struct stmt *const search_stmts[],
    *const bulk_stmts[], *const usage_stmts[]; /* NULL ends each */

/* ---- run.c: what every search does ---- */

/* Parses text for the dataset; on a fault the answer says where and why. */
int run_parse(struct req *rq, enum dataset d, struct str text, struct query *out);
/* Counts this worker among the searching ones, or answers search_busy; run_end must follow PASS. */
int run_begin(struct req *rq, struct budget *out);
/* PASS for ENGINE_OK, otherwise the error of C-065 and C-066. */
int run_end(struct req *rq, enum engine_rc rc);

/* ---- check.c ---- */

/* NULL when the groups answer the request as C-041 to C-054 demand, otherwise what they break. */
const char *check_groups(
    const struct agg *aggs, size_t naggs, const struct group *groups);

/* ---- openapi.c, dump.c ---- */

void openapi_write(struct buf *b);
int dump(const char *what);

#endif
