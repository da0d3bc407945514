/* SPDX-License-Identifier: ISC */
/* surfacectl backup: writes the rows of one snapshot and every evidence file that they name
   (backup.h). The order makes the directory either complete or recognisably unfinished:

     1  lock TARGET.partial             a second backup of the same name ends here
     2  begin a transaction, export its snapshot
     3  remove an old manifest.json     left by a run that failed at its last step
     4  pg_dump with this snapshot      database.dump
     5  copy the evidence that the rows of this snapshot name
     6  SHA256SUMS, manifest.json with its hash and with the proof of where it comes from
     7  syncfs, rename to TARGET, syncfs of the parent

   The transaction of step 2 must stay open until pg_dump has ended: a snapshot ends with its
   transaction. */
#include "config.h"

#include <openssl/crypto.h>

#include "cli/archive/backup.h"
#include "cli/process.h"
#include "daemon/conf.h"
#include "db/copy.h"
#include "secret/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

enum { MISSING_MAX = 100000 };

const struct field manifest_fields[] = {
	FIELD(struct manifest, format, REQUIRED),
	FIELD(struct manifest, created_at, REQUIRED),
	FIELD(struct manifest, program, REQUIRED),
	FIELD(struct manifest, server, REQUIRED),
	FIELD(struct manifest, schema, REQUIRED),
	FIELD(struct manifest, files, REQUIRED),
	FIELD(struct manifest, bytes, REQUIRED),
	FIELD(struct manifest, sums, REQUIRED),
	LIST_OF(struct manifest, missing, REQUIRED, struct str, 0, MISSING_MAX),
	FIELD_END,
};

struct source {
	struct str snapshot, server;
	int64_t schema;
};

static const struct field source_out[] = {
	FIELD(struct source, snapshot, 0),
	FIELD(struct source, server, 0),
	FIELD(struct source, schema, 0),
	FIELD_END,
};

STMT(read_source, source_out,
    "SELECT pg_export_snapshot() AS snapshot, current_setting('server_version') AS "
    "server,"
    " coalesce(max(version), 0)::bigint AS schema FROM public.schema_migration");

/* Any role that connects reads as pg_read_all_data: all rows, and no change. */
#define READER                                                                                     \
	"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;"                              \
	" SET LOCAL ROLE pg_read_all_data"
#define EVIDENCE                                                                                   \
	"COPY (SELECT DISTINCT encode(sha256, 'hex') FROM public.screenshot ORDER BY 1)"           \
	" TO STDOUT"

struct work {
	struct cli *c;
	const char *target, *since,
	    *evidence;              /* since: the older backup's evidence directory, or NULL */
	struct path partial, files; /* files: the evidence directory in partial */
	FILE *sums;
	struct sha256 list; /* hashes the lines of sums */
	struct secret_key key;
	struct source source;
	struct manifest m;
	struct str *missing;
	bool incomplete; /* missing evidence is not a failure */
};

/* ---- the parts ---- */

static int
write_sum(struct work *w, const char *hex, const char *name)
{
	char line[SHA256_HEX + 200];
	int n = snprintf(line, sizeof(line), "%s  %s\n", hex, name);

	if (n >= (int)sizeof(line))
		panic("the name %s is too long", name);
	sha256_add(&w->list, line, (size_t)n);
	if (fwrite(line, 1, (size_t)n, w->sums) == (size_t)n)
		return EXIT_OK;
	return cli_fail(EXIT_FAILED, "%s: %s", w->partial.z, strerror(errno));
}

/* Copies what pg_dump writes to the file. The dump is hashed on its way, because the hash of a file
   that is read again would also prove what somebody else has written to it meanwhile. */
