/* SPDX-License-Identifier: ISC */
/* Rows for ClickHouse in batches (sink.h). A thread stores a batch while the next one is made:
 *
 *   this thread     documents -> batch 1 | documents -> batch 2 | waits | documents -> batch 3 | ...
 *   of the batch                         | numbers 1, rows 1            | numbers 2, rows 2    | ...
 *
 * At most one batch is being stored, so the order of sink.h holds: the thread of a batch stores the
 * numbers first, and starts after the thread of the previous batch has ended. Until the thread is
 * joined, only it uses the cluster: no other code may use the cluster, or fork, before
 * sink_settle. */
#include "config.h"

#include "indexer/sink.h"
#include "indexer/thread.h"
#include "search/clickhouse/row.h"

#include <inttypes.h>

enum {
	BATCH_ROWS = 100000,
	BATCH_BYTES = 96 << 20,
	KEYS_PAGE = 500000, /* keys of one answer, of at most 256 MiB */
};

/* Rows and new numbers of values that a thread stores. */
struct batch {
	struct buf rows, numbers;
	size_t nrows;
};

struct sink {
	struct ch_cluster *cluster;
	enum dataset dataset;
	unsigned layout;
	struct ch_dict *dict;
	struct ch_encoder *encoder;
	uint64_t ver, written;
	struct buf insert, insert_dict;
	struct ch_block next; /* the batch that is being filled; its new numbers are in dict */
	struct batch stored;
	pthread_t thread;
	bool running, failed;          /* a thread stores `stored`; it has failed */
	bool (*mine)(const void *arg); /* NULL: only this process assigns numbers here */
	const void *mine_arg;
};

static bool
sink_fault(const struct sink *s, char err[INDEX_FAULT])
{
	snprintf(err, INDEX_FAULT, "clickhouse: %.230s", s->cluster->message);
	return false;
}

/* ---- the dictionary ---- */

/* Whether no server still runs an INSERT of a former feeder. The statements of a killed feeder may
   continue at a server, and its numbers must be stored before the dictionary is read. */
static bool
is_quiet(struct sink *s)
{
	struct str answer;
	char table[CH_NAME];

	ch_table_name(s->dataset, s->layout, CH_LOCAL_DICT, table);
	if (!ch_cluster_printf(s->cluster, &answer,
		"SELECT count() FROM cluster(surfaced, system.processes) WHERE query LIKE "
		"'INSERT%%' AND"
		" query LIKE '%%%s%%' FORMAT TabSeparated",
		table))
		return false;
	if (answer.n > 0 && answer.p[0] == '0')
		return true;
	snprintf(s->cluster->message, sizeof(s->cluster->message),
	    "a statement of a former feeder still runs");
	return false;
}

/* ---- a sink ---- */

static void
print_inserts(struct sink *s)
{
	struct ch_column columns[CH_COLUMNS];
	char table[CH_NAME];
	size_t n = ch_columns(s->dataset, columns);

	ch_table_name(s->dataset, s->layout, CH_ROWS, table);
	buf_printf(&s->insert, "INSERT INTO %s (", table);
	for (size_t i = 0; i < n; i++)
		buf_printf(&s->insert, "%s%s", i == 0 ? "" : ",", columns[i].name);
	buf_z(&s->insert, ") FORMAT Native");
	ch_table_name(s->dataset, s->layout, CH_DICT, table);
	buf_printf(
	    &s->insert_dict, "INSERT INTO %s (field, folded, value, id) FORMAT RowBinary", table);
}

struct sink *
sink_open(struct ch_cluster *cluster, enum dataset d, unsigned layout)
{
	struct sink *s = mem_zero(sizeof(*s));

	s->cluster = cluster;
	s->dataset = d;
	s->layout = layout;
	s->dict = ch_dict_new(d);
	s->encoder = ch_encoder_new(d);
	print_inserts(s);
	if (is_quiet(s) && ch_dict_read(cluster, s->dict, d, layout))
		return s;
	sink_close(s);
	return NULL;
}

