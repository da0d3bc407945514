/* SPDX-License-Identifier: ISC */
/* Prints the statements that create the tables of schema.h. They differ by release: release 18 has
   neither codecs nor skipping indexes, and rejects their syntax. */
#include "config.h"

#include "search/clickhouse/schema.h"

static const char cluster[] = "surfaced";

bool
ch_release_parse(const char *text, struct ch_release *out)
{
	struct str s = str_of(text), rest;

	if (!str_starts(s, STR("18")) && !str_starts(s, STR("26")))
		return false;
	out->version = s.p[0] == '1' ? 18 : 26;
	rest = (struct str){ s.p + 2, s.n - 2 };
	out->replicated = str_is(rest, "-replicated");
	return rest.n == 0 || out->replicated;
}

/* Prints the end of a local table: engine and order. args: arguments of the engine, "" or a
   column. */
static void
print_engine(struct buf *b, const struct ch_release *r, const char *table, const char *engine,
    const char *args, const char *order)
{
	if (r->replicated)
		buf_printf(b,
		    ") ENGINE = Replicated%s('/clickhouse/tables/{shard}/%s', '{replica}'%s%s)",
		    engine, table, args[0] == '\0' ? "" : ", ", args);
	else
		buf_printf(b, ") ENGINE = %s(%s)", engine, args);
	buf_printf(
	    b, "\nPARTITION BY tuple() ORDER BY %s SETTINGS index_granularity = 1024;\n", order);
}

static void
print_distributed(struct buf *b, const char *table, const char *local, const char *key)
{
	buf_printf(b,
	    "CREATE TABLE IF NOT EXISTS %s AS %s\n\tENGINE = Distributed(%s, currentDatabase(), "
	    "%s, %s);\n",
	    table, local, cluster, local, key);
}

/* All of these are compressed by ZSTD. Dates of adjacent rows are similar, so their differences are
   compressed. */
static const char *
codec_of(const struct ch_column *c)
{
	switch (c->content) {
	case CH_NUMBERS:
		return c->field->type == VALUE_DATE ? " CODEC(Delta(8), ZSTD(1))"
						    : " CODEC(ZSTD(1))";
	case CH_VALUES:
	case CH_FOLDED:
	case CH_TOKENS:
		return " CODEC(ZSTD(1))";
	case CH_PLACE:
	case CH_VER:
	case CH_GONE:
	case CH_WORDS:
	case CH_NESTED_WORDS:
	case CH_NESTED_KEY:
	case CH_TERMS:
		return "";
	case CH_UNITED:
		return ch_storage(c->field).ids ? "" : " CODEC(ZSTD(1))";
	}
	panic("content %d", (int)c->content); /* UNCOVERED: the switch is complete */
}

/* Whether queries test the column for equality with a value, so that an index may skip the parts
   that lack the value. An index cannot read the arrays of nested objects. */
static bool
is_skippable(const struct ch_column *c)
{
	return c->content == CH_WORDS ||
	       (c->content == CH_UNITED && c->field->type != VALUE_DATE) ||
	       ((c->content == CH_TERMS || c->content == CH_VALUES || c->content == CH_FOLDED) &&
		   !c->field->nested);
}

static void
print_schema_rows(struct buf *b, const struct ch_release *r, enum dataset d, unsigned layout)
{
	struct ch_column c[CH_COLUMNS];
	char local[CH_NAME], all[CH_NAME];
	size_t n = ch_columns(d, c);

	ch_table_name(d, layout, CH_LOCAL_ROWS, local);
	ch_table_name(d, layout, CH_ROWS, all);
	buf_printf(b, "CREATE TABLE IF NOT EXISTS %s (", local);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s\n\t%s %s%s", i == 0 ? "" : ",", c[i].name, c[i].type,
		    r->version == 18 ? "" : codec_of(&c[i]));
	for (size_t i = 0; i < n && r->version != 18; i++)
		if (is_skippable(&c[i]))
			buf_printf(b, ",\n\tINDEX skip_%s %s TYPE bloom_filter GRANULARITY 4",
			    c[i].name, c[i].name);
	buf_char(b, '\n');
	print_engine(b, r, local, "ReplacingMergeTree", "ver", "place");
	print_distributed(b, all, local, "cityHash64(place)");
}

static void
print_dictionary(struct buf *b, const struct ch_release *r, enum dataset d, unsigned layout)
{
	char local[CH_NAME], all[CH_NAME];

	ch_table_name(d, layout, CH_LOCAL_DICT, local);
	ch_table_name(d, layout, CH_DICT, all);
	buf_printf(b,
	    "CREATE TABLE IF NOT EXISTS %s (\n\tfield UInt8,\n\tfolded String,\n\tvalue "
	    "String,\n\tid UInt32\n",
	    local);
	print_engine(b, r, local, "ReplacingMergeTree", "", "(field, folded, value)");
	print_distributed(b, all, local, "cityHash64(folded)");
}

void
ch_print_schema(struct buf *b, const struct ch_release *r, enum dataset d, unsigned layout)
{
	print_schema_rows(b, r, d, layout);
	print_dictionary(b, r, d, layout);
}

/* All rows of these tables are on the first shard: the key is 0. */
void
ch_print_layouts(struct buf *b, const struct ch_release *r)
{
	buf_z(b, "CREATE TABLE IF NOT EXISTS layout (\n\tdataset String,\n\tlayout UInt32,\n"
		 "\tschema UInt64,\n\tat UInt64\n");
	print_engine(b, r, "layout", "MergeTree", "", "(dataset, at)");
	print_distributed(b, "layouts", "layout", "0");
	buf_z(b, "CREATE TABLE IF NOT EXISTS tag (\n\tslug String,\n\tver UInt64,\n\tgone UInt8,\n"
		 "\tname String,\n\tclassification String,\n\tcategories Array(String)\n");
	print_engine(b, r, "tag", "ReplacingMergeTree", "ver", "slug");
	print_distributed(b, "tags", "tag", "0");
	buf_printf(b,
	    "CREATE TABLE IF NOT EXISTS shards (\n\tdummy UInt8\n) ENGINE = Distributed(%s, "
	    "system, one);\n"
	    "CREATE TABLE IF NOT EXISTS parts (\n\tdatabase String,\n\t`table` String,\n\tname "
	    "String,\n\trows UInt64,\n\tactive UInt8,\n\tbytes_on_disk UInt64,\n\t"
	    "modification_time DateTime\n) ENGINE = Distributed(%s, system, parts);\n",
	    cluster, cluster);
	buf_z(b, "CREATE TABLE IF NOT EXISTS feed (\n\tdataset String,\n\tlayout UInt32,\n\tver "
		 "UInt64,\n"
		 "\tfilled UInt8,\n\tshards UInt32,\n\tschema UInt64,\n\tsnapshot String,\n\ttags "
		 "String,\n\tat UInt64\n");
	print_engine(b, r, "feed", "ReplacingMergeTree", "ver", "(dataset, layout)");
	print_distributed(b, "feeds", "feed", "0");
}
