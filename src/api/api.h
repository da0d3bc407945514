/* SPDX-License-Identifier: ISC */
/* The operations of the API. Each file holds the operations of one resource, and is read from top
 * to bottom:
 *
 *   struct silence          the values of one record, or of one body
 *   silence_in[]            field table of a body: types, limits, defaults; its faults become field errors
 *   silence_out[]           field table of an answer, and of the columns of the statements that read it
 *   insert_silence, ...     statements; the rule of an operation is in its WHERE clause
 *   create_alert_silence()  handlers: a statement, then an error or an answer
 *   silence_routes[]        a row for each operation: path, permission, charge, tables, texts for OpenAPI
 *   ROUTES(100, silence)    registers the table
 *
 * A new file needs nothing but its name in Makefile.inc: the tables of routes and the statements
 * collect themselves (base/registry.h). The router, openapi.json, the metrics, `surfaced -D routes`
 * and the stages before a handler (http/http.h) all read the rows; a test prepares each statement
 * with the rights of the program's role.
 *
 * Most operations need no handler of their own. page_list is the handler of lists and record_one
 * that of single records: the row has their statement in .st. A list returns pages, newest first.
 * The cursor at the end of a page is the position of its last record, sealed for one key,
 * operation, path and set of filters (access/cursor.h), so a cursor is worth nothing in other
 * hands, and records that are added while a client turns pages move no page.
 *
 * Handlers rely on the stages: rq->key and rq->project are checked, rq->in and rq->params are
 * filled and within their limits. Each statement still has the project in its WHERE clause. A
 * handler of an operation other than GET runs in a transaction that commits when the handler
 * returns PASS with a status below 400.
 *
 * Searches are different: an engine runs them, several accounts share its workers, and a long
 * search moves to another pool in the middle (share.h).
 */
#ifndef API_API_H
#define API_API_H

#include "base/limits.h"
#include "http/http.h"
#include "search/engine.h"

/* ---- routes.c ---- */

/* The operations of one file. ROUTES(100, silence) at the end of the file registers its
   silence_routes. The tables are sorted by their places, which are different: openapi.json names a
   parameter after its first operation. */
struct route_table {
	int place;
	const struct route *rows;
};

