/* SPDX-License-Identifier: ISC */
/* surfacectl migrate: brings the roles, the tables and the functions of a database up to date.

     roles.sql         roles, settings, schema_migration        every time, in a transaction
     NNNN-NAME.sql     tables, indexes, triggers, views, data   each once, in order   \ in one
     functions/NAME    every function as it is now              every time, whole     / transaction

   Files and functions change together, because a program must never meet new tables with old
   functions. Triggers, checks and views of a numbered file name functions that have to exist
   before, and functions name tables that exist after: functions/triggers.sql therefore also runs
   before the numbered files, its bodies unchecked.

   There is no way back: a mistake is corrected by a further file. A numbered file that changed
   after it was applied stops the migration, since the schema of the database is unknown then. Even a changed
   comment counts.
   A program whose release is older than the one that applied the functions leaves them alone, so
   that a host that is upgraded last cannot put its own back. An advisory lock makes a second
   migration wait. */
#include "config.h"

#include <openssl/sha.h>

#include "cli/cli.h"
#include "cli/migrate.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

enum { FILE_MAX = 8 * 1024 * 1024, HEX_LEN = 64, MIGRATE_ROLES_MAX = 64 };

struct file {
	int64_t version;
	struct str name; /* 0001-accounts */
	struct str text; /* NUL-terminated */
	char sha256[HEX_LEN + 1];
};

/* The files of a directory. */
struct files {
	struct file *p; /* the numbered ones, in order */
	int n;
	struct file *functions; /* in dir/functions, in the order of their names */
	int n_functions;
	char sha256[HEX_LEN + 1]; /* hash of all function files */
};

struct applied {
	int64_t version;
	struct str name, sha256;
};

struct outcome {
	struct list applied;
	int64_t version;
};

static const struct field applied_out[] = {
	FIELD(struct applied, version, 0),
	FIELD(struct applied, name, 0),
	FIELD(struct applied, sha256, 0),
	FIELD_END,
};

static const struct field outcome_out[] = {
	LIST_OF(struct outcome, applied, 0, struct str, 0, 0),
	FIELD(struct outcome, version, 0),
	FIELD_END,
};

STMT_LIST(list_applied, struct applied, applied_out,
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
	bool super;
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
    "SELECT rolsuper AS super, current_database()::text AS database,"
    " host(inet_server_addr()) AS host, coalesce(inet_server_port(), 0)::bigint AS port"
    " FROM pg_roles WHERE rolname = current_user");

/* The advisory lock that every migration takes. */
#define LOCK "SET lock_timeout = '60s'; SELECT pg_advisory_lock(7235082391)"
#define UNLOCK "SELECT pg_advisory_unlock(7235082391)"

static struct str
read_text(struct arena *a, const char *path)
{
	struct buf b = { .a = a };

	return file_read(path, FILE_MAX, &b) ? arena_str(a, buf_done(&b)) : STR_NULL;
}

static int
is_numbered(const struct dirent *e)
{
	const char *p = e->d_name;
	size_t n = strlen(p);

	for (int i = 0; i < 4; i++)
		if (p[i] < '0' || p[i] > '9')
			return 0;
	return p[4] == '-' && n > 9 && strcmp(p + n - 4, ".sql") == 0;
}

static int
is_functions(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 4 && strcmp(e->d_name + n - 4, ".sql") == 0;
}

static void
sum_text(struct str text, char sha256[HEX_LEN + 1])
{
	unsigned char sum[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text.p, text.n, sum);
	hex_print(sha256, sum, sizeof(sum));
}

static bool
read_file(struct arena *a, const char *dir, const char *entry, struct file *f)
{
	const char *path = arena_printf(a, "%s/%s", dir, entry).p;

	f->name = arena_str(a, (struct str){ entry, strlen(entry) - 4 });
	f->text = read_text(a, path);
	if (f->text.p == NULL) {
		cli_fail(EXIT_FAILED, "cannot read %s", path);
		return false;
	}
	sum_text(f->text, f->sha256);
	return true;
}

