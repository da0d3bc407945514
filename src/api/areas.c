/* SPDX-License-Identifier: ISC */
/* The lists of all route tables and of all statements; the order of the tables is the order in openapi.json. */
#include "config.h"

#include "access/statements.h"
#include "api/api.h"

const struct route *const areas[] = {
	search_routes,
	aggregate_routes,
	bulk_routes,
	usage_routes,
	description_routes,
	asyncapi_routes,
	project_routes,
	rule_routes,
	destination_routes,
	silence_routes,
	alert_routes,
	delivery_routes,
	asset_routes,
	service_routes,
	finding_routes,
	session_create_routes,
	session_routes,
	ticket_routes,
	capability_routes,
	screenshot_routes,
	network_routes,
	NULL,
};

const struct stmt *const *const area_stmts[] = {
	search_stmts,
	bulk_stmts,
	project_stmts,
	rule_stmts,
	destination_stmts,
	silence_stmts,
	alert_stmts,
	delivery_stmts,
	asset_stmts,
	service_stmts,
	finding_stmts,
	session_create_stmts,
	session_stmts,
	ticket_stmts,
	capability_stmts,
	screenshot_stmts,
	network_stmts,
	usage_stmts,
	core_audit_stmts,
	core_key_stmts,
	core_project_stmts,
	NULL,
};
