/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the database server, its roles and schema. */
#include "config.h"

#include "cli/doctor/database.h"
#include "daemon/conf.h"
#include "cli/migrate.h"
#include "cli/migrate_files.h"
#include "cli/migrate_indexes.h"

#include <inttypes.h>

enum {
	VERSION_MIN = 150000, /* the first with UNIQUE NULLS NOT DISTINCT */
	PATIENCE_US = 5000000,
	SKEW_US = 2000000,
	DAEMONS_MAX = 10, /* connections of all daemons but the workers */
};

struct server {
	int64_t number, room;
	struct str version, encoding;
	struct ts now;
};

static const struct field server_out[] = {
	FIELD(struct server, number, 0),
	FIELD(struct server, room, 0),
	FIELD(struct server, version, 0),
	FIELD(struct server, encoding, 0),
	FIELD(struct server, now, 0),
	FIELD_END,
};

STMT(read_server, server_out,
    "SELECT current_setting('server_version_num')::bigint AS number,"
    " current_setting('max_connections')::bigint -"
    " current_setting('superuser_reserved_connections')::bigint AS room,"
    " current_setting('server_version') AS version,"
    " current_setting('server_encoding') AS encoding, clock_timestamp() AS now");

struct role {
	struct str name;
	bool there, may_log_in, wanted_log_in, mighty;
};

static const struct field role_out[] = {
	FIELD(struct role, name, 0),
	FIELD(struct role, there, 0),
	FIELD(struct role, may_log_in, 0),
	FIELD(struct role, wanted_log_in, 0),
	FIELD(struct role, mighty, 0),
	FIELD_END,
};

/* The names of all roles, and of those that may log in. */
STMT_LIST(read_roles, struct role, role_out,
    "SELECT w.name, r.oid IS NOT NULL AS there,"
    " coalesce(r.rolcanlogin, false) AS may_log_in, w.name = ANY ($2::text[]) AS "
    "wanted_log_in,"
    " coalesce(r.rolsuper OR r.rolcreaterole OR r.rolbypassrls, false) AS mighty"
    " FROM unnest($1::text[]) AS w(name) LEFT JOIN pg_roles AS r ON r.rolname = w.name"
    " ORDER BY w.name");

/* Each worker holds a connection. */
static void
check_slots(struct doctor *d, int64_t room)
{
	int64_t wanted = DAEMONS_MAX;

	for (size_t i = 0; i < d->npools; i++)
		wanted += d->pools[i].workers;
	if (wanted > room)
		doctor_report(d, HEALTH_WARNING, "database",
		    DO_WITH(MORE_CONNECTIONS, PRINTED(d, "%" PRId64, wanted + DAEMONS_MAX),
			doctor_conf(d, PROGRAM_API)->upstreams),
		    "the daemons want up to %" PRId64 " connections, it has room for %" PRId64,
		    wanted, room);
}

static void
check_server(struct doctor *d, const struct server *s)
{
	int64_t skew = ts_now().us - s->now.us;

	if (s->number < VERSION_MIN)
		doctor_report(d, HEALTH_FAILED, "database", DO(NEW_SERVER),
		    "PostgreSQL %.*s is too old", (int)s->version.n, s->version.p);
	else if (!str_is(s->encoding, "UTF8"))
		doctor_report(d, HEALTH_FAILED, "database", DO(NEW_ENCODING),
		    "its encoding is %.*s", (int)s->encoding.n, s->encoding.p);
	else
		doctor_report(d, HEALTH_OK, "database", NO_ADVICE, "PostgreSQL %.*s",
		    (int)s->version.n, s->version.p);
	check_slots(d, s->room);
	if (skew > SKEW_US || skew < -SKEW_US)
		doctor_report(d, HEALTH_WARNING, "clock", DO(SYNC_CLOCKS),
		    "the database's clock differs by %" PRId64 " ms", skew / 1000);
}

static void
check_role(struct doctor *d, const struct role *r)
{
	const char *name = arena_str(d->c->arena, r->name).p;

	if (!r->there)
		doctor_report(d, HEALTH_FAILED, "roles", DO_WITH(MIGRATE, SETUP),
		    "the role %s is missing", name);
	else if (r->may_log_in != r->wanted_log_in)
		doctor_report(d, HEALTH_FAILED, "roles",
		    DO_WITH(ALTER_ROLE, name, r->wanted_log_in ? "LOGIN" : "NOLOGIN"),
		    "%s %s log in", name, r->may_log_in ? "can" : "cannot");
	else if (r->mighty)
		doctor_report(d, HEALTH_WARNING, "roles",
		    DO_WITH(ALTER_ROLE, name, "NOSUPERUSER NOCREATEROLE NOBYPASSRLS"),
		    "%s may do more than it needs", name);
	else
		doctor_report(d, HEALTH_OK, "roles", NO_ADVICE, "%s", name);
	doctor_subject(d, name);
}

/* The roles that ought to exist are read from roles.sql (migrate_roles), so that no second list of
   them has to be kept. cli_catch turns the message of a failure into the text of a finding. All
   roles are compared in one statement:

     missing          failed    nothing of the program can log in
     LOGIN or not     failed    an owner that can log in is a risk, a daemon that cannot is dead
     more than that   warning   superuser, CREATEROLE, BYPASSRLS: everything works, and more than it
                                should */
