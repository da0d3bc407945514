/* SPDX-License-Identifier: ISC */
/* surfacectl search check: whether ClickHouse and PostgreSQL contain the same documents.
 *
 *   keys     all: for each first byte of a key, the number of records and the sum of sipHash64(key)
 *   content  a random sample: the row that the feeder would write, column by column
 *
 * Both sides are compared at one snapshot. The check takes one in PostgreSQL and waits until the
 * feeder has followed to it; later imports may make the sides differ, so a difference is checked
 * again with a new snapshot. */
#include "config.h"

#include "cli/search.h"
#include "db/copy.h"
#include "record/record.h"
#include "search/clickhouse/row.h"
#include "search/clickhouse/words.h"
#include "search/tags.h"

#include <inttypes.h>
#include <poll.h>

enum {
	TRIES = 3,
	WAIT_MS = 100,
	WAIT_TIMES = 600,
	SAMPLE = 1000,
	SAMPLE_MAX = 100000,
	ROWS_AT_ONCE = 200,
	BYTES = 256
};

struct side {
	uint64_t n[BYTES], sum[BYTES];
};

struct check {
	struct cli *c;
	enum dataset dataset;
	struct ch_cluster *cluster;
	struct arena *arena; /* for one try */
	unsigned layout;
	struct str snapshot;
	struct side here, there;
	char (*sample)[2 * 600 + 1]; /* keys in hexadecimal digits */
	size_t nsample, most;
	uint64_t read, differences;
	struct buf report;
};

/* ---- PostgreSQL ---- */

struct snapshot_row {
	struct str snapshot;
};

static const struct field snapshot_out[] = {
	FIELD(struct snapshot_row, snapshot, 0),
	FIELD_END,
};

STMT(take_snapshot, snapshot_out,
    "SELECT pg_current_snapshot()::text AS snapshot FROM (SELECT set_config('surfaced.dataset', "
    "$1::bigint::text, true)) AS s");

struct reached_row {
	bool reached;
};

static const struct field reached_out[] = {
	FIELD(struct reached_row, reached, 0),
	FIELD_END,
};

STMT(has_reached, reached_out,
    "SELECT pg_snapshot_xmin($1::pg_snapshot) >= pg_snapshot_xmax($2::pg_snapshot) AS reached");

struct doc_row {
	struct str key, doc;
};

static const struct field doc_out[] = {
	FIELD(struct doc_row, key, 0),
	FIELD(struct doc_row, doc, 0),
	FIELD_END,
};

STMT_LIST(read_sample, struct doc_row, doc_out,
    "SELECT key, " TAGGED_DOCUMENT
    " AS doc FROM record AS r WHERE dataset = $1 AND NOT gone AND key IN"
    " (SELECT decode(k, 'hex') FROM unnest($2::text::text[]) AS k) ORDER BY key");

struct check_tag {
	struct str slug, classification;
	struct list categories;
};

static const struct field check_tag_out[] = {
	FIELD(struct check_tag, slug, 0),
	FIELD(struct check_tag, classification, 0),
	LIST_OF(struct check_tag, categories, 0, struct str, 0, 0),
	FIELD_END,
};

STMT_LIST(read_check_tags, struct check_tag, check_tag_out,
    "SELECT slug, classification, categories FROM tag WHERE account_uuid IS NULL");

/* A random sample of a stream whose end is not known: the n-th key replaces one of the kept with a
   chance of most / n. */
static void
keep_some(struct check *k, struct str hex)
{
	uint64_t at = k->nsample;

	if (hex.n >= sizeof(k->sample[0]))
		return;
	if (k->nsample < k->most) {
		k->nsample++;
	} else {
		random_bytes(&at, sizeof(at));
		at %= k->read;
	}
	if (at < k->most)
		snprintf(k->sample[at], sizeof(k->sample[at]), "%.*s", (int)hex.n, hex.p);
}

static void
add_key(struct check *k, struct str hex)
{
	static const unsigned char zeros[16];
	unsigned char key[600];

	if (hex.n < 2 || hex.n > 2 * sizeof(key) || !hex_parse(hex, key, hex.n / 2))
		return;
	k->read++;
	k->here.n[key[0]]++;
	k->here.sum[key[0]] += ch_siphash(zeros, (struct str){ (const char *)key, hex.n / 2 });
	keep_some(k, hex);
}

