/* SPDX-License-Identifier: ISC */
/* surfacectl import assets, services, findings: the external surface of one project, one JSON
   object on each line; services also from nmap. esi_records.c checks each record, and functions in
   sql/ merge a batch of them.

     line --json_decode--> struct --finish--> stored form --json_write--> JSON array of up to BATCH records
                                                                             |
                              counts: new, known, changed ... <-- import_assets(project, records), ...

   The whole import is one transaction, unlike that of hosts, so that a failed one changes
   nothing. */
#include "config.h"

#include "access/audit.h"
#include "cli/cli.h"
#include "cli/import/esi.h"
#include "cli/import/records.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A line needs at most 120 times its length: decode.c and the tree of a value of many items. */
enum { BATCH = 500, BATCH_BYTES = IMPORT_LINE, ARENA = 1 << 30 };

struct outcome {
	int64_t fresh, known, changed, reopened, cleared; /* changed: known ones with a new row */
};

static const struct field outcome_out[] = {
	FIELD(struct outcome, fresh, 0),
	FIELD(struct outcome, known, 0),
	FIELD(struct outcome, changed, 0),
	FIELD(struct outcome, reopened, 0),
	FIELD(struct outcome, cleared, 0),
	FIELD_END,
};

STMT(store_assets, outcome_out,
    "SELECT *, 0::bigint AS reopened, 0::bigint AS cleared FROM import_assets($1, $2)");
STMT(store_services, outcome_out,
    "SELECT *, 0::bigint AS reopened, 0::bigint AS cleared FROM import_services($1, $2)");
STMT(store_findings, outcome_out, "SELECT * FROM import_findings($1, $2)");

struct found {
	struct uuid uuid, account;
};

static const struct field found_out[] = {
	FIELD(struct found, uuid, 0),
	FIELD(struct found, account, 0),
	FIELD_END,
};

STMT(find_project, found_out,
    "SELECT uuid, account_uuid AS account FROM project WHERE uuid::text = lower($1)");

struct kind {
	const char *name;
	const struct esi_table *table;
	const struct stmt *store;
};

struct run {
	struct cli *cli;
	const struct kind *kind;
	const char *file;
	struct found project;
	struct source src;
	struct arena *arena; /* memory of one batch: its records and the rows of the database */
	struct buf records;  /* a JSON array without the closing bracket */
	size_t n;            /* in records */
	size_t bytes;        /* the sum of the lines that use the arena */
	int64_t read, bad;
	struct outcome sum;
	enum db_rc rc; /* DB_OK until a batch fails, which ends the reading */
};

/* Reports a bad record; nmap's reader calls it too. A bad record does not end the
   import: the good ones are stored, and the exit status is 1, so that a script
   notices. Messages go to stderr in the form file:line: reason, which editors and
   people can follow. The line is that of the record and not of its member, since a
   record is one line. */
static void
report_bad_record(void *arg, uint64_t line, struct str what)
{
	struct run *r = arg;

	r->bad++;
	fprintf(stderr, "%s:%ju: %.*s\n", r->file, (uintmax_t)line, (int)what.n, what.p);
}

/* Sends the gathered records and begins a new array. After a failure nothing is
   sent any more, because the transaction is void; the reader notices r->rc and
   ends. Every batch leaves r->records without memory: the caller resets the arena
   when r->n is 0, which also frees the rows that the database has answered. */
static void
flush_batch(struct run *r)
{
	struct outcome o;

	if (r->n > 0 && r->rc == DB_OK) {
		buf_char(&r->records, ']');
		r->rc = db_one(
		    r->cli->db, r->kind->store, &o, P(r->project.uuid), P(buf_done(&r->records)));
		if (r->rc == DB_OK) {
			r->sum.fresh += o.fresh;
			r->sum.known += o.known;
			r->sum.changed += o.changed;
			r->sum.reopened += o.reopened;
			r->sum.cleared += o.cleared;
		}
	}
	r->n = r->bytes = 0;
	r->records = (struct buf){ .a = r->arena };
}

