/* SPDX-License-Identifier: ISC */
/* Services of assets. Imports write them, and the API shows them. The two directions have structs
   of their own, because their members differ more than they agree:

     struct imported_service   names of assets, texts of scanners, -1 for an absent number
     struct service            UUIDs of assets; numbers that may be absent are JSON (struct json), so null is distinct from 0

   service_key identifies a service in its project: "192.0.2.1:443/tcp", unless the import gives
   another. */
#ifndef RESOURCE_SERVICE_H
#define RESOURCE_SERVICE_H

#include "db/db.h"

struct service {
	struct uuid uuid, asset_uuid, tls_certificate_asset_uuid;
	struct str service_key, protocol, discovery_channel, discovery_provider, source_name,
	    source_ref, endpoint, hostname, ip, url, product, service_name, version, http_title;
	struct list technologies;
	struct json confidence, tls_enabled, port, http_status_code, metadata, exposures;
	struct ts created_at, updated_at, first_seen_at, last_seen_at, last_observed_at;
};

/* A service in an import, which names assets instead of their UUIDs. */
struct imported_service {
	struct str service_key, asset_kind, asset_name, tls_certificate_sha256, protocol,
	    discovery_channel, discovery_provider, source_name, source_ref, endpoint, hostname, ip,
	    url, product, service_name, version, http_title;
	struct list technologies;
	double confidence; /* -1: absent */
	struct json tls_enabled, metadata;
	int64_t port, http_status_code; /* -1: absent */
	struct ts first_seen_at, last_seen_at, last_observed_at;
};

/* The columns that service_out describes. */
#define SERVICE_COLUMNS                                                                            \
	"uuid, asset_uuid, service_key, protocol, to_jsonb(confidence) AS confidence,"             \
	" technologies, to_jsonb(tls_enabled) AS tls_enabled, metadata, created_at,"               \
	" updated_at, first_seen_at, last_seen_at, last_observed_at, discovery_channel,"           \
	" discovery_provider, source_name, source_ref, endpoint, hostname, ip,"                    \
	" to_jsonb(port) AS port, url, product, service_name, version,"                            \
	" to_jsonb(http_status_code) AS http_status_code, http_title,"                             \
	" tls_certificate_asset_uuid, service_exposures(uuid) AS exposures"

extern const struct field service_out[]; /* an answer of the API */
extern const struct field service_in[];  /* a record of an import */

#endif
