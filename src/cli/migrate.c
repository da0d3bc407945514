/* SPDX-License-Identifier: ISC */
/* surfacectl migrate: applies roles.sql, and then each numbered file of sql/ that the database has not had.

     files       0001-accounts  0002-keys  0003-hosts  0004-tags
     database    0001-accounts  0002-keys                          (name and hash of each applied file)
                 must be equal             pending: applied in order, each in its own transaction

   There is no way back: a mistake is corrected by a further file. A file that changed after it was applied stops
   the migration, since nobody knows then which schema the database has. An advisory lock makes a second
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

static bool
read_migration(struct arena *a, const char *dir, const char *entry, struct file *f)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	const char *path = arena_printf(a, "%s/%s", dir, entry).p;

	f->name = arena_str(a, (struct str){ entry, strlen(entry) - 4 });
	f->text = read_text(a, path);
	if (f->text.p == NULL || !str_int64((struct str){ entry, 4 }, &f->version)) {
		cli_fail(EXIT_FAILED, "cannot read %s", path);
		return false;
	}
	SHA256((const unsigned char *)f->text.p, f->text.n, sum);
	hex_print(f->sha256, sum, sizeof(sum));
	return true;
}

/* The files in the order of their numbers; -1 after a message. */
static int
read_files(struct arena *a, const char *dir, struct file **out)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_numbered, alphasort);
	bool ok = true;

	if (n < 0) {
		cli_fail(EXIT_FAILED, "cannot read %s: %s", dir, strerror(errno));
		return -1;
	}
	*out = ARENA_ARRAY(a, (size_t)n, struct file);
	for (int i = 0; i < n; i++) {
		ok = ok && read_migration(a, dir, entries[i]->d_name, &(*out)[i]);
		if (ok && i > 0 && (*out)[i].version == (*out)[i - 1].version) {
			cli_fail(EXIT_FAILED, "%s: two files have the number %04d", dir,
			    (int)(*out)[i].version);
			ok = false;
		}
		free(entries[i]);
	}
	free(entries);
	return ok ? n : -1;
}

/* The files that were applied must be the first files of the directory, unchanged. */
static bool
check_applied(const char *dir, const struct file *files, int n, const struct list *list)
{
	const struct applied *a = list->items;

	for (size_t i = 0; i < list->n; i++) {
		if (i >= (size_t)n || files[i].version != a[i].version) {
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

#define SETUP PKGDATADIR "/setup-postgresql"

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

/* schema_right has the rights that the files granted, which doctor compares with the present ones. Rights that
   exist before a file but are not in that table were granted by hand, and stay out of it. */
#define BEFORE_FILE                                                                                \
	"SET LOCAL lock_timeout = '5s'; SET LOCAL ROLE surfaced_owner;"                            \
	" SET LOCAL search_path = public;"                                                         \
	" CREATE TABLE schema_right_by_hand AS"                                                    \
	" SELECT * FROM schema_right_now EXCEPT SELECT * FROM schema_right"
#define AFTER_FILE                                                                                 \
	"DELETE FROM schema_right;"                                                                \
	" INSERT INTO schema_right SELECT * FROM schema_right_now"                                 \
	" EXCEPT SELECT * FROM schema_right_by_hand;"                                              \
	" DROP TABLE schema_right_by_hand"

static enum db_rc
apply_file(struct cli *c, const struct file *f)
{
	enum db_rc rc = db_begin(c->db);

	if (rc != DB_OK)
		return rc;
	rc = db_script(c->db, BEFORE_FILE);
	if (rc == DB_OK)
		rc = db_script(c->db, f->text.p);
	if (rc == DB_OK)
		rc = db_script(c->db, AFTER_FILE);
	if (rc == DB_OK)
		rc = db_do(
		    c->db, &insert_applied, NULL, P(f->version), P(f->name), P(str_of(f->sha256)));
	if (rc == DB_OK)
		return db_commit(c->db);
	db_rollback(c->db);
	return rc;
}

static int
apply_rest(struct cli *c, const struct file *files, int n, size_t done, struct outcome *o)
{
	struct str *names = ARENA_ARRAY(c->arena, (size_t)n + 1, struct str);
	enum db_rc rc;

	*o = (struct outcome){ { names, 0 }, n > 0 ? files[n - 1].version : 0 };
	for (size_t i = done; i < (size_t)n; i++) {
		rc = apply_file(c, &files[i]);
		if (rc != DB_OK)
			return fail_apply(c, rc, files[i].name.p);
		names[o->applied.n++] = files[i].name;
	}
	return EXIT_OK;
}

static int
migrate_locked(struct cli *c, const char *dir, struct outcome *o)
{
	const char *roles = arena_printf(c->arena, "%s/roles.sql", dir).p;
	struct str text = read_text(c->arena, roles);
	struct list done;
	struct file *files;
	enum db_rc rc;
	int n;

	if (text.p == NULL)
		return cli_fail(EXIT_FAILED, "cannot read %s: %s", roles, strerror(errno));
	n = read_files(c->arena, dir, &files);
	if (n < 0)
		return EXIT_FAILED;
	rc = apply_roles(c, text);
	if (rc != DB_OK)
		return fail_apply(c, rc, "roles.sql");
	rc = db_rows(c->db, &list_applied, &done, DB_NO_ARGS);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "schema_migration");
	if (!check_applied(dir, files, n, &done))
		return EXIT_FAILED;
	return apply_rest(c, files, n, done.n, o);
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
	struct file *files;
	int n = read_files(c->arena, dir, &files);

	*version = n > 0 ? files[n - 1].version : 0;
	return n >= 0;
}

/* Only reads, so that a role without the right to migrate can call it. */
int
migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version)
{
	struct list done;
	struct file *files;
	enum db_rc rc;
	int n = read_files(c->arena, dir, &files);

	*pending = *version = 0;
	if (n < 0)
		return EXIT_FAILED;
	rc = db_rows(c->db, &list_applied, &done, DB_NO_ARGS);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "schema_migration");
	if (!check_applied(dir, files, n, &done))
		return EXIT_FAILED;
	*pending = n - (int64_t)done.n;
	*version = n > 0 ? files[n - 1].version : 0;
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