static enum db_rc
read_keys(struct check *k)
{
	struct db *db = k->c->db;
	struct str line;
	enum db_rc rc =
	    db_copy_out_begin(db, "COPY (SELECT encode(key, 'hex') FROM record WHERE dataset = "
				  "current_setting('surfaced.dataset')::smallint"
				  " AND NOT gone) TO STDOUT");

	while (rc == DB_OK && (rc = db_copy_out(db, &line)) == DB_OK) {
		while (line.n > 0 && (line.p[line.n - 1] == '\n' || line.p[line.n - 1] == '\r'))
			line.n--;
		add_key(k, line);
	}
	return rc == DB_NONE ? DB_OK : rc;
}

/* ---- ClickHouse ---- */

static bool
read_sums(struct check *k)
{
	char table[CH_NAME];
	struct str answer, line, part;
	int64_t v[3];

	ch_table_name(k->dataset, k->layout, CH_ROWS, table);
	if (!ch_cluster_printf(k->cluster, &answer,
		"SELECT reinterpretAsUInt8(substring(place, 1, 1)) AS b, count(), "
		"toInt64(sum(sipHash64(place)))"
		" FROM %s FINAL WHERE gone = 0 GROUP BY b FORMAT TabSeparated",
		table))
		return false;
	while (str_line(&answer, &line)) {
		for (int i = 0; i < 3; i++)
			if (!str_part(&line, '\t', &part) || !str_int64(part, &v[i]) || v[0] < 0 ||
			    v[0] >= BYTES) {
				snprintf(
				    k->cluster->message, CH_MESSAGE, "an answer that is no sum");
				return false;
			}
		k->there.n[v[0]] = (uint64_t)v[1];
		k->there.sum[v[0]] = (uint64_t)v[2];
	}
	return true;
}

/* Waits until the layout that is asked contains all documents that the snapshot of the check
   shows. */
static int
wait_for_feeder(struct check *k)
{
	struct ch_layouts l;
	struct reached_row row = { .reached = false };

	for (int i = 0; i < WAIT_TIMES; i++) {
		enum db_rc rc = DB_OK;

		if (!ch_layouts_read(k->cluster, k->dataset, &l))
			return search_fail(k->cluster);
		k->layout = l.asked;
		for (size_t n = 0; n < l.n; n++)
			if (l.row[n].layout == l.asked && l.row[n].snapshot[0] != '\0')
				rc = db_one(k->c->db, &has_reached, &row,
				    P(str_of(l.row[n].snapshot)), P(k->snapshot));
		ch_layouts_free(&l);
		if (rc != DB_OK)
			return cli_fail_db(k->c, rc, "pg_snapshot");
		if (row.reached)
			return EXIT_OK;
		(void)poll(NULL, 0, WAIT_MS);
	}
	return cli_fail(EXIT_FAILED,
	    "the feeder of %s is more than a minute behind, or does not run",
	    record_dataset_name(k->dataset));
}

/* ---- rows ---- */

/* Returns the end of a value of the type in RowBinary; NULL: there is none. */
static const char *
end_of_value(const char *type, const char *p, const char *end)
{
	struct str t = str_of(type);
	uint64_t n = 0;
	unsigned shift = 0;

	if (p == NULL)
		return NULL;
	if (!str_starts(t, STR("Array(")) && !str_starts(t, STR("String"))) {
		size_t bytes = strstr(type, "64") != NULL ? 8 : strstr(type, "32") != NULL ? 4 : 1;

		return (size_t)(end - p) < bytes ? NULL : p + bytes;
	}
	do {
		if (p == end || shift > 56)
			return NULL;
		n |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	} while ((*p++ & 0x80) != 0);
	if (str_starts(t, STR("String")))
		return (uint64_t)(end - p) < n ? NULL : p + n;
	for (; n > 0 && p != NULL; n--)
		p = end_of_value(type + strlen("Array("), p, end);
	return p;
}

static void
print_difference(struct check *k, struct str key, const char *what)
{
	struct str text = record_key_text(k->arena, k->dataset, key);

	k->differences++;
	buf_printf(&k->report, "%.*s: %s\n", (int)text.n, text.p, what);
}

/* Compares an expected row with the next row of the answer, column by column. Returns the end of
   the latter. */
