/* SPDX-License-Identifier: ISC */
/* Statements that look values up, count documents and list them (sql.h). */
#include "config.h"

#include "search/clickhouse/sql_priv.h"
#include "search/text.h"

#include <inttypes.h>

/* ---- dictionaries ---- */

static void
find_lookups(struct ch_plan *p, const struct node *n)
{
	const struct schema_field *f = n->field == NULL ? NULL : ch_own_field(n->field);

	for (size_t i = 0; i < n->nkids; i++)
		find_lookups(p, n->kids[i]);
	if (f == NULL || !ch_storage(f).ids || n->type == NODE_EXISTS || n->nvalues == 0)
		return;
	p->lookups = arena_room(p->a, p->lookups, p->nlookups, sizeof(*p->lookups));
	p->lookups[p->nlookups++] = (struct ch_lookup){ .test = n, .field = f };
}

void
ch_plan_begin(struct ch_plan *p, struct arena *a, const struct query *q, unsigned layout,
    const char *database)
{
	*p = (struct ch_plan){ .a = a,
		.query = q,
		.source = schema_source(q->dataset),
		.layout = layout,
		.database = database };
	p->view = p->source != q->dataset;
	find_lookups(p, q->root);
}

/* Appends the condition of the values that may pass one test. */
static void
put_lookup(const struct ch_plan *p, struct buf *b, const struct ch_lookup *l)
{
	const struct node *n = l->test;

	buf_printf(b, "(field = %u AND (", l->field->index);
	for (size_t i = 0; i < n->nvalues; i++) {
		struct str s = n->values[i].s;

		buf_z(b, i > 0 ? " OR folded " : "folded ");
		buf_z(b, n->type == NODE_WILDCARD ? "LIKE " : "= ");
		ch_put_hex(b, n->type == NODE_WILDCARD ? ch_like(p->a, s) : text_fold(p->a, s));
	}
	buf_z(b, "))");
}

static void
put_dictionary(const struct ch_plan *p, struct buf *b, const char *columns)
{
	char table[CH_NAME];

	ch_table_name(p->source, p->layout, CH_DICT, table);
	buf_printf(b, "SELECT %s FROM %s WHERE ", columns, table);
}

struct str
ch_sql_lookup(const struct ch_plan *p)
{
	struct buf b = { .a = p->a };

	if (p->nlookups == 0)
		return STR_NULL;
	put_dictionary(p, &b, "field, value, id");
	for (size_t i = 0; i < p->nlookups; i++) {
		buf_z(&b, i > 0 ? " OR " : "");
		put_lookup(p, &b, &p->lookups[i]);
	}
	buf_printf(&b, " LIMIT %d FORMAT RowBinary", CH_LOOKUP_ROWS + 1);
	return buf_done(&b);
}

/* Whether a value passes a test, by the functions that the index uses
   (search/index/read/lookup.c). */
static bool
passes(struct arena *a, const struct node *n, struct str have)
{
	bool name = n->field->type == VALUE_DNS;
	struct str folded = name ? have : text_fold(a, have);

	for (size_t i = 0; i < n->nvalues; i++) {
		struct str want = n->values[i].s;

		if (n->type == NODE_EXACT      ? str_eq(want, have)
		    : n->type == NODE_WILDCARD ? text_glob(text_fold(a, want), folded)
		    : name                     ? str_within(have, want)
					       : str_eq(text_fold(a, want), folded))
			return true;
	}
	return false;
}

void
ch_plan_offer(struct ch_plan *p, unsigned field, struct str value, uint32_t id)
{
	for (size_t i = 0; i < p->nlookups; i++) {
		struct ch_lookup *l = &p->lookups[i];
		bool known = false;

		if (l->field->index != field || !passes(p->a, l->test, value))
			continue;
		for (size_t k = 0; k < l->n && !known; k++) /* a row that was sent twice */
			known = l->ids[k] == id;
		if (known)
			continue;
		l->ids = arena_room(p->a, l->ids, l->n, sizeof(*l->ids));
		l->ids[l->n++] = id;
	}
}

size_t
ch_plan_ids(const struct ch_plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nlookups; i++)
		n += p->lookups[i].n;
	return n;
}

