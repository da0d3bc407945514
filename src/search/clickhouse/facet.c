/* SPDX-License-Identifier: ISC */
/* Statements that count the values of a field (sql.h). The values of a document, each once, become
 * rows by arrayJoin:
 *
 *   about        field of                values                                                    counted by
 *   documents    the document            n_os                                                      count()
 *   documents    nested objects          arrayReduce('groupUniqArrayArray', n_X): each once        count()
 *   a view       the document            n_os                                                      sum of its hits
 *   a view       the nested objects      arrayJoin(arrayFilter(hits, n_X)): those of each hit      count()
 *
 * Equal counts are ordered by value. SQL can sort rows that contain values. When rows contain
 * numbers of a dictionary, the numbers with the greatest counts are fetched; if the last bucket has
 * the same count as the first one beyond the limit, a second statement compares the values of all
 * numbers with that count. */
#include "config.h"

#include "search/clickhouse/sql_priv.h"

#include <inttypes.h>

enum ch_facet
ch_facet_of(const struct schema_field *f)
{
	f = ch_own_field(f);
	if (f->passed != NULL)
		return CH_FACET_NUMBERS;
	if (ch_storage(f).ids)
		return CH_FACET_IDS;
	return ch_storage(f).numbers ? CH_FACET_NUMBERS : CH_FACET_TEXTS;
}

/* Appends an expression for the array of the values of one document. */
static void
put_values(const struct ch_plan *p, struct buf *b, const struct schema_field *f)
{
	char column[CH_NAME];

	if (f->passed != NULL) {
		ch_column_name(f->passed, CH_NUMBERS, column);
		buf_printf(
		    b, "arrayMap(x -> toInt64(x < %" PRId64 "), %s)", p->query->now.us, column);
		return;
	}
	ch_column_name(f, ch_facet_of(f) == CH_FACET_NUMBERS ? CH_NUMBERS : CH_VALUES, column);
	if (!f->nested) {
		buf_z(b, column);
	} else if (p->view) {
		buf_z(b, "arrayJoin(");
		ch_put_hits(p, b, "arrayFilter", arena_str(p->a, str_of(column)));
		buf_char(b, ')');
	} else {
		buf_printf(b, "arrayReduce('groupUniqArrayArray', %s)", column);
	}
}

/* Appends the number of documents of a group. of_document: the field belongs to documents and not
   to nested objects. */
static void
put_count(const struct ch_plan *p, struct buf *b, bool of_document)
{
	if (!p->view || !of_document) {
		buf_z(b, "count()");
		return;
	}
	buf_z(b, "toUInt64(sum(");
	ch_put_hits(p, b, "arrayCount", STR_NULL);
	buf_z(b, "))");
}

/* Each host has one address, so each document is a bucket and no groups are needed. */
static struct str
facet_of_address(const struct ch_plan *p, unsigned rows)
{
	struct buf b = { .a = p->a };

	buf_z(&b, "SELECT place AS v, ");
	if (p->view) {
		buf_z(&b, "toUInt64(");
		ch_put_hits(p, &b, "arrayCount", STR_NULL);
		buf_z(&b, ") AS c");
	} else {
		buf_z(&b, "toUInt64(1) AS c");
	}
	buf_z(&b, ", toUInt8(1)");
	ch_put_from(p, &b);
	buf_printf(&b, " ORDER BY c DESC, v LIMIT %u FORMAT RowBinary", rows);
	return buf_done(&b);
}

struct str
ch_sql_facet(const struct ch_plan *p, const struct agg *agg)
{
	const struct schema_field *f = ch_own_field(agg->field);
	bool text = ch_facet_of(f) == CH_FACET_TEXTS && f->type != VALUE_IP;
	struct buf b = { .a = p->a };

	if (f == schema_address(f->dataset))
		return facet_of_address(p, agg->limit + 1);
	buf_z(&b, "SELECT arrayJoin(");
	put_values(p, &b, f);
	buf_z(&b, ") AS v, ");
	put_count(p, &b, !f->nested);
	buf_z(&b, " AS c, ");
	if (text)
		buf_printf(&b, "notEmpty(v) AND lengthUTF8(v) <= %d", LIM_BUCKET_VALUE);
	else
		buf_z(&b, "toUInt8(1)");
	buf_z(&b, " AS shown");
	ch_put_from(p, &b);
	buf_z(&b, " GROUP BY v");
	buf_printf(&b, " ORDER BY shown DESC, c DESC, v LIMIT %u FORMAT RowBinary", agg->limit + 1);
	return buf_done(&b);
}

