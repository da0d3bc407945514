/* SPDX-License-Identifier: ISC */
/* The members of an egress route. */
#include "config.h"

#include "resource/egress_route.h"

const struct field egress_route_row[] = {
	FIELD(struct egress_route, uuid, 0),
	FIELD(struct egress_route, country, 0),
	FIELD(struct egress_route, kind, 0),
	FIELD(struct egress_route, host, NULLABLE),
	FIELD(struct egress_route, port, 0),
	FIELD(struct egress_route, credential, NULLABLE),
	FIELD(struct egress_route, enabled, 0),
	FIELD(struct egress_route, answered, 0),
	FIELD(struct egress_route, probed_at, NULLABLE),
	FIELD(struct egress_route, created_at, 0),
	FIELD(struct egress_route, ms, 0),
	FIELD(struct egress_route, why, NULLABLE),
	FIELD_END,
};