/* The files of dir that `is_one` accepts, in the order of their names; -1 after a message. */
static int
read_directory(
    struct arena *a, const char *dir, int (*is_one)(const struct dirent *), struct file **out)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_one, alphasort);
	bool ok = true;

	if (n < 0) {
		cli_fail(EXIT_FAILED, "cannot read %s: %s", dir, strerror(errno));
		return -1;
	}
	*out = ARENA_ARRAY(a, (size_t)n, struct file);
	for (int i = 0; i < n; i++) {
		ok = ok && read_file(a, dir, entries[i]->d_name, &(*out)[i]);
		free(entries[i]);
	}
	free(entries);
	return ok ? n : -1;
}

static void
sum_functions(struct arena *a, struct files *f)
{
	struct buf all = { .a = a };

	for (int i = 0; i < f->n_functions; i++)
		buf_printf(&all, "%s %s\n", f->functions[i].name.p, f->functions[i].sha256);
	sum_text(buf_done(&all), f->sha256);
}

static bool
read_files(struct arena *a, const char *dir, struct files *out)
{
	const char *functions = arena_printf(a, "%s/functions", dir).p;

	out->n = read_directory(a, dir, is_numbered, &out->p);
	if (out->n < 0)
		return false;
	for (int i = 0; i < out->n; i++) {
		struct file *f = &out->p[i];

		f->version = strtol(f->name.p, NULL, 10);
		if (i > 0 && f->version == f[-1].version) {
			cli_fail(EXIT_FAILED, "%s: two files have the number %04d", dir,
			    (int)f->version);
			return false;
		}
	}
	out->n_functions = read_directory(a, functions, is_functions, &out->functions);
	if (out->n_functions < 0)
		return false;
	sum_functions(a, out);
	return true;
}

static int64_t
last_version(const struct files *f)
{
	return f->n > 0 ? f->p[f->n - 1].version : 0;
}

/* Databases of the release candidates have had nineteen files of an older numbering. Their tables
   are those of the first BASELINE files of today, which count as applied. */
enum { CANDIDATE_FILES = 19, BASELINE = 10 };

static bool
is_candidate(const struct list *done)
{
	const struct applied *a = done->items;

	return done->n == CANDIDATE_FILES && str_is(a[done->n - 1].name, "0019-host-tombstones");
}

/* An earlier candidate has had fewer files, and some of other names: no file leads from there. */
static bool
check_names(const struct files *f, const struct list *list)
{
	const struct applied *a = list->items;

	for (size_t i = 0; i < list->n && i < (size_t)f->n; i++) {
		if (f->p[i].version != a[i].version || str_eq(f->p[i].name, a[i].name))
			continue;
		cli_fail(EXIT_FAILED,
		    "the database has had %.*s, where this program has %.*s: an early release "
		    "candidate made it; "
		    "upgrade it to the last release candidate first, or create it anew",
		    (int)a[i].name.n, a[i].name.p, (int)f->p[i].name.n, f->p[i].name.p);
		return false;
	}
	return true;
}

/* The files that were applied must be the first files of the directory, unchanged. */
static bool
check_applied(const char *dir, const struct files *f, const struct list *list)
{
	const struct applied *a = list->items;
	const struct file *files = f->p;

	if (is_candidate(list))
		return true;
	if (!check_names(f, list))
		return false;

	for (size_t i = 0; i < list->n; i++) {
		if (i >= (size_t)f->n || files[i].version != a[i].version) {
			cli_fail(EXIT_FAILED,
			    "the database has had %.*s, which is not in its place in %s: "
			    "this"
			    " program is older than the database, or a file is missing",
			    (int)a[i].name.n, a[i].name.p, dir);
			return false;
		}
		if (!str_is(a[i].sha256, files[i].sha256)) {
			cli_fail(EXIT_FAILED,
			    "%s/%.*s.sql has changed since it was applied: restore it, "
			    "and put"
			    " what is new into a file of its own",
			    dir, (int)files[i].name.n, files[i].name.p);
			return false;
		}
	}
	return true;
}

/* ---- a user without the rights gets the exact command to type ---- */

/* The command that applies these files with sufficient rights; *super: the present role has them. */
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
	return cli_fail(EXIT_FAILED, "%s: %s: this takes a PostgreSQL superuser; %.*s", what, given,
	    (int)advice.n, advice.p);
}

/* ---- the roles that roles.sql creates, read from its VALUES ---- */