/* ---- numbers of dictionaries ---- */

/* Appends "SELECT v, c ... GROUP BY v" for the fields. In a view only the fields of documents are
   included, or only those of nested objects. */
static void
put_counted_ids(const struct ch_plan *p, struct buf *b, const struct schema_field *const *fields,
    size_t n, bool nested)
{
	bool any = false;

	buf_printf(b, "SELECT arrayJoin(arrayFilter(t -> bitShiftRight(t, %d) IN (", CH_ID_SHIFT);
	for (size_t i = 0; i < n; i++)
		if (!p->view || fields[i]->nested == nested) {
			buf_printf(b, "%s%u", any ? ", " : "", fields[i]->index);
			any = true;
		}
	buf_z(b, "), ");
	if (p->view && nested) {
		buf_z(b, "arrayJoin(");
		ch_put_hits(p, b, "arrayFilter", STR("nested"));
		buf_char(b, ')');
	} else {
		buf_z(b, "terms");
	}
	buf_z(b, ")) AS v, ");
	put_count(p, b, !nested);
	buf_z(b, " AS c");
	ch_put_from(p, b);
	buf_z(b, " GROUP BY v");
}

static bool
has_kind(const struct schema_field *const *fields, size_t n, bool nested)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i]->nested == nested)
			return true;
	return false;
}

struct str
ch_sql_facet_ids(
    const struct ch_plan *p, const struct schema_field *const *fields, size_t n, unsigned most)
{
	struct buf b = { .a = p->a };
	bool both = p->view && has_kind(fields, n, true) && has_kind(fields, n, false);

	if (both)
		buf_z(&b, "SELECT v, c FROM (");
	put_counted_ids(p, &b, fields, n, has_kind(fields, n, true));
	if (both) {
		buf_z(&b, " UNION ALL ");
		put_counted_ids(p, &b, fields, n, false);
		buf_char(&b, ')');
	}
	buf_printf(&b,
	    " ORDER BY bitShiftRight(v, %d), bitAnd(v, %d), c DESC LIMIT %u BY bitShiftRight(v, %d)"
	    " FORMAT RowBinary",
	    CH_ID_SHIFT, CH_IDS, most, CH_ID_SHIFT);
	return buf_done(&b);
}

struct str
ch_sql_facet_ties(
    const struct ch_plan *p, const struct schema_field *f, uint64_t count, unsigned most)
{
	struct buf b = { .a = p->a };
	char table[CH_NAME];

	ch_table_name(p->source, p->layout, CH_DICT, table);
	buf_printf(&b,
	    "SELECT id, value FROM %s WHERE field = %u AND id GLOBAL IN (SELECT v FROM (", table,
	    f->index);
	put_counted_ids(p, &b, &f, 1, f->nested);
	buf_printf(&b,
	    " HAVING c = %" PRIu64
	    " AND bitAnd(v, %d) = 0)) GROUP BY id, value ORDER BY value LIMIT %u FORMAT RowBinary",
	    count, CH_IDS, most);
	return buf_done(&b);
}

/* The label of a value comes from the first document, in the order of keys, that has both. */
struct str
ch_sql_labels(
    const struct ch_plan *p, const struct schema_field *f, const struct bucket *buckets, size_t n)
{
	struct buf b = { .a = p->a };
	char table[CH_NAME], column[CH_NAME];

	f = ch_own_field(f);
	ch_column_name(f, CH_NUMBERS, column);
	ch_table_name(p->source, p->layout, CH_ROWS, table);
	buf_printf(&b,
	    "SELECT %s[1] AS v, argMin(arrayFilter(t -> bitShiftRight(t, %d) = %u, terms)[1], "
	    "place)"
	    " FROM %s FINAL WHERE gone = 0 AND arrayExists(x -> x IN (",
	    column, CH_ID_SHIFT, f->label->index, table);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%" PRId64, i > 0 ? ", " : "", buckets[i].value.i);
	buf_printf(&b,
	    "), %s) AND arrayExists(t -> bitShiftRight(t, %d) = %u, terms) GROUP BY v FORMAT "
	    "RowBinary",
	    column, CH_ID_SHIFT, f->label->index);
	return buf_done(&b);
}