static void
add_esi_record(struct run *r, void *record, uint64_t line)
{
	const char *fault = r->kind->table->finish(r->arena, record);

	if (fault != NULL) {
		report_bad_record(r, line, str_of(fault));
		return;
	}
	buf_char(&r->records, r->n++ == 0 ? '[' : ',');
	json_write(&r->records, r->kind->table->fields, record);
	if (r->n == BATCH)
		flush_batch(r);
}

/* The first fault of a record as one line of text. */
static struct str
describe_fault(struct run *r, const struct decoded *how)
{
	if (how->nerrors == 0)
		return arena_printf(
		    r->arena, "no valid JSON at byte %zu: %s", how->fault.at + 1, how->fault.what);
	return arena_printf(r->arena, "%.*s %.*s", (int)how->errors[0].field.n,
	    how->errors[0].field.p, (int)how->errors[0].message.n, how->errors[0].message.p);
}

static void
read_line(struct run *r, struct str line)
{
	void *record = r->kind->table->blank(r->arena);
	struct decoded how;

	r->read++;
	if (json_decode(r->arena, arena_str(r->arena, line), r->kind->table->fields, ts_now(),
		record, &how) != JSON_OK)
		report_bad_record(r, r->src.line, describe_fault(r, &how));
	else
		add_esi_record(r, record, r->src.line);
	r->bytes += line.n;
	if (r->bytes >= BATCH_BYTES)
		flush_batch(r);
}

static void
read_lines(struct run *r)
{
	struct str line;

	while (r->rc == DB_OK) {
		switch (source_line(&r->src, &line)) {
		case SOURCE_END:
			return;
		case SOURCE_TOO_LONG:
			r->read++;
			report_bad_record(r, r->src.line, STR("the line is too long"));
			break;
		case SOURCE_LINE:
			if (str_trim(line).n > 0)
				read_line(r, line);
			if (r->n == 0)
				arena_reset(r->arena);
			break;
		}
	}
}

static bool
add_host(void *arg, struct record *host, struct str der)
{
	struct run *r = arg;
	struct record_object *const *services;
	size_t n = record_nested_all(host, &services);

	(void)der;
	for (size_t i = 0; i < n; i++) {
		r->read++;
		add_esi_record(r, esi_of_nmap(r->arena, host->root, services[i]), r->src.line);
		if (r->n == 0)
			arena_reset(r->arena);
	}
	return r->rc == DB_OK;
}

static void
read_hosts(struct run *r)
{
	struct records rs = { .dataset = DATASET_HOSTS,
		.src = &r->src,
		.a = arena_new(ARENA),
		.seen = TS_NULL,
		.take = add_host,
		.bad = report_bad_record,
		.arg = r };

	read_nmap(&rs);
	arena_free(rs.a);
}

static bool
is_of_findings(const struct run *r)
{
	return r->kind->store == &store_findings;
}

/* Writes one line of audit for the whole import, but none when findings were imported that have
   nothing new. A finding that was moved has a line of its own. */
static enum db_rc
write_audit(const struct run *r)
{
	struct str after = arena_printf(r->arena,
	    "{\"new\":%jd,\"changed\":%jd,\"reopened\":%jd,\"cleared\":%jd,\"bad\":%jd}",
	    (intmax_t)r->sum.fresh, (intmax_t)r->sum.changed, (intmax_t)r->sum.reopened,
	    (intmax_t)r->sum.cleared, (intmax_t)r->bad);
	struct audit a = { .actor = r->cli->actor,
		.action = arena_printf(r->arena, "project.import_%s", r->kind->name),
		.subject = STR("project"),
		.subject_id = arena_uuid(r->arena, &r->project.uuid),
		.account = r->project.account,
		.after = { after } };

	if (is_of_findings(r) &&
	    r->sum.fresh + r->sum.changed + r->sum.reopened + r->sum.cleared == 0)
		return DB_OK;
	return audit_write(r->cli->db, &a);
}

