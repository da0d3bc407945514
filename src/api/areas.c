/* SPDX-License-Identifier: ISC */
/* The list of route tables, and of the statements that their handlers run. */
#include "config.h"

#include "api/api.h"

const struct route *const areas[] = {
	search_routes,
	aggregate_routes,
	bulk_routes,
	usage_routes,
	description_routes,
	NULL,
};

const struct stmt *const *const area_stmts[] = {
	search_stmts,
	bulk_stmts,
	usage_stmts,
	NULL,
};
