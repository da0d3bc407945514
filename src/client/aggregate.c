/* SPDX-License-Identifier: ISC */
/* surface aggregate: the most frequent values of fields, as bars on a terminal. */
#include "config.h"

#include "base/guess.h"
#include "base/split.h"
#include "client/api.h"
#include "client/bars.h"
#include "client/dataset.h"
#include "client/schema.h"
#include "client/value.h"
#include "json/json.h"

enum { BUCKETS_USUAL = 25, BUCKETS_MAX = 100 };

_Static_assert((int)BUCKETS_MAX <= (int)BARS_MAX, "all buckets have a bar");

/* The name of a field in the API's schema if the text is one of its aliases, since aggregations
   know no aliases; otherwise the text itself, which the API may refuse. */
static struct str
group_field_named(const struct json_value *schema, struct str text)
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
body_of_aggregation(struct client *c, const struct json_value *schema)
{
	struct buf b = { .a = c->arena };
	struct str fields = option(c, "by"), field;

	json_begin(&b, '{');
	json_member(&b, "query");
	json_write_str(&b, c->query);
	json_member_begin(&b, "aggregations", '[');
	while (str_part(&fields, ',', &field)) {
		json_begin(&b, '{');
		json_member(&b, "field");
		json_write_str(&b, group_field_named(schema, str_trim(field)));
		json_member_int(&b, "limit", option_number(c, "limit", BUCKETS_USUAL));
		buf_char(&b, '}');
	}
	buf_z(&b, "]}");
	return buf_done(&b);
}

/* ---- bars ---- */

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
print_bars(struct client *c, const struct json_value *buckets)
{
	struct bars *bars = ARENA_NEW(c->page, struct bars);
	struct buf b = { .a = c->page };

	for (size_t i = 0; i < json_length(buckets); i++) {
		int64_t count = 0;

		if (!value_int(json_at(buckets, i), "count", &count))
			count = 0;
		bars_add(bars, bucket_name(c, json_at(buckets, i)), count);
	}
	bars_print(&b, &c->screen, bars);
	str_write(buf_done(&b), stdout);
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
	str_write(buf_done(&b), stdout);
	if (value_get(group, "buckets") == NULL || json_length(value_get(group, "buckets")) == 0)
		puts("  none");
	else
		print_bars(c, value_get(group, "buckets"));
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
add_group_member(void *arg, struct str name, struct json_value *member)
{
	struct buf *b = arg;

	buf_char(b, ',');
	json_write_str(b, name);
	buf_char(b, ':');
	json_show(b, member);
	return true;
}

/* The buckets of every group as one list, each with the name of its field, for a line or a row
   each. */
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
			json_each(json_at(list, j), add_group_member, &b);
			buf_char(&b, '}');
		}
	}
	buf_char(&b, ']');
	return json_parse(c->page, buf_done(&b));
}

/* ---- refusals ---- */

/* The field that a fault is about, as it was typed: "aggregations[1].field" is the second of
   --by. */
static struct str
typed_field(const struct client *c, struct str place)
{
	struct str fields = option(c, "by"), field, number;
	int64_t n;

	if (!str_starts(place, STR("aggregations[")) || !str_ends(place, STR("].field")))
		return STR_NULL;
	number = (struct str){ place.p + sizeof("aggregations[") - 1,
		place.n - (sizeof("aggregations[") - 1) - (sizeof("].field") - 1) };
	if (!str_int64(number, &n))
		return STR_NULL;
	while (str_part(&fields, ',', &field))
		if (n-- == 0)
			return str_trim(field);
	return STR_NULL;
}

/* The name or alias of a field that can be aggregated and that the typed one was probably meant to
   be; NULL: none. */
static const char *
guess_field(struct client *c, const struct json_value *schema, struct str typed)
{
	const struct json_value *fields = value_get(schema, "fields");
	struct guess g;

	guess_begin(&g, typed);
	for (size_t i = 0; fields != NULL && i < json_length(fields); i++) {
		const struct json_value *can = value_get(json_at(fields, i), "aggregatable"),
					*aliases = value_get(json_at(fields, i), "aliases");
		struct str name = value_text(json_at(fields, i), "name");

		if (can == NULL || !json_bool(can))
			continue;
		guess_try(&g, name, arena_str(c->arena, name).p);
		for (size_t j = 0; aliases != NULL && j < json_length(aliases); j++) {
			name = json_text(json_at(aliases, j));
			guess_try(&g, name, arena_str(c->arena, name).p);
		}
	}
	return g.found;
}

/* The message for an answer of 400 that is about a field of --by, whose message begins with its
   place in the body: "aggregations[1].field: ..."; -1: it is about something else. */
static int
refuse_field(struct client *c, const struct dataset *d, const struct json_value *schema,
    const struct answer *a)
{
	const struct json_value *v = json_parse(c->page, buf_done(&a->body));
	struct str message = value_text(value_get(v, "error"), "message");
	struct str typed = typed_field(c, str_until(&message, ':'));
	const char *near;

	if (typed.p == NULL)
		return -1;
	near = guess_field(c, schema, typed);
	if (near != NULL)
		return fail(c, WRONG_QUERY,
		    "%s cannot be aggregated by \"%.*s\"; did you mean %s? \"surface fields %s\" "
		    "lists the fields",
		    d->name, (int)typed.n, typed.p, near, d->name);
	return fail(c, WRONG_QUERY,
	    "%s cannot be aggregated by \"%.*s\"; \"surface fields %s\" lists the fields", d->name,
	    (int)typed.n, typed.p, d->name);
}

/* Asks the API; an exit status. */
static int
ask_groups(struct client *c, const struct dataset *d, struct json_value **out)
{
	const struct json_value *schema = find_schema(c, d);
	struct answer a;
	int status = http_ask(c,
	    &(struct ask){ .method = "POST",
		.path = arena_printf(c->arena, "/search/%s/aggregate", d->name),
		.body = body_of_aggregation(c, schema),
		.repeatable = true },
	    &a);

	if (status != DONE)
		return status;
	status = a.status == 400 ? refuse_field(c, d, schema, &a) : -1;
	return status >= 0 ? status : api_answer(c, &a, out);
}

static int
run_aggregate(struct client *c)
{
	const struct dataset *d = dataset_of_words(c);
	const struct json_value *groups;
	struct json_value *answer = NULL;
	struct table t;
	int status;

	if (d == NULL)
		return WRONG_USAGE;
	if (!option_given(c, "by"))
		return fail(c, WRONG_USAGE, "by which fields? As in: surface aggregate %s --by %s",
		    d->name, d->columns[1].heading);
	status = ask_groups(c, d, &answer);
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
	{ "by", 'b', FACETS, "FIELD,...", "count the values of these fields, one to eight", 0, 0 },
	{ "limit", 'n', NUMBER, "N", "print the N most frequent values of each field (25)", 1,
	    BUCKETS_MAX },
	{ 0 },
};

static const struct command aggregate_command = { .name = "aggregate",
	.arguments = "DATASET [QUERY ...] --by FIELD[,FIELD ...]",
	.help = "count the values of fields among the matches",
	.run = run_aggregate,
	.options = aggregate_options,
	.min = 1,
	.max = WORDS_MAX,
	.first = WORD_DATASET };

COMMAND(aggregate_command);