static int
store_dump(struct work *w, char *const *argv)
{
	struct path dump = path_of(w->partial.z, BACKUP_DUMP);
	int ends[2], status, why,
	    out = open(dump.z, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	char hex[SHA256_HEX + 1];
	bool copied;
	pid_t pid;

	if (out < 0 || pipe2(ends, O_CLOEXEC) != 0) {
		fd_close(out);
		return cli_fail(EXIT_FAILED, "%s: %s", dump.z, strerror(errno));
	}
	pid = process_start(argv, -1, ends[1]);
	close(ends[1]);
	copied = copy_hashed(ends[0], out, hex, &w->m.bytes) && fsync(out) == 0;
	why = errno;
	close(ends[0]);
	close(out);
	status = process_wait(pid);
	if (!copied)
		return cli_fail(EXIT_FAILED, "%s: %s", dump.z, strerror(why));
	if (status == PROCESS_ABSENT)
		return cli_fail(
		    EXIT_FAILED, "pg_dump cannot be run: apt install postgresql-client");
	if (status != 0)
		return cli_fail(EXIT_FAILED, "pg_dump failed");
	return write_sum(w, hex, BACKUP_DUMP);
}

/* Runs pg_dump with the exported snapshot. pg_dump logs in as the administrator and takes the role
   pg_read_all_data, so a backup needs the right to read and no more. The custom format is
   compressed, and pg_restore turns it into a script for restore.c. */
static int
dump_rows(struct work *w)
{
	const char *snapshot = arena_printf(
	    w->c->arena, "--snapshot=%.*s", (int)w->source.snapshot.n, w->source.snapshot.p)
				   .p;
	const char *database = arena_printf(w->c->arena, "--dbname=%s", w->c->conninfo).p;
	char *argv[] = { "pg_dump", "--format=custom", "--role=pg_read_all_data",
		(char *)(uintptr_t)snapshot, (char *)(uintptr_t)database, NULL };

	return store_dump(w, argv);
}

/* Notes an evidence file that cannot be had. Two kinds of failure differ: a file that is absent,
   damaged or unreadable is a fact about the evidence, which --incomplete may accept; any other
   failure, such as a full disk of the backup, would go on with each further file and ends the run.
   All missing files are reported before the run fails, so that the administrator learns the extent
   at once. */
static int
record_missing(struct work *w, struct str sha256, enum copied how)
{
	int why = errno;

	cli_fail(EXIT_FAILED, "evidence %.*s: %s", (int)sha256.n, sha256.p, copied_word(how));
	if (how == COPY_FAILED && why != EACCES && why != EIO)
		return EXIT_FAILED;
	if (w->m.missing.n == MISSING_MAX)
		return cli_fail(EXIT_FAILED, "too much evidence is missing");
	w->missing[w->m.missing.n++] = arena_str(w->c->arena, sha256);
	return EXIT_OK;
}

/* Streams the list of evidence from the snapshot, sorted, and copies file by file;
   a list of millions of hashes never is in memory. A file that an earlier run has
   copied is hashed and kept, which makes an interrupted backup cheap to repeat.
   SHA256SUMS gets a line for each file in the form of sha256sum. */
static int
copy_files(struct work *w)
{
	int status = EXIT_OK;
	struct str line;
	enum db_rc rc = db_copy_out_begin(w->c->db, EVIDENCE);

	while (rc == DB_OK && status == EXIT_OK && (rc = db_copy_out(w->c->db, &line)) == DB_OK) {
		int64_t bytes = 0;
		enum copied how = copy_evidence(line, w->evidence, w->since, w->files.z, &bytes);
		struct path name = path_of(BACKUP_EVIDENCE, path_of_evidence(line).z);

		if (how != COPIED) {
			status = record_missing(w, line, how);
			continue;
		}
		w->m.files++;
		w->m.bytes += bytes;
		status = write_sum(w, name.z + sizeof(BACKUP_EVIDENCE) + 6, name.z);
	}
	if (status == EXIT_OK && rc != DB_NONE)
		return cli_fail_db(w->c, rc, "the list of evidence");
	return status;
}

static int
copy_key(struct work *w)
{
	char hex[SHA256_HEX + 1];
	int64_t bytes;

	if (!backup_key(conf.fingerprint_file, path_of(w->partial.z, BACKUP_KEY).z, hex, &bytes))
		return cli_fail(EXIT_FAILED, "%s: %s", conf.fingerprint_file, strerror(errno));
	w->m.bytes += bytes;
	return bytes == 0 ? EXIT_OK : write_sum(w, hex, BACKUP_KEY);
}

/* ---- the whole ---- */

static int
write_manifest(struct work *w)
{
	struct path to = path_of(w->partial.z, BACKUP_MANIFEST);
	struct buf b = { .a = w->c->arena };
	FILE *out;
	bool good;

	w->m.missing.items = w->missing;
	json_write(&b, manifest_fields, &w->m);
	buf_char(&b, '\n');
	if (!mac_write(&w->key, (struct str){ b.p, b.n }, w->partial.z))
		return cli_fail(EXIT_FAILED, "%s: %s", w->partial.z, strerror(errno));
	out = fopen(to.z, "we");
	good = out != NULL && fwrite(b.p, 1, b.n, out) == b.n;
	if (out != NULL && fclose(out) != 0)
		good = false;
	return good ? EXIT_OK : cli_fail(EXIT_FAILED, "%s: %s", to.z, strerror(errno));
}

/* Renames the directory after its contents are on the disk: it is complete, also after a loss of
   power. */
static int
rename_partial(struct work *w)
{
	struct path parent;
	char *slash;

	snprintf(parent.z, sizeof(parent.z), "%s", w->target);
	slash = strrchr(parent.z, '/');
	if (slash == NULL)
		snprintf(parent.z, sizeof(parent.z), ".");
	else
		slash[slash == parent.z] = '\0';
	if (sync_directory(w->partial.z) && rename(w->partial.z, w->target) == 0 &&
	    sync_directory(parent.z))
		return EXIT_OK;
	return cli_fail(EXIT_FAILED, "%s: %s", w->target, strerror(errno));
}

static int
write_files(struct work *w)
{
	struct path sums = path_of(w->partial.z, BACKUP_SUMS);
	char hex[SHA256_HEX + 1];
	int status;

	/* Removes files of an interrupted run. */
	unlink(path_of(w->partial.z, BACKUP_MANIFEST).z);
	w->sums = fopen(sums.z, "we");
	if (w->sums == NULL)
		return cli_fail(EXIT_FAILED, "%s: %s", sums.z, strerror(errno));
	sha256_begin(&w->list);
	status = dump_rows(w);
	if (status == EXIT_OK)
		status = copy_files(w);
	if (status == EXIT_OK)
		status = copy_key(w);
	sha256_end(&w->list, hex);
	w->m.sums = arena_str(w->c->arena, str_of(hex));
	if (fclose(w->sums) != 0 && status == EXIT_OK)
		status = cli_fail(EXIT_FAILED, "%s: %s", sums.z, strerror(errno));
	if (status == EXIT_OK && w->m.missing.n > 0 && !w->incomplete)
		return cli_fail(EXIT_FAILED,
		    "%zu files of evidence cannot be had: the next run goes on with %s; "
		    "--incomplete makes the backup without them",
		    w->m.missing.n, w->partial.z);
	return status == EXIT_OK ? write_manifest(w) : status;
}

static int
begin_snapshot(struct work *w)
{
	enum db_rc rc = db_begin(w->c->db);

	if (rc == DB_OK)
		rc = db_script(w->c->db, READER);
	if (rc == DB_OK)
		rc = db_one_row(w->c->db, &read_source, &w->source, DB_NO_ARGS);
	if (rc != DB_OK)
		return cli_fail_db(w->c, rc, "the snapshot");
	w->m.format = BACKUP_FORMAT;
	w->m.created_at = ts_now();
	w->m.program = STR(PACKAGE_STRING);
	w->m.server = w->source.server;
	w->m.schema = w->source.schema;
	w->missing = ARENA_ARRAY(w->c->arena, MISSING_MAX, struct str);
	return EXIT_OK;
}

/* Opens and locks the partial directory; -1 after a message. */
static int
open_partial(struct work *w)
{
	int fd = -1;

	w->files = path_of(w->partial.z, BACKUP_EVIDENCE);
	if (access(w->target, F_OK) == 0) {
		cli_fail(EXIT_FAILED, "%s exists already: a backup is never written over another",
		    w->target);
		return -1;
	}
	if (make_directory(w->partial.z) && make_directory(w->files.z))
		fd = fd_lock(w->partial.z, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		cli_fail(EXIT_FAILED, "%s: %s", w->partial.z,
		    errno == EWOULDBLOCK ? "another backup is writing it" : strerror(errno));
	return fd;
}

static int
make_backup(struct work *w)
{
	int lock = open_partial(w), status;

	if (lock < 0)
		return EXIT_FAILED;
	status = mac_key_open(&w->key) ? begin_snapshot(w) : EXIT_FAILED;
	if (status == EXIT_OK)
		status = write_files(w);
	if (status == EXIT_OK)
		status = rename_partial(w);
	OPENSSL_cleanse(&w->key, sizeof(w->key));
	db_rollback(w->c->db);
	close(lock);
	return status == EXIT_OK ? cli_print(w->c, "backup", manifest_fields, &w->m) : status;
}

static int
backup(struct cli *c, int argc, char **argv)
{
	struct str since = STR_NULL, evidence = str_of(conf.evidence_directory);
	struct work w = { .c = c };
	const struct cli_option options[] = {
		{ "since", .text = &since },
		{ "evidence", .text = &evidence },
		{ "incomplete", .flag = &w.incomplete },
		{ NULL },
	};
	struct cli_list words;
	struct str target;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	target = words.p[0];
	while (target.n > 1 && target.p[target.n - 1] == '/')
		target.n--;
	if (target.n == 0 || target.n > BACKUP_PATH || since.n > BACKUP_PATH ||
	    evidence.n > BACKUP_PATH)
		return cli_usage(c, "a folder's name has from 1 to %d bytes", BACKUP_PATH);
	w.target = arena_str(c->arena, target).p;
	w.evidence = evidence.p;
	w.since = since.p == NULL ? NULL : arena_printf(c->arena, "%s/" BACKUP_EVIDENCE, since.p).p;
	snprintf(w.partial.z, sizeof(w.partial.z), "%s.partial", w.target);
	return make_backup(&w);
}

static const struct command backup_command = {
	.name = "backup",
	.arguments = "[--since OLDER] [--evidence DIR] [--incomplete] DIR",
	.help = "rows and evidence of one moment into a new folder",
	.run = backup,
};

COMMAND(backup_command);
