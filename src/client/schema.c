/* SPDX-License-Identifier: ISC */
/* surface fields, and the copy of the schemas that completion reads. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/file.h"
#include "client/schema.h"
#include "client/value.h"

#include <errno.h>
#include <sys/stat.h>

enum { SCHEMA_MAX = 4 * 1024 * 1024, KEPT_S = 24 * 60 * 60 };

int
schema_get(struct client *c, struct json_value **out)
{
	const char *path = cache_file(c, "schemas.json");
	struct buf b = { .a = c->arena };
	int status = api_get(c, STR("/search/schemas"), out);

	if (status != DONE || path == NULL)
		return status;
	json_show(&b, *out);
	if (!file_folder(path) || !file_replace(path, buf_done(&b)))
		note(c, "%s: %s; completion knows no fields", path, strerror(errno));
	return DONE;
}

const struct json_value *
schema_kept(struct client *c)
{
	const char *path = cache_file(c, "schemas.json");
	struct buf b = { .a = c->arena };
	struct stat st;

	if (path == NULL || stat(path, &st) != 0 || time(NULL) - st.st_mtime > KEPT_S ||
	    !file_read(path, SCHEMA_MAX, &b))
		return NULL;
	return json_parse(c->arena, buf_done(&b));
}

const struct json_value *
schema_of(const struct json_value *schemas, const char *dataset)
{
	const struct json_value *list = value_get(schemas, "schemas");

	for (size_t i = 0; list != NULL && i < json_length(list); i++)
		if (str_is(value_text(json_at(list, i), "dataset"), dataset))
			return json_at(list, i);
	return NULL;
}

static const struct column field_columns[] = {
	{ "name", "name", CELL_TEXT },
	{ "type", "type", CELL_TEXT },
	{ "aggregatable", "aggregatable", CELL_TEXT },
	{ "aliases", "aliases", CELL_TEXT },
	{ 0 },
};

static int
run_fields(struct client *c)
{
	const struct dataset *d = dataset_of_words(c);
	const struct json_value *schema;
	struct json_value *schemas;
	struct table t;
	int status;

	if (d == NULL)
		return WRONG_USAGE;
	status = schema_get(c, &schemas);
	if (status != DONE)
		return status;
	schema = schema_of(schemas, d->name);
	if (schema == NULL)
		return fail(c, NOT_ALLOWED, "this key may not search %s", d->name);
	if (!table_begin(&t, c, field_columns))
		return WRONG_USAGE;
	table_add(&t, value_get(schema, "fields"), SIZE_MAX);
	return DONE;
}

static const struct command fields_command = { .name = "fields",
	.arguments = "DATASET",
	.help = "print the fields of a dataset, with their types and aliases",
	.run = run_fields,
	.min = 1,
	.max = 1,
	.first = WORD_DATASET };

COMMAND(fields_command);
