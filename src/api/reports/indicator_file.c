/* SPDX-License-Identifier: ISC */
/* The indicators of a report as one file: CSV, NDJSON or STIX. */
#include "config.h"

#include "access/audit.h"
#include "api/api.h"
#include "api/reports/report.h"
#include "api/reports/stix.h"
#include "json/cells.h"

enum { FILE_CSV, FILE_NDJSON, FILE_STIX };

/* Answers name the version, too, as TAXII does; a client that asks for STIX need not. */
#define STIX_MEDIA "application/stix+json"

struct file_args {
	struct str include_ignored;
};

static const char *const switches[] = { "true", "false", NULL };

static const struct url_param file_params[] = {
	FILTER(FIELD_STR, struct file_args, include_ignored, .values = switches,
	    .help = "true: with ignored indicators."),
	URL_PARAM_END,
};

STMT_LIST(read_file, struct indicator_row, indicator_row,
    "SELECT " INDICATOR_COLUMNS " FROM " INDICATORS_OF(
	"$1::uuid") " WHERE i.report_uuid = $2::uuid AND i.withdrawn_at IS NULL"
		    " AND ($3::boolean OR " INDICATOR_DISPOSITION " <> 'ignored')"
		    " ORDER BY i.confidence DESC, i.uuid LIMIT $4::bigint");

/* ---- CSV ---- */

/* Writes the cell of a member: a text, a number, a time, or the items of a list separated by
   blanks. */
static void
write_indicator_cell(struct buf *b, const struct field *f, const struct indicator_row *row)
{
	const void *at = (const char *)row + f->offset;
	const struct list *list = at;
	char text[TS_LEN + 1];
	struct buf all = { .a = b->a };

	if (f->type == FIELD_STR)
		cell_write(b, b->a, *(const struct str *)at);
	else if (f->type == FIELD_UUID)
		buf_z(b, uuid_text(at).z);
	else if (f->type == FIELD_INT)
		buf_printf(b, "%jd", (intmax_t) * (const int64_t *)at);
	else if (f->type == FIELD_BOOL)
		buf_z(b, *(const bool *)at ? "true" : "false");
	else if (f->type == FIELD_TS && !ts_is_null(*(const struct ts *)at)) {
		ts_print(*(const struct ts *)at, text);
		buf_z(b, text);
	} else if (f->type == FIELD_LIST) {
		for (size_t i = 0; i < list->n; i++) {
			buf_z(&all, i > 0 ? " " : "");
			buf_str(&all, ((const struct str *)list->items)[i]);
		}
		cell_write(b, b->a, buf_done(&all));
	}
}

static void
write_csv(struct buf *b, const struct indicator_row *rows, size_t n)
{
	for (const struct field *f = indicator_row; f->type != FIELD_NONE; f++)
		buf_printf(b, "%s%s", f == indicator_row ? "" : ",", f->name);
	buf_z(b, "\r\n");
	for (size_t i = 0; i < n; i++) {
		for (const struct field *f = indicator_row; f->type != FIELD_NONE; f++) {
			buf_z(b, f == indicator_row ? "" : ",");
			write_indicator_cell(b, f, &rows[i]);
		}
		buf_z(b, "\r\n");
	}
}

/* Writes a line of the audit log, once for each key, report and hour. */
static int
note_export(struct req *rq)
{
	struct audit line = { .action = STR("report.export"),
		.subject = STR("report"),
		.subject_id = arena_uuid(rq->arena, &rq->path[0]),
		.request_id = str_of(rq->id),
		.address = env_get(rq, "REMOTE_ADDR") };
	enum db_rc rc = audit_note_hourly(rq->db, rq->key->uuid, &line);

	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
report_file(struct req *rq)
{
	const struct file_args *args = rq->params;
	const struct indicator_row *row;
	struct report_row r;
	struct list rows;
	struct buf *b;
	enum db_rc rc = db_one(rq->db, &select_report, &r, P(rq->key->account), P(rq->path[0]));

	if (rc == DB_NONE)
		return fail(rq, ERR_REPORT_NOT_FOUND);
	if (rc == DB_OK)
		rc = db_list(rq->db, &read_file, &rows, P(rq->key->account), P(rq->path[0]),
		    P(str_is(args->include_ignored, "true")), P(LIM_REPORT_INDICATORS));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (note_export(rq) != PASS)
		return FAILED;
	row = rows.items;
	b = reply_begin(rq, 200);
	rq->content_type =
	    rq->route->arg == FILE_STIX ? STIX_MEDIA ";version=2.1" : rq->route->media[0];
	if (rq->route->arg == FILE_STIX) {
		stix_write(b, &r, row, rows.n);
	} else if (rq->route->arg == FILE_CSV) {
		write_csv(b, row, rows.n);
	} else {
		indicator_searches(rq->arena, rows);
		for (size_t i = 0; i < rows.n; i++) {
			struct buf line = { .a = rq->arena };

			json_write(&line, indicator_out, &row[i]);
			buf_str(b, buf_done(&line));
			buf_char(b, '\n');
		}
	}
	return PASS;
}

static const char *const csv_media[] = { "text/csv", NULL };
static const char *const ndjson_media[] = { "application/x-ndjson", NULL };
static const char *const stix_media[] = { STIX_MEDIA, NULL };

#define FILE_ROW(ending, name, number, types)                                                      \
	ROUTE_AS(GET, "/reports/{report_uuid}/indicators." ending, name, report_file),             \
	    REPORT_ROW(SCOPE_REPORTS_VIEW), PARAMS(struct file_args, file_params),                 \
	    .heavy = true, .arg = (number), .media = (types), .errors = report_errors

static const struct route indicator_file_routes[] = {
	{
	    FILE_ROW("csv", "get_report_indicators_csv", FILE_CSV, csv_media),
	    .result = "The indicators.",
	    .summary = "Get the indicators of a report as CSV",
	    .description = "At most 20000 rows after a header, the greatest confidence first. A "
			   "text that a spreadsheet would take for a formula begins with '.",
	},
	{
	    FILE_ROW("ndjson", "get_report_indicators_ndjson", FILE_NDJSON, ndjson_media),
	    .result = "The indicators.",
	    .summary = "Get the indicators of a report as NDJSON",
	    .description = "At most 20000 lines, the greatest confidence first.",
	},
	{
	    FILE_ROW("stix", "get_report_indicators_stix", FILE_STIX, stix_media),
	    .result = "The indicators.",
	    .summary = "Get a report as a STIX 2.1 bundle",
	    .description = "The same report gives the same identifiers.",
	},
	ROUTE_END,
};

ROUTES(55, indicator_file);
