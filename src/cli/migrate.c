/* SPDX-License-Identifier: ISC */
/* surfacectl migrate: brings the roles, the tables and the functions of a database up to date.

     roles.sql         roles, settings, schema_migration        every time, in a transaction
     NNNN-NAME.sql     tables, indexes, triggers, views, data   each once, in order   \ in one
     functions/NAME    every function as it is now              every time, whole     / transaction
     indexes.sql       indexes of long tables                   each once, after the transaction

   Files and functions change together, because a program must never meet new tables with old
   functions. migrate_files.h draws the directory and its comparison with the database; this file
   has the statements and their transactions. Triggers, checks and views of a numbered file name
   functions that have to exist before, and functions name tables that exist after:
   functions/triggers.sql therefore also runs before the numbered files, its bodies unchecked.

   The catalogue of detection rules is loaded after that (rule/command.c), unless a later release
   has loaded its own.

   There is no way back: a mistake is corrected by a further file. An older release does not replace
   the functions of a newer one, so that the host that is upgraded last cannot bring old functions
   back. An advisory lock makes a second migration wait. */
#include "config.h"

#include "cli/cli.h"
#include "cli/migrate.h"
#include "cli/migrate_files.h"
#include "cli/migrate_indexes.h"
#include "cli/rule/rule_set.h"

#include <inttypes.h>
#include <unistd.h>

struct outcome {
	struct list applied;
	int64_t version;
	/* the functions are those of a later release, and so is the catalogue of rules */
	bool later;
};

static const struct field applied_out[] = {
	FIELD(struct migrate_applied, version, 0),
	FIELD(struct migrate_applied, name, 0),
	FIELD(struct migrate_applied, sha256, 0),
	FIELD_END,
};

static const struct field outcome_out[] = {
	LIST_OF(struct outcome, applied, 0, struct str, 0, 0),
	FIELD(struct outcome, version, 0),
	FIELD_END,
};

STMT_LIST(list_applied, struct migrate_applied, applied_out,
    "SELECT version, name, sha256 FROM public.schema_migration ORDER BY version");

struct functions_row {
	struct str release, sha256;
};

static const struct field functions_out[] = {
	FIELD(struct functions_row, release, 0),
	FIELD(struct functions_row, sha256, 0),
	FIELD_END,
};

STMT(read_functions, functions_out, "SELECT release, sha256 FROM public.schema_functions");

STMT(write_functions, NULL,
    "INSERT INTO public.schema_functions (release, sha256) VALUES ($1, $2)"
    " ON CONFLICT (only_row) DO UPDATE SET"
    " release = excluded.release, sha256 = excluded.sha256, applied_at = now()");

STMT(insert_applied, NULL,
    "INSERT INTO public.schema_migration (version, name, sha256) VALUES ($1, $2, $3)");

struct standing {
	bool super;                /* or CREATEROLE */
	struct str database, host; /* host: unset on a Unix socket */
	int64_t port;
};

static const struct field standing_out[] = {
	FIELD(struct standing, super, 0),
	FIELD(struct standing, database, 0),
	FIELD(struct standing, host, NULLABLE),
	FIELD(struct standing, port, 0),
	FIELD_END,
};

STMT(read_standing, standing_out,
    "SELECT rolsuper OR rolcreaterole AS super, current_database()::text AS database,"
    " host(inet_server_addr()) AS host, coalesce(inet_server_port(), 0)::bigint AS port"
    " FROM pg_roles WHERE rolname = current_user");

/* The advisory lock that every migration takes. */
#define LOCK "SET lock_timeout = '60s'; SELECT pg_advisory_lock(7235082391)"
#define UNLOCK "SELECT pg_advisory_unlock(7235082391)"

/* ---- a user without the rights gets the exact command to type ---- */

/* The command that applies these files with sufficient rights; *super: the present role has
   them. */
