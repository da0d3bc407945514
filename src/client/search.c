/* SPDX-License-Identifier: ISC */
/* surface search, count and validate: queries of a dataset. */
#include "config.h"

#include "base/limits.h"
#include "client/api.h"
#include "client/dataset.h"
#include "client/value.h"

enum { SEARCH_PAGE = 1000 };

/* The members that a table shows, for the parameter fields: the rest would be sent in vain. */
static struct str
fields_of(struct client *c, const struct column *columns)
{
	struct str given = fields_given(c);
	struct buf b = { .a = c->arena };

	if (given.p != NULL || c->form == FORM_NDJSON)
		return given;
	for (const struct column *column = columns; column->path != NULL; column++)
		buf_printf(&b, "%s%s", b.n > 0 ? "," : "", column->path);
	return buf_done(&b);
}

static struct str
query_path(struct client *c, const struct dataset *d, const char *operation)
{
	struct buf b = { .a = c->arena };

	buf_printf(&b, "/search/%s%s", d->name, operation);
	if (c->query.n > 0)
		url_parameter(&b, "q", c->query);
	return buf_done(&b);
}

static int
run_search(struct client *c)
{
	const struct dataset *d = dataset_of_words(c);
	struct buf path = { .a = c->arena };

	if (d == NULL)
		return WRONG_USAGE;
	buf_str(&path, query_path(c, d, ""));
	url_parameter(&path, "fields", fields_of(c, d->columns));
	return list_print(c, &(struct listing){ .path = buf_done(&path),
				 .member = d->list,
				 .columns = d->columns,
				 .page_max = SEARCH_PAGE });
}

static int
run_count(struct client *c)
{
	const struct dataset *d = dataset_of_words(c);
	struct json_value *answer;
	int64_t count = 0;
	int status;

	if (d == NULL)
		return WRONG_USAGE;
	status = api_get(c, query_path(c, d, "/count"), &answer);
	if (status != DONE)
		return status;
	api_warnings(c, answer);
	if (c->form == FORM_NDJSON && !option_given(c, "json")) {
		if (!value_int(answer, "count", &count))
			return fail(c, FAILED, "the answer has no count");
		printf("%lld\n", (long long)count);
		return DONE;
	}
	if (c->form != FORM_TABLE || !value_int(answer, "count", &count))
		line_print(c, answer);
	else
		printf("%lld\n", (long long)count);
	return DONE;
}

static int
run_validate(struct client *c)
{
	const struct dataset *d = dataset_of_words(c);
	const struct json_value *valid;
	struct json_value *answer;
	int64_t position;
	struct str message;
	int status;

	if (d == NULL)
		return WRONG_USAGE;
	status = api_get(c, query_path(c, d, "/validate"), &answer);
	if (status != DONE)
		return status;
	if (c->form != FORM_TABLE)
		line_print(c, answer);
	api_warnings(c, answer);
	valid = value_get(answer, "valid");
	if (valid != NULL && json_bool(valid)) {
		if (c->form == FORM_TABLE)
			puts("valid");
		return DONE;
	}
	message = value_text(value_get(answer, "error"), "message");
	fail(c, DONE, "%.*s", (int)message.n, message.p);
	if (value_int(value_get(answer, "error"), "position", &position))
		api_caret(c, position, RED);
	return WRONG_QUERY;
}

static const struct option_row search_options[] = { LIST_OPTIONS, FIELDS_OPTION, { 0 } };

#define QUERY_COMMAND(id, word, does, rows)                                                        \
	static const struct command id = { .name = (word),                                         \
		.arguments = "DATASET [QUERY ...]",                                                \
		.help = (does),                                                                    \
		.run = run_##id,                                                                   \
		.options = (rows),                                                                 \
		.min = 1,                                                                          \
		.max = WORDS_MAX,                                                                  \
		.first = WORD_DATASET };                                                           \
	COMMAND(id)

QUERY_COMMAND(search, "search", "print the documents that match a query", search_options);
QUERY_COMMAND(count, "count", "print how many documents match a query", NULL);
QUERY_COMMAND(validate, "validate", "check a query without running it", NULL);
