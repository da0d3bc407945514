/* SPDX-License-Identifier: ISC */
/* The inventory of a project, which imports fill: domains, hosts, certificates and addresses.
   Clients read it, and no operation writes it.

   Imports store names in lower case and addresses in one spelling (cli/import/esi_records.c); the
   filter name is lowered and then compared as it is. No operation needs a handler of its own:
   page_list and record_one run the statements of the rows, and each of them has the project in its
   WHERE clause. */
#include "config.h"

#include "api/api.h"
#include "resource/asset.h"
#include "wire/values.h"

STMT_LIST(select_asset, struct asset, asset_out,
    "SELECT " ASSET_COLUMNS " FROM asset WHERE project_uuid = $1 AND uuid = $2");

STMT_LIST(list_assets, struct asset, asset_out,
    "SELECT " ASSET_COLUMNS " FROM asset WHERE project_uuid = $1"
    " AND ($5::text IS NULL OR kind = $5) AND ($6::text IS NULL OR name = lower($6))"
    " AND ($7::text IS NULL OR source_name = $7)" PAGE_SQL);

struct asset_args {
	struct page_args page;
	struct str kind, name, source_name;
};

static const struct url_param asset_params[] = {
	PAGE_PARAMS(struct asset_args, page),
	FILTER(FIELD_STR, struct asset_args, kind, .values = asset_kinds),
	FILTER(FIELD_STR, struct asset_args, name, .lo = 1, .hi = LIM_FILTER),
	FILTER(FIELD_STR, struct asset_args, source_name, .lo = 1, .hi = LIM_FILTER),
	URL_PARAM_END,
};

static const enum error get_errors[] = { ERR_ASSET_NOT_FOUND, ERR_UNSET };

#define ASSET_ROW                                                                                  \
	.out = asset_out, .tag = "Inventory",                                                      \
	COLUMNS_OF_PROJECT(SCOPE_ESI_INVENTORY_VIEW, ENTITLEMENT_ESI)

static const struct route asset_routes[] = {
	{
	    ROUTE_AS(GET, PROJECT "/esi/assets", "list_assets", page_list),
	    ASSET_ROW,
	    .st = &list_assets,
	    PARAMS(struct asset_args, asset_params),
	    .list = "assets",
	    .summary = "List assets",
	    .description = "The inventory, newest first.",
	},
	{
	    ROUTE_AS(GET, PROJECT "/esi/assets/{asset_uuid}", "get_asset", record_one),
	    ASSET_ROW,
	    .st = &select_asset,
	    .wrapper = "asset",
	    .errors = get_errors,
	    .summary = "Get an asset",
	    .description = "A domain, host, certificate or address.",
	},
	ROUTE_END,
};

ROUTES(130, asset);