void
ch_plan_forget(struct ch_plan *p)
{
	for (size_t i = 0; i < p->nlookups; i++)
		p->lookups[i].n = 0;
}

static void
put_ids(struct buf *b, const uint32_t *ids, size_t n)
{
	buf_char(b, '(');
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%" PRIu32, i > 0 ? ", " : "", ids[i]);
	buf_char(b, ')');
}

struct str
ch_sql_values(const struct ch_plan *p, const uint32_t *ids, size_t n)
{
	struct buf b = { .a = p->a };
	uint32_t fields[256], nfields = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t field = ids[i] >> CH_ID_SHIFT, k = 0;

		while (k < nfields && fields[k] != field)
			k++;
		if (k == nfields)
			fields[nfields++] = field;
	}
	put_dictionary(p, &b, "id, value");
	buf_z(&b, "field IN ");
	put_ids(&b, fields, nfields);
	buf_z(&b, " AND id IN ");
	put_ids(&b, ids, n);
	buf_z(&b, " GROUP BY id, value FORMAT RowBinary");
	return buf_done(&b);
}

/* ---- counts and pages ---- */

struct str
ch_sql_count(const struct ch_plan *p)
{
	struct buf b = { .a = p->a }, select = { .a = p->a };

	buf_z(&select, "SELECT ");
	if (p->view) {
		buf_z(&select, "sum(");
		ch_put_hits(p, &select, "arrayCount", STR_NULL);
		buf_z(&select, ") AS n");
	} else {
		buf_z(&select, "count() AS n");
	}
	buf_z(&b, "SELECT toUInt64(sum(n)) FROM ");
	ch_put_rows(p, &b, buf_done(&select), STR(""));
	buf_z(&b, " FORMAT RowBinary");
	return buf_done(&b);
}

static void
put_select_page(const struct ch_plan *p, struct buf *b)
{
	char objects[CH_NAME];

	if (p->view) {
		buf_z(b, "SELECT place, arrayJoin(");
		ch_put_hits(p, b, "arrayFilter", STR("nested_key"));
		buf_z(b, ") AS k");
	} else if (schema_nested(p->source) != NULL) {
		ch_object_column(p->source, objects);
		buf_printf(b, "SELECT place, toUInt64(length(%s)) AS k", objects);
	} else {
		buf_z(b, "SELECT place, toUInt64(0) AS k");
	}
}

/* A page of a view begins in the middle of a host when the previous page ended there. */
static void
put_after(const struct ch_plan *p, struct buf *b, struct str after)
{
	struct str host = after;

	if (after.p == NULL)
		return;
	if (!p->view) {
		buf_z(b, " AND place > ");
		ch_put_hex(b, after);
		return;
	}
	host.n = host.n > SERVICE_KEY ? host.n - SERVICE_KEY : 0;
	buf_z(b, " AND place >= ");
	ch_put_hex(b, host);
	buf_z(b, " AND concat(place, k) > ");
	ch_put_hex(b, after);
}

struct str
ch_sql_page(const struct ch_plan *p, const struct page_request *want)
{
	struct buf b = { .a = p->a }, select = { .a = p->a }, rest = { .a = p->a },
		   order = { .a = p->a };

	buf_printf(&order, " ORDER BY place%s LIMIT %u", p->view ? ", k" : "", want->limit + 1);
	put_select_page(p, &select);
	put_after(p, &rest, want->after);
	buf_str(&rest, buf_done(&order));
	buf_z(&b, "SELECT place, k FROM ");
	ch_put_rows(p, &b, buf_done(&select), buf_done(&rest));
	buf_str(&b, buf_done(&order));
	buf_z(&b, " FORMAT RowBinary");
	return buf_done(&b);
}