static void
join_thread(struct sink *s)
{
	if (s->running && pthread_join(s->thread, NULL) != 0)
		panic("pthread_join failed");
	s->running = false;
}

void
sink_close(struct sink *s)
{
	if (s == NULL)
		return;
	join_thread(s);
	ch_dict_free(s->dict);
	ch_free_block(s->encoder, &s->next);
	ch_encoder_free(s->encoder);
	buf_free(&s->stored.rows);
	buf_free(&s->stored.numbers);
	buf_free(&s->insert);
	buf_free(&s->insert_dict);
	free(s);
}

void
sink_guard(struct sink *s, bool (*mine)(const void *arg), const void *arg)
{
	s->mine = mine;
	s->mine_arg = arg;
}

unsigned
sink_layout(const struct sink *s)
{
	return s->layout;
}

uint64_t
sink_written(const struct sink *s)
{
	return s->written;
}

bool
sink_pending(const struct sink *s)
{
	return s->written + s->next.rows > 0;
}

/* Rows that a failed pass has left are dropped: the next pass makes them again. Numbers of values
   are kept (dict.h). The memory of former batches is freed, because most passes have few rows. */
void
sink_begin(struct sink *s, uint64_t ver, const struct source *of)
{
	s->ver = ver;
	s->written = 0;
	ch_free_block(s->encoder, &s->next);
	buf_free(&s->stored.rows);
	ch_encoder_tags(s->encoder, of->tags, of->ntags);
}

/* ---- a batch ---- */

static void *
store_batch(void *arg)
{
	struct sink *s = arg;
	const struct batch *b = &s->stored;

	s->failed = (b->numbers.n > 0 && !ch_cluster_run(s->cluster, buf_done(&s->insert_dict),
					     (struct str){ b->numbers.p, b->numbers.n }, NULL)) ||
		    (b->nrows > 0 && !ch_cluster_run(s->cluster, buf_done(&s->insert),
					 (struct str){ b->rows.p, b->rows.n }, NULL));
	return NULL;
}

/* If the numbers of a batch could not be stored, they become the first ones of the next batch
   (dict.h). */
static void
keep_numbers(struct sink *s)
{
	struct buf *fresh = ch_dict_fresh(s->dict), later = *fresh;

	*fresh = s->stored.numbers;
	s->stored.numbers = (struct buf){ 0 };
	buf_add(fresh, later.p, later.n);
	buf_free(&later);
}

bool
sink_settle(struct sink *s, char err[INDEX_FAULT])
{
	if (!s->running)
		return true;
	join_thread(s);
	if (s->failed) {
		keep_numbers(s);
		return sink_fault(s, err);
	}
	s->written += s->stored.nrows;
	return true;
}

/* Starts to store the filled batch, after the previous one has been stored. */
static bool
flush_rows(struct sink *s, char err[INDEX_FAULT])
{
	struct buf *fresh = ch_dict_fresh(s->dict), former;

	if (!sink_settle(s, err))
		return false;
	if (fresh->n > 0 && s->mine != NULL && !s->mine(s->mine_arg)) {
		snprintf(err, INDEX_FAULT, "the connection to the database was lost");
		return false;
	}
	s->stored.nrows = s->next.rows;
	buf_clear(&s->stored.rows);
	ch_end_block(s->encoder, &s->next, &s->stored.rows);
	former = s->stored.numbers;
	s->stored.numbers = *fresh;
	*fresh = former;
	buf_clear(fresh);
	if (s->stored.numbers.n + s->stored.nrows > 0)
		s->running = true;
	if (s->running && !thread_start(&s->thread, store_batch, s))
		panic("no thread");
	return true;
}

static bool
flush_full(struct sink *s, char err[INDEX_FAULT])
{
	return (s->next.rows < BATCH_ROWS && s->next.bytes < BATCH_BYTES) || flush_rows(s, err);
}

