/* SPDX-License-Identifier: ISC */
/* surfacectl search export: writes the documents that a query matches to standard output, as an
   export of the API has them, without its first and last line in CSV. It reads the index of this
   host and PostgreSQL, and needs neither an account nor surfaced-export. */
#include "config.h"

#include "base/limits.h"
#include "cli/cli.h"
#include "cli/search.h"
#include "daemon/conf.h"
#include "search/clickhouse/engine.h"
#include "search/tags.h"
#include "search/walk.h"

#include <errno.h>

enum { SEARCH_MEMORY = 1 << 30 };

STMT_LIST(read_found, struct walk_row, walk_row_out,
    "SELECT at, CASE WHEN up_to <= $2::bigint OR up_to = bytes THEN doc END AS doc"
    " FROM (SELECT at, " TAGGED_DOCUMENT " AS doc, bytes, sum(bytes) OVER (ORDER BY at) AS up_to"
    "  FROM unnest($1::text[]::bytea[]) WITH ORDINALITY AS k (key, at)"
    "  CROSS JOIN LATERAL (SELECT * FROM record WHERE dataset = $3::smallint AND key = k.key"
    "   AND NOT gone LIMIT 1) AS r) AS page ORDER BY at");

struct found {
	struct cli *c;
	struct arena *rows, *tree;
	struct cells cells;
	bool csv;
	uint64_t written, gone;
};

static enum db_rc
read_found_documents(void *arg, enum dataset source, struct strs keys, struct list *rows)
{
	const struct found *f = arg;
	const int64_t most = LIM_PAGE_BYTES, number = record_dataset_number(source);

	db_use(f->c->db, f->rows, 0);
	return db_list(f->c->db, &read_found, rows, P(keys), P(most), P(number));
}

static int
print_export_line(struct found *f, struct buf *line, struct buf *cells)
{
	struct str text = buf_done(line);

	if (f->csv) {
		buf_clear(cells);
		cells_write(cells, f->tree, &f->cells, text);
		text = buf_done(cells);
	} else {
		buf_char(line, '\n');
		text = buf_done(line);
	}
	if (fwrite(text.p, 1, text.n, stdout) != text.n)
		return cli_fail(EXIT_FAILED, "standard output: %s", strerror(errno));
	return EXIT_OK;
}

static int
print_matches(struct found *f, struct walk *w)
{
	struct buf line = { 0 }, cells = { 0 };
	int status = EXIT_OK;
	bool more = true;

	while (status == EXIT_OK && more) {
		buf_clear(&line);
		switch (walk_next(w, &line)) {
		case WALK_RECORD:
			f->written++;
			status = print_export_line(f, &line, &cells);
			break;
		case WALK_GONE:
			f->gone++;
			break;
		case WALK_END:
			more = false;
			break;
		case WALK_ENGINE:
			status = cli_fail(EXIT_FAILED,
			    "the index in %s does not answer: surfacectl doctor says why",
			    conf.index_directory);
			break;
		case WALK_DATABASE:
			status = cli_fail_db(f->c, w->db_rc, "documents");
			break;
		}
	}
	buf_free(&line);
	buf_free(&cells);
	return status;
}

/* The names of --fields, with commas between them. */
static size_t
split_fields(struct arena *a, struct str text, struct str **out)
{
	struct str *names = ARENA_ARRAY(a, text.n / 2 + 1, struct str);
	size_t n = 0;

	while (text.p != NULL) {
		const char *comma = memchr(text.p, ',', text.n);
		size_t len = comma == NULL ? text.n : (size_t)(comma - text.p);

		names[n++] = str_trim((struct str){ text.p, len });
		text = comma == NULL ? STR_NULL : (struct str){ comma + 1, text.n - len - 1 };
	}
	*out = names;
	return n;
}

static int
export_query(struct found *f, const struct query *q, struct str fields)
{
	struct arena *a = f->c->arena;
	struct walk w = { .query = q, .read = read_found_documents, .arg = f, .rows = f->rows };
	struct str *names;
	size_t n = split_fields(a, fields, &names);
	struct buf head = { .a = a };
	int status;

	f->cells = walk_cells(a, q->dataset, names, n);
	if (n > 0 && (w.fields = walk_fields(a, q->dataset, names, n)) == NULL)
		return cli_fail(EXIT_USAGE, "--fields wants 1 to %d names of fields of the dataset",
		    (int)LIM_FIELDS);
	if (f->csv)
		cells_head(&head, &f->cells);
	str_write(buf_done(&head), stdout);
	w.engine = engine_open_index(conf.index_directory);
	ch_engine_join(w.engine);
	walk_begin(&w);
	status = print_matches(f, &w);
	walk_end(&w);
	engine_close(w.engine);
	if (status == EXIT_OK && fflush(stdout) != 0)
		status = cli_fail(EXIT_FAILED, "standard output: %s", strerror(errno));
	if (status == EXIT_OK)
		fprintf(
		    stderr, "%ju records, %ju gone\n", (uintmax_t)f->written, (uintmax_t)f->gone);
	return status;
}

int
search_export(struct cli *c, int argc, char **argv)
{
	struct found f = { .c = c };
	struct str fields = STR_NULL, format = STR("ndjson");
	const struct cli_option options[] = {
		{ .name = "fields", .text = &fields },
		{ .name = "format", .text = &format },
		{ .name = NULL },
	};
	enum dataset d;
	struct query_fault fault;
	struct cli_list words;
	struct query q;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 2, 2))
		return EXIT_USAGE;
	d = walk_dataset(words.p[0]);
	if (d == DATASETS_AND_CONDITIONS || d == DATASET_BEFORE_VIEWS)
		return cli_usage(c, "%s is no dataset", words.p[0].p);
	f.csv = str_is(format, "csv");
	if (!f.csv && !str_is(format, "ndjson"))
		return cli_usage(c, "--format is ndjson or csv");
	if (f.csv && fields.p == NULL)
		return cli_usage(c, "csv wants --fields: its columns");
	if (!query_parse(c->arena, d, words.p[1], ts_now(), &q, &fault))
		return cli_fail(EXIT_USAGE, "the query, character %u: %.*s", fault.at,
		    (int)fault.message.n, fault.message.p);
	f.rows = arena_new(SEARCH_MEMORY);
	f.tree = arena_new(SEARCH_MEMORY);
	status = export_query(&f, &q, fields);
	db_use(c->db, c->arena, 0);
	arena_free(f.rows);
	arena_free(f.tree);
	return status;
}