static struct str
migrate_advice(struct cli *c, bool *super)
{
	struct standing s = { 0 };

	*super = db_one_row(c->db, &read_standing, &s, DB_NO_ARGS) == DB_OK && s.super;
	if (s.host.p != NULL)
		return arena_printf(c->arena,
		    "surfacectl --database \"host=%.*s port=%" PRId64
		    " dbname=%.*s user=postgres\" migrate",
		    (int)s.host.n, s.host.p, s.port, (int)s.database.n, s.database.p);
	if (access(SETUP, X_OK) == 0)
		return STR("as root: " SETUP);
	return arena_printf(c->arena,
	    "as the user postgres: surfacectl --database \"dbname=%.*s user=postgres\" "
	    "migrate",
	    (int)s.database.n, s.database.p);
}

/* Reports a refused statement, with the command to type if the present role lacks rights. */
static int
fail_apply(struct cli *c, enum db_rc rc, const char *what)
{
	const char *given = arena_str(c->arena, str_of(db_message(c->db))).p;
	struct str advice;
	bool super;

	if (rc != DB_CONFLICT && (rc != DB_DOWN || db_socket(c->db) < 0))
		return cli_fail_db(c, rc, what);
	advice = migrate_advice(c, &super);
	if (super)
		return cli_fail(EXIT_FAILED, "%s: %s", what, given);
	return cli_fail(EXIT_FAILED,
	    "%s: %s: this takes the owner of the database, with CREATEROLE; %.*s", what, given,
	    (int)advice.n, advice.p);
}

enum functions_state { FUNCTIONS_SAME, FUNCTIONS_DIFFER, FUNCTIONS_LATER };

/* LATER: a later release has applied its own functions. */
static enum db_rc
compare_functions(struct cli *c, const struct migrate_files *f, enum functions_state *state)
{
	struct functions_row row;
	enum db_rc rc = db_one_row(c->db, &read_functions, &row, DB_NO_ARGS);

	*state = FUNCTIONS_DIFFER;
	if (rc != DB_OK)
		return rc == DB_NONE ? DB_OK : rc;
	if (strverscmp(arena_str(c->arena, row.release).p, PACKAGE_VERSION) > 0)
		*state = FUNCTIONS_LATER;
	else if (str_is(row.sha256, f->sha256))
		*state = FUNCTIONS_SAME;
	return DB_OK;
}

/* ---- applying ---- */

static enum db_rc
apply_roles(struct cli *c, struct str text)
{
	enum db_rc rc = db_begin(c->db);

	if (rc != DB_OK)
		return rc;
	rc = db_script(c->db, text.p);
	if (rc == DB_OK)
		return db_commit(c->db);
	db_rollback(c->db);
	return rc;
}

/* schema_right has the rights that the files granted, which doctor compares with the present ones.
   Rights that exist before the files but are not in that table were granted by hand, and stay
   out. */
#define BEFORE_FILES                                                                               \
	"SET LOCAL lock_timeout = '5s'; SET LOCAL ROLE surfaced_owner;"                            \
	" SET LOCAL search_path = public;"                                                         \
	" CREATE TABLE schema_right_by_hand AS"                                                    \
	" SELECT * FROM schema_right_now EXCEPT SELECT * FROM schema_right"
#define AFTER_FILES                                                                                \
	"DELETE FROM schema_right;"                                                                \
	" INSERT INTO schema_right SELECT * FROM schema_right_now"                                 \
	" EXCEPT SELECT * FROM schema_right_by_hand;"                                              \
	" DROP TABLE schema_right_by_hand"

static enum db_rc
record_file(struct cli *c, const struct migrate_file *f)
{
	return db_do(c->db, &insert_applied, NULL, P(f->version), P(f->name), P(str_of(f->sha256)));
}

/* The work of one run, and the file at which it stopped. */
struct plan {
	struct migrate_files f;
	size_t done; /* the number of numbered files that were applied before */
	bool functions;
	const char *at;
};

static enum db_rc
apply_functions(struct cli *c, struct plan *p)
{
	enum db_rc rc = DB_OK;

	for (int i = 0; i < p->f.n_functions && rc == DB_OK; i++) {
		p->at = arena_printf(c->arena, "functions/%s", p->f.functions[i].name.p).p;
		rc = db_script(c->db, p->f.functions[i].text.p);
	}
	if (rc != DB_OK)
		return rc;
	return db_do(
	    c->db, &write_functions, NULL, P(STR(PACKAGE_VERSION)), P(str_of(p->f.sha256)));
}

