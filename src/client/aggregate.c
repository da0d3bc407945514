/* SPDX-License-Identifier: ISC */
/* surface aggregate: the most frequent values of fields, as bars on a terminal. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/schema.h"
#include "client/value.h"
#include "json/json.h"

enum { BUCKETS_USUAL = 25, BUCKETS_MAX = 100, BAR_MAX = 60, VALUE_MAX = 50, EIGHTHS = 8 };

/* The name of a field in the API's schema if the text is one of its aliases, since aggregations know no aliases; otherwise
   the text itself, which the API may refuse. */
static struct str
field_named(const struct json_value *schema, struct str text)
{
	const struct json_value *fields = value_get(schema, "fields");

	for (size_t i = 0; fields != NULL && i < json_length(fields); i++) {
		const struct json_value *aliases = value_get(json_at(fields, i), "aliases");

		for (size_t j = 0; aliases != NULL && j < json_length(aliases); j++)
			if (str_eq(json_text(json_at(aliases, j)), text))
				return value_text(json_at(fields, i), "name");
	}
	return text;
}

/* The kept schema, or the API's; NULL: the API refuses it, and aliases stay as they are. */
static const struct json_value *
find_schema(struct client *c, const struct dataset *d)
{
	const struct json_value *kept = schema_kept(c);
	struct json_value *schemas = NULL;

	if (kept == NULL && schema_get(c, &schemas) == DONE)
		kept = schemas;
	return kept == NULL ? NULL : schema_of(kept, d->name);
}

/* {"query": "...", "aggregations": [{"field": "...", "limit": 25}, ...]} */
static struct str
body_of(struct client *c, const struct json_value *schema)
{
	struct buf b = { .a = c->arena };
	struct str fields = c->words[1], field;

	json_begin(&b, '{');
	json_member(&b, "query");
	json_write_str(&b, c->query);
	json_member_begin(&b, "aggregations", '[');
	while (str_part(&fields, ',', &field)) {
		json_begin(&b, '{');
		json_member(&b, "field");
		json_write_str(&b, field_named(schema, str_trim(field)));
		json_member_int(&b, "limit", option_number(c, "limit", BUCKETS_USUAL));
		buf_char(&b, '}');
	}
	buf_z(&b, "]}");
	return buf_done(&b);
}

/* ---- bars ---- */

/* A bar of eighths of a column. */
static void
add_bar(struct buf *b, const struct screen *s, int64_t count, int64_t most, size_t room)
{
	static const char *const parts[EIGHTHS] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t eighths =
	    most < 1 ? 0 : (size_t)((double)count / (double)most * (double)(room * EIGHTHS) + 0.5);

	if (eighths == 0)
		eighths = 1;
	style_out(b, s, CYAN);
	for (size_t i = 0; i < eighths / EIGHTHS; i++)
		buf_z(b, s->utf8 ? "█" : "#");
	if (s->utf8)
		buf_z(b, parts[eighths % EIGHTHS]);
	style_out(b, s, PLAIN);
}

struct bars {
	struct str values[BUCKETS_MAX];
	int64_t counts[BUCKETS_MAX], most;
	size_t n, width, digits;
};

/* "64500 EXAMPLE-AS": the value, and its label if it has one. */
static struct str
bucket_name(struct client *c, const struct json_value *bucket)
{
	struct buf raw = { .p = NULL }, shown = { .a = c->page };

	value_cell(&raw, bucket, "value", "");
	if (value_text(bucket, "label").p != NULL) {
		buf_char(&raw, ' ');
		buf_str(&raw, value_text(bucket, "label"));
	}
	text_show(&shown, &c->screen, buf_done(&raw));
	buf_free(&raw);
	return buf_done(&shown);
}

static void
measure(struct client *c, const struct json_value *buckets, struct bars *out)
{
	for (size_t i = 0; i < json_length(buckets) && i < BUCKETS_MAX; i++) {
		const struct json_value *bucket = json_at(buckets, i);
		size_t width, digits;

		out->values[i] = bucket_name(c, bucket);
		width = text_width(out->values[i]);
		if (!value_int(bucket, "count", &out->counts[i]))
			out->counts[i] = 0;
		digits = (size_t)snprintf(NULL, 0, "%lld", (long long)out->counts[i]);
		out->most = out->counts[i] > out->most ? out->counts[i] : out->most;
		out->digits = digits > out->digits ? digits : out->digits;
		out->width = width > out->width ? width : out->width;
		out->n = i + 1;
	}
}

