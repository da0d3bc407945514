/* SPDX-License-Identifier: ISC */
/* surfacectl restore: loads a backup (backup.h) into an empty instance, or with --replace into any.

     1  manifest with its proof, format, schema not newer than this program
     2  lock of the search index                surfaced-index must not run
     3  the database is empty                   in a child, perhaps as another user
     4  evidence, each file by its hash         only adds files; may take hours
     5  empty still? then all rows              in a child, one transaction
     6  newer schema files                      in a child, with a new connection
     7  remove the index                        surfaced-index builds it again from the rows

   A failure up to step 5 leaves the database as it was, with some evidence that no row names. A
   failure in step 6 leaves an older schema, which surfacectl migrate can bring up to date. */
#include "config.h"

#include "cli/archive/backup.h"
#include "cli/process.h"
#include "daemon/conf.h"
#include "cli/migrate.h"
#include "cli/migrate_files.h"
#include "search/index/format/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANIFEST_MAX = 16 << 20, LOOK_US = 100000 };

struct job {
	struct cli *c;
	/* user: the operating system's user for the database's child; NULL: the present one */
	const char *source, *evidence, *user, *sql_dir;
	struct manifest m;
	struct dump dump;
	struct str key; /* the SHA-256 of the backup's key of fingerprints; STR_NULL: none */
	bool replace, only_check, trust;
};

/* ---- the files of the backup ---- */

static int
read_manifest(struct job *j)
{
	struct path from = path_of(j->source, BACKUP_MANIFEST);
	struct arena *a = j->c->arena;
	struct buf text = { .a = a };
	struct decoded how;

	if (!file_read(from.z, MANIFEST_MAX, &text))
		return cli_fail(EXIT_FAILED, "%s: %s: %s", j->source,
		    "this is no finished backup, it has no " BACKUP_MANIFEST, strerror(errno));
	if (!j->trust && !mac_check((struct str){ text.p, text.n }, j->source))
		return EXIT_FAILED;
	if (json_decode(a, buf_done(&text), manifest_fields, ts_now(), &j->m, &how) != JSON_OK)
		return cli_fail(EXIT_FAILED, "%s: it is damaged", from.z);
	if (j->m.format != BACKUP_FORMAT)
		return cli_fail(EXIT_FAILED,
		    "%s: its format is %" PRId64 ", this program knows %d: use that of %.*s",
		    from.z, j->m.format, BACKUP_FORMAT, (int)j->m.program.n, j->m.program.p);
	return EXIT_OK;
}

static int
check_file(const struct job *j, const char *name, struct str sha256)
{
	struct path p = path_of(j->source, name);
	char hex[SHA256_HEX + 1];
	int64_t bytes;

	if (!hash_file(p.z, hex, &bytes))
		return cli_fail(EXIT_FAILED, "%s: %s", p.z, strerror(errno));
	if (!str_is(sha256, hex))
		return cli_fail(EXIT_FAILED, "%s: it is damaged", p.z);
	return EXIT_OK;
}

/* A line of SHA256SUMS. Calls each if it names a file of evidence; opens the dump. */
static int
use_sum(struct job *j, const char *line, int (*each)(struct job *, struct str sha256))
{
	static const char evidence[] = "  " BACKUP_EVIDENCE "/";
	struct arena *a = j->c->arena;
	struct str sha256 = { line, SHA256_HEX };
	const char *name = line + SHA256_HEX;

	if (strspn(line, "0123456789abcdef") != SHA256_HEX)
		return cli_fail(EXIT_FAILED, "%s/" BACKUP_SUMS ": it is damaged", j->source);
	if (strncmp(name, evidence, sizeof(evidence) - 1) == 0)
		return each(j, sha256);
	if (strcmp(name, "  " BACKUP_KEY "\n") == 0) {
		j->key = arena_str(a, sha256);
		return check_file(j, BACKUP_KEY, sha256);
	}
	if (strcmp(name, "  " BACKUP_DUMP "\n") != 0 || j->dump.fd >= 0)
		return cli_fail(EXIT_FAILED, "%s/" BACKUP_SUMS ": it is damaged", j->source);
	return dump_open(
		   a, arena_printf(a, "%s/" BACKUP_DUMP, j->source).p, sha256, j->m.bytes, &j->dump)
		   ? EXIT_OK
		   : EXIT_FAILED;
}

/* Checks all files that SHA256SUMS names, and calls each for every file of evidence. The list is
   hashed again while it is used, since somebody else may change it between the two. */