/* The functions that triggers, checks and views of new tables name. Bodies are checked when all
   tables exist. */
static enum db_rc
apply_triggers(struct cli *c, struct plan *p)
{
	enum db_rc rc = db_script(c->db, "SET LOCAL check_function_bodies = off");

	for (int i = 0; i < p->f.n_functions && rc == DB_OK; i++)
		if (str_is(p->f.functions[i].name, "triggers")) {
			p->at = "functions/triggers";
			rc = db_script(c->db, p->f.functions[i].text.p);
		}
	return rc == DB_OK ? db_script(c->db, "SET LOCAL check_function_bodies = on") : rc;
}

/* The one transaction of a migration, in an order that each step needs:

     BEFORE_FILES   become surfaced_owner; note the rights that were granted by hand
     triggers       functions that new tables name, bodies unchecked, since their tables are missing
     files          each numbered file, and its row in schema_migration
     functions      all of them, checked
     AFTER_FILES    note the rights that exist now, without those by hand

   lock_timeout keeps a busy table from stopping the API behind a waiting ALTER TABLE: the migration
   fails after five seconds instead and can be repeated. */
static enum db_rc
apply_plan(struct cli *c, struct plan *p)
{
	enum db_rc rc = db_script(c->db, BEFORE_FILES);

	if (rc == DB_OK && p->functions && p->done < (size_t)p->f.n)
		rc = apply_triggers(c, p);
	for (size_t i = p->done; i < (size_t)p->f.n && rc == DB_OK; i++) {
		p->at = p->f.p[i].name.p;
		rc = db_script(c->db, p->f.p[i].text.p);
		if (rc == DB_OK)
			rc = record_file(c, &p->f.p[i]);
	}
	if (rc == DB_OK && p->functions)
		rc = apply_functions(c, p);
	return rc == DB_OK ? db_script(c->db, AFTER_FILES) : rc;
}

static int
apply_rest(struct cli *c, struct plan *p, struct outcome *o)
{
	struct str *names = ARENA_ARRAY(c->arena, (size_t)p->f.n + 1, struct str);
	enum db_rc rc = db_begin(c->db);

	*o = (struct outcome){ { names, 0 }, migrate_files_last(&p->f), false };
	if (rc == DB_OK) {
		rc = apply_plan(c, p);
		if (rc == DB_OK)
			rc = db_commit(c->db);
		else
			db_rollback(c->db);
	}
	if (rc != DB_OK)
		return fail_apply(c, rc, p->at);
	for (size_t i = p->done; i < (size_t)p->f.n; i++)
		names[o->applied.n++] = p->f.p[i].name;
	return EXIT_OK;
}

static int
migrate_locked(struct cli *c, const char *dir, struct outcome *o)
{
	struct str text = migrate_roles_text(c->arena, dir);
	struct plan p = { .at = "schema_migration" };
	enum functions_state state;
	struct list done;
	enum db_rc rc;
	int status;

	if (text.p == NULL || !migrate_files_read(c->arena, dir, &p.f))
		return EXIT_FAILED;
	rc = apply_roles(c, text);
	if (rc != DB_OK)
		return fail_apply(c, rc, "roles.sql");
	rc = db_rows(c->db, &list_applied, &done, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = compare_functions(c, &p.f, &state);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "schema_migration");
	if (!migrate_files_check(dir, &p.f, &done))
		return EXIT_FAILED;
	p.functions = state != FUNCTIONS_LATER;
	p.done = done.n;
	status = apply_rest(c, &p, o);
	o->later = state == FUNCTIONS_LATER;
	return status;
}

static int
migrate_all(struct cli *c, const char *dir, const char *rules, struct outcome *o)
{
	enum db_rc rc = db_script(c->db, LOCK);
	int status;

	*o = (struct outcome){ .later = false };
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "waiting for another migration");
	status = migrate_locked(c, dir, o);
	if (status == EXIT_OK && !o->later)
		status = rule_catalogue_load(c, rules);
	if (db_script(c->db, UNLOCK) != DB_OK && status == EXIT_OK)
		return cli_fail(EXIT_NO_DATABASE, "the connection was lost after the migration");
	return status == EXIT_OK ? migrate_indexes(c, dir) : status;
}

