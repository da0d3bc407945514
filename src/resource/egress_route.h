/* SPDX-License-Identifier: ISC */
/* Egress routes: the proxies through which browsers reach the Internet from a country.

     kind         direct, or a proxy: connect (HTTP) or socks5, with host and port
     credential   the name of a file that surfaced-egress reads; the database has no password
     answered     the result of the last probe, with its time, duration and reason

   A country can be chosen for a session while one of its routes is enabled and answered
   (api/sessions/capabilities.c). */
#ifndef RESOURCE_EGRESS_ROUTE_H
#define RESOURCE_EGRESS_ROUTE_H

#include "db/db.h"

struct egress_route {
	struct uuid uuid;
	struct str country, kind, host;
	int64_t port;
	struct str credential;
	bool enabled, answered;
	struct ts probed_at, created_at;
	int64_t ms;
	struct str why; /* the reason, if the probe failed */
};

/* The columns of the table egress_route that egress_route_row describes. */
#define EGRESS_ROUTE_COLUMNS                                                                       \
	"uuid, country, kind, host, coalesce(port, 0) AS port, credential, enabled, "              \
	"answered, probed_at, created_at, coalesce(probe_ms, 0) AS ms, probe_why AS why"

extern const struct field egress_route_row[];

#endif
