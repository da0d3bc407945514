/* SPDX-License-Identifier: ISC */
/* The values with which a session may be created now: countries, profiles, viewports and limits
   (C-742).

     countries    those of egress routes that are enabled and answered their last probe; they come and go
     profiles     constants of the program; the first is the default
     viewport     limits of the program
     limits       those in force for this key and its organisation, from session_limits()

   session_create.c checks against the same list of countries, which egress_countries reads for
   both. */
#include "config.h"

#include "api/sessions/session_priv.h"
#include "resource/country.h"
#include "wire/values.h"

struct bounds {
	int64_t min_width, max_width, default_width, min_height, max_height, default_height;
};

struct capabilities {
	struct list egress_countries, browser_profiles;
	struct bounds viewport;
	struct session_limits limits;
};

static const struct field bounds_out[] = {
	FIELD(struct bounds, min_width, 0),
	FIELD(struct bounds, max_width, 0),
	FIELD(struct bounds, default_width, 0),
	FIELD(struct bounds, min_height, 0),
	FIELD(struct bounds, max_height, 0),
	FIELD(struct bounds, default_height, 0),
	FIELD_END_OF("ViewportBounds"),
};

static const struct field country_out[] = {
	FIELD(struct egress_country, code, 0),
	FIELD(struct egress_country, name, 0),
	FIELD_END_OF("EgressCountry"),
};

static const struct field capabilities_out[] = {
	LIST(struct capabilities, egress_countries, 0, struct egress_country, country_out, 0, 0),
	LIST_OF(struct capabilities, browser_profiles, 0, struct str, 0, 0),
	OBJECT(struct capabilities, viewport, 0, bounds_out),
	OBJECT(struct capabilities, limits, 0, session_limits_out),
	FIELD_END_OF("Capabilities"),
};

static const struct field code_out[] = { FIELD(struct egress_country, code, 0), FIELD_END };

STMT_LIST(list_countries, struct egress_country, code_out,
    "SELECT DISTINCT country AS code FROM egress_route"
    " WHERE enabled AND answered ORDER BY country");

STMT(read_limits, session_limits_out, "SELECT " SESSION_LIMIT_COLUMNS " FROM session_limits($1)");

enum db_rc
egress_countries(struct req *rq, struct list *out)
{
	enum db_rc rc = db_rows(rq->db, &list_countries, out, DB_NO_ARGS);
	struct egress_country *c = out->items;

	for (size_t i = 0; rc == DB_OK && i < out->n; i++) {
		const char *name = country_name(c[i].code);

		c[i].name = name == NULL ? c[i].code : str_of(name);
	}
	return rc;
}

static struct list
list_profiles(struct arena *a)
{
	struct list out = { NULL, 0 };
	struct str *items;

	while (session_profiles[out.n] != NULL)
		out.n++;
	items = ARENA_ARRAY(a, out.n, struct str);
	for (size_t i = 0; i < out.n; i++)
		items[i] = str_of(session_profiles[i]);
	out.items = items;
	return out;
}

static int
get_session_capabilities(struct req *rq)
{
	struct capabilities c = {
		.browser_profiles = list_profiles(rq->arena),
		.viewport = { .min_width = LIM_VIEWPORT_WIDTH_MIN,
		    .max_width = LIM_VIEWPORT_WIDTH_MAX,
		    .default_width = LIM_VIEWPORT_WIDTH_DEFAULT,
		    .min_height = LIM_VIEWPORT_HEIGHT_MIN,
		    .max_height = LIM_VIEWPORT_HEIGHT_MAX,
		    .default_height = LIM_VIEWPORT_HEIGHT_DEFAULT },
	};
	enum db_rc rc = egress_countries(rq, &c.egress_countries);

	if (rc == DB_OK)
		rc = db_one(rq->db, &read_limits, &c.limits, P(rq->key->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 200, rq->route->wrapper, capabilities_out, &c);
}

static const struct route capability_routes[] = {
	{
	    ROUTE(GET, SESSIONS "/capabilities", get_session_capabilities),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_VIEW),
	    .also = SCOPE_BIT(BROWSER_SESSIONS_CREATE) | SCOPE_BIT(BROWSER_SESSIONS_MANAGE),
	    .meter = METER_QUOTA,
	    .out = capabilities_out,
	    .wrapper = "capabilities",
	    .summary = "Countries, profiles and limits of new browser sessions",
	    .description =
		"The countries that are available now (the first is the default), the "
		"profiles, the bounds of the viewport, and how many sessions this key and its "
		"organisation may have at once.",
	},
	ROUTE_END,
};

ROUTES(190, capability);