int
migrate_rest(struct cli *c, const char *dir)
{
	struct outcome o;

	return migrate_all(c, dir, NULL, &o);
}

/* ---- comparing, which only reads ---- */

/* Only reads, so that a role without the right to migrate can call it. */
int
migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version)
{
	enum functions_state state = FUNCTIONS_DIFFER;
	struct list done;
	struct migrate_files f;
	enum db_rc rc;

	*pending = *version = 0;
	if (!migrate_files_read(c->arena, dir, &f))
		return EXIT_FAILED;
	rc = db_rows(c->db, &list_applied, &done, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = compare_functions(c, &f, &state);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "schema_migration");
	if (!migrate_files_check(dir, &f, &done))
		return EXIT_FAILED;
	*pending = f.n - (int64_t)done.n;
	if (state == FUNCTIONS_DIFFER)
		*pending += f.n_functions;
	*version = migrate_files_last(&f);
	return EXIT_OK;
}

struct role_name {
	struct str name;
};

static const struct field role_name_out[] = { FIELD(struct role_name, name, 0), FIELD_END };

STMT_LIST(missing_roles, struct role_name, role_name_out,
    "SELECT name FROM unnest($1::text[]) AS w(name)"
    " WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) ORDER BY name");

/* The names of the roles that do not exist on the server. */
static int
roles_missing(struct cli *c, const char *dir, struct buf *names)
{
	struct list wanted = { NULL, 0 }, missing;
	struct str *given;
	enum db_rc rc;

	if (!migrate_roles(c->arena, dir, &wanted))
		return EXIT_FAILED;
	given = ARENA_ARRAY(c->arena, wanted.n, struct str);
	for (size_t i = 0; i < wanted.n; i++)
		given[i] = ((const struct migrate_role *)wanted.items)[i].name;
	rc = db_list(c->db, &missing_roles, &missing, P(((struct strs){ given, wanted.n })));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "pg_roles");
	for (size_t i = 0; i < missing.n; i++) {
		buf_z(names, i > 0 ? ", " : "");
		buf_str(names, ((const struct role_name *)missing.items)[i].name);
	}
	return EXIT_OK;
}

static int
check_migrations(struct cli *c, const char *dir)
{
	struct buf missing = { .a = c->arena };
	int64_t pending, version;
	struct str advice, indexes;
	bool super;
	int status = migrate_pending(c, dir, &pending, &version);

	if (status == EXIT_OK)
		status = roles_missing(c, dir, &missing);
	if (status != EXIT_OK)
		return status;
	advice = migrate_advice(c, &super);
	if (missing.n > 0)
		return cli_fail(EXIT_FAILED, "these roles are missing: %.*s; %.*s", (int)missing.n,
		    missing.p, (int)advice.n, advice.p);
	if (pending > 0)
		return cli_fail(EXIT_FAILED, "%d files up to %04d have not been applied; %.*s",
		    (int)pending, (int)version, (int)advice.n, advice.p);
	status = migrate_indexes_missing(c, dir, &indexes);
	return status != EXIT_OK || indexes.p == NULL
		   ? status
		   : cli_fail(EXIT_FAILED, "these indexes are missing or invalid: %.*s; %.*s",
			 (int)indexes.n, indexes.p, (int)advice.n, advice.p);
}

static int
migrate(struct cli *c, int argc, char **argv)
{
	struct str dir = STR_INIT(PKGDATADIR "/sql"), rules = STR_NULL;
	bool only_check = false;
	const struct cli_option options[] = { { "sql-dir", .text = &dir },
		{ "rules-dir", .text = &rules }, { "check", .flag = &only_check }, { NULL } };
	struct cli_list words;
	struct outcome o;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (only_check)
		return check_migrations(c, dir.p);
	status = migrate_all(c, dir.p, rules.p, &o);
	return status == EXIT_OK ? cli_print(c, "migration", outcome_out, &o) : status;
}

static const struct command migrate_command = {
	.name = "migrate",
	.arguments = "[--sql-dir DIR] [--rules-dir DIR] [--check]",
	.help = "create or upgrade roles and tables; as the owner of the database, with CREATEROLE",
	.run = migrate,
};

COMMAND(migrate_command);
