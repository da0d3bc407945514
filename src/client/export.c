/* SPDX-License-Identifier: ISC */
/* surface export: all matches of a query as one file, which the API writes and this program
 * downloads.
 *
 *   POST /search/hosts/exports    the API queues the export
 *   GET  /search/exports/UUID     until its state is complete
 *   GET  .../content              the file, with Range from where an earlier run ended
 *
 * A run may be interrupted at any time and repeated with the same command line. Beside hosts.csv.gz
 * it keeps
 *
 *   hosts.csv.gz.surface    the request, its Idempotency-Key and the UUID of the export: the state
 *   hosts.csv.gz.part       the beginning of the file
 *
 * The state is written before the API is asked, so that a run which ends between question and
 * answer asks again with the same Idempotency-Key and gets the same export. The part becomes the
 * file when its SHA-256 is that of the export.
 *
 * With -o - the file goes to standard output as it comes, and nothing is kept: such a run cannot be
 * continued.
 *
 * A run locks the part before it reads the state, and holds the lock until it ends. So two runs
 * never write one part, and two runs of the same command never make two exports. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/download.h"
#include "client/file.h"
#include "client/progress.h"
#include "client/value.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATE_MAX = 65536, ASK_FIRST_MS = 250, ASK_MOST_MS = 5000 };

struct job {
	struct client *c;
	const struct dataset *dataset;
	const char *file, *state_file, *part_file; /* -o -: "-" and NULL */
	struct str format, compression;
	struct str request; /* the body of the POST */
	struct str idempotency;
	struct str uuid; /* without pointer: not asked yet */
	int part;        /* the part, locked, or standard output */
};

/* ---- the request ---- */

/* The meaning of the end of a file's name: "hosts.csv.gz" is csv and gzip. */
static const char *
by_suffix(struct str name, const char *const (*table)[2], const char *otherwise)
{
	for (; (*table)[0] != NULL; table++)
		if (str_ends(name, str_of((*table)[0])))
			return (*table)[1];
	return otherwise;
}

static void
find_format(struct job *j)
{
	static const char *const compressions[][2] = { { ".zst", "zstd" }, { ".gz", "gzip" },
		{ NULL, NULL } };
	static const char *const formats[][2] = { { ".csv", "csv" }, { ".csv.zst", "csv" },
		{ ".csv.gz", "csv" }, { NULL, NULL } };
	struct str name = str_of(j->file);

	j->format = option(j->c, "format");
	j->compression = option(j->c, "compression");
	if (j->format.p == NULL)
		j->format =
		    str_of(by_suffix(name, formats, option_given(j->c, "csv") ? "csv" : "ndjson"));
	if (j->compression.p == NULL)
		j->compression = str_of(by_suffix(name, compressions, "identity"));
}

static void
write_request(struct job *j)
{
	struct buf b = { .a = j->c->arena };
	struct str fields = option(j->c, "fields"), field;

	json_begin(&b, '{');
	json_member(&b, "query");
	json_write_str(&b, j->c->query);
	if (fields.p != NULL)
		json_member_begin(&b, "fields", '[');
	while (str_part(&fields, ',', &field)) {
		buf_z(&b, b.p[b.n - 1] == '[' ? "" : ",");
		json_write_str(&b, str_trim(field));
	}
	if (option_given(j->c, "fields"))
		buf_char(&b, ']');
	json_member(&b, "format");
	json_write_str(&b, j->format);
	json_member(&b, "compression");
	json_write_str(&b, j->compression);
	buf_char(&b, '}');
	j->request = buf_done(&b);
}

/* ---- the state ---- */

static bool
save_state(struct job *j)
{
	struct buf b = { .a = j->c->arena };

	if (j->state_file == NULL)
		return true;
	json_begin(&b, '{');
	json_member(&b, "url");
	json_write_str(&b, j->c->settings.url);
	json_member_str(&b, "dataset", j->dataset->name);
	json_member(&b, "request");
	json_write_str(&b, j->request);
	json_member(&b, "idempotency_key");
	json_write_str(&b, j->idempotency);
	if (j->uuid.p != NULL) {
		json_member(&b, "uuid");
		json_write_str(&b, j->uuid);
	}
	buf_z(&b, "}\n");
	if (file_replace(j->state_file, buf_done(&b)))
		return true;
	fail(j->c, FAILED, "%s: %s", j->state_file, strerror(errno));
	return false;
}