#define ROUTES(number, id)                                                                         \
	static const struct route_table id##_table = { (number), id##_routes };                    \
	REGISTER(routes, id##_table)

/* The routes of all files in the order of their places; NULL ends the list. */
const struct route *const *route_tables(void);

/* ---- run.c: the steps of every search ---- */

/* Parses the query text for the dataset; the error of an invalid query has its position and
   reason. */
int run_parse(struct req *rq, enum dataset d, struct str text, struct query *out);
/* PASS after ENGINE_OK. Otherwise hands the request over (api/search/share.h) or fails with an error of
   C-065 and C-066. */
int run_end(struct req *rq, enum engine_rc rc);
const char *relation_name(enum relation r);

/* ---- search.c: tables that openapi.json needs, too ---- */

/* The members that a hit of the dataset has in addition to those of its document; NULL: none. */
const struct field *hit_members(enum dataset d);
extern const char *const count_units[], *const value_types[], *const relations[];

/* ---- page.c: lists (C-701 to C-704) ---- */

/* The parameters that each list has. PAGE_PARAMS(struct x_args, page) is the first row of a list's
   parameters. */
struct page_args {
	int64_t limit;
	struct str cursor;
};

/* The parameters of a list without filters. */
struct page_only {
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
#define FILTER(kind, args_type, m, ...)                                                            \
	{                                                                                          \
		.field = {                                                                         \
			.name = #m, .type = (kind), .offset = offsetof(args_type, m), __VA_ARGS__  \
		},                                                                                 \
	}

/* The position behind which a page begins; TS_NULL: the first page. want is the number of rows to
   select: one more than the page holds, to learn whether there are more. */
struct page_from {
	struct ts at;
	struct uuid after;
	struct str kind; /* where the list is ordered by it, too; no pointer: the first page */
	int64_t want;
};

/* The end of the WHERE clause of a list, newest first, then by uuid. PAGE_P gives $2, $3 and $4. */
#define PAGE_SQL                                                                                   \
	" AND created_at <= coalesce($2::timestamptz, 'infinity')"                                 \
	" AND (created_at < coalesce($2::timestamptz, 'infinity') OR uuid > $3)"                   \
	" ORDER BY created_at DESC, uuid LIMIT $4"
#define PAGE_P(from) P((from).at), P((from).after), P((from).want)

/* The handler of lists. The statement in .st ends with PAGE_SQL; $1 is the project, or the key
   where the path has no project, and $5 and the following are the filters in the order of
   .params. */
int page_list(struct req *rq);

/* Opens the cursor, if there is one; fails with invalid_pagination. */
int page_begin(struct req *rq, const struct page_args *args, struct page_from *out);
/* Answers a page of rows: structs of this size, described by the route's .out, with uuid and
   created_at. */
int page_reply(struct req *rq, const struct page_args *args, struct list rows, size_t size);

/* The members of a page behind its list: has_more and next_cursor. */
extern const struct field page_members[];

/* The members by which a page is ordered, for lists with another order. */
struct page_order {
	const char *at, *uuid;      /* uuid: a UUID, or a number */
	const char *kind;           /* a text between the two; NULL: none */
	const struct field *fields; /* the table that has these members; NULL: the route's .out */
};
/* The number behind which a page begins that is ordered by a number. */
int64_t page_number(const struct page_from *from);
int page_reply_by(struct req *rq, const struct page_args *args, struct list rows, size_t size,
    const struct page_order *by);

/* ---- record.c ---- */

/* The handler of single records. The statement in .st takes the project as $1, or the key where the
   path has no project, and the record's UUID as $2; the first of .errors is the answer when it
   returns no row. */
int record_one(struct req *rq);

/* Answers 201; Location is the path of the request, "/" and the uuid of the new record. */
int reply_created(struct req *rq, const struct uuid *uuid, const void *record);
/* The same for a record whose collection is not the path of the request. A statement returned the
   record, or none: then `missing` is the answer. */
int reply_made(struct req *rq, enum db_rc rc, enum error missing, const char *collection,
    const struct uuid *uuid, const void *record);
/* Answers the record that a statement returned, or 404 with this error when it returned none. */
int reply_found(struct req *rq, enum db_rc rc, enum error missing, const void *record);

/* True for a trimmed name that the domain "label" of sql/ accepts: not empty, no control
   characters. */
bool name_visible(struct str name);

/* True for a text that the columns "email" of sql/ accept: one @ between texts without blanks. */
bool email_valid(struct str email);

#define PROJECT "/projects/{project_uuid}"

/* ---- columns that many rows of the route tables share; need: the scope ---- */

/* Operations of a project. feature: the entitlement. */
#define COLUMNS_OF_PROJECT(need, feature)                                                          \
	.scope = (need), .access = ACCESS_PROJECT, .meter = METER_QUOTA, .area = AREA_SERVICE,     \
	.entitlement = (feature)

/* Operations of an organisation that any key may use; they are never counted. */
#define COLUMNS_OF_ANY_KEY                                                                         \
	.scope = SCOPE_ANY, .access = ACCESS_ACCOUNT, .meter = METER_RATE, .area = AREA_SERVICE,   \
	.entitlement = ENTITLEMENT_ANY

/* Operations about access to the organisation, or, where `who` is ACCESS_PROJECT, to one project. */
#define COLUMNS_OF_ACCESS(need, who)                                                               \
	.scope = (need), .access = (who), .meter = METER_QUOTA, .area = AREA_SERVICE,              \
	.entitlement = ENTITLEMENT_ANY, .tag = "Access"

/* The rights of tbl/answers.h as constants, for route rows that are made from another table. */
enum {
#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, first, second)           \
	SCOPE_OF_##id = SCOPE_##scope, BESIDES_OF_##id = SCOPE_##besides,                          \
	ENTITLEMENT_OF_##id = ENTITLEMENT_##entitlement,
#include "tbl/answers.h"
#undef ANSWER
};

/* Operations of search: of all datasets, or those that read or count the documents of one. */
#define COLUMNS_OF_ENGINE .access = ACCESS_ACCOUNT, .meter = METER_QUOTA, .area = AREA_SEARCH
#define COLUMNS_OF_SEARCH COLUMNS_OF_ENGINE, .tag = "Search"
/* Reports have a tag of their own. */
#define COLUMNS_OF_DATASET(id)                                                                     \
	.entitlement = (enum entitlement)ENTITLEMENT_OF_##id, COLUMNS_OF_ENGINE,                   \
	.tag = (int)ENTITLEMENT_OF_##id == (int)ENTITLEMENT_REPORTS ? "Reports" : "Search"
#define COLUMNS_OF_DOCUMENTS(id) .scope = (enum scope)SCOPE_OF_##id, COLUMNS_OF_DATASET(id)
#define COLUMNS_OF_READING(id) .reads = true, COLUMNS_OF_DOCUMENTS(id)
#define COLUMNS_OF_COUNTING(id)                                                                    \
	.scope = SCOPE_SEARCH_AGGREGATE, .besides = (enum scope)BESIDES_OF_##id,                   \
	COLUMNS_OF_DATASET(id)

/* Documents that everybody may read and that change with a release only. */
#define COLUMNS_OF_DOCUMENT                                                                        \
	.scope = SCOPE_ANY, .access = ACCESS_PUBLIC, .meter = METER_NONE, .area = AREA_SERVICE,    \
	.entitlement = ENTITLEMENT_ANY, .max_age = LIM_DOCUMENT_AGE, .tag = "Description"

/* ---- check.c ---- */

/* Returns NULL when the groups keep the rules of C-041 to C-054, otherwise a description of the
   first fault. */
const char *check_groups(const struct agg *aggs, size_t naggs, const struct group *groups);

/* ---- openapi.c, dump.c ---- */

void openapi_write(struct buf *b);
void asyncapi_write(struct buf *b);
int dump(const char *program, const char *what);

#endif