static int
each_sum(struct job *j, int (*each)(struct job *, struct str sha256))
{
	struct path p = path_of(j->source, BACKUP_SUMS);
	char line[SHA256_HEX + 200], hex[SHA256_HEX + 1];
	int status = check_file(j, BACKUP_SUMS, j->m.sums);
	FILE *in = status == EXIT_OK ? fopen(p.z, "re") : NULL;
	struct sha256 list;

	if (in == NULL)
		return status == EXIT_OK ? cli_fail(EXIT_FAILED, "%s: %s", p.z, strerror(errno))
					 : status;
	sha256_begin(&list);
	while (status == EXIT_OK && fgets(line, sizeof(line), in) != NULL) {
		sha256_add(&list, line, strlen(line));
		status = use_sum(j, line, each);
	}
	fclose(in);
	sha256_end(&list, hex);
	if (status == EXIT_OK && (!str_is(j->m.sums, hex) || j->dump.fd < 0))
		return cli_fail(EXIT_FAILED, "%s: it is damaged", p.z);
	return status;
}

static int
verify_evidence(struct job *j, struct str sha256)
{
	struct path name = path_of(BACKUP_EVIDENCE, path_of_evidence(sha256).z);

	return check_file(j, name.z, sha256);
}

static int
restore_evidence(struct job *j, struct str sha256)
{
	struct path from = path_of(j->source, BACKUP_EVIDENCE);
	int64_t bytes;
	enum copied how = copy_evidence(sha256, from.z, NULL, j->evidence, &bytes);

	if (how == COPIED)
		return EXIT_OK;
	return cli_fail(EXIT_FAILED, "%s/%s: %s", how == COPY_FAILED ? j->evidence : from.z,
	    path_of_evidence(sha256).z, copied_word(how));
}

/* ---- the rows, loaded by a child that may run as another user ---- */

struct found {
	bool tables, ours;
};

static const struct field found_out[] = {
	FIELD(struct found, tables, 0),
	FIELD(struct found, ours, 0),
	FIELD_END,
};

STMT(find_tables, found_out,
    "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('public')) "
    "AS "
    "tables,"
    " to_regclass('public.account') IS NOT NULL AND to_regclass('public.record') IS NOT "
    "NULL AS ours");

struct rows {
	bool any;
};

static const struct field rows_out[] = { FIELD(struct rows, any, 0), FIELD_END };

STMT(find_rows, rows_out,
    "SELECT EXISTS (SELECT FROM public.account) OR EXISTS (SELECT FROM public.record) AS "
    "any");

/* A database is empty if it has no tables, or this project's tables (setup-postgresql creates them)
   without an account or record. */
static int
check_empty(struct job *j)
{
	struct found f;
	struct rows rows = { false };
	enum db_rc rc = db_one_row(j->c->db, &find_tables, &f, DB_NO_ARGS);

	if (rc == DB_OK && f.ours)
		rc = db_one_row(j->c->db, &find_rows, &rows, DB_NO_ARGS);
	if (rc != DB_OK)
		return cli_fail_db(j->c, rc, "looking into the database");
	if (j->replace || !f.tables || (f.ours && !rows.any))
		return EXIT_OK;
	return cli_fail(EXIT_FAILED,
	    "the database is not empty: nothing was done; "
	    "with --replace all of it goes, and the backup takes its place");
}

/* Feeds pg_restore, which writes a script to the pipe of psql. True if all of the dump went
   through. */
static bool
pour_dump(const struct dump *d, int to)
{
	char *argv[] = { "pg_restore", "--file=-", NULL };
	int ends[2];
	bool sent;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid = process_start(argv, ends[0], to);
	close(ends[0]);
	sent = pid > 0 && dump_send(d, ends[1]);
	close(ends[1]);
	return process_wait(pid) == 0 && sent;
}

/* psql runs one transaction, and gets COMMIT only after pg_restore has ended without a failure.

     this process --"BEGIN; DROP SCHEMA ..."--+
     pg_restore   --the rows of the dump------+--> one pipe --> psql, which stops at the first error
     this process --"UPDATE ...; COMMIT"------+

   The three writers use the pipe one after the other. When pg_restore fails, the pipe ends without
   COMMIT, and the server rolls the transaction back: the database is as it was. roles.sql creates
   tables that the dump also has; they are dropped before the rows come. */