static const char *
compare_row(struct check *k, struct str key, struct str ours, struct str theirs)
{
	struct ch_column columns[CH_COLUMNS];
	size_t n = ch_columns(k->dataset, columns);
	const char *p = ours.p, *q = theirs.p;

	for (size_t i = 0; i < n; i++) {
		const char *pe = end_of_value(columns[i].type, p, ours.p + ours.n);
		const char *qe = end_of_value(columns[i].type, q, theirs.p + theirs.n);

		if (pe == NULL || qe == NULL) {
			print_difference(k, key, "the row cannot be read");
			return NULL;
		}
		if (columns[i].content != CH_VER &&
		    (pe - p != qe - q || memcmp(p, q, (size_t)(pe - p)) != 0)) {
			print_difference(k, key, columns[i].name);
			if (columns[i].content == CH_PLACE)
				return NULL;
		}
		p = pe;
		q = qe;
	}
	return q;
}

/* The statement that reads the rows of some keys, in their order. */
static void
print_select(struct check *k, const struct doc_row *rows, size_t n, struct buf *sql)
{
	struct ch_column columns[CH_COLUMNS];
	char table[CH_NAME], hex[2 * 600];
	size_t ncolumns = ch_columns(k->dataset, columns);

	ch_table_name(k->dataset, k->layout, CH_ROWS, table);
	for (size_t i = 0; i < ncolumns; i++)
		buf_printf(sql, "%s%s", i == 0 ? "SELECT " : ",", columns[i].name);
	buf_printf(sql, " FROM %s FINAL WHERE gone = 0 AND place IN (", table);
	for (size_t i = 0; i < n; i++) {
		hex_print(hex, (const unsigned char *)rows[i].key.p, rows[i].key.n);
		buf_printf(
		    sql, "%sunhex('%.*s')", i == 0 ? "" : ",", (int)(2 * rows[i].key.n), hex);
	}
	buf_z(sql, ") ORDER BY place FORMAT RowBinary");
}

static bool
compare_stored_documents(struct check *k, struct ch_encoder *e, struct ch_dict *dict,
    const struct doc_row *rows, size_t n)
{
	struct buf sql = { 0 }, ours = { 0 };
	struct str answer;
	char err[CH_FAULT];
	bool ok;

	print_select(k, rows, n, &sql);
	ok = ch_cluster_run(k->cluster, buf_done(&sql), STR_NULL, &answer);
	for (size_t i = 0; ok && i < n; i++) {
		const struct ch_version v = { .key = rows[i].key };
		const char *end;
		bool read = ch_encode(e, dict, rows[i].doc, err);

		buf_clear(&ours);
		ch_write_row(e, &v, &ours);
		if (!read) {
			print_difference(k, rows[i].key, err);
			continue;
		}
		if (answer.n == 0) {
			print_difference(k, rows[i].key, "is not in ClickHouse");
			continue;
		}
		end = compare_row(k, rows[i].key, buf_done(&ours), answer);
		if (end == NULL) /* the row of another record: the sums of keys differ, too */
			break;
		answer.n -= (size_t)(end - answer.p);
		answer.p = end;
	}
	buf_free(&sql);
	buf_free(&ours);
	return ok;
}

static enum db_rc
read_tags_of_check(struct check *k, struct tag **tags, size_t *n)
{
	struct list list = { 0 };
	enum db_rc rc = db_rows(k->c->db, &read_check_tags, &list, DB_NO_ARGS);
	const struct check_tag *row = list.items;

	*tags = ARENA_ARRAY(k->arena, list.n + 1, struct tag);
	*n = rc == DB_OK ? list.n : 0;
	for (size_t i = 0; i < *n; i++, row++) {
		const struct str *categories = row->categories.items;
		struct tag *t = &(*tags)[i];

		t->slug = row->slug;
		t->classification = row->classification;
		for (size_t c = 0; c < row->categories.n && c < COUNT(t->categories); c++)
			t->categories[t->ncategories++] = categories[c];
	}
	return rc;
}

static int
compare_sample(struct check *k)
{
	struct ch_encoder *e = ch_encoder_new(k->dataset);
	struct ch_dict *dict = ch_dict_new(k->dataset);
	struct buf keys = { 0 };
	struct list list = { 0 };
	struct tag *tags;
	size_t ntags;
	enum db_rc rc = read_tags_of_check(k, &tags, &ntags);
	bool ok = true;

	for (size_t i = 0; i < k->nsample; i++)
		buf_printf(&keys, "%c%s", i == 0 ? '{' : ',', k->sample[i]);
	buf_char(&keys, k->nsample == 0 ? '{' : '}');
	if (k->nsample == 0)
		buf_char(&keys, '}');
	if (rc == DB_OK)
		rc = db_list(k->c->db, &read_sample, &list,
		    P((int64_t)record_dataset_number(k->dataset)), P(buf_done(&keys)));
	ch_encoder_tags(e, tags, ntags);
	if (rc == DB_OK)
		ok = ch_dict_read(k->cluster, dict, k->dataset, k->layout);
	for (size_t i = 0; rc == DB_OK && ok && i < list.n; i += ROWS_AT_ONCE)
		ok = compare_stored_documents(k, e, dict, (const struct doc_row *)list.items + i,
		    list.n - i < ROWS_AT_ONCE ? list.n - i : ROWS_AT_ONCE);
	buf_free(&keys);
	ch_encoder_free(e);
	ch_dict_free(dict);
	return rc != DB_OK ? cli_fail_db(k->c, rc, "record")
	       : ok        ? EXIT_OK
			   : search_fail(k->cluster);
}