struct str
ch_sql_matched(const struct ch_plan *p, const struct str *keys, size_t n)
{
	const struct schema_field *names[SCHEMA_NAMING];
	size_t nnames = schema_naming(p->source, names);
	struct buf b = { .a = p->a };
	char table[CH_NAME], column[CH_NAME];

	buf_z(&b, "SELECT place");
	for (size_t i = 0; i < nnames; i++) {
		struct ch_lambda l;
		struct ch_scope in = { p, &l };
		struct buf body = { .a = p->a };

		ch_column_name(names[i], ch_naming_content(names[i]), column);
		l = ch_lambda_new(p, arena_str(p->a, str_of(column)));
		if (!ch_put_matched(&in, &body, p->query->root))
			return STR_NULL;
		buf_z(&b, ", ");
		ch_put_lambda(p, &b, "arrayFilter", &l, buf_done(&body));
	}
	ch_table_name(p->source, p->layout, CH_ROWS, table);
	buf_printf(&b, " FROM %s FINAL WHERE gone = 0", table);
	ch_put_listed(p, &b);
	buf_z(&b, " AND place IN (");
	for (size_t i = 0; i < n; i++) {
		buf_z(&b, i > 0 ? ", " : "");
		ch_put_hex(&b, keys[i]);
	}
	buf_z(&b, ") FORMAT RowBinary");
	return nnames == 0 ? STR_NULL : buf_done(&b);
}

/* ---- layouts, tags and parts ---- */

struct str
ch_sql_layout(struct arena *a, enum dataset d)
{
	struct buf b = { .a = a };

	buf_z(&b, "SELECT layout FROM layouts WHERE dataset = ");
	ch_put_hex(&b, str_of(schema_dataset_name(schema_source(d))));
	buf_printf(&b,
	    " AND schema = %" PRIu64 " ORDER BY at DESC, layout DESC LIMIT 1 FORMAT RowBinary",
	    ch_schema_number(d));
	return buf_done(&b);
}

struct str
ch_sql_tags(struct arena *a)
{
	(void)a;
	return STR("SELECT slug, name, classification, categories FROM tags FINAL WHERE gone = 0"
		   " ORDER BY slug FORMAT RowBinary");
}

static void
put_parts_of(const struct ch_plan *p, struct buf *b)
{
	char table[CH_NAME];

	ch_table_name(p->source, p->layout, CH_LOCAL_ROWS, table);
	buf_z(b, "WHERE database = ");
	ch_put_hex(b, str_of(p->database));
	buf_printf(b, " AND `table` = '%s'", table);
}

/* With replicas no row is returned, because the next statement may read another replica. Each shard
   evaluates the innermost SELECT. The first server evaluates those of system.clusters: release 18
   does not find a SELECT among the columns of a shard's answer. Release 26 may return NULL for a
   SELECT that is a value, hence ifNull. */
struct str
ch_sql_parts(const struct ch_plan *p)
{
	struct buf b = { .a = p->a };

	buf_z(&b,
	    "SELECT name, n, a, p, l, ifNull(toUInt64((SELECT max(shard_num) FROM "
	    "system.clusters WHERE cluster = 'surfaced')), toUInt64(0)), h FROM (SELECT "
	    "name, toUInt64(sum(rows * active)) AS n, toUInt64(sum(active)) AS a, count() AS "
	    "p, toUInt64(sum(active * cityHash64(rows, bytes_on_disk, modification_time))) AS "
	    "h, toUInt64(sum(active AND name IN (SELECT argMax(name, rows) FROM system.parts ");
	put_parts_of(p, &b);
	buf_z(&b, " AND active AND level > 0))) AS l FROM parts ");
	put_parts_of(p, &b);
	buf_z(&b, " GROUP BY name) WHERE (SELECT max(replica_num) FROM system.clusters WHERE "
		  "cluster = 'surfaced') = 1 ORDER BY name FORMAT RowBinary");
	return buf_done(&b);
}

/* cityHash64(place) is the key by which the table is distributed (print.c). */
struct str
ch_sql_versions(const struct ch_plan *p, struct str parts, bool greatest, uint64_t n)
{
	struct buf b = { .a = p->a };
	char table[CH_NAME];

	ch_table_name(p->source, p->layout, CH_ROWS, table);
	buf_printf(&b, "SELECT toUInt64(cityHash64(place) %% %" PRIu64 ") AS g, %s(ver) FROM %s", n,
	    greatest ? "max" : "min", table);
	buf_z(&b, " WHERE ");
	ch_put_parts(&b, parts);
	buf_z(&b, " GROUP BY g FORMAT RowBinary");
	return buf_done(&b);
}