static bool
restore_rows(const struct job *j, int to)
{
	static const char before[] =
	    "SET client_min_messages = warning;\n"
	    "BEGIN;\n"
	    "DROP SCHEMA IF EXISTS public CASCADE;\nCREATE SCHEMA public;\n"
	    "\\i :roles\n"
	    "RESET ROLE;\nDROP VIEW public.schema_right_now;\n"
	    "DROP TABLE public.schema_right, public.schema_migration, public.schema_functions;\n";
	/* A row with a transaction id in this cluster's future would look changed for ever. Other
	   connections have cached tables that no longer exist, so they are ended. */
	static const char after[] =
	    "UPDATE public.tag SET changed = DEFAULT WHERE changed > "
	    "pg_current_xact_id();\n"
	    "DELETE FROM public.search_feed;\n"
	    "UPDATE public.record SET changed = DEFAULT WHERE changed > pg_current_xact_id();\n"
	    /* Cursors of the feed compare these numbers; 0 is older than each transaction of this
	       cluster. */
	    "ALTER TABLE public.audit DISABLE TRIGGER audit_stands;\n"
	    "UPDATE public.audit SET changed = '0' WHERE changed <> '0';\n"
	    "ALTER TABLE public.audit ENABLE TRIGGER audit_stands;\n"
	    "UPDATE public.observation_event SET changed = '0';\n"
	    /* The triggers of the audit log name their tables without a schema. */
	    "SET LOCAL search_path = public, pg_temp;\n"
	    /* A person who has signed out since the backup must not be signed in again. */
	    "UPDATE public.sign_in SET ended_at = now(), end_reason = 'restored'\n"
	    " WHERE ended_at IS NULL;\n"
	    "UPDATE public.sign_in_link SET revoked_at = now()\n"
	    " WHERE used_at IS NULL AND revoked_at IS NULL;\n"
	    "INSERT INTO public.audit (actor, action, subject, subject_id) VALUES\n"
	    "	(:'actor', 'database.restore', 'backup', "
	    ":'made');\n"
	    "COMMIT;\n"
	    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity\n"
	    " WHERE datname = current_database() AND pid <> pg_backend_pid();\n";

	return write(to, before, sizeof(before) - 1) > 0 && pour_dump(&j->dump, to) &&
	       write(to, after, sizeof(after) - 1) > 0;
}

static int
load_rows(struct job *j)
{
	struct arena *a = j->c->arena;
	char made[TS_LEN + 1];
	const char *roles, *when, *actor;
	int ends[2], status, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	bool whole;
	pid_t psql;

	ts_print(j->m.created_at, made);
	roles = arena_printf(a, "--set=roles=%s/roles.sql", j->sql_dir).p;
	when = arena_printf(a, "--set=made=%s", made).p;
	actor = arena_printf(a, "--set=actor=%.*s", (int)j->c->actor.n, j->c->actor.p).p;
	char *argv[] = { "psql", "-XqAt", "--set=ON_ERROR_STOP=1", (char *)(uintptr_t)roles,
		(char *)(uintptr_t)when, (char *)(uintptr_t)actor, "--dbname",
		(char *)(uintptr_t)j->c->conninfo, NULL };

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return cli_fail(EXIT_FAILED, "pipe: %s", strerror(errno));
	psql = process_start(argv, ends[0], nowhere);
	close(ends[0]);
	whole = psql > 0 && restore_rows(j, ends[1]);
	close(ends[1]);
	close(nowhere);
	status = process_wait(psql);
	if (status == PROCESS_ABSENT)
		return cli_fail(EXIT_FAILED, "psql cannot be run: apt install postgresql-client");
	if (!whole || status != 0)
		return cli_fail(
		    EXIT_FAILED, "the rows could not be restored: the database is as it was");
	return EXIT_OK;
}

/* Checks again that the database is empty, since copying the files may have taken hours. */
static int
load_if_empty(struct job *j)
{
	int status = check_empty(j);

	return status == EXIT_OK ? load_rows(j) : status;
}

/* Runs in a child of its own, with a new connection: restore_rows ends all others. */
static int
bring_up_to_date(struct job *j)
{
	return migrate_rest(j->c, j->sql_dir);
}

/* Runs a step in a child, for two reasons. With --as the step logs in as the operating system's
   user of the database, and a process cannot change its user back. Besides that, the rows end with
   the termination of all other connections, those of this process included; each step therefore
   begins with a connection of its own, which its child opens. fflush(NULL) keeps buffered output
   from being printed twice. */
static int
run_in_child(struct job *j, int (*run)(struct job *))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return cli_fail(EXIT_FAILED, "fork: %s", strerror(errno));
	if (pid > 0)
		return process_wait(pid);
	if (j->user != NULL && !process_become(j->user))
		_exit(cli_fail(EXIT_FAILED,
		    "cannot become the user %s: is there one, and is this root?", j->user));
	_exit(run(j));
}

/* ---- the search index, which must be built again from the restored rows ---- */

/* Takes the lock that surfaced-index holds while it runs; -1: there is no index. "systemctl stop
   surfaced.target" returns before the daemons have ended, so the end of surfaced-index is waited
   for. */
