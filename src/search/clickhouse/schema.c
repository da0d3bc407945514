/* SPDX-License-Identifier: ISC */
/* Maps fields to columns, and makes the names of tables and columns and the numbers of values
   (schema.h). */
#include "config.h"

#include "search/clickhouse/schema.h"

#include "base/limits.h"
#include "search/clickhouse/words.h"

enum {
	RULES = 3,       /* grows when the meaning of a column changes */
	FIELDS_MAX = 256 /* numbers of fields have eight bits in the dictionary */
};

/* Exceptions from the rule that only TERMS fields are in the dictionary. A KEY field with few
   different values is in it; a field whose values are chosen by owners, as names are, is not in it,
   because it would have more than CH_IDS values. */
static const struct {
	enum dataset dataset;
	const char *name;
	bool dictionary;
} exceptions[] = {
	{ DATASET_HOSTS, "services.transport", true },
	{ DATASET_DNS, "record_type", true },
	{ DATASET_DNS, "rcode", true },
	{ DATASET_HOSTS, "services.tls.certificate.subject_cn", false },
	{ DATASET_HOSTS, "services.tls.jarm", false },
	{ DATASET_CERTIFICATES, "subject.common_name", false },
	{ DATASET_CERTIFICATES, "subject.organisation", false },
};

/* The canonical form of the field's values, as a text without a nested object's name. */
enum {
#define FORM(id, function, closed, asked, fault) FORM_##id,
#include "tbl/forms.h"
#undef FORM
};