static struct str
fresh_key(struct client *c)
{
	struct uuid uuid = uuid_random();

	return arena_uuid(c->arena, &uuid);
}

/* Reads the state of an earlier run; a status other than DONE after a message. */
static int
load_state(struct job *j)
{
	struct buf b = { .a = j->c->arena };
	const struct json_value *v;

	if (j->state_file == NULL || !file_read(j->state_file, STATE_MAX, &b)) {
		if (j->state_file != NULL && errno != ENOENT)
			return fail(j->c, FAILED, "%s: %s", j->state_file, strerror(errno));
		j->idempotency = fresh_key(j->c);
		return DONE;
	}
	v = json_parse(j->c->arena, buf_done(&b));
	if (!str_eq(value_text(v, "request"), j->request) ||
	    !str_is(value_text(v, "dataset"), j->dataset->name) ||
	    !str_eq(value_text(v, "url"), j->c->settings.url))
		return fail(j->c, WRONG_USAGE,
		    "%s is the state of another export; continue that one, write to another file, "
		    "or remove %s",
		    j->state_file, j->state_file);
	j->idempotency = value_text(v, "idempotency_key");
	j->uuid = value_text(v, "uuid");
	note(j->c, "continuing the export of an earlier run");
	return DONE;
}

static void
remove_state(const struct job *j)
{
	if (j->state_file == NULL)
		return;
	unlink(j->part_file);
	unlink(j->state_file);
}

/* ---- the export ---- */

static int
create(struct job *j)
{
	struct client *c = j->c;
	struct json_value *answer;
	int status;

	if (!save_state(j))
		return FAILED;
	status = api_ask(c,
	    &(struct ask){ .method = "POST",
		.path = arena_printf(c->arena, "/search/%s/exports", j->dataset->name),
		.body = j->request,
		.header = arena_printf(
		    c->arena, "Idempotency-Key: %.*s", (int)j->idempotency.n, j->idempotency.p)
			      .p,
		.repeatable = true },
	    &answer);
	if (status == DONE && value_text(value_get(answer, "export"), "uuid").p == NULL)
		status = fail(c, FAILED, "the answer has no export");
	if (status != DONE) {
		if (status != NO_ANSWER)
			remove_state(j);
		return status;
	}
	j->uuid = arena_str(c->arena, value_text(value_get(answer, "export"), "uuid"));
	return save_state(j) ? DONE : FAILED;
}

static int
ended_otherwise(struct job *j, struct str state, struct str error)
{
	remove_state(j);
	return fail(j->c, FAILED_THERE, "the export is %.*s%s%.*s", (int)state.n, state.p,
	    error.n > 0 ? ": " : "", (int)error.n, error.p);
}

/* Asks until the export is complete. */
static int
ask_until_complete(struct job *j, struct progress *p, struct json_value **out)
{
	struct client *c = j->c;
	struct buf path = { .a = c->arena };
	int64_t written = 0, ms = ASK_FIRST_MS;
	struct str state;
	int status;

	buf_z(&path, "/search/exports");
	url_segment(&path, j->uuid);
	for (;; ms = ms * 2 < ASK_MOST_MS ? ms * 2 : ASK_MOST_MS) {
		arena_reset(c->page);
		status = api_get(c, buf_done(&path), out);
		if (status == NOT_FOUND)
			remove_state(j);
		if (status != DONE)
			return status;
		*out = value_get(*out, "export");
		state = value_text(*out, "state");
		if (!str_is(state, "queued") && !str_is(state, "running"))
			break;
		if (value_int(*out, "total", &p->total) && value_int(*out, "written", &written))
			progress_draw(p, written);
		http_pause(ms);
	}
	return str_is(state, "complete") ? DONE
					 : ended_otherwise(j, state, value_text(*out, "error"));
}

static int
wait_complete(struct job *j, struct json_value **out)
{
	struct progress p;
	int status;

	progress_begin(&p, j->c, "the API writes the file", "records");
	status = ask_until_complete(j, &p, out);
	progress_end(&p);
	return status;
}