static int
lock_index(void)
{
	struct path lock = path_of(conf.index_directory, "lock");
	int fd = fd_lock(lock.z, O_RDWR);

	if (fd < 0 && errno == EWOULDBLOCK)
		fprintf(stderr, "surfacectl: waiting until surfaced-index ends: systemctl stop "
				"surfaced.target\n");
	while (fd < 0 && errno == EWOULDBLOCK) {
		usleep(LOOK_US);
		fd = fd_lock(lock.z, O_RDWR);
	}
	return fd;
}

static int
drop_index(void)
{
	for (int d = 0; d < DATASETS; d++) {
		struct path p;

		manifest_path(conf.index_directory, (enum dataset)d, 0, p.z, sizeof(p.z));
		if (unlink(p.z) < 0 && errno != ENOENT)
			return cli_fail(EXIT_FAILED,
			    "%s: %s: remove it before surfaced-index starts: it is not an index of "
			    "this database",
			    p.z, strerror(errno));
	}
	return EXIT_OK;
}

/* ---- the command ---- */

static int
restore_fingerprint_key(struct job *j)
{
	struct path from = path_of(j->source, BACKUP_KEY);
	enum copied how =
	    j->key.p == NULL ? COPIED : restore_key(from.z, j->key, conf.fingerprint_file);

	if (how == COPIED)
		return EXIT_OK;
	return cli_fail(EXIT_FAILED, "%s: %s", how == COPY_FAILED ? conf.fingerprint_file : from.z,
	    copied_word(how));
}

static int
restore_all(struct job *j)
{
	int status = run_in_child(j, check_empty);

	if (status == EXIT_OK && j->m.files > 0 && access(j->evidence, F_OK) != 0)
		status = cli_fail(EXIT_FAILED, "%s: %s", j->evidence, strerror(errno));
	if (status == EXIT_OK)
		status = each_sum(j, restore_evidence);
	if (status == EXIT_OK && j->m.files > 0 && !sync_directory(j->evidence))
		status = cli_fail(EXIT_FAILED, "%s: %s", j->evidence, strerror(errno));
	if (status == EXIT_OK)
		status = run_in_child(j, load_if_empty);
	if (status == EXIT_OK)
		status = run_in_child(j, bring_up_to_date);
	if (status == EXIT_OK)
		status = restore_fingerprint_key(j);
	return status == EXIT_OK ? drop_index() : status;
}

static int
run_job(struct job *j)
{
	int64_t newest;
	int status = read_manifest(j), index;

	if (status == EXIT_OK && j->only_check)
		status = each_sum(j, verify_evidence);
	if (status != EXIT_OK || j->only_check)
		return status == EXIT_OK ? cli_print(j->c, "backup", manifest_fields, &j->m)
					 : status;
	if (!migrate_newest(j->c->arena, j->sql_dir, &newest))
		return EXIT_FAILED;
	if (j->m.schema > newest)
		return cli_fail(EXIT_FAILED,
		    "the backup's schema is %04d, this program knows %04d: install %.*s "
		    "or "
		    "later",
		    (int)j->m.schema, (int)newest, (int)j->m.program.n, j->m.program.p);
	index = lock_index();
	status = restore_all(j);
	fd_close(j->dump.fd);
	fd_close(index);
	return status == EXIT_OK ? cli_print(j->c, "restore", manifest_fields, &j->m) : status;
}

static int
restore(struct cli *c, int argc, char **argv)
{
	struct str evidence = str_of(conf.evidence_directory), user = STR_NULL,
		   sql_dir = STR_INIT(PKGDATADIR "/sql");
	struct job j = { .c = c, .dump.fd = -1 };
	const struct cli_option options[] = {
		{ "as", .text = &user },
		{ "check", .flag = &j.only_check },
		{ "evidence", .text = &evidence },
		{ "replace", .flag = &j.replace },
		{ "sql-dir", .text = &sql_dir },
		{ "trust", .flag = &j.trust },
		{ NULL },
	};
	struct cli_list words;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	if (words.p[0].n > BACKUP_PATH || evidence.n > BACKUP_PATH)
		return cli_usage(c, "a folder's name has at most %d bytes", BACKUP_PATH);
	j.source = words.p[0].p;
	j.evidence = evidence.p;
	j.user = user.p;
	j.sql_dir = sql_dir.p;
	return run_job(&j);
}

static const struct command restore_command = {
	.name = "restore",
	.arguments =
	    "[--as USER] [--check] [--evidence DIR] [--replace] [--sql-dir DIR] [--trust] DIR",
	.help = "bring a backup back; as a PostgreSQL superuser",
	.run = restore,
};

COMMAND(restore_command);