static void
print_bars(struct client *c, const struct json_value *group)
{
	struct bars *bars = ARENA_NEW(c->page, struct bars);
	size_t columns = c->screen.columns, room = BAR_MAX;
	struct buf b = { .a = c->page };

	measure(c, value_get(group, "buckets"), bars);
	if (columns != SIZE_MAX && bars->width > columns / 2)
		bars->width = columns / 2;
	if (bars->width > VALUE_MAX && columns != SIZE_MAX)
		bars->width = VALUE_MAX;
	if (columns != SIZE_MAX && columns < bars->width + bars->digits + room + 6)
		room = columns > bars->width + bars->digits + 10
			   ? columns - bars->width - bars->digits - 6
			   : 4;
	for (size_t i = 0; i < bars->n; i++) {
		buf_z(&b, "  ");
		text_fit(&b, &c->screen, bars->values[i], bars->width, false);
		buf_printf(&b, "  %*lld  ", (int)bars->digits, (long long)bars->counts[i]);
		add_bar(&b, &c->screen, bars->counts[i], bars->most, room);
		buf_char(&b, '\n');
	}
	fwrite(b.p, 1, b.n, stdout);
}

static void
print_group(struct client *c, const struct json_value *group, bool first)
{
	const struct json_value *more = value_get(group, "has_more");
	struct buf b = { .a = c->page };
	struct str relation = value_text(group, "relation");

	if (!first)
		buf_char(&b, '\n');
	style_out(&b, &c->screen, BOLD);
	text_show(&b, &c->screen, value_text(group, "field"));
	style_out(&b, &c->screen, PLAIN);
	style_out(&b, &c->screen, DIM);
	buf_z(&b, "  by ");
	text_show(&b, &c->screen, value_text(group, "count_unit"));
	if (!str_is(relation, "eq"))
		buf_z(&b, str_is(relation, "gte") ? ", at least" : ", estimated");
	style_out(&b, &c->screen, PLAIN);
	buf_char(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
	if (value_get(group, "buckets") == NULL || json_length(value_get(group, "buckets")) == 0)
		puts("  none");
	else
		print_bars(c, group);
	if (more != NULL && json_bool(more))
		note(c, "there are more values; --limit prints up to %d", BUCKETS_MAX);
}

/* ---- lines ---- */

static const struct column bucket_columns[] = {
	{ "field", "field", CELL_TEXT },
	{ "value", "value", CELL_TEXT },
	{ "count", "count", CELL_TEXT },
	{ "label", "label", CELL_TEXT },
	{ 0 },
};

static bool
add_member(void *arg, struct str name, struct json_value *member)
{
	struct buf *b = arg;

	buf_char(b, ',');
	json_write_str(b, name);
	buf_char(b, ':');
	json_show(b, member);
	return true;
}

/* The buckets of every group as one list, each with the name of its field, for a line or a row each. */
static const struct json_value *
all_buckets(struct client *c, const struct json_value *groups)
{
	struct buf b = { .a = c->page };

	buf_char(&b, '[');
	for (size_t i = 0; i < json_length(groups); i++) {
		const struct json_value *group = json_at(groups, i),
					*list = value_get(group, "buckets");

		for (size_t j = 0; list != NULL && j < json_length(list); j++) {
			buf_z(&b, b.n > 1 ? ",{\"field\":" : "{\"field\":");
			json_write_str(&b, value_text(group, "field"));
			json_each(json_at(list, j), add_member, &b);
			buf_char(&b, '}');
		}
	}
	buf_char(&b, ']');
	return json_parse(c->page, buf_done(&b));
}

static int
run_aggregate(struct client *c)
{
	const struct dataset *d = dataset_of_words(c);
	const struct json_value *groups;
	struct json_value *answer;
	struct table t;
	int status;

	if (d == NULL)
		return WRONG_USAGE;
	c->query = words_joined(c, 2);
	status = api_ask(c,
	    &(struct ask){ .method = "POST",
		.path = arena_printf(c->arena, "/search/%s/aggregate", d->name),
		.body = body_of(c, find_schema(c, d)),
		.repeatable = true },
	    &answer);
	if (status != DONE)
		return status;
	api_warnings(c, answer);
	groups = value_get(answer, "groups");
	if (groups == NULL)
		return fail(c, FAILED, "the answer has no groups");
	for (size_t i = 0; c->form == FORM_TABLE && i < json_length(groups); i++)
		print_group(c, json_at(groups, i), i == 0);
	if (c->form == FORM_TABLE)
		return DONE;
	if (!table_begin(&t, c, bucket_columns))
		return WRONG_USAGE;
	table_add(&t, all_buckets(c, groups), SIZE_MAX);
	return DONE;
}

static const struct option_row aggregate_options[] = {
	{ "limit", 'n', NUMBER, "N", "print the N most frequent values of each field (25)", 1,
	    BUCKETS_MAX },
	{ 0 },
};

static const struct command aggregate_command = { .name = "aggregate",
	.arguments = "DATASET FIELD[,FIELD ...] [QUERY ...]",
	.help = "count the values of fields among the matches",
	.run = run_aggregate,
	.options = aggregate_options,
	.min = 2,
	.max = WORDS_MAX,
	.first = WORD_DATASET };

COMMAND(aggregate_command);