static struct str
next_quoted(struct str *rest, const char *before)
{
	size_t n = strlen(before);
	const char *end = NULL;
	struct str word = STR_NULL;

	if (rest->n > n && memcmp(rest->p, before, n) == 0)
		end = memchr(rest->p + n, '\'', rest->n - n);
	if (end == NULL)
		return word;
	word = (struct str){ rest->p + n, (size_t)(end - rest->p) - n };
	rest->n -= (size_t)(end - rest->p);
	rest->p = end;
	return word;
}

/* Finds the roles in the text of roles.sql: rows of the form ('surfaced_api',
   'LOGIN'). The file stays the only list of roles, and doctor and --check need the
   list without the right to execute the file. Rows of other tables in the same
   file begin with a role, too, but have no LOGIN or NOLOGIN behind it. */
static bool
find_roles(struct arena *a, struct str text, struct list *out)
{
	struct migrate_role *roles = ARENA_ARRAY(a, MIGRATE_ROLES_MAX, struct migrate_role);
	static const char mark[] = "('surfaced_";
	const char *at;

	*out = (struct list){ roles, 0 };
	while ((at = memmem(text.p, text.n, mark, sizeof(mark) - 1)) != NULL) {
		struct str name, login;

		text.n -= (size_t)(at - text.p);
		text.p = at;
		name = next_quoted(&text, "('");
		login = next_quoted(&text, "', '");
		if (name.p == NULL)
			return false; /* the text ends inside the row */
		if (!str_is(login, "LOGIN") && !str_is(login, "NOLOGIN"))
			continue; /* the row of another table */
		if (out->n == MIGRATE_ROLES_MAX)
			return false;
		roles[out->n++] =
		    (struct migrate_role){ arena_str(a, name), str_is(login, "LOGIN") };
	}
	return out->n > 0;
}

