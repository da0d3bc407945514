/* SPDX-License-Identifier: ISC */
/* The command surfacectl import content. A batch is a transaction: an archive may be of any
   size. */
#include "config.h"

#include <openssl/crypto.h>

#include "access/audit.h"
#include "cli/cli.h"
#include "cli/import/content.h"
#include "cli/import/import.h"
#include "cli/import/takeovers.h"
#include "cli/import/warc.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { BATCH = 200, BATCH_BYTES = 4 << 20, ARENA = 1 << 30 };

struct counted {
	int64_t fresh, known, changed;
};

static const struct field counted_out[] = {
	FIELD(struct counted, fresh, 0),
	FIELD(struct counted, known, 0),
	FIELD(struct counted, changed, 0),
	FIELD_END,
};

STMT(store_captures, counted_out, "SELECT fresh, known, changed FROM capture_store($1, $2)");

struct content_project {
	struct uuid uuid, account;
};

static const struct field content_project_out[] = {
	FIELD(struct content_project, uuid, 0),
	FIELD(struct content_project, account, 0),
	FIELD_END,
};

STMT(find_content_project, content_project_out,
    "SELECT uuid, account_uuid AS account FROM project WHERE uuid::text = lower($1)");

struct content_run {
	struct cli *cli;
	const char *file;
	struct content_project project;
	struct source src;
	struct secret_key key;
	char no_key[512];
	bool has_key;
	struct takeovers takeovers;
	struct arena *page; /* of one page */
	struct arena *a;    /* of a batch */
	struct buf records;
	size_t n;
	int64_t read, bad, skipped, secrets;
	struct counted sum;
	enum db_rc rc;
};

static void
report_bad_page(struct content_run *r, const char *fault)
{
	r->bad++;
	fprintf(stderr, "%s: record %jd: %s\n", r->file, (intmax_t)r->read, fault);
}

static void
store_batch_of_pages(struct content_run *r)
{
	struct counted c;

	if (r->n > 0 && r->rc == DB_OK) {
		db_use(r->cli->db, r->a, 0);
		buf_char(&r->records, ']');
		r->rc = db_one(
		    r->cli->db, &store_captures, &c, P(r->project.uuid), P(buf_done(&r->records)));
		if (r->rc == DB_OK) {
			r->sum.fresh += c.fresh;
			r->sum.known += c.known;
			r->sum.changed += c.changed;
		}
	}
	r->n = 0;
	arena_reset(r->a);
	r->records = (struct buf){ .a = r->a };
}

static void
add_page(struct content_run *r, struct page *p)
{
	const char *fault = page_finish(r->page, p);

	if (fault != NULL) {
		report_bad_page(r, fault);
		return;
	}
	p->takeover_providers =
	    takeover_pages(r->page, &r->takeovers, p->body, page_hostname(r->page, p));
	r->secrets += (int64_t)page_write(
	    &r->records, r->page, r->has_key ? &r->key : NULL, &r->project.uuid, p);
	if (++r->n == BATCH || r->records.n >= BATCH_BYTES)
		store_batch_of_pages(r);
}

static void
read_page_lines(struct content_run *r)
{
	struct str line;

	while (r->rc == DB_OK) {
		struct page p;
		const char *fault;

		arena_reset(r->page);
		switch (source_line(&r->src, &line)) {
		case SOURCE_END:
			return;
		case SOURCE_TOO_LONG:
			r->read++;
			report_bad_page(r, "the line is too long");
			break;
		case SOURCE_LINE:
			if (str_trim(line).n == 0)
				break;
			r->read++;
			fault = page_of_json(r->page, line, &p);
			if (fault == NULL)
				add_page(r, &p);
			else
				report_bad_page(r, fault);
			break;
		}
	}
}

static void
read_archive(struct content_run *r)
{
	struct warc w = { .src = &r->src, .a = r->page };

	while (r->rc == DB_OK) {
		struct page p;
		struct str what;
		enum warc_next next = warc_next(&w, &p, &what);

		if (next == WARC_END)
			return;
		r->read++;
		if (next == WARC_PAGE)
			add_page(r, &p);
		else if (next == WARC_BAD)
			report_bad_page(r, what.p);
		else
			r->skipped++;
	}
}

