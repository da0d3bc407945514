/* SPDX-License-Identifier: ISC */
/* surface usage: the key, its rate, its quota and the requests of the last days. */
#include "config.h"

#include "client/api.h"
#include "client/bars.h"
#include "client/print.h"
#include "client/value.h"

enum { LEFT = 14 };

enum { DAYS_SHOWN = 7, DAYS_USUAL = 30, DAYS_MAX = 180 };

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
		str_write(buf_done(&b), stdout);
		buf_free(&raw);
		buf_free(&b);
	}
	putchar('\n');
}

/* The last days of the list, which begins with the oldest one. */
static const struct json_value *
last_days(struct client *c, const struct json_value *daily, int64_t days)
{
	size_t n = daily == NULL ? 0 : json_length(daily);
	struct buf b = { .a = c->page };

	buf_char(&b, '[');
	for (size_t i = n > (size_t)days ? n - (size_t)days : 0; i < n; i++) {
		buf_z(&b, b.n > 1 ? "," : "");
		json_show(&b, json_at(daily, i));
	}
	buf_char(&b, ']');
	return json_parse(c->page, buf_done(&b));
}

static void
print_usage_days(struct client *c, const struct json_value *daily)
{
	struct bars *bars = ARENA_NEW(c->page, struct bars);
	struct buf b = { .a = c->page };

	for (size_t i = 0; i < json_length(daily); i++) {
		struct buf name = { .a = c->page };
		int64_t requests = 0;

		text_show(&name, &c->screen, value_text(json_at(daily, i), "date"));
		if (!value_int(json_at(daily, i), "requests", &requests))
			requests = 0;
		bars_add(bars, buf_done(&name), requests);
	}
	bars_print(&b, &c->screen, bars);
	str_write(buf_done(&b), stdout);
}

/* The API knows some windows alone; the smallest one that has the days is asked for. */
static struct str
window_of(struct client *c, int64_t days)
{
	static const int windows[] = { 7, 30, 90, DAYS_MAX };
	size_t i = 0;

	while (windows[i] < days)
		i++;
	return arena_printf(c->arena, "%dd", windows[i]);
}

static int
run_usage(struct client *c)
{
	int64_t count = option_number(c, "days", c->form == FORM_TABLE ? DAYS_SHOWN : DAYS_USUAL);
	struct buf path = { .a = c->arena };
	const struct json_value *usage, *daily;
	struct json_value *answer;
	struct table quotas, days;
	int status;

	buf_z(&path, "/usage");
	url_parameter(&path, "window", window_of(c, count));
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
	daily = last_days(c, value_get(usage, "daily"), count);
	if (c->form != FORM_TABLE) {
		table_add(&days, daily, SIZE_MAX);
		return DONE;
	}
	print_usage_key(c, usage);
	table_add(&quotas, value_get(usage, "quotas"), SIZE_MAX);
	putchar('\n');
	print_usage_days(c, daily);
	return DONE;
}

static const struct option_row usage_options[] = {
	{ "days", 0, NUMBER, "N", "print the last N days (7; 30 as JSON or CSV)", 1, DAYS_MAX },
	{ 0 },
};

static const struct command usage_command = { .name = "usage",
	.help = "print the requests, rate and quota of the key",
	.run = run_usage,
	.options = usage_options };

COMMAND(usage_command);
