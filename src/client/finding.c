/* SPDX-License-Identifier: ISC */
/* surface finding: the findings of a project, and the history of one. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/print.h"
#include "client/session.h"
#include "client/value.h"

enum { FINDING_PAGE = 100 };

static const struct column finding_columns[] = {
	{ "uuid", "uuid", CELL_TEXT },
	{ "severity", "severity", CELL_TEXT },
	{ "status", "status", CELL_TEXT },
	{ "finding_type", "type", CELL_TEXT },
	{ "last_seen_at", "last_seen", CELL_MINUTE },
	{ "title", "title", CELL_TEXT },
	{ 0 },
};

static const struct column finding_event_columns[] = {
	{ "at", "at", CELL_MINUTE },
	{ "event", "event", CELL_TEXT },
	{ "from_status", "from", CELL_TEXT },
	{ "to_status", "to", CELL_TEXT },
	{ "severity", "severity", CELL_TEXT },
	{ "confidence", "confidence", CELL_TEXT },
	{ "membership_uuid", "member", CELL_TEXT },
	{ 0 },
};

/* "/projects/PROJECT/esi/findings", the finding of the first word if there is one, and the rest. */
static struct buf
finding_path(struct client *c, const char *rest)
{
	struct buf b = { .a = c->arena };

	buf_z(&b, "/projects");
	url_segment(&b, c->settings.project);
	buf_z(&b, "/esi/findings");
	if (c->nwords > 0)
		url_segment(&b, c->words[0]);
	buf_z(&b, rest);
	return b;
}

static int
run_finding_list(struct client *c)
{
	static const char *const filters[] = { "status", "severity", "stale" };
	struct buf path;
	int status = session_project(c);

	if (status != DONE)
		return status;
	path = finding_path(c, "");
	for (size_t i = 0; i < COUNT(filters); i++)
		url_parameter(&path, filters[i], option(c, filters[i]));
	url_parameter(&path, "finding_type", option(c, "type"));
	return list_print(c, &(struct listing){ .path = buf_done(&path),
				 .member = "findings",
				 .columns = finding_columns,
				 .page_max = FINDING_PAGE });
}

static int
run_finding_show(struct client *c)
{
	struct json_value *answer;
	struct buf path;
	int status = session_project(c);

	if (status != DONE)
		return status;
	path = finding_path(c, "");
	status = api_get(c, buf_done(&path), &answer);
	if (status != DONE)
		return status;
	if (value_get(answer, "finding") == NULL)
		return fail(c, FAILED, "the answer has no finding");
	return record_print(c, value_get(answer, "finding"), finding_columns);
}

static int
run_finding_history(struct client *c)
{
	struct buf path;
	int status = session_project(c);

	if (status != DONE)
		return status;
	path = finding_path(c, "/history");
	return list_print(c, &(struct listing){ .path = buf_done(&path),
				 .member = "events",
				 .columns = finding_event_columns,
				 .page_max = FINDING_PAGE });
}

static const struct option_row finding_list_options[] = { PROJECT_OPTION, LIST_OPTIONS,
	{ "status", 0, TEXT, "STATUS",
	    "active (open or acknowledged), open, acknowledged, accepted_risk, false_positive or resolved", 0, 0 },
	{ "severity", 0, TEXT, "SEVERITY", "info, low, medium, high or critical", 0, 0 },
	{ "type", 0, TEXT, "TYPE", "findings of one type", 0, 0 },
	{ "stale", 0, TEXT, "true|false", "whether nothing has confirmed them for 30 days", 0, 0 },
	{ 0 } };
static const struct option_row finding_show_options[] = { PROJECT_OPTION, { 0 } };
static const struct option_row finding_history_options[] = { PROJECT_OPTION, LIST_OPTIONS, { 0 } };

static const struct command finding_subs[] = {
	{ "list", NULL, "print the findings of the project", run_finding_list, NULL,
	    finding_list_options, 0, 0, WORD_ANY, false },
	{ "show", "UUID", "print a finding with its evidence", run_finding_show, NULL,
	    finding_show_options, 1, 1, WORD_ANY, false },
	{ "history", "UUID", "print what has become of a finding", run_finding_history, NULL,
	    finding_history_options, 1, 1, WORD_ANY, false },
	{ 0 },
};

static const struct command finding_command = {
	.name = "finding", .help = "read the findings of a project", .sub = finding_subs
};

COMMAND(finding_command);
