/* SPDX-License-Identifier: ISC */
/* The datasets and fields of tbl/datasets.h and tbl/fields.h, and lookups by the names that queries
   use. A name may be an alias, may have an alias as its prefix ("host.") and may be in any case. */
#include "config.h"

#include "search/schema.h"
#include "base/limits.h"

/* No known name is longer; this bounds the work on unknown names. */
enum { NAME_MAX_LEN = 128 };

static const struct {
	const char *name, *unit, *key, *nested, *naming, *label;
} datasets[DATASETS_AND_CONDITIONS] = {
#define ROW(id, number, name, unit, key, nested, naming, label)                                    \
	[DATASET_##id] = { name, unit, #key, nested, naming, label },
#define DATASET ROW
#define VIEW ROW
#include "tbl/datasets.h"
#undef ROW
#define CONDITIONS(id, label) [DATASET_##id] = { label, "", "", NULL, NULL, NULL },
#include "tbl/conditions.h"
#undef CONDITIONS
};

enum {
#define FORM(id, function, closed, asked, fault) ASKED_##id = (asked),
#include "tbl/forms.h"
#undef FORM
};

/* complete_fields() sets .nested, .relative, .index and .label. */
static struct schema_field fields[] = {
#define SEARCH_FIELD(id, text, value, agg, kept, form, low, high, items, merge)                    \
	{ .dataset = DATASET_##id,                                                                 \
		.name = (text),                                                                    \
		.type = VALUE_##value,                                                             \
		.least = VALUE_##value == VALUE_INTEGER ? (low) : 0,                               \
		.most = VALUE_##value == VALUE_INTEGER ? (high) : 0,                               \
		.store = STORE_##kept,                                                             \
		.aggregatable = (agg),                                                             \
		.canonical = ASKED_##form > 0,                                                     \
		.colons = ASKED_##form == 2,                                                       \
		.list = (items) > 0 },
#define VIEW_FIELD(id, text, value, agg, items, source)                                            \
	{ .dataset = DATASET_##id,                                                                 \
		.name = (text),                                                                    \
		.type = VALUE_##value,                                                             \
		.aggregatable = (agg),                                                             \
		.list = (items) > 0 },
#define CONDITION_FIELD(id, text, value)                                                           \
	{ .dataset = DATASET_##id, .name = (text), .type = VALUE_##value },
#include "tbl/fields.h"
};

/* The dataset of each alias. It is not a part of alias_pairs, because schema_aliases returns a part
   of that array. */
static const enum dataset alias_datasets[] = {
#define ALIAS(id, alias, label) DATASET_##id,
#include "tbl/fields.h"
};

static const char *const alias_pairs[][2] = {
#define ALIAS(id, alias, label) { alias, label },
#include "tbl/fields.h"
};

static const struct {
	enum dataset dataset;
	const char *name, *date;
} passed[] = {
#define PASSED(id, name, date) { DATASET_##id, name, date },
#include "tbl/fields.h"
};

static const struct {
	enum dataset dataset;
	const char *name, *field;
} view_fields[] = {
#define VIEW_FIELD(id, name, type, agg, items, field) { DATASET_##id, name, field },
#include "tbl/fields.h"
};

static const enum dataset sources[DATASETS_AND_CONDITIONS] = {
#define VIEW(id, number, name, unit, source, nested, naming, label)                                \
	[DATASET_##id] = DATASET_##source,
#include "tbl/datasets.h"
};

/* The rows of a dataset are adjacent in fields: the first one and their number. */
static struct {
	size_t first, n;
} spans[DATASETS_AND_CONDITIONS];

/* The length of "services." when name is a member of the dataset's nested object, otherwise 0. */
static size_t
nested_prefix(enum dataset d, const char *name)
{
	struct str object = str_of(schema_nested(d));

	if (object.n == 0 || !str_starts(str_of(name), object) || name[object.n] != '.')
		return 0;
	return object.n + 1;
}

/* Returns the field that labels the buckets of f: as_name when f is asn and the dataset has
   "asn=as_name". NULL: none. */
static const struct schema_field *
label_of(const struct schema_field *f)
{
	struct str pair = str_of(datasets[f->dataset].label), name = str_of(f->name);

	if (!str_starts(pair, name) || pair.p[name.n] != '=')
		return NULL;
	return schema_find(f->dataset, (struct str){ pair.p + name.n + 1, pair.n - name.n - 1 });
}

enum dataset
schema_source(enum dataset d)
{
	return d >= DATASETS && d < DATASET_FINDINGS ? sources[d] : d;
}

static struct schema_field *
find_field(enum dataset d, const char *name)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (fields[i].dataset == d && strcmp(fields[i].name, name) == 0)
			return &fields[i];
	panic("tbl/fields.h: no field %s", name); /* UNCOVERED: there is one */
}

/* Runs before main, so that the table never changes while it is read. */
__attribute__((constructor)) static void
complete_fields(void)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		struct schema_field *f = &fields[i];
		size_t skip = nested_prefix(f->dataset, f->name);

		if (spans[f->dataset].n == 0)
			spans[f->dataset].first = i;
		f->index = (unsigned)spans[f->dataset].n++;
		if (i != spans[f->dataset].first + f->index)
			panic("tbl/fields.h: a dataset is split"); /* UNCOVERED: none is */
		f->nested = skip > 0;
		f->relative = f->name + skip;
	}
	for (size_t i = 0; i < COUNT(fields); i++)
		fields[i].label = label_of(&fields[i]);
	for (size_t i = 0; i < COUNT(view_fields); i++) {
		struct schema_field *f = find_field(view_fields[i].dataset, view_fields[i].name);

		f->of = find_field(schema_source(f->dataset), view_fields[i].field);
		f->canonical = f->of->canonical;
		f->colons = f->of->colons;
	}
	for (size_t i = 0; i < COUNT(passed); i++)
		find_field(passed[i].dataset, passed[i].name)->passed =
		    find_field(passed[i].dataset, passed[i].date);
}

