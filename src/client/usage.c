/* SPDX-License-Identifier: ISC */
/* surface usage: the key, its rate, its quota and the requests of the last days. */
#include "config.h"

#include "client/api.h"
#include "client/print.h"
#include "client/value.h"

enum { LEFT = 14 };

static const struct column quota_columns[] = {
	{ "limit", "quota", CELL_TEXT },
	{ "used", "used", CELL_TEXT },
	{ "remaining", "remaining", CELL_TEXT },
	{ "reset_at", "until", CELL_MINUTE },
	{ 0 },
};

static const struct column day_columns[] = {
	{ "date", "date", CELL_TEXT },
	{ "requests", "requests", CELL_TEXT },
	{ 0 },
};

static void
print_usage_key(struct client *c, const struct json_value *usage)
{
	static const char *const lines[][2] = { { "api_key.name", "key" },
		{ "api_key.key_prefix", "begins with" }, { "api_key.owner_name", "owner" },
		{ "api_key.scopes", "scopes" }, { "rate_limit.limit", "requests" },
		{ "rate_limit.window_seconds", "in seconds" },
		{ "month_to_date.requests", "this month" } };

	size_t room = c->screen.columns == SIZE_MAX ? SIZE_MAX : c->screen.columns - LEFT;

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct buf raw = { .p = NULL }, b = { .p = NULL }, shown = { .p = NULL };

		value_cell(&raw, usage, lines[i][0], ", ");
		style_out(&b, &c->screen, DIM);
		buf_printf(&b, "%-12s", lines[i][1]);
		style_out(&b, &c->screen, PLAIN);
		buf_z(&b, "  ");
		text_show(&shown, &c->screen, buf_done(&raw));
		text_wrap(&b, &c->screen, buf_done(&shown),
		    &(struct wrap){ .width = room, .indent = LEFT, .most = SIZE_MAX });
		buf_free(&shown);
		buf_char(&b, '\n');
		fwrite(b.p, 1, b.n, stdout);
		buf_free(&raw);
		buf_free(&b);
	}
	putchar('\n');
}

static int
run_usage(struct client *c)
{
	struct buf path = { .a = c->arena };
	const struct json_value *usage;
	struct json_value *answer;
	struct table quotas, days;
	int status;

	buf_z(&path, "/usage");
	url_parameter(&path, "window", option(c, "window"));
	status = api_get(c, buf_done(&path), &answer);
	if (status != DONE)
		return status;
	usage = value_get(answer, "api_usage");
	if (usage == NULL)
		return fail(c, FAILED, "the answer has no usage");
	if (c->form == FORM_NDJSON) {
		line_print(c, usage);
		return DONE;
	}
	if (!table_begin(&quotas, c, quota_columns) || !table_begin(&days, c, day_columns))
		return WRONG_USAGE;
	if (c->form == FORM_TABLE) {
		print_usage_key(c, usage);
		table_add(&quotas, value_get(usage, "quotas"), SIZE_MAX);
		putchar('\n');
	}
	table_add(&days, value_get(usage, "daily"), SIZE_MAX);
	return DONE;
}

static const struct option_row usage_options[] = {
	{ "window", 0, TEXT, "WINDOW", "the days to print, as in 7d or 30d", 0, 0 },
	{ 0 },
};

static const struct command usage_command = { .name = "usage",
	.help = "print the requests, rate and quota of the key",
	.run = run_usage,
	.options = usage_options };

COMMAND(usage_command);
