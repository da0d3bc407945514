/* SPDX-License-Identifier: ISC */
/* Statements that count the values of fields (sql.h). The values of a document, each once, become
 * rows by arrayJoin:
 *
 *   about        field of                values                                              counted by
 *   documents    the document            d_os                                                count()
 *   documents    nested objects          u_X; arrayReduce('groupUniqArrayArray', n_X)        count()
 *   a view       the document            d_os                                                sum of its hits
 *   a view       the nested objects      those of each hit                                   count()
 *
 * The values of the fields that have numbers are joined to one array of packed values, so one
 * statement counts them all and reads the rows once.
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

/* ---- packed values ---- */

static const uint64_t packed_number = UINT64_C(1) << 63;
static const uint64_t packed_value = (UINT64_C(1) << CH_PACKED_BITS) - 1;

static uint64_t
pack_field(const struct schema_field *f)
{
	return packed_number | (uint64_t)f->index << CH_PACKED_BITS;
}

struct ch_packed
ch_unpack(uint64_t v)
{
	struct ch_packed p = { .field = (unsigned)(v >> CH_ID_SHIFT),
		.shown = (v & CH_IDS) == 0,
		.value = (int64_t)v };

	if ((v & packed_number) == 0)
		return p;
	p.field = (unsigned)((v & ~packed_number) >> CH_PACKED_BITS);
	p.shown = true;
	p.value = (int64_t)(v & packed_value);
	if (v >> (CH_PACKED_BITS - 1) & 1) /* negative */
		p.value -= INT64_C(1) << CH_PACKED_BITS;
	return p;
}

/* Appends an expression for the array of the packed values that a document has in a field, or in a
   view of those of each of its hits. */
static void
put_packed(const struct ch_plan *p, struct buf *b, const struct schema_field *f)
{
	enum ch_content content = ch_facet_of(f) == CH_FACET_IDS ? CH_TERMS : CH_NUMBERS;
	const struct schema_field *stored = f->passed != NULL ? f->passed : f;
	bool united = stored->nested && !p->view;
	char column[CH_NAME];

	ch_column_name(stored, united ? CH_UNITED : content, column);
	if (f->passed != NULL)
		buf_printf(b, "arrayMap(x -> bitOr(%" PRIu64 ", toUInt64(x < %" PRId64 ")), ",
		    pack_field(f), p->query->now.us);
	else if (content == CH_NUMBERS)
		buf_printf(b,
		    "arrayMap(x -> bitOr(%" PRIu64 ", bitAnd(toUInt64(x), %" PRIu64 ")), ",
		    pack_field(f), packed_value);
	if (stored->nested && p->view) {
		buf_z(b, "arrayReduce('groupArrayArray', ");
		ch_put_hits(p, b, "arrayFilter", arena_str(p->a, str_of(column)));
		buf_char(b, ')');
	} else {
		buf_z(b, column);
	}
	if (content == CH_NUMBERS)
		buf_char(b, ')');
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

/* Appends a UNION of SELECTs of (UInt64 v, UInt64 c) for the fields of documents, or for those of
   nested objects. A value can be in several of its rows. */
static void
put_counted(const struct ch_plan *p, struct buf *b, const struct schema_field *const *fields,
    size_t n, bool nested)
{
	struct buf select = { .a = p->a };
	bool any = false;

	buf_z(&select, "SELECT toUInt64(arrayJoin(arrayConcat(");
	for (size_t i = 0; i < n; i++)
		if (!p->view || fields[i]->nested == nested) {
			buf_z(&select, any ? ", " : "");
			put_packed(p, &select, fields[i]);
			any = true;
		}
	buf_z(&select, "))) AS v, ");
	put_count(p, &select, !nested);
	buf_z(&select, " AS c");
	ch_put_rows(p, b, buf_done(&select), STR(" GROUP BY v"));
}

static bool
has_kind(const struct schema_field *const *fields, size_t n, bool nested)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i]->nested == nested)
			return true;
	return false;
}

/* In a view, fields of documents are counted otherwise than those of nested objects. */
static void
put_all_counted(
    const struct ch_plan *p, struct buf *b, const struct schema_field *const *fields, size_t n)
{
	bool nested = has_kind(fields, n, true);

	if (!p->view || !nested || !has_kind(fields, n, false)) {
		put_counted(p, b, fields, n, nested);
		return;
	}
	buf_z(b, "(SELECT v, c FROM ");
	put_counted(p, b, fields, n, true);
	buf_z(b, " UNION ALL SELECT v, c FROM ");
	put_counted(p, b, fields, n, false);
	buf_char(b, ')');
}

