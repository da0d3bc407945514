/* SPDX-License-Identifier: ISC */
/* Services of assets, which imports fill (C-119). Clients read them. */
#include "config.h"

#include "api/api.h"
#include "resource/service.h"
#include "wire/values.h"

STMT_LIST(select_service, struct service, service_out,
    "SELECT " SERVICE_COLUMNS " FROM asset_service WHERE project_uuid = $1 AND uuid = $2");

/* $7: -1 means any port. Each filter is a condition that is true when its
   parameter is null, so one statement serves all combinations and is prepared
   once. $9 is an address or a network: <<= holds for both. The filters that
   compare in lower case do so with lower() on both sides, or on the parameter
   alone where imports have stored lower case. */
STMT_LIST(list_services, struct service, service_out,
    "SELECT " SERVICE_COLUMNS " FROM asset_service WHERE project_uuid = $1"
    " AND ($5::uuid IS NULL OR asset_uuid = $5)"
    " AND ($6::text IS NULL OR protocol = lower($6))"
    " AND ($7::integer < 0 OR port = $7)"
    " AND ($8::text IS NULL OR hostname = lower($8))"
    " AND ($9::inet IS NULL OR ip <<= $9::inet)"
    " AND ($10::text IS NULL OR service_name = $10)"
    " AND ($11::text IS NULL OR lower(product) = lower($11))"
    " AND ($12::text IS NULL OR technologies @> ARRAY[$12])"
    " AND ($13::boolean IS NULL OR tls_enabled = $13::boolean)"
    " AND ($14::boolean IS NULL OR $14::boolean = EXISTS (SELECT FROM finding f"
    " WHERE f.service_uuid = asset_service.uuid AND f.status = 'open'))" PAGE_SQL);

struct service_args {
	struct page_args page;
	struct uuid asset_uuid;
	struct str protocol, hostname, ip, service_name, product, technology, tls_enabled, exposed;
	int64_t port;
};

#define TEXT_FILTER(m, ...)                                                                        \
	FILTER(FIELD_STR, struct service_args, m, .lo = 1, .hi = LIM_FILTER, __VA_ARGS__)

static const struct url_param service_params[] = {
	PAGE_PARAMS(struct service_args, page),
	FILTER(FIELD_UUID, struct service_args, asset_uuid),
	TEXT_FILTER(protocol, .help = "In any case."),
	FILTER(FIELD_INT, struct service_args, port, .lo = 0, .hi = 65535, .def = -1),
	TEXT_FILTER(hostname, .help = "In any case."),
	TEXT_FILTER(ip, .help = "An address or a CIDR."),
	TEXT_FILTER(service_name, .help = "Exactly."),
	TEXT_FILTER(product, .help = "In any case."),
	TEXT_FILTER(technology, .help = "One of technologies."),
	FILTER(FIELD_STR, struct service_args, tls_enabled, .values = truths),
	FILTER(FIELD_STR, struct service_args, exposed, .values = truths,
	    .help = "Whether an open finding names it."),
	URL_PARAM_END,
};

/* Rewrites the filter ip to its one spelling, since a cursor is bound to the bytes of its
   filters. */
static int
list_asset_services(struct req *rq)
{
	struct service_args *args = ARENA_NEW(rq->arena, struct service_args);
	struct ipnet net;

	*args = *(const struct service_args *)rq->params;
	if (args->ip.p != NULL) {
		if (!ipnet_parse(args->ip, &net))
			return fail_field(
			    rq, "ip", "invalid_format", "must be an IP address or a CIDR");
		args->ip = ipnet_text(rq->arena, &net);
	}
	rq->params = args;
	return page_list(rq);
}

static const enum error get_errors[] = { ERR_SERVICE_NOT_FOUND, ERR_UNSET };

#define SERVICE_ROW                                                                                \
	.out = service_out, .tag = "Services",                                                     \
	COLUMNS_OF_PROJECT(SCOPE_ESI_SERVICES_VIEW, ENTITLEMENT_ESI)

static const struct route service_routes[] = {
	{
	    ROUTE(GET, PROJECT "/esi/services", list_asset_services),
	    SERVICE_ROW,
	    .st = &list_services,
	    PARAMS(struct service_args, service_params),
	    .list = "services",
	    .summary = "List asset services",
	    .description = "Newest first; every filter must pass.",
	},
	{
	    ROUTE_AS(GET, PROJECT "/esi/services/{service_uuid}", "get_asset_service", record_one),
	    SERVICE_ROW,
	    .st = &select_service,
	    .wrapper = "service",
	    .errors = get_errors,
	    .summary = "Get an asset service",
	    .description = "The service that was seen at one endpoint of an asset.",
	},
	ROUTE_END,
};

ROUTES(140, service);