static const struct {
	enum dataset dataset;
	const char *name;
	int form;
} forms[] = {
#define SEARCH_FIELD(id, text, value, agg, kept, form, least, most, items, merge)                  \
	{ DATASET_##id, text, FORM_##form },
#include "tbl/fields.h"
};

/* Whether folding does not change the values of the field, because they have only hexadecimal
   digits in lower case. */
static bool
is_folded(const struct schema_field *f)
{
	for (size_t i = 0; i < COUNT(forms); i++)
		if (forms[i].dataset == f->dataset && strcmp(forms[i].name, f->name) == 0)
			return forms[i].form == FORM_SHA256 || forms[i].form == FORM_UUID;
	return false;
}

static bool
in_dictionary(const struct schema_field *f)
{
	for (size_t i = 0; i < COUNT(exceptions); i++)
		if (exceptions[i].dataset == f->dataset && strcmp(exceptions[i].name, f->name) == 0)
			return exceptions[i].dictionary;
	return f->store == STORE_TERMS || f->store == STORE_VIRTUAL;
}

/* Whether the field names a nested object in a hit. */
static bool
is_naming(const struct schema_field *f)
{
	const struct schema_field *names[SCHEMA_NAMING];
	size_t n = schema_naming(f->dataset, names);

	for (size_t i = 0; i < n; i++)
		if (names[i] == f)
			return true;
	return false;
}

static struct ch_storage
storage_of_keyword(const struct schema_field *f)
{
	struct ch_storage s = { .ids = in_dictionary(f) };

	s.values = !s.ids || is_naming(f);
	s.folded = !s.ids && f->type == VALUE_KEYWORD && !is_folded(f);
	return s;
}

struct ch_storage
ch_storage(const struct schema_field *f)
{
	switch (f->type) {
	case VALUE_KEYWORD:
	case VALUE_DNS:
		return storage_of_keyword(f);
	case VALUE_TEXT:
		return (struct ch_storage){ .tokens = true, .values = f->aggregatable };
	case VALUE_IP:
		return (struct ch_storage){ .values = f != schema_address(f->dataset) };
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_BOOLEAN:
	case VALUE_DATE:
		return (struct ch_storage){ .numbers = f->passed == NULL };
	}
	panic("value_type %d", (int)f->type); /* UNCOVERED: the switch is complete */
}

/* ---- names ---- */

static void
plain_name(char *out, const char *prefix, const char *name)
{
	snprintf(out, CH_NAME, "%s%s", prefix, name);
	for (char *p = out; *p != '\0'; p++)
		if (*p == '.' || *p == '-')
			*p = '_';
}

void
ch_column_name(const struct schema_field *f, enum ch_content content, char out[CH_NAME])
{
	static const char *const prefixes[] = { [CH_TERMS] = "d_",
		[CH_VALUES] = "n_",
		[CH_FOLDED] = "f_",
		[CH_TOKENS] = "t_",
		[CH_NUMBERS] = "i_",
		[CH_UNITED] = "u_" };

	plain_name(out, prefixes[content], f->name);
}

void
ch_object_column(enum dataset d, char out[CH_NAME])
{
	const struct schema_field *names[SCHEMA_NAMING];

	if (d == DATASET_HOSTS)
		snprintf(out, CH_NAME, "nested_key");
	else if (schema_naming(d, names) > 0)
		ch_column_name(names[0], ch_naming_content(names[0]), out);
	else
		panic("%s has no nested objects", schema_dataset_name(d));
}

enum ch_content
ch_naming_content(const struct schema_field *f)
{
	return f->type == VALUE_INTEGER ? CH_NUMBERS : CH_VALUES;
}

void
ch_table_name(enum dataset d, unsigned layout, enum ch_table t, char out[CH_NAME])
{
	char name[CH_NAME];

	snprintf(name, sizeof(name), "%s%.40s_%u%s", t == CH_ROWS || t == CH_DICT ? "all_" : "",
	    schema_dataset_name(d), layout, t == CH_DICT || t == CH_LOCAL_DICT ? "_dict" : "");
	plain_name(out, "", name);
}

/* ---- columns ---- */

struct columns {
	struct ch_column *p;
	size_t n;
};

static void
add_column(struct columns *c, enum ch_content content, const char *name, const char *type)
{
	c->p[c->n] = (struct ch_column){ .content = content, .type = type };
	snprintf(c->p[c->n++].name, CH_NAME, "%s", name);
}

static void
add_field(struct columns *c, const struct schema_field *f, enum ch_content content)
{
	/* [nested][content]; a united column is that of a field without nested objects */
	static const char *const types[2][CH_UNITED] = {
		{ [CH_TERMS] = "Array(UInt32)",
		    [CH_VALUES] = "Array(String)",
		    [CH_FOLDED] = "Array(String)",
		    [CH_TOKENS] = "Array(String)",
		    [CH_NUMBERS] = "Array(Int64)" },
		{ [CH_TERMS] = "Array(Array(UInt32))",
		    [CH_VALUES] = "Array(Array(String))",
		    [CH_FOLDED] = "Array(Array(String))",
		    [CH_TOKENS] = "Array(Array(String))",
		    [CH_NUMBERS] = "Array(Array(Int64))" },
	};
	char name[CH_NAME];

	ch_column_name(f, content, name);
	add_column(c, content, name, types[f->nested][content]);
	c->p[c->n - 1].field = f;
	if (f->nested && (content == CH_TERMS || content == CH_NUMBERS)) {
		ch_column_name(f, CH_UNITED, name);
		add_column(c, CH_UNITED, name, types[false][content]);
		c->p[c->n - 1].field = f;
	}
}

size_t
ch_columns(enum dataset d, struct ch_column out[CH_COLUMNS])
{
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);
	struct columns c = { .p = out };
	bool nested = schema_nested(d) != NULL;

	add_column(&c, CH_PLACE, "place", "String");
	add_column(&c, CH_VER, "ver", "UInt64");
	add_column(&c, CH_GONE, "gone", "UInt8");
	add_column(&c, CH_WORDS, "words", "Array(UInt64)");
	if (nested)
		add_column(&c, CH_NESTED_WORDS, "nested_words", "Array(Array(UInt64))");
	if (d == DATASET_HOSTS)
		add_column(&c, CH_NESTED_KEY, "nested_key", "Array(String)");
	for (; n > 0; n--, f++) {
		struct ch_storage s = ch_storage(f);

		if (c.n + 6 > CH_COLUMNS)
			panic("%s has too many columns", schema_dataset_name(d));
		if (s.ids)
			add_field(&c, f, CH_TERMS);
		if (s.values)
			add_field(&c, f, CH_VALUES);
		if (s.folded)
			add_field(&c, f, CH_FOLDED);
		if (s.tokens)
			add_field(&c, f, CH_TOKENS);
		if (s.numbers)
			add_field(&c, f, CH_NUMBERS);
	}
	return c.n;
}

/* ---- numbers ---- */

bool
ch_bucketable(struct str value)
{
	return value.n > 0 && (value.n <= LIM_BUCKET_VALUE || str_chars(value) <= LIM_BUCKET_VALUE);
}

uint32_t
ch_id(const struct schema_field *f, uint32_t number, struct str value)
{
	if (number >= CH_IDS || f->index >= FIELDS_MAX)
		panic("the dictionary of %s is full", f->name);
	return (uint32_t)f->index << CH_ID_SHIFT | (ch_bucketable(value) ? 0 : (uint32_t)CH_IDS) |
	       number;
}

static uint64_t
add_to_sum(uint64_t sum, const char *s)
{
	static const unsigned char key[16];
	char room[CH_NAME + 32];
	int n = snprintf(room, sizeof(room), "%016llx %s", (unsigned long long)sum, s);

	return ch_siphash(key, (struct str){ room, (size_t)n });
}

uint64_t
ch_schema_number(enum dataset d)
{
	struct ch_column c[CH_COLUMNS];
	const struct schema_field *f;
	size_t n = schema_fields(schema_source(d), &f), columns = ch_columns(schema_source(d), c);
	uint64_t sum = RULES;

	for (; n > 0; n--, f++)
		sum = add_to_sum(sum, f->name);
	for (size_t i = 0; i < columns; i++)
		sum = add_to_sum(add_to_sum(sum, c[i].name), c[i].type);
	return sum;
}