struct str
ch_sql_facets(
    const struct ch_plan *p, const struct schema_field *const *fields, size_t n, unsigned most)
{
	struct buf b = { .a = p->a };
	struct str is_id = arena_printf(p->a, "v < %" PRIu64, packed_number);
	struct str field =
	    arena_printf(p->a, "if(%.*s, bitShiftRight(v, %d), bitShiftRight(v, %d))", (int)is_id.n,
		is_id.p, CH_ID_SHIFT, CH_PACKED_BITS);

	buf_z(&b, "SELECT v, toUInt64(sum(c)) AS n FROM ");
	put_all_counted(p, &b, fields, n);
	buf_z(&b, " GROUP BY v ORDER BY ");
	buf_str(&b, field);
	buf_printf(&b,
	    ", if(%.*s, bitAnd(v, %d), 0), n DESC, toInt64(bitShiftLeft(v, %d)) LIMIT %u BY ",
	    (int)is_id.n, is_id.p, CH_IDS, 64 - CH_PACKED_BITS, most);
	buf_str(&b, field);
	buf_z(&b, " FORMAT RowBinary");
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
	    "SELECT id, value FROM %s WHERE field = %u AND id GLOBAL IN (SELECT toUInt32(v) FROM ",
	    table, f->index);
	put_all_counted(p, &b, &f, 1);
	buf_printf(&b,
	    " GROUP BY v HAVING sum(c) = %" PRIu64
	    " AND bitAnd(v, %d) = 0) GROUP BY id, value ORDER BY value LIMIT %u FORMAT RowBinary",
	    count, CH_IDS, most);
	return buf_done(&b);
}

/* The label of a value comes from the first document, in the order of keys, that has both. */
struct str
ch_sql_labels(const struct ch_plan *p, const struct schema_field *f, const int64_t *values,
    size_t n, bool of_hits)
{
	struct buf b = { .a = p->a }, select = { .a = p->a }, where = { .a = p->a };
	char column[CH_NAME], label[CH_NAME];

	f = ch_own_field(f);
	ch_column_name(f, CH_NUMBERS, column);
	ch_column_name(f->label, CH_TERMS, label);
	buf_printf(&select, "SELECT %s[1] AS v, argMin(%s[1], place) AS l, min(place) AS first",
	    column, label);
	buf_z(&where, " AND arrayExists(x -> x IN (");
	for (size_t i = 0; i < n; i++)
		buf_printf(&where, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
	buf_printf(&where, "), %s) AND notEmpty(%s)", column, label);
	if (of_hits)
		ch_put_condition(p, &where);
	buf_z(&b, "SELECT v, argMin(l, first) FROM ");
	ch_put_rows_where(p, &b, buf_done(&select), buf_done(&where), STR(" GROUP BY v"));
	buf_z(&b, " GROUP BY v FORMAT RowBinary");
	return buf_done(&b);
}

/* ---- texts and addresses ---- */

/* Each host has one address, so each document is a bucket and no groups are needed. */
static struct str
facet_of_address(const struct ch_plan *p, unsigned rows)
{
	struct buf b = { .a = p->a }, select = { .a = p->a };
	struct str order = arena_printf(p->a, " ORDER BY c DESC, v LIMIT %u", rows);

	buf_z(&select, "SELECT place AS v, toUInt64(");
	if (p->view)
		ch_put_hits(p, &select, "arrayCount", STR_NULL);
	else
		buf_char(&select, '1');
	buf_z(&select, ") AS c");
	buf_z(&b, "SELECT v, c, toUInt8(1) FROM ");
	ch_put_rows(p, &b, buf_done(&select), order);
	buf_str(&b, order);
	buf_z(&b, " FORMAT RowBinary");
	return buf_done(&b);
}

static void
put_texts(const struct ch_plan *p, struct buf *b, const struct schema_field *f)
{
	char column[CH_NAME];

	ch_column_name(f, CH_VALUES, column);
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

struct str
ch_sql_facet_texts(const struct ch_plan *p, const struct agg *agg)
{
	const struct schema_field *f = ch_own_field(agg->field);
	struct buf b = { .a = p->a }, select = { .a = p->a };

	if (f == schema_address(f->dataset))
		return facet_of_address(p, agg->limit + 1);
	buf_z(&select, "SELECT arrayJoin(");
	put_texts(p, &select, f);
	buf_z(&select, ") AS v, ");
	put_count(p, &select, !f->nested);
	buf_z(&select, " AS c");
	buf_z(&b, "SELECT v, toUInt64(sum(c)) AS n, ");
	if (f->type == VALUE_IP)
		buf_z(&b, "toUInt8(1)");
	else
		buf_printf(&b, "notEmpty(v) AND lengthUTF8(v) <= %d", LIM_BUCKET_VALUE);
	buf_z(&b, " AS shown FROM ");
	ch_put_rows(p, &b, buf_done(&select), STR(" GROUP BY v"));
	buf_printf(&b, " GROUP BY v ORDER BY shown DESC, n DESC, v LIMIT %u FORMAT RowBinary",
	    agg->limit + 1);
	return buf_done(&b);
}
