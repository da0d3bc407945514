/* SPDX-License-Identifier: ISC */
/* The times in which a host had each of its services. The times of a present service come from the
   stored host; those of a removed service come from its service_gone event:

     stored host       22/tcp from January 10 to 20
     service_gone      22/tcp, before: from January 1 to 5
     answer            22/tcp from January 1 to 5, 22/tcp from January 10 to 20 */
#include "config.h"

#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/history.h"
#include "api/search/lookup.h"
#include "record/event.h"

struct range {
	int64_t port;
	struct str transport;
	struct ts first_seen, last_seen;
};

#define RANGE_MEMBERS                                                                              \
	NUMBER(struct range, port, 0, 1, 65535, 0), FIELD(struct range, transport, 0),             \
	    FIELD(struct range, first_seen, 0), FIELD(struct range, last_seen, 0)

static const struct field range_row_out[] = { RANGE_MEMBERS, FIELD_END };
static const struct field range_out[] = { RANGE_MEMBERS, FIELD_END_OF("ServiceRange") };

/* $3: the kind service_gone. An event above the limit of its size has no members; the range is then
   the time of the event. */
STMT_LIST(read_gone, struct range, range_row_out,
    "SELECT (w #>> '{service,port}')::bigint AS port, w #>> '{service,transport}' AS transport,"
    " coalesce((w #>> '{before,first_seen}')::timestamptz, at) AS first_seen,"
    " coalesce((w #>> '{before,last_seen}')::timestamptz, at) AS last_seen"
    " FROM (SELECT at, what::json AS w FROM record_event WHERE dataset = $1::smallint"
    "  AND key = $2::bytea AND kind = $3::smallint) AS e");

struct ranges {
	struct str ip;
	struct list services;
	struct ts since;
};

static const struct field ranges_out[] = {
	FIELD(struct ranges, ip, 0),
	LIST(struct ranges, services, 0, struct range, range_out, 0, LIM_HOST_SERVICES),
	FIELD(struct ranges, since, 0),
	FIELD_END_OF("HostServiceRanges"),
};

static int
by_service(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	int c = (x->port > y->port) - (x->port < y->port);

	if (c == 0)
		c = str_cmp(x->transport, y->transport);
	return c != 0 ? c : ts_cmp(x->first_seen, y->first_seen);
}

/* Adds the services that the host has now. Their texts are copied, because the tree does not
   last. */
static void
add_present(struct req *rq, struct str doc, struct list *out)
{
	struct record_object *const *all;
	struct record host;
	struct range *p;
	struct str what;
	size_t n;

	if (!record_parse(tree_arena(), DATASET_HOSTS, doc, RECORD_LENIENT, &host, &what))
		panic("a stored document: %.*s", (int)what.n, what.p);
	n = record_nested_all(&host, &all);
	p = ARENA_ARRAY(rq->arena, out->n + n, struct range);
	if (out->n > 0)
		memcpy(p, out->items, out->n * sizeof(*p));
	out->items = p;
	for (size_t i = 0; i < n; i++) {
		struct range *r = &p[out->n++];

		*r = (struct range){ .first_seen = TS_NULL, .last_seen = TS_NULL };
		if (!record_int(all[i], "port", &r->port) ||
		    !record_int(all[i], "first_seen", &r->first_seen.us) ||
		    !record_int(all[i], "last_seen", &r->last_seen.us))
			out->n--; /* an older release stored services without times */
		else
			r->transport = arena_str(rq->arena, record_text(all[i], "transport"));
	}
	arena_reset(tree_arena());
}

static int
get_host_history_services(struct req *rq)
{
	struct history_subject s;
	struct documents docs;
	struct ranges out;
	enum db_rc rc;

	if (history_host(rq, &s) != PASS ||
	    documents_read(rq, DATASET_HOSTS, BY_KEY, (struct strs){ &s.key, 1 }, &docs) != PASS)
		return FAILED;
	out = (struct ranges){ .ip = s.name, .since = s.since };
	rc = db_list(rq->db, &read_gone, &out.services, P(record_dataset_number(DATASET_HOSTS)),
	    P(history_key(&s)), P((int64_t)EVENT_SERVICE_GONE));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (docs.p[0] != NULL)
		add_present(rq, docs.p[0]->doc, &out.services);
	if (out.services.n > 0)
		qsort(out.services.items, out.services.n, sizeof(struct range), by_service);
	return reply(rq, 200, NULL, ranges_out, &out);
}

static const struct route history_services_routes[] = {
	{
	    ROUTE(GET, "/search/hosts/{ip}/history/services", get_host_history_services),
	    COLUMNS_OF_READING(HOSTS),
	    .path_params = lookup_host_path,
	    .out = ranges_out,
	    .errors = history_errors,
	    .summary = "List when a host had its services",
	    .result = "By port and transport, then by time.",
	    .description =
		"The ranges of time in which the host had each service that it has now or "
		"had after `since`. A service that ended and came back has several ranges. "
		"A range is missing if its end is beyond the 32 events that are stored for "
		"a host and day.",
	},
	ROUTE_END,
};

ROUTES(18, history_services);
