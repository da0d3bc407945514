/* SPDX-License-Identifier: ISC */
/* The field tables of the messages in egress_link.h, with the bounds of every member. */
#include "config.h"

#include "browser/egress_link.h"

enum { NAME_MAX_BYTES = 255, CREDENTIAL_MAX = 100, REASON_MAX = 32 };

const char *const route_kinds[] = {
	[ROUTE_DIRECT] = "direct",
	[ROUTE_CONNECT] = "connect",
	[ROUTE_SOCKS5] = "socks5",
	NULL,
};
static const char *const events[] = { "connected", "denied", "failed", NULL };

/* The members that describe a route, in open and in probe. */
/* clang-format off */
#define ROUTE_FIELDS(t)                                                                  \
	{ .name = "kind", .type = FIELD_TYPE(t, kind), .flags = REQUIRED,                \
	  .offset = offsetof(t, kind), .values = route_kinds },                                \
	TEXT(t, host, NULLABLE | OMIT_UNSET, 0, NAME_MAX_BYTES),                         \
	NUMBER(t, port, 0, 0, 65535, 0),                                                 \
	TEXT(t, credential, NULLABLE | OMIT_UNSET, 0, CREDENTIAL_MAX)

const struct field egress_open_fields[] = {
	FIELD(struct egress_open, session, REQUIRED),
	ROUTE_FIELDS(struct egress_open),
	FIELD_END,
};

const struct field egress_shut_fields[] = {
	FIELD(struct egress_shut, session, REQUIRED),
	FIELD_END,
};

const struct field egress_probe_fields[] = {
	TEXT(struct egress_probe, id, REQUIRED, 1, PROBE_ID_MAX),
	ROUTE_FIELDS(struct egress_probe),
	TEXT(struct egress_probe, target_host, REQUIRED, 1, NAME_MAX_BYTES),
	NUMBER(struct egress_probe, target_port, REQUIRED, 1, 65535, 0),
	FIELD_END,
};

const struct field egress_traffic_fields[] = {
	FIELD(struct egress_traffic, session, REQUIRED),
	{ .name = "event", .type = FIELD_STR, .flags = REQUIRED,
	  .offset = offsetof(struct egress_traffic, event), .values = events },
	TEXT(struct egress_traffic, host, NULLABLE | OMIT_UNSET, 0, NAME_MAX_BYTES),
	NUMBER(struct egress_traffic, port, 0, 0, 65535, 0),
	TEXT(struct egress_traffic, address, NULLABLE | OMIT_UNSET, 0, NAME_MAX_BYTES),
	TEXT(struct egress_traffic, reason, NULLABLE | OMIT_UNSET, 0, REASON_MAX),
	NUMBER(struct egress_traffic, count, 0, 1, INT32_MAX, 1),
	FIELD_END,
};
/* clang-format on */

const struct field egress_probed_fields[] = {
	TEXT(struct egress_probed, id, REQUIRED, 1, PROBE_ID_MAX),
	FIELD(struct egress_probed, answered, REQUIRED),
	NUMBER(struct egress_probed, ms, 0, 0, INT32_MAX, 0),
	TEXT(struct egress_probed, why, NULLABLE | OMIT_UNSET, 0, REASON_MAX),
	FIELD_END,
};
