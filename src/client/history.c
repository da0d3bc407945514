/* SPDX-License-Identifier: ISC */
/* surface history: what changed in a host or a registration, and when a host had which services. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/value.h"

enum { HISTORY_PAGE = 100 };

static const struct column event_columns[] = {
	{ "at", "at", CELL_MINUTE },
	{ "kind", "kind", CELL_TEXT },
	{ "service.port", "port", CELL_TEXT },
	{ "fields", "fields", CELL_TEXT },
	{ "before", "before", CELL_TEXT },
	{ "after", "after", CELL_TEXT },
	{ 0 },
};

static const struct column range_columns[] = {
	{ "port", "port", CELL_TEXT },
	{ "transport", "transport", CELL_TEXT },
	{ "first_seen", "first_seen", CELL_MINUTE },
	{ "last_seen", "last_seen", CELL_MINUTE },
	{ 0 },
};

/* A domain has a letter in its last label, an IPv6 address a colon. */
static bool
is_address(struct str key)
{
	return memchr(key.p, ':', key.n) != NULL || strspn(key.p, "0123456789.") >= key.n;
}

static int
print_ranges(struct client *c, struct str path)
{
	struct json_value *answer;
	struct table t;
	int status = api_get(c, path, &answer);

	if (status != DONE)
		return status;
	if (!table_begin(&t, c, range_columns))
		return WRONG_USAGE;
	table_add(&t, value_get(answer, "services"), SIZE_MAX);
	return DONE;
}

static int
run_history(struct client *c)
{
	bool host = is_address(c->words[0]);
	struct buf path = { .a = c->arena };

	buf_printf(&path, "/search/%s", host ? "hosts" : "whois");
	url_segment(&path, c->words[0]);
	buf_z(&path, "/history");
	if (!host && (option_given(c, "port") || option_given(c, "services")))
		return fail(c, WRONG_USAGE,
		    "--port and --services are about hosts; %s is no address", c->words[0].p);
	if (option_given(c, "services")) {
		buf_z(&path, "/services");
		return print_ranges(c, buf_done(&path));
	}
	url_parameter(&path, "from", option(c, "from"));
	url_parameter(&path, "to", option(c, "to"));
	url_parameter(&path, "port", option(c, "port"));
	return list_print(c, &(struct listing){ .path = buf_done(&path),
				 .member = "events",
				 .columns = event_columns,
				 .page_max = HISTORY_PAGE });
}

static const struct option_row history_options[] = {
	LIST_OPTIONS,
	{ "from", 0, TEXT, "TIME", "changes from this time on", 0, 0 },
	{ "to", 0, TEXT, "TIME", "changes until this time", 0, 0 },
	{ "port", 'p', NUMBER, "PORT", "changes of this port alone", 1, 65535 },
	{ "services", 0, FLAG, NULL, "when the host had each of its services", 0, 0 },
	{ 0 },
};

static const struct command history_command = { .name = "history",
	.arguments = "ADDRESS|DOMAIN",
	.help = "print what changed in a host or a registration",
	.run = run_history,
	.options = history_options,
	.min = 1,
	.max = 1 };

COMMAND(history_command);