/* A document that cannot be read is written to the block as well, so that the encoder is empty
   again; the pass fails, and the block is dropped. */
bool
sink_document(struct sink *s, const struct source_row *row, char err[INDEX_FAULT])
{
	const struct ch_version v = { .key = row->key, .ver = s->ver };
	bool read = ch_encode(s->encoder, s->dict, row->json, err);

	ch_write_block(s->encoder, &v, &s->next);
	return read && flush_full(s, err);
}

bool
sink_gone(struct sink *s, struct str key, char err[INDEX_FAULT])
{
	const struct ch_version v = { .key = key, .ver = s->ver, .gone = true };

	ch_write_block(s->encoder, &v, &s->next);
	return flush_full(s, err);
}

bool
sink_commit(struct sink *s, const struct ch_feed_row *row, char err[INDEX_FAULT])
{
	if (!flush_rows(s, err) || !sink_settle(s, err))
		return false;
	return ch_feed_write(s->cluster, s->dataset, row) || sink_fault(s, err);
}

/* ---- documents with a tag ---- */

/* Appends "hasAny(d_tags, [1, 2]) OR hasAny(u_services_tags, [3])": the documents that have one of
   the slugs as a tag, or as a tag of a nested object. Appends nothing when the dictionary has no
   such tag. */
static void
put_tagged(struct sink *s, const struct str *slugs, size_t n, struct buf *b)
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(s->dataset, &fields);
	char column[CH_NAME];
	uint32_t id;

	for (size_t k = 0; k < nfields; k++) {
		bool any = false;

		if (strcmp(fields[k].relative, "tags") != 0)
			continue;
		ch_column_name(&fields[k], fields[k].nested ? CH_UNITED : CH_TERMS, column);
		for (size_t i = 0; i < n; i++) {
			if (!ch_dict_find(s->dict, &fields[k], slugs[i], &id))
				continue;
			if (!any)
				buf_printf(b, "%shasAny(%s, [", b->n > 0 ? " OR " : "", column);
			buf_printf(b, "%s%" PRIu32, any ? ", " : "", id);
			any = true;
		}
		buf_z(b, any ? "])" : "");
	}
}

/* Appends the keys of an answer, in hexadecimal digits, and copies the last of them to `last`.
   Returns how many there are. */
static size_t
add_keys(struct buf *keys, struct str answer, struct buf *last)
{
	struct str line;
	size_t n = 0;

	for (; str_line(&answer, &line); n++) {
		buf_char(keys, keys->n == 0 ? '{' : ',');
		buf_str(keys, line);
		buf_clear(last);
		buf_str(last, line);
	}
	return n;
}

bool
sink_tagged(
    struct sink *s, const struct str *slugs, size_t n, struct buf *keys, char err[INDEX_FAULT])
{
	struct buf tagged = { 0 }, last = { 0 };
	struct str answer = STR_NULL;
	char table[CH_NAME];
	size_t found = KEYS_PAGE;
	bool ok = true;

	ch_table_name(s->dataset, s->layout, CH_ROWS, table);
	put_tagged(s, slugs, n, &tagged);
	if (tagged.n == 0)
		found = 0;
	while (ok && found == KEYS_PAGE) {
		ok = ch_cluster_printf(s->cluster, &answer,
		    "SELECT lower(hex(place)) FROM %s FINAL WHERE gone = 0 AND place > "
		    "unhex('%.*s') "
		    "AND (%.*s) ORDER BY place LIMIT %d FORMAT TabSeparated",
		    table, (int)last.n, last.n == 0 ? "" : last.p, (int)tagged.n, tagged.p,
		    KEYS_PAGE);
		found = ok ? add_keys(keys, answer, &last) : 0;
	}
	buf_free(&tagged);
	buf_free(&last);
	return ok || sink_fault(s, err);
}
