/* SPDX-License-Identifier: ISC */
/* Services of assets, which imports fill: SPEC 2.7 and 4.8. Clients read them. */
#include "config.h"

#include "api/api.h"

struct service {
	struct uuid uuid, asset_uuid, tls_certificate_asset_uuid;
	struct str service_key, protocol, discovery_channel, discovery_provider, source_name,
	    source_ref, endpoint, hostname, ip, url, product, service_name, version, http_title;
	struct list technologies;
	struct json confidence, tls_enabled, port, http_status_code, metadata;
	struct ts created_at, updated_at, first_seen_at, last_seen_at, last_observed_at;
};

static const struct field service_out[] = {
	FIELD(struct service, uuid, 0),
	FIELD(struct service, asset_uuid, 0),
	FIELD(struct service, service_key, 0),
	FIELD(struct service, protocol, NULLABLE),
	OPTIONAL(struct service, confidence, FIELD_NUM, NULLABLE, 0, 1),
	LIST_OF(struct service, technologies, 0, struct str, 0, 0),
	OPTIONAL(struct service, tls_enabled, FIELD_BOOL, NULLABLE, 0, 0),
	OPTIONAL(struct service, metadata, FIELD_OBJECT, 0, 0, 0),
	FIELD(struct service, created_at, 0),
	FIELD(struct service, updated_at, 0),
	FIELD(struct service, first_seen_at, 0),
	FIELD(struct service, last_seen_at, 0),
	FIELD(struct service, last_observed_at, 0),
	FIELD(struct service, discovery_channel, NULLABLE),
	FIELD(struct service, discovery_provider, NULLABLE),
	FIELD(struct service, source_name, NULLABLE),
	FIELD(struct service, source_ref, NULLABLE),
	FIELD(struct service, endpoint, NULLABLE),
	FIELD(struct service, hostname, NULLABLE),
	FIELD(struct service, ip, NULLABLE),
	OPTIONAL(struct service, port, FIELD_INT, NULLABLE, 0, 65535),
	FIELD(struct service, url, NULLABLE),
	FIELD(struct service, product, NULLABLE),
	FIELD(struct service, service_name, NULLABLE),
	FIELD(struct service, version, NULLABLE),
	OPTIONAL(struct service, http_status_code, FIELD_INT, NULLABLE, 100, 999),
	FIELD(struct service, http_title, NULLABLE),
	FIELD(struct service, tls_certificate_asset_uuid, NULLABLE),
	FIELD_END_OF("AssetService"),
};

#define COLUMNS                                                                                    \
	"uuid, asset_uuid, service_key, protocol, to_jsonb(confidence) AS confidence,"             \
	" technologies, to_jsonb(tls_enabled) AS tls_enabled, metadata, created_at,"               \
	" updated_at, first_seen_at, last_seen_at, last_observed_at, discovery_channel,"           \
	" discovery_provider, source_name, source_ref, endpoint, hostname, ip,"                    \
	" to_jsonb(port) AS port, url, product, service_name, version,"                            \
	" to_jsonb(http_status_code) AS http_status_code, http_title,"                             \
	" tls_certificate_asset_uuid"

STMT_LIST(select_service, struct service, service_out,
    "SELECT " COLUMNS " FROM asset_service WHERE project_uuid = $1 AND uuid = $2");

/* $7: -1 means any port. */
STMT_LIST(list_services, struct service, service_out,
    "SELECT " COLUMNS " FROM asset_service WHERE project_uuid = $1"
    " AND ($5::uuid IS NULL OR asset_uuid = $5)"
    " AND ($6::text IS NULL OR protocol = lower($6))"
    " AND ($7::integer < 0 OR port = $7)"
    " AND ($8::text IS NULL OR hostname = lower($8))"
    " AND ($9::inet IS NULL OR ip <<= $9::inet)"
    " AND ($10::text IS NULL OR service_name = $10)"
    " AND ($11::text IS NULL OR lower(product) = lower($11))"
    " AND ($12::text IS NULL OR technologies @> ARRAY[$12])"
    " AND ($13::boolean IS NULL OR tls_enabled = $13::boolean)" PAGE_SQL);

struct service_args {
	struct page_args page;
	struct uuid asset_uuid;
	struct str protocol, hostname, ip, service_name, product, technology, tls_enabled;
	int64_t port;
};

static const char *const truths[] = { "true", "false", NULL };

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
	URL_PARAM_END,
};

/* Rewrites the filter ip to its one spelling, since a cursor is bound to the bytes of its filters. */
static int
list_asset_services(struct req *rq)
{
	struct service_args *args = ARENA_NEW(rq->arena, struct service_args);
	struct ipnet net;
	char *room;

	*args = *(const struct service_args *)rq->params;
	if (args->ip.p != NULL) {
		if (!ipnet_parse(args->ip, &net))
			return fail_field(
			    rq, "ip", "invalid_format", "must be an IP address or a CIDR");
		room = arena_alloc(rq->arena, IPNET_LEN + 1);
		args->ip = (struct str){ room, ipnet_print(&net, room) };
	}
	rq->params = args;
	return page_list(rq);
}

static const enum error get_errors[] = { ERR_SERVICE_NOT_FOUND, ERR_UNSET };

#define SERVICE_ROW                                                                                \
	.scope = SCOPE_ESI_SERVICES_VIEW, .access = ACCESS_PROJECT, .meter = METER_QUOTA,          \
	.area = AREA_SERVICE, .entitlement = ENTITLEMENT_ESI, .out = service_out,                  \
	.tag = "Services"

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