const char *
schema_dataset_name(enum dataset d)
{
	return datasets[d].name;
}

enum dataset
schema_of_source(struct str source)
{
	return str_is(source, "finding") ? DATASET_FINDINGS : DATASET_ASSET_SERVICES;
}

const char *
schema_count_unit(enum dataset d)
{
	return datasets[d].unit;
}

size_t
schema_fields(enum dataset d, const struct schema_field **first)
{
	*first = &fields[spans[d].first];
	return spans[d].n;
}

const struct schema_field *
schema_find(enum dataset d, struct str name)
{
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);

	for (; n > 0; n--, f++)
		if (f->store != STORE_GUARD && str_is(name, f->name))
			return f;
	return NULL;
}

const struct schema_field *
schema_guard(enum dataset d)
{
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);

	for (; n > 0; n--, f++)
		if (f->store == STORE_GUARD)
			return f;
	return NULL;
}

/* The name of an alias; STR_NULL when the name is no alias. Does not look for prefixes. */
static struct str
alias_target(enum dataset d, struct str name)
{
	for (size_t i = 0; i < COUNT(alias_pairs); i++)
		if (alias_datasets[i] == d && str_is(name, alias_pairs[i][0]))
			return str_of(alias_pairs[i][1]);
	return STR_NULL;
}

/* Replaces a prefix that is an alias (the row "host.*", "*" removes "host."). The result may be in
   room. */
static struct str
replace_prefix(enum dataset d, struct str name, char room[2 * NAME_MAX_LEN])
{
	for (size_t i = 0; i < COUNT(alias_pairs); i++) {
		struct str from = str_of(alias_pairs[i][0]), to = str_of(alias_pairs[i][1]);

		if (alias_datasets[i] != d || !str_ends(from, STR("*")))
			continue;
		from.n--;
		to.n--;
		if (!str_starts(name, from) || name.n == from.n ||
		    to.n + name.n - from.n > 2 * NAME_MAX_LEN)
			continue;
		memcpy(room, to.p, to.n);
		memcpy(room + to.n, name.p + from.n, name.n - from.n);
		return (struct str){ room, to.n + name.n - from.n };
	}
	return name;
}

static const struct schema_field *
find_or_alias(enum dataset d, struct str name)
{
	const struct schema_field *f = schema_find(d, name);

	return f != NULL ? f : schema_find(d, alias_target(d, name));
}