static void
check_roles(struct doctor *d)
{
	struct list wanted, found;
	struct buf output = { .a = d->c->arena };
	struct str *all, *login;
	size_t logins = 0;
	bool ok;

	cli_catch(&output);
	ok = migrate_roles(d->c->arena, d->sql_dir.p, &wanted);
	cli_catch(NULL);
	if (!ok) {
		doctor_report(d, HEALTH_FAILED, "roles", DO_WITH(FIX_PROGRAM, "surfaced"), "%.*s",
		    (int)output.n, output.p);
		return;
	}
	all = ARENA_ARRAY(d->c->arena, wanted.n, struct str);
	login = ARENA_ARRAY(d->c->arena, wanted.n, struct str);
	for (size_t i = 0; i < wanted.n; i++) {
		const struct migrate_role *r = &((const struct migrate_role *)wanted.items)[i];

		all[i] = r->name;
		if (r->login)
			login[logins++] = r->name;
	}
	if (db_list(d->c->db, &read_roles, &found, P(((struct strs){ all, wanted.n })),
		P(((struct strs){ login, logins }))) == DB_OK)
		for (size_t i = 0; i < found.n; i++)
			check_role(d, &((const struct role *)found.items)[i]);
}

static void
check_schema(struct doctor *d)
{
	struct buf output = { .a = d->c->arena };
	int64_t pending = 0, version = 0;
	struct str indexes = STR_NULL;
	int status;

	cli_catch(&output);
	status = migrate_pending(d->c, d->sql_dir.p, &pending, &version);
	if (status == EXIT_OK && pending == 0)
		status = migrate_indexes_missing(d->c, d->sql_dir.p, &indexes);
	cli_catch(NULL);
	buf_char(&output, '\0');
	output.n--;
	if (status != EXIT_OK && strstr(output.p, MIGRATE_LATER) != NULL)
		doctor_report(d, HEALTH_WARNING, "schema",
		    DO_WITH(AS_SAID,
			"the release before that one runs with it; upgrade this host again, or "
			"read A rollback in README.Debian"),
		    "%.*s", (int)output.n, output.p);
	else if (status != EXIT_OK)
		doctor_report(d, HEALTH_FAILED, "schema",
		    strstr(output.p, "schema_migration") != NULL ? DO_WITH(MIGRATE, SETUP)
								 : DO_WITH(FIX_PROGRAM, "surfaced"),
		    "%.*s", (int)output.n, output.p);
	else if (pending > 0)
		doctor_report(d, HEALTH_FAILED, "schema", DO_WITH(MIGRATE, SETUP),
		    "%" PRId64 " files up to %04" PRId64 " have not been applied", pending,
		    version);
	else if (indexes.p != NULL)
		doctor_report(d, HEALTH_FAILED, "schema", DO_WITH(MIGRATE, SETUP),
		    "these indexes are missing or invalid: %.*s", (int)indexes.n, indexes.p);
	else
		doctor_report(d, HEALTH_OK, "schema", NO_ADVICE, "%04" PRId64, version);
}

/* ---- rights ---- */

struct right {
	bool missing;
	struct str text, database;
};

static const struct field right_out[] = {
	FIELD(struct right, missing, 0),
	FIELD(struct right, text, 0),
	FIELD(struct right, database, 0),
	FIELD_END,
};

/* Rights in the syntax of REVOKE. schema_right has the rights that the files of sql/ granted
   (migrate.c writes it), and the view schema_right_now has the present ones. The two differences
   have different weight:

     in schema_right, not now    revoked by hand     a daemon will fail: FAILED
     now, not in schema_right    granted by hand     an administrator may need it: WARNING, with the command that revokes it

   50 rows are enough to see a pattern, and the database name is added for the command. */
STMT_LIST(read_rights, struct right, right_out,
    "SELECT missing, format('%s ON %s %s FROM %s', privilege, kind,"
    " CASE kind WHEN 'DATABASE' THEN quote_ident(current_database()) ELSE name END,"
    " grantee) AS text, current_database()::text AS database"
    " FROM (SELECT true AS missing, * FROM (TABLE public.schema_right"
    " EXCEPT TABLE public.schema_right_now) AS m"
    " UNION ALL SELECT false, * FROM (TABLE public.schema_right_now"
    " EXCEPT TABLE public.schema_right) AS h) AS d ORDER BY missing DESC, text LIMIT 50");

static void
check_rights(struct doctor *d)
{
	struct list rights;
	enum db_rc rc = db_rows(d->c->db, &read_rights, &rights, DB_NO_ARGS);

	if (rc != DB_OK) {
		doctor_report(d, HEALTH_FAILED, "rights", DO_WITH(MIGRATE, SETUP), "%s",
		    db_message(d->c->db));
		doctor_cause(d, "schema", NULL);
		return;
	}
	for (size_t i = 0; i < rights.n; i++) {
		const struct right *r = &((const struct right *)rights.items)[i];
		const char *text = arena_str(d->c->arena, r->text).p;

		if (r->missing)
			doctor_report(d, HEALTH_FAILED, "rights", DO_WITH(MIGRATE, SETUP),
			    "revoked: %s", text);
		else
			doctor_report(d, HEALTH_WARNING, "rights",
			    DO_WITH(REVOKE, arena_str(d->c->arena, r->database).p, text),
			    "granted by hand: %s", text);
	}
	if (rights.n == 0)
		doctor_report(d, HEALTH_OK, "rights", NO_ADVICE, "each role has its own");
}

void
doctor_database(struct doctor *d)
{
	struct server s;
	enum db_rc rc;

	db_use(d->c->db, d->c->arena, mono_us() + PATIENCE_US);
	rc = db_one_row(d->c->db, &read_server, &s, DB_NO_ARGS);
	d->database = rc == DB_OK;
	if (rc == DB_OK) {
		check_server(d, &s);
		check_roles(d);
		check_schema(d);
		check_rights(d);
		doctor_storing(d);
	} else {
		doctor_report(d, HEALTH_FAILED, "database",
		    doctor_login_advice(d, d->c->conninfo, db_message(d->c->db), "surfacectl"),
		    "%s", db_message(d->c->db));
	}
	doctor_logins(d);
}