/* ---- the comparison ---- */

static void
compare_sums(struct check *k)
{
	for (int b = 0; b < BYTES; b++)
		if (k->here.n[b] != k->there.n[b] || k->here.sum[b] != k->there.sum[b]) {
			k->differences++;
			buf_printf(&k->report,
			    "keys that begin with %02x: %" PRIu64 " records in PostgreSQL, %" PRIu64
			    " in ClickHouse%s\n",
			    (unsigned)b, k->here.n[b], k->there.n[b],
			    k->here.n[b] == k->there.n[b] ? ", other ones" : "");
		}
}

static int
compare_once(struct check *k)
{
	struct db *db = k->c->db;
	struct snapshot_row row;
	enum db_rc rc = db_begin(db);
	int status;

	arena_reset(k->arena);
	k->here = k->there = (struct side){ .n = { 0 } };
	k->nsample = 0;
	k->read = k->differences = 0;
	buf_clear(&k->report);
	if (rc == DB_OK)
		rc = db_script(db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
	if (rc == DB_OK)
		rc =
		    db_one(db, &take_snapshot, &row, P((int64_t)record_dataset_number(k->dataset)));
	if (rc != DB_OK)
		return cli_fail_db(k->c, rc, "record");
	k->snapshot = arena_str(k->c->arena, row.snapshot);
	status = wait_for_feeder(k);
	if (status != EXIT_OK)
		return status;
	rc = read_keys(k);
	if (rc != DB_OK)
		return cli_fail_db(k->c, rc, "record");
	if (!read_sums(k))
		return search_fail(k->cluster);
	compare_sums(k);
	return compare_sample(k);
}

static int
print_result(struct check *k)
{
	const char *name = record_dataset_name(k->dataset);

	if (k->c->json)
		printf("{\"dataset\":\"%s\",\"layout\":%u,\"records\":%" PRIu64
		       ",\"sampled\":%zu,\"differences\":%" PRIu64 "}\n",
		    name, k->layout, k->read, k->nsample, k->differences);
	else
		printf("%s: layout %u, %" PRIu64
		       " records, %zu of them compared by content, %" PRIu64 " differences\n",
		    name, k->layout, k->read, k->nsample, k->differences);
	fprintf(stderr, "%.*s", (int)k->report.n, k->report.p == NULL ? "" : k->report.p);
	return k->differences == 0 ? EXIT_OK : EXIT_FAILED;
}

int
search_check(struct cli *c, int argc, char **argv)
{
	struct str sample = STR_NULL;
	const struct cli_option table[] = { { .name = "sample", .text = &sample },
		{ .name = NULL } };
	struct check k = { .c = c, .most = SAMPLE };
	struct cli_list words;
	int64_t n = SAMPLE;
	int status = EXIT_OK;

	if (!cli_options(c, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	if (sample.p != NULL && (!str_int64(sample, &n) || n < 0 || n > SAMPLE_MAX))
		return cli_usage(c, "--sample takes a number from 0 to %d", SAMPLE_MAX);
	k.dataset = search_dataset(c, words.p[0]);
	if (k.dataset == DATASETS)
		return EXIT_USAGE;
	k.cluster = search_cluster();
	if (k.cluster == NULL)
		return EXIT_FAILED;
	k.most = (size_t)n;
	k.sample = mem_array(k.most + 1, sizeof(*k.sample));
	k.arena = arena_new((size_t)1 << 32);
	for (int i = 0; i < TRIES && status == EXIT_OK && (i == 0 || k.differences > 0); i++) {
		status = compare_once(&k);
		db_rollback(c->db);
	}
	if (status == EXIT_OK)
		status = print_result(&k);
	ch_cluster_free(k.cluster);
	arena_free(k.arena);
	buf_free(&k.report);
	free(k.sample);
	return status;
}