const struct schema_field *
schema_resolve(enum dataset d, struct str name)
{
	char lower[NAME_MAX_LEN], room[2 * NAME_MAX_LEN];
	const struct schema_field *f;

	if (name.n == 0 || name.n > NAME_MAX_LEN)
		return NULL;
	name = str_lower_ascii(lower, name);
	f = find_or_alias(d, name);
	return f != NULL ? f : find_or_alias(d, replace_prefix(d, name, room));
}

const char *
schema_nested(enum dataset d)
{
	return datasets[d].nested;
}

bool
schema_is_nested(enum dataset d, struct str name)
{
	char lower[NAME_MAX_LEN], room[2 * NAME_MAX_LEN];
	const char *object = schema_nested(d);

	if (object == NULL || name.n > NAME_MAX_LEN)
		return false;
	name = str_lower_ascii(lower, name);
	return str_is(replace_prefix(d, name, room), object);
}

const struct schema_field *
schema_member(enum dataset d, struct str name)
{
	char lower[NAME_MAX_LEN];
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);

	if (name.n > NAME_MAX_LEN)
		return NULL;
	name = str_lower_ascii(lower, name);
	for (; n > 0; n--, f++)
		if (f->nested && str_is(name, f->relative))
			return f;
	f = schema_resolve(d, name);
	return f != NULL && f->nested ? f : NULL;
}

size_t
schema_naming(enum dataset d, const struct schema_field *out[SCHEMA_NAMING])
{
	struct str rest = str_of(datasets[d].naming), name;
	size_t n = 0;

	while (n < SCHEMA_NAMING && str_part(&rest, ' ', &name))
		out[n++] = schema_member(d, name);
	return n;
}

const struct schema_field *
schema_address(enum dataset d)
{
	return strcmp(datasets[d].key, "address") == 0 ? schema_find(d, STR("ip")) : NULL;
}

bool
schema_is_country(const struct schema_field *f)
{
	return f->type == VALUE_KEYWORD && (str_ends(str_of(f->name), STR("country_code")) ||
					       str_is(str_of(f->name), "countries"));
}

bool
schema_is_asn(const struct schema_field *f)
{
	return f->type == VALUE_INTEGER &&
	       (str_is(str_of(f->name), "asn") || str_ends(str_of(f->name), STR(".asn")));
}

bool
schema_is_port(const struct schema_field *f)
{
	return f->type == VALUE_INTEGER &&
	       (str_is(str_of(f->name), "port") || str_ends(str_of(f->name), STR(".port")));
}

const char *
schema_json_type(enum value_type t)
{
	switch (t) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
	case VALUE_IP:
	case VALUE_DATE:
		return "string";
	case VALUE_INTEGER:
		return "integer";
	case VALUE_NUMBER:
		return "number";
	case VALUE_BOOLEAN:
		return "boolean";
	}
	panic("value_type %d", (int)t); /* UNCOVERED: the switch is complete */
}

size_t
schema_aliases(enum dataset d, const char *const **pairs)
{
	size_t n = 0;

	*pairs = NULL;
	for (size_t i = 0; i < COUNT(alias_pairs); i++)
		if (alias_datasets[i] == d) {
			if (n++ == 0)
				*pairs = &alias_pairs[i][0];
		}
	return n;
}

const char *
schema_nearest(enum dataset d, struct str name)
{
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);
	struct guess g;

	guess_begin(&g, name);
	for (; n > 0; n--, f++) {
		if (f->store == STORE_GUARD)
			continue;
		guess_try(&g, str_of(f->name), f->name);
		/* Users often omit the front of a name: "title" is similar to
		   "services.http.title". */
		for (const char *p = strchr(f->name, '.'); p != NULL; p = strchr(p + 1, '.'))
			guess_try(&g, str_of(p + 1), f->name);
	}
	for (size_t i = 0; i < COUNT(alias_pairs); i++)
		if (alias_datasets[i] == d && !str_ends(str_of(alias_pairs[i][0]), STR(".*")))
			guess_try(&g, str_of(alias_pairs[i][0]), alias_pairs[i][0]);
	return g.found;
}
