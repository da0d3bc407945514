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

/* clang-format off */
extern const struct route
	search_routes[],
	aggregate_routes[],
	bulk_routes[],
	usage_routes[],
	description_routes[],
	asyncapi_routes[],
	project_routes[],
	rule_routes[],
	destination_routes[],
	silence_routes[],
	alert_routes[],
	delivery_routes[],
	asset_routes[],
	service_routes[],
	finding_routes[],
	session_routes[],
	session_create_routes[],
	capability_routes[],
	screenshot_routes[],
	network_routes[],
	ticket_routes[];
extern const struct stmt /* NULL ends each */
	*const search_stmts[],
	*const bulk_stmts[],
	*const usage_stmts[],
	*const project_stmts[],
	*const rule_stmts[],
	*const destination_stmts[],
	*const silence_stmts[],
	*const alert_stmts[],
	*const delivery_stmts[],
	*const asset_stmts[],
	*const service_stmts[],
	*const finding_stmts[],
	*const session_stmts[],
	*const session_create_stmts[],
	*const capability_stmts[],
	*const screenshot_stmts[],
	*const network_stmts[],
	*const ticket_stmts[];
/* clang-format on */

/* ---- run.c: what every search does ---- */

/* Parses text for the dataset; on a fault the answer says where and why. */
int run_parse(struct req *rq, enum dataset d, struct str text, struct query *out);
/* PASS for ENGINE_OK; otherwise the request is handed over (api/share.h) or gets the error of C-065 and C-066. */
int run_end(struct req *rq, enum engine_rc rc);
const char *relation_name(enum relation r);

/* ---- search.c: what searches and openapi.json share ---- */

extern const struct field hit_members[]; /* that a hit has beside those of the document */
extern const char *const count_units[], *const value_types[], *const relations[];

/* ---- page.c: lists (CONTRACT A2) ---- */

/* Of a list's parameters: PAGE_PARAMS(struct x_args, page) are its first rows. */
struct page_args {
	int64_t limit;
	struct str cursor;
};

struct page_only { /* of a list without filters */
	struct page_args page;
};

/* clang-format off */
#define PAGE_PARAMS(args_type, member)                                                        \
	{ .field = { .name = "limit", .type = FIELD_INT,                                 \
	      .offset = offsetof(args_type, member.limit), .lo = 1, .hi = LIM_PAGE,           \
	      .def = LIM_PAGE_DEFAULT, .help = "Records a page." },                      \
	  .error = ERR_INVALID_PAGINATION },                                             \
	{ .field = { .name = "cursor", .type = FIELD_STR,                                \
	      .offset = offsetof(args_type, member.cursor), .lo = 1, .hi = LIM_CURSOR,        \
	      .help = "next_cursor of the page before, with the same filters." },        \
	  .error = ERR_INVALID_PAGINATION }
/* clang-format on */
#define FILTER(kind, args_type, m, ...)                                                  \
	{                                                                                \
		.field = { .name = #m,                                                   \
			.type = (kind),                                                  \
			.offset = offsetof(args_type, m),                                \
			__VA_ARGS__ },                                                   \
	}

/* Below here a page begins: TS_NULL is the first. want: rows to ask for, one more than the page has. */
struct page_from {
	struct ts at;
	struct uuid after;
	int64_t want;
};

/* What follows WHERE of a list: newest first, then by uuid. $2, $3, $4 are of page_from. */
#define PAGE_SQL                                                                         \
	" AND created_at <= coalesce($2::timestamptz, 'infinity')"                       \
	" AND (created_at < coalesce($2::timestamptz, 'infinity') OR uuid > $3)"         \
	" ORDER BY created_at DESC, uuid LIMIT $4"
#define PAGE_P(from) P((from).at), P((from).after), P((from).want)

/* The handler of a row whose .st is the list, with the parameters of PAGE_SQL, where $1 is the project, or
   the key where the path has none, and $5 on are the filters in the order of .params. */
int page_list(struct req *rq);

int page_begin(struct req *rq, const struct page_args *args, struct page_from *out);
/* The page of rows, structs of this size as the route's .out describes them, with uuid and created_at. */
int page_reply(
    struct req *rq, const struct page_args *args, struct list rows, size_t size);

/* The members that a page is ordered by, where it is not the newest first. */
struct page_order {
	const char *at, *uuid;
};
int page_reply_by(struct req *rq, const struct page_args *args, struct list rows,
    size_t size, const struct page_order *by);

/* ---- record.c ---- */

/* The handler of a row whose .st finds the record $2 of the project $1; the first of .errors says that there
   is none. */
int record_one(struct req *rq);

/* 201 with the path of the new record: that of the request, "/" and its uuid. */
int reply_created(struct req *rq, const struct uuid *uuid, const void *record);
/* The answer of a statement that finds one record: it, or 404 with this error. */
int reply_found(struct req *rq, enum db_rc rc, enum error missing, const void *record);

/* What the domain "label" of sql/ takes, once trimmed. */
bool name_visible(struct str name);

#define PROJECT "/projects/{project_uuid}"

/* ---- check.c ---- */

/* NULL when the groups answer the request as C-041 to C-054 demand, otherwise what they break. */
const char *check_groups(
    const struct agg *aggs, size_t naggs, const struct group *groups);

/* ---- openapi.c, dump.c ---- */

void openapi_write(struct buf *b);
void asyncapi_write(struct buf *b);
int dump(const char *what);

#endif