static int
fetch(struct job *j, const struct json_value *export)
{
	struct client *c = j->c;
	struct buf path = { .a = c->arena };
	struct download d = { .c = c,
		.name = j->part_file != NULL ? j->part_file : "standard output",
		.fd = j->part };
	int64_t records = 0;
	int status;
	enum download_end end;

	buf_z(&path, "/search/exports");
	url_segment(&path, j->uuid);
	buf_z(&path, "/content");
	d.path = buf_done(&path);
	d.sha256 = arena_str(c->arena, value_text(export, "sha256"));
	if (!value_int(export, "bytes", &d.bytes) || !value_int(export, "written", &records))
		return fail(c, FAILED, "the export has no size");
	end = download_run(&d, &status);
	if (end == DOWNLOAD_DAMAGED && j->part_file != NULL)
		unlink(j->part_file);
	if (end != DOWNLOAD_DONE)
		return status;
	if (j->part_file != NULL && rename(j->part_file, j->file) != 0)
		return fail(c, FAILED, "%s: %s", j->file, strerror(errno));
	remove_state(j);
	note(c, "%s: %lld records, %lld bytes", j->file, (long long)records, (long long)d.bytes);
	return DONE;
}

/* True when the descriptor and the path are the same file: no other run has renamed or removed
   it. */
static bool
is_still_there(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

/* Opens and locks the part. The run that held the lock before may have renamed the part between the
   two steps; then the lock belongs to its complete file, and the part is opened again. */
static int
lock_part(struct job *j)
{
	for (;;) {
		j->part =
		    open(j->part_file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (j->part < 0 && errno == ELOOP)
			return fail(j->c, FAILED, "%s is a symbolic link; remove it", j->part_file);
		if (j->part < 0)
			return fail(j->c, FAILED, "%s: %s", j->part_file, strerror(errno));
		if (flock(j->part, LOCK_EX | LOCK_NB) != 0)
			return errno == EWOULDBLOCK
				   ? fail(j->c, FAILED, "another surface export writes %s", j->file)
				   : fail(j->c, FAILED, "%s: %s", j->part_file, strerror(errno));
		if (is_still_there(j->part, j->part_file))
			return DONE;
		fd_close(j->part);
	}
}

static int
check_absent(const struct job *j)
{
	if (j->state_file == NULL || access(j->file, F_OK) != 0 || option_given(j->c, "force"))
		return DONE;
	return fail(j->c, WRONG_USAGE, "%s exists; --force replaces it", j->file);
}

static int
run_locked(struct job *j)
{
	struct json_value *export;
	int status =
	    check_absent(j); /* again: the run that held the lock before may have made it */

	if (status != DONE) {
		unlink(j->part_file);
		return status;
	}
	find_format(j);
	write_request(j);
	status = load_state(j);
	if (status == DONE && j->uuid.p == NULL)
		status = create(j);
	if (status == DONE)
		status = wait_complete(j, &export);
	return status == DONE ? fetch(j, export) : status;
}

static int
run_export(struct client *c)
{
	struct job j = { .c = c, .dataset = dataset_of_words(c), .file = option(c, "output").p };
	int status;

	if (j.dataset == NULL)
		return WRONG_USAGE;
	if (j.file == NULL)
		return fail(c, WRONG_USAGE, "into which file? Name it with -o FILE");
	if (strcmp(j.file, "-") == 0) {
		j.part = STDOUT_FILENO;
		return run_locked(&j);
	}
	j.state_file = arena_printf(c->arena, "%s.surface", j.file).p;
	j.part_file = arena_printf(c->arena, "%s.part", j.file).p;
	status = check_absent(&j);
	if (status != DONE)
		return status;
	j.part = -1;
	status = lock_part(&j);
	if (status == DONE)
		status = run_locked(&j);
	fd_close(j.part);
	return status;
}

static const struct option_row export_options[] = {
	{ "output", 'o', PATH, "FILE",
	    "write to this file, - is standard output; .csv, .gz and .zst choose the form", 0, 0 },
	{ "format", 0, TEXT, "FORMAT", "ndjson or csv", 0, 0 },
	{ "compression", 0, TEXT, "HOW", "zstd, gzip or identity", 0, 0 },
	FIELDS_OPTION,
	{ "force", 0, FLAG, NULL, "replace the file if it exists", 0, 0 },
	{ 0 },
};

static const struct command export_command = { .name = "export",
	.arguments = "DATASET [QUERY ...] -o FILE",
	.help = "write all documents that match a query to a file",
	.run = run_export,
	.options = export_options,
	.min = 1,
	.max = WORDS_MAX,
	.first = WORD_DATASET };

COMMAND(export_command);