int
migrate_roles(struct cli *c, const char *dir, struct list *out)
{
	const char *path = arena_printf(c->arena, "%s/roles.sql", dir).p;
	struct str text = read_text(c->arena, path);

	if (text.p == NULL)
		return cli_fail(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
	if (!find_roles(c->arena, text, out))
		return cli_fail(EXIT_FAILED, "%s names no roles, or too many", path);
	return EXIT_OK;
}

struct role_name {
	struct str name;
};

static const struct field role_name_out[] = { FIELD(struct role_name, name, 0), FIELD_END };

STMT_LIST(missing_roles, struct role_name, role_name_out,
    "SELECT name FROM unnest($1::text[]) AS w(name)"
    " WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) ORDER BY name");

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
   Rights that exist before the files but are not in that table were granted by hand, and stay out. */
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
record_file(struct cli *c, const struct file *f)
{
	return db_do(c->db, &insert_applied, NULL, P(f->version), P(f->name), P(str_of(f->sha256)));
}

/* The work of one run, and the file at which it stopped. */
struct plan {
	struct files f;
	size_t done; /* how many numbered files were applied before */
	bool candidate, functions;
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

/* Rewrites the list of applied files for a database of a release candidate. Its
   nineteen files made the same tables as the first BASELINE files of today, so
   these are recorded as applied, with today's hashes, and not executed. The whole
   happens in the transaction of the migration: if a later file fails, the old list
   is there again. */
static enum db_rc
adopt_candidate(struct cli *c, struct plan *p)
{
	enum db_rc rc = db_script(c->db, "DELETE FROM schema_migration");

	for (p->done = 0; p->done < (size_t)p->f.n && rc == DB_OK; p->done++) {
		if (p->f.p[p->done].version > BASELINE)
			break;
		rc = record_file(c, &p->f.p[p->done]);
	}
	return rc;
}

/* The one transaction of a migration, in an order that each step needs:

     BEFORE_FILES   become surfaced_owner; note the rights that were granted by hand
     adopt          only for a database of a release candidate
     triggers       functions that new tables name, bodies unchecked: the tables they use do not exist yet
     files          each numbered file, and its row in schema_migration
     functions      all of them, checked
     AFTER_FILES    note the rights that exist now, without those by hand

   lock_timeout keeps a busy table from stopping the API behind a waiting ALTER TABLE: the migration
   fails after five seconds instead and can be repeated. */
static enum db_rc
apply_plan(struct cli *c, struct plan *p)
{
	enum db_rc rc = db_script(c->db, BEFORE_FILES);

	if (rc == DB_OK && p->candidate)
		rc = adopt_candidate(c, p);
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

	*o = (struct outcome){ { names, 0 }, last_version(&p->f) };
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

enum functions_state { FUNCTIONS_SAME, FUNCTIONS_DIFFER, FUNCTIONS_LATER };

/* LATER: a later release has applied its own. */
static enum db_rc
compare_functions(struct cli *c, const struct files *f, enum functions_state *state)
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

static int
migrate_locked(struct cli *c, const char *dir, struct outcome *o)
{
	const char *roles = arena_printf(c->arena, "%s/roles.sql", dir).p;
	struct str text = read_text(c->arena, roles);
	struct plan p = { .at = "schema_migration" };
	enum functions_state state;
	struct list done;
	enum db_rc rc;

	if (text.p == NULL)
		return cli_fail(EXIT_FAILED, "cannot read %s: %s", roles, strerror(errno));
	if (!read_files(c->arena, dir, &p.f))
		return EXIT_FAILED;
	rc = apply_roles(c, text);
	if (rc != DB_OK)
		return fail_apply(c, rc, "roles.sql");
	rc = db_rows(c->db, &list_applied, &done, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = compare_functions(c, &p.f, &state);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "schema_migration");
	if (!check_applied(dir, &p.f, &done))
		return EXIT_FAILED;
	p.functions = state != FUNCTIONS_LATER;
	p.candidate = is_candidate(&done);
	p.done = done.n;
	return apply_rest(c, &p, o);
}

static int
migrate_all(struct cli *c, const char *dir, struct outcome *o)
{
	enum db_rc rc = db_script(c->db, LOCK);
	int status;

	if (rc != DB_OK)
		return cli_fail_db(c, rc, "waiting for another migration");
	status = migrate_locked(c, dir, o);
	if (db_script(c->db, UNLOCK) != DB_OK && status == EXIT_OK)
		return cli_fail(EXIT_NO_DATABASE, "the connection was lost after the migration");
	return status;
}

int
migrate_rest(struct cli *c, const char *dir)
{
	struct outcome o;

	return migrate_all(c, dir, &o);
}

bool
migrate_newest(struct cli *c, const char *dir, int64_t *version)
{
	struct files f;
	bool ok = read_files(c->arena, dir, &f);

	*version = ok ? last_version(&f) : 0;
	return ok;
}

/* Only reads, so that a role without the right to migrate can call it. */
int
migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version)
{
	enum functions_state state = FUNCTIONS_DIFFER;
	struct list done;
	struct files f;
	enum db_rc rc;

	*pending = *version = 0;
	if (!read_files(c->arena, dir, &f))
		return EXIT_FAILED;
	rc = db_rows(c->db, &list_applied, &done, DB_NO_ARGS);
	if (rc == DB_OK && !is_candidate(&done))
		rc = compare_functions(c, &f, &state);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "schema_migration");
	if (!check_applied(dir, &f, &done))
		return EXIT_FAILED;
	*pending = f.n - (is_candidate(&done) ? BASELINE : (int64_t)done.n);
	if (state == FUNCTIONS_DIFFER)
		*pending += f.n_functions;
	*version = last_version(&f);
	return EXIT_OK;
}

/* The names of the roles that do not exist on the server. */
static int
roles_missing(struct cli *c, const char *dir, struct buf *names)
{
	struct list wanted = { NULL, 0 }, missing;
	struct str *given;
	enum db_rc rc;
	int status = migrate_roles(c, dir, &wanted);

	if (status != EXIT_OK)
		return status;
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
	struct str advice;
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
	return EXIT_OK;
}

static int
migrate(struct cli *c, int argc, char **argv)
{
	struct str dir = STR_INIT(PKGDATADIR "/sql");
	bool only_check = false;
	const struct cli_option options[] = { { "sql-dir", .text = &dir },
		{ "check", .flag = &only_check }, { NULL } };
	struct cli_list words;
	struct outcome o;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (only_check)
		return check_migrations(c, dir.p);
	status = migrate_all(c, dir.p, &o);
	return status == EXIT_OK ? cli_print(c, "migration", outcome_out, &o) : status;
}

static const struct command migrate_command = {
	.name = "migrate",
	.arguments = "[--sql-dir DIR] [--check]",
	.help = "create or upgrade roles and tables; as a PostgreSQL superuser the first "
		"time",
	.run = migrate,
};

COMMAND(migrate_command);