/* Stores everything in one transaction, so that a failed import changes nothing. */
static int
store_records(struct run *r, bool nmap)
{
	r->rc = db_begin(r->cli->db);
	if (r->rc == DB_OK)
		(nmap ? read_hosts : read_lines)(r);
	flush_batch(r);
	if (r->rc == DB_OK && r->src.failed != NULL)
		return cli_fail(EXIT_FAILED, "%s %s; nothing was imported", r->file, r->src.failed);
	if (r->rc == DB_OK)
		r->rc = write_audit(r);
	if (r->rc == DB_OK)
		r->rc = db_commit(r->cli->db);
	if (r->rc != DB_OK)
		return cli_fail_db(r->cli, r->rc, "nothing was imported");
	return EXIT_OK;
}

static void
print_esi_summary(const struct run *r)
{
	const struct outcome *s = &r->sum;

	if (r->cli->json) {
		printf("{\"read\":%jd,\"new\":%jd,\"changed\":%jd,\"reopened\":%jd,\"bad\":%jd",
		    (intmax_t)r->read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->reopened, (intmax_t)r->bad);
		if (is_of_findings(r))
			printf(",\"cleared\":%jd", (intmax_t)s->cleared);
		puts("}");
	} else {
		printf("%jd read, %jd new, %jd known, %jd reopened, ", (intmax_t)r->read,
		    (intmax_t)s->fresh, (intmax_t)s->known, (intmax_t)s->reopened);
		if (is_of_findings(r))
			printf("%jd cleared, ", (intmax_t)s->cleared);
		printf("%jd bad\n", (intmax_t)r->bad);
	}
	fflush(stdout);
}

/* EXIT_OK, or the status to return after a message. */
static int
parse_esi_options(struct run *r, int argc, char **argv, bool *nmap, struct str *file)
{
	struct str project = STR_NULL, format = STR("ndjson");
	const struct cli_option table[] = {
		{ .name = "project", .text = &project },
		{ .name = "format", .text = &format },
		{ .name = NULL },
	};
	struct cli_list words = { NULL, 0 };
	enum db_rc rc;

	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	*file = words.p[0];
	*nmap = str_is(format, "nmap") && r->kind->store == &store_services;
	if (!*nmap && !str_is(format, "ndjson"))
		return cli_usage(r->cli, "the format must be ndjson, or nmap for services");
	if (project.p == NULL)
		return cli_usage(r->cli, "--project UUID is missing");
	rc = db_one(r->cli->db, &find_project, &r->project, P(project));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "there is no project %s", project.p);
	return rc == DB_OK ? EXIT_OK : cli_fail_db(r->cli, rc, project.p);
}

static int
import(struct cli *c, const struct kind *kind, int argc, char **argv)
{
	struct run r = { .cli = c, .kind = kind };
	struct str file = STR("-");
	bool nmap, in;
	int rc = parse_esi_options(&r, argc, argv, &nmap, &file), fd;

	if (rc != EXIT_OK)
		return rc;
	r.file = file.p; /* NUL-terminated, as it is an argument */
	in = str_is(file, "-");
	fd = in ? STDIN_FILENO : open(r.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", r.file, strerror(errno));
	r.arena = arena_new(ARENA);
	r.records = (struct buf){ .a = r.arena };
	db_use(c->db, r.arena, 0);
	source_open(&r.src, fd, -1);
	rc = store_records(&r, nmap);
	db_rollback(c->db);
	source_close(&r.src);
	if (rc == EXIT_OK)
		print_esi_summary(&r);
	db_use(c->db, c->arena, 0);
	arena_free(r.arena);
	if (!in)
		close(fd);
	return rc == EXIT_OK && r.bad > 0 ? EXIT_FAILED : rc;
}

int
import_assets(struct cli *c, int argc, char **argv)
{
	static const struct kind kind = { "assets", &esi_assets, &store_assets };

	return import(c, &kind, argc, argv);
}

int
import_services(struct cli *c, int argc, char **argv)
{
	static const struct kind kind = { "services", &esi_services, &store_services };

	return import(c, &kind, argc, argv);
}

int
import_findings(struct cli *c, int argc, char **argv)
{
	static const struct kind kind = { "findings", &esi_findings, &store_findings };

	return import(c, &kind, argc, argv);
}
