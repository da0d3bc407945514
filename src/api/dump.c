/* SPDX-License-Identifier: ISC */
/* surfaced -D: prints a table of the program, one row in each line, for tests and for packagers.

     openapi, asyncapi    the documents of the API; the golden files of the tests
     routes               method, path, operation, scope, access, meter, entitlement, second scope,
                          and whether a person must have signed in recently
     limits, errors       the tables of src/tbl
     params               the parameters of configuration files, for the manual
     sql                  every statement, for the test that prepares each with the rights of its role
     clickhouse=18, =26   the statements that create the tables of ClickHouse (man/surfaced-clickhouse.7), as
                          clickhouse=18-replicated too; with the name of a dataset behind it: those of this
                          one alone
     clickhouse=18-users, =26-users   what makes the users of ClickHouse with the least rights

   No configuration file of this host is read, so the output depends on the program alone. */
#include "config.h"

#include "api/api.h"
#include "daemon/conf.h"
#include "search/clickhouse/rights.h"

#include <inttypes.h>

static const char *const access_names[] = { "", "public", "visitor", "person", "account",
	"project" };
static const char *const meter_names[] = { "", "none", "rate", "quota" };

static void
dump_document(void (*write)(struct buf *b))
{
	struct buf b = { 0 };

	write(&b);
	fwrite(b.p, 1, b.n, stdout);
	buf_free(&b);
}

static void
dump_openapi(void)
{
	dump_document(openapi_write);
}

static void
dump_asyncapi(void)
{
	dump_document(asyncapi_write);
}

static void
dump_routes(void)
{
	for (const struct route *const *t = route_tables(); *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++)
			printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", method_names[r->method],
			    r->path, r->operation, scope_name(r->scope), access_names[r->access],
			    meter_names[r->meter], entitlement_name(r->entitlement),
			    scope_name(r->besides > SCOPE_ANY ? r->besides : SCOPE_ANY),
			    r->recent ? "recent" : "any");
}

static void
dump_limits(void)
{
#define LIMIT(id, value, unit, rule)                                                               \
	printf("%s\t%" PRId64 "\t%s\t%s\n", #id, (int64_t)(value), unit, rule);
#include "tbl/limits.h"
#undef LIMIT
}

static void
dump_errors(void)
{
	for (enum error e = 1; e < ERRORS; e++)
		printf("%d\t%s\t%s\n", error_status(e), error_code(e), error_message(e));
}

static void
dump_params(void)
{
	conf_describe(stdout);
}

static void
dump_sql(void)
{
	stmts_print();
}

/* Prints the tables of every dataset, or of one. what: "18", "26-replicated hosts". Returns false
   for anything else. */
static bool
dump_clickhouse(const char *what)
{
	char room[64];
	char *name;
	struct ch_release release;
	struct buf b = { 0 };
	bool any = false;

	if (strlen(what) >= sizeof(room))
		return false;
	if (strcmp(what, "18-users") == 0 || strcmp(what, "26-users") == 0) {
		ch_print_users(&b, what[0] == '1' ? 18 : 26);
		fwrite(b.p, 1, b.n, stdout);
		buf_free(&b);
		return true;
	}
	snprintf(room, sizeof(room), "%s", what);
	name = strchr(room, ' ');
	if (name != NULL)
		*name++ = '\0';
	if (!ch_release_parse(room, &release))
		return false;
	ch_print_layouts(&b, &release);
	for (enum dataset d = 0; d < DATASETS; d++)
		if (schema_source(d) == d &&
		    (name == NULL || strcmp(name, schema_dataset_name(d)) == 0)) {
			ch_print_schema(&b, &release, d, 1);
			any = true;
		}
	if (any)
		fwrite(b.p, 1, b.n, stdout);
	buf_free(&b);
	return any;
}

static const struct {
	const char *what;
	void (*print)(void);
} dumps[] = {
	{ "openapi", dump_openapi },
	{ "asyncapi", dump_asyncapi },
	{ "routes", dump_routes },
	{ "limits", dump_limits },
	{ "errors", dump_errors },
	{ "params", dump_params },
	{ "sql", dump_sql },
};

int
dump(const char *program, const char *what)
{
	char err[256];

	/* Documents show the defaults of parameters, whatever the configuration of this host is. */
	if (!conf_load("surfaced", NULL, err, sizeof(err)))
		panic("%s", err);
	for (size_t i = 0; i < COUNT(dumps); i++)
		if (strcmp(what, dumps[i].what) == 0) {
			dumps[i].print();
			return fflush(stdout) == 0 ? 0 : 1;
		}
	if (strncmp(what, "clickhouse=", 11) == 0 && dump_clickhouse(what + 11))
		return fflush(stdout) == 0 ? 0 : 1;
	fprintf(stderr,
	    "%s: -D takes openapi, asyncapi, routes, limits, errors, params, sql, or"
	    " clickhouse=18|26[-replicated][ DATASET] or clickhouse=18|26-users\n",
	    program);
	return 2;
}
