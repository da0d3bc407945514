/* SPDX-License-Identifier: ISC */
/* Stores the documents of a reading, and counts them (store.h). */
#include "config.h"

#include "cli/report/store.h"

#include "resource/report_store.h"

#define REPORT_TIME (600 * SECOND_US)

static void
print_bad(struct report_run *r, const char *path, struct str name, struct str what)
{
	r->bad++;
	cli_fail(EXIT_FAILED, "%s: %.*s%s%.*s", path, (int)name.n, name.n == 0 ? "" : name.p,
	    name.n == 0 ? "" : ": ", (int)what.n, what.p);
}

/* EXIT_OK, or the status to return after a message. */
static int
store_one(struct report_run *r, const char *path, struct arena *a, struct report_document *doc)
{
	struct db *db = r->cli->db;
	struct report_stored out = { .outcome = REPORT_BAD };
	enum db_rc rc;

	db_use(db, a, mono_us() + REPORT_TIME);
	rc = report_lists_load(db, &r->lists);
	if (rc == DB_OK) {
		report_lists_extract(a, &r->lists, doc);
		rc = db_begin(db);
	}
	if (rc == DB_OK)
		rc = report_store(db, a, r->private ? &r->account : NULL, doc, &out);
	if (rc == DB_OK)
		rc = db_commit(db);
	if (rc != DB_OK) {
		db_rollback(db);
		return cli_fail_db(r->cli, rc, "the import ended early; run it again");
	}
	r->fresh += out.outcome == REPORT_NEW;
	r->changed += out.outcome == REPORT_REVISED || out.outcome == REPORT_WITHDRAWN;
	r->unchanged += out.outcome == REPORT_UNCHANGED;
	if (out.outcome == REPORT_BAD)
		print_bad(r, path, doc->source_ref, out.what);
	return EXIT_OK;
}

static void
print_notes(struct report_run *r, const char *path, const struct report_reading *reading)
{
	for (size_t i = 0; i < reading->nnoted; i++) {
		const struct report_noted *n = &reading->noted[i];

		if (!r->quiet || n->note == NOTE_REFUSED)
			cli_fail(EXIT_FAILED, "%s: %.*s %s", path, (int)n->name.n, n->name.p,
			    report_note_message(n->note));
	}
	for (size_t i = 0; i < NOTES; i++)
		r->counts[i] += reading->counts[i];
	r->bad += reading->counts[NOTE_REFUSED];
}

int
report_run_store(struct report_run *r, const char *path, const struct report_reading *reading)
{
	int status = EXIT_OK;

	r->read += reading->fault.p != NULL ? 1 : reading->n + reading->counts[NOTE_REFUSED];
	print_notes(r, path, reading);
	if (reading->fault.p != NULL)
		print_bad(r, path, STR_NULL, reading->fault);
	for (size_t i = 0; i < reading->n && status == EXIT_OK; i++)
		status = store_one(r, path, reading->a, &reading->docs[i]);
	db_use(r->cli->db, r->cli->arena, 0);
	return status;
}

static void
print_report_summary(const struct report_run *r)
{
	if (r->cli->json) {
		putchar('{');
		for (const struct report_run_count *f = r->first; f->name != NULL; f++)
			printf("\"%s\":%ju,", f->name, (uintmax_t)f->n);
		printf("\"read\":%ju,\"new\":%ju,\"changed\":%ju,\"unchanged\":%ju,\"bad\":%ju",
		    (uintmax_t)r->read, (uintmax_t)r->fresh, (uintmax_t)r->changed,
		    (uintmax_t)r->unchanged, (uintmax_t)r->bad);
		for (enum report_note i = 0; i < NOTES; i++)
			printf(",\"%s\":%ju", report_note_counter(i), (uintmax_t)r->counts[i]);
		puts("}");
	} else if (!r->quiet) {
		for (const struct report_run_count *f = r->first; f->name != NULL; f++)
			printf("%ju %s, ", (uintmax_t)f->n, f->name);
		printf("%ju read, %ju new, %ju changed, %ju unchanged, %ju bad", (uintmax_t)r->read,
		    (uintmax_t)r->fresh, (uintmax_t)r->changed, (uintmax_t)r->unchanged,
		    (uintmax_t)r->bad);
		for (enum report_note i = 0; i < NOTES; i++)
			if (r->counts[i] > 0 && i != NOTE_REFUSED)
				printf(", %ju %s", (uintmax_t)r->counts[i], report_note_counter(i));
		putchar('\n');
	}
	fflush(stdout);
}

void
report_run_end(struct report_run *r)
{
	report_lists_free(&r->lists);
	print_report_summary(r);
}