static int
store_pages(struct content_run *r)
{
	struct str head = source_peek(&r->src);

	if (str_starts(head, STR("WARC/")))
		read_archive(r);
	else
		read_page_lines(r);
	store_batch_of_pages(r);
	db_use(r->cli->db, r->cli->arena, 0);
	if (r->rc != DB_OK)
		return cli_fail_db(r->cli, r->rc, "the import ended early; run it again");
	/* nothing after a damaged member of an archive can be read */
	if (r->src.failed != NULL) {
		r->read++;
		report_bad_page(r, r->src.failed);
	}
	return EXIT_OK;
}

static enum db_rc
write_content_audit(const struct content_run *r)
{
	struct str after = arena_printf(r->cli->arena,
	    "{\"new\":%jd,\"changed\":%jd,\"bad\":%jd,\"secrets\":%jd}", (intmax_t)r->sum.fresh,
	    (intmax_t)r->sum.changed, (intmax_t)r->bad, (intmax_t)r->secrets);

	return audit_write(
	    r->cli->db, &(struct audit){ .actor = r->cli->actor,
			    .action = STR("project.import_content"),
			    .subject = STR("project"),
			    .subject_id = arena_uuid(r->cli->arena, &r->project.uuid),
			    .account = r->project.account,
			    .after = { after } });
}

static void
print_content_summary(const struct content_run *r)
{
	printf(r->cli->json
		   ? "{\"read\":%jd,\"new\":%jd,\"known\":%jd,\"changed\":%jd,"
		     "\"skipped\":%jd,\"bad\":%jd,\"secrets\":%jd}\n"
		   : "%jd read, %jd new, %jd known, %jd changed, %jd skipped, %jd bad, %jd "
		     "secrets\n",
	    (intmax_t)r->read, (intmax_t)r->sum.fresh, (intmax_t)r->sum.known,
	    (intmax_t)r->sum.changed, (intmax_t)r->skipped, (intmax_t)r->bad, (intmax_t)r->secrets);
	if (r->secrets > 0 && !r->has_key)
		fprintf(stderr,
		    "nothing will report the secrets: %s; surfacectl doctor says how to make the "
		    "file\n",
		    r->no_key);
	fflush(stdout);
}

static int
parse_content_options(struct content_run *r, int argc, char **argv)
{
	struct str project = STR_NULL;
	const struct cli_option table[] = {
		{ .name = "project", .text = &project },
		{ .name = NULL },
	};
	struct cli_list words = { NULL, 0 };
	enum db_rc rc;

	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	r->file = words.p[0].p;
	if (project.p == NULL)
		return cli_usage(r->cli, "--project UUID is missing");
	rc = db_one(r->cli->db, &find_content_project, &r->project, P(project));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "there is no project %s", project.p);
	return rc == DB_OK ? EXIT_OK : cli_fail_db(r->cli, rc, project.p);
}

int
import_content(struct cli *c, int argc, char **argv)
{
	struct content_run r = { .cli = c };
	int status = parse_content_options(&r, argc, argv), fd;
	bool in;

	if (status != EXIT_OK)
		return status;
	in = strcmp(r.file, "-") == 0;
	fd = in ? STDIN_FILENO : open(r.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", r.file, strerror(errno));
	if (takeovers_read(c, c->arena, &r.takeovers) != DB_OK) {
		if (!in)
			close(fd);
		return cli_fail_db(c, DB_DOWN, "the providers of pages");
	}
	r.has_key = secret_key_read(conf.fingerprint_file, &r.key, r.no_key, sizeof(r.no_key));
	r.page = arena_new(ARENA);
	r.a = arena_new(ARENA);
	r.records = (struct buf){ .a = r.a };
	source_open(&r.src, fd, -1);
	status = store_pages(&r);
	if (status == EXIT_OK && r.sum.fresh + r.sum.changed > 0) {
		enum db_rc rc = write_content_audit(&r);

		if (rc != DB_OK)
			status = cli_fail_db(c, rc, "the audit log");
	}
	source_close(&r.src);
	if (status == EXIT_OK)
		print_content_summary(&r);
	OPENSSL_cleanse(&r.key, sizeof(r.key));
	arena_free(r.page);
	arena_free(r.a);
	if (!in)
		close(fd);
	return status == EXIT_OK && r.bad > 0 ? EXIT_FAILED : status;
}
