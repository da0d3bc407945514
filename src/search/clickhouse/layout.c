/* SPDX-License-Identifier: ISC */
/* Statements about layouts (layout.h). Answers are lines of numbers and of texts in hexadecimal digits. */
#include "config.h"

#include "daemon/conf.h"
#include "search/clickhouse/layout.h"

#include <inttypes.h>
#include <stdarg.h>

enum { ANSWER_MAX = 1 << 28, PATIENCE_S = 120, DICT_PAGE = 500000 };

/* A statement on rows waits until every shard has stored its part. A shard that was cut off is given up after a time. */
#define SETTINGS                                                                                   \
	"insert_distributed_sync=1&insert_distributed_timeout=60&receive_timeout=30&send_timeout=" \
	"30"

/* ---- a cluster ---- */

static void
add_url(struct ch_cluster *c, struct str url)
{
	c->urls = mem_grow(c->urls, (c->nurls + 1) * sizeof(*c->urls));
	c->urls[c->nurls] = strndup(url.p, url.n);
	if (c->urls[c->nurls++] == NULL)
		panic("out of memory");
}

struct ch_cluster *
ch_cluster_new(const struct ch_server *server, const char *urls)
{
	struct ch_cluster *c = mem_zero(sizeof(*c));
	struct str rest = str_of(urls), url;

	c->server = *server;
	c->patience_us = PATIENCE_S * SECOND_US;
	c->http = ch_http_open(server);
	while (str_part(&rest, ' ', &url))
		if (url.n > 0)
			add_url(c, url);
	if (c->nurls == 0)
		add_url(c, str_of(server->url));
	return c;
}

struct ch_cluster *
ch_cluster_open(const struct conf *c)
{
	const struct ch_server server = { .url = c->clickhouse_url,
		.user = c->clickhouse_user,
		.password_file = c->clickhouse_password_file,
		.database = c->clickhouse_database,
		.ca_file = c->clickhouse_ca_file };

	return ch_cluster_new(&server, c->clickhouse_servers);
}

bool
ch_answers(const struct conf *c, enum dataset d)
{
	const char *const engines[DATASETS] = {
		[DATASET_HOSTS] = c->engine_hosts,
		[DATASET_DNS] = c->engine_dns,
		[DATASET_WHOIS] = c->engine_whois,
		[DATASET_CERTIFICATES] = c->engine_certificates,
		[DATASET_REPORTS] = c->engine_reports,
		[DATASET_DIRECTORIES] = c->engine_open_directories,
	};
	const char *engine = engines[schema_source(d)];

	return engine != NULL && strcmp(engine, "clickhouse") == 0;
}

void
ch_cluster_free(struct ch_cluster *c)
{
	if (c == NULL)
		return;
	ch_http_close(c->http);
	for (unsigned i = 0; i < c->nurls; i++)
		free(c->urls[i]);
	free(c->urls);
	free(c);
}

static bool
run_at(struct ch_cluster *c, struct ch_http *h, const struct ch_statement *s, struct str *answer)
{
	struct ch_answer a;
	enum ch_rc rc = ch_http_run(h, s, &a);

	if (rc != CH_OK)
		snprintf(c->message, sizeof(c->message), "%s: %.350s", ch_rc_name(rc), a.message);
	else if (answer != NULL)
		*answer = a.body;
	return rc == CH_OK;
}

bool
ch_cluster_run(struct ch_cluster *c, struct str sql, struct str data, struct str *answer)
{
	struct ch_statement s = { .sql = sql,
		.data = data,
		.settings = SETTINGS,
		.query_id = "",
		.deadline = mono_us() + c->patience_us,
		.most = ANSWER_MAX };

	return run_at(c, c->http, &s, answer);
}

bool
ch_cluster_printf(struct ch_cluster *c, struct str *answer, const char *format, ...)
{
	char *sql;
	va_list args;
	bool ok;
	int n;

	va_start(args, format);
	n = vasprintf(&sql, format, args);
	va_end(args);
	if (n < 0)
		panic("out of memory");
	ok = ch_cluster_run(c, (struct str){ sql, (size_t)n }, STR_NULL, answer);
	free(sql);
	return ok;
}

/* ---- tables ---- */

/* Runs statements that each end with ";\n" at one server. */
static bool
run_script(struct ch_cluster *c, struct ch_http *h, struct str script)
{
	while (script.n > 0) {
		const char *end = memmem(script.p, script.n, ";\n", 2);
		size_t n = end == NULL ? script.n : (size_t)(end - script.p);
		struct ch_statement s = { .sql = { script.p, n },
			.settings = "",
			.query_id = "",
			.deadline = mono_us() + c->patience_us,
			.most = ANSWER_MAX };

		if (!run_at(c, h, &s, NULL))
			return false;
		n += end == NULL ? 0 : 2;
		script.p += n;
		script.n -= n;
	}
	return true;
}

/* Runs a script at every server. */
static bool
run_everywhere(struct ch_cluster *c, struct str script)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < c->nurls; i++) {
		struct ch_server server = c->server;
		struct ch_http *h;

		server.url = c->urls[i];
		h = ch_http_open(&server);
		ok = run_script(c, h, script);
		ch_http_close(h);
	}
	return ok;
}

bool
ch_cluster_prepare(struct ch_cluster *c)
{
	struct buf script = { 0 };
	struct str answer;
	bool ok;

	if (!ch_cluster_printf(c, &answer,
		"SELECT toUInt32(splitByChar('.', version())[1]) > 18,"
		" (SELECT count() FROM system.macros WHERE macro = 'replica') > 0 FORMAT "
		"TabSeparated"))
		return false;
	c->release.version = answer.n > 0 && answer.p[0] == '1' ? 26 : 18;
	c->release.replicated = answer.n > 2 && answer.p[2] == '1';
	ch_print_layouts(&script, &c->release);
	ok = run_everywhere(c, buf_done(&script));
	buf_free(&script);
	return ok;
}

bool
ch_layout_create(struct ch_cluster *c, enum dataset d, unsigned layout)
{
	struct buf script = { 0 };
	bool ok;

	ch_print_schema(&script, &c->release, d, layout);
	ok = run_everywhere(c, buf_done(&script));
	buf_free(&script);
	return ok;
}

bool
ch_layout_drop(struct ch_cluster *c, enum dataset d, unsigned layout)
{
	static const enum ch_table tables[] = { CH_ROWS, CH_DICT, CH_LOCAL_ROWS, CH_LOCAL_DICT };
	struct buf script = { 0 };
	char name[CH_NAME];
	bool ok;

	for (size_t i = 0; i < COUNT(tables); i++) {
		ch_table_name(d, layout, tables[i], name);
		buf_printf(&script, "DROP TABLE IF EXISTS %s;\n", name);
	}
	ok = run_everywhere(c, buf_done(&script));
	buf_free(&script);
	return ok;
}

/* ---- rows of feeds and layouts ---- */

static char *
text_of_hex(struct str hex)
{
	size_t n = hex.n / 2;
	char *s = mem_zero(n + 1);

	if (n == 0 || !hex_parse(hex, (unsigned char *)s, n))
		n = 1;
	s[n - 1] = '\0'; /* the blank that the statement appends */
	return s;
}

static bool
take_number(struct str *line, int64_t *out)
{
	struct str part;

	return str_part(line, '\t', &part) && str_int64(part, out);
}

static bool
read_row(struct str line, struct ch_feed_row *r)
{
	int64_t n[6];
	struct str snapshot, tags;

	for (size_t i = 0; i < COUNT(n); i++)
		if (!take_number(&line, &n[i]))
			return false;
	if (!str_part(&line, '\t', &snapshot))
		return false;
	tags = line;
	*r = (struct ch_feed_row){ .layout = (unsigned)n[0],
		.ver = (uint64_t)n[1],
		.filled = n[2] != 0,
		.shards = (unsigned)n[3],
		.at = n[4],
		.schema = (uint64_t)n[5],
		.snapshot = text_of_hex(snapshot),
		.tags = text_of_hex(tags) };
	return true;
}

bool
ch_layouts_read(struct ch_cluster *c, enum dataset d, struct ch_layouts *out)
{
	const char *name = schema_dataset_name(d);
	struct str answer, line;
	int64_t n;

	*out = (struct ch_layouts){ .n = 0 };
	if (!ch_cluster_printf(c, &answer,
		"SELECT layout, ver, filled, shards, at, toInt64(schema), "
		"lower(hex(concat(snapshot, ' '))), lower(hex(concat(tags, ' ')))"
		" FROM feeds FINAL WHERE dataset = '%s' ORDER BY layout DESC LIMIT %d FORMAT "
		"TabSeparated",
		name, CH_LAYOUTS))
		return false;
	while (str_line(&answer, &line)) {
		if (!read_row(line, &out->row[out->n])) {
			snprintf(c->message, sizeof(c->message), "the table feeds has a bad row");
			return false;
		}
		out->n++;
	}
	if (!ch_cluster_printf(c, &answer,
		"SELECT layout, toInt64(schema) FROM layouts WHERE dataset = '%s' ORDER BY at "
		"DESC, layout DESC LIMIT 1 FORMAT TabSeparated",
		name))
		return false;
	if (str_line(&answer, &line) && take_number(&line, &n)) {
		out->asked = (unsigned)n;
		if (take_number(&line, &n))
			out->schema = (uint64_t)n;
	}
	return true;
}

bool
ch_cluster_shards(struct ch_cluster *c, unsigned *shards)
{
	struct str answer, line;
	int64_t n;

	if (!ch_cluster_printf(c, &answer,
		"SELECT count() FROM (SELECT DISTINCT shard_num FROM system.clusters WHERE cluster "
		"= 'surfaced')"
		" FORMAT TabSeparated"))
		return false;
	*shards = str_line(&answer, &line) && take_number(&line, &n) ? (unsigned)n : 0;
	if (*shards == 0)
		snprintf(
		    c->message, sizeof(c->message), "the server has no cluster named surfaced");
	else if (*shards > c->nurls)
		snprintf(c->message, sizeof(c->message),
		    "the cluster has %u shards, and clickhouse_servers names %u servers", *shards,
		    c->nurls);
	return *shards > 0 && *shards <= c->nurls;
}

void
ch_layouts_free(struct ch_layouts *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->row[i].snapshot);
		free(l->row[i].tags);
	}
	l->n = 0;
}

const struct ch_feed_row *
ch_layouts_filled(const struct ch_layouts *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->row[i].filled)
			return &l->row[i];
	return NULL;
}

bool
ch_feed_write(struct ch_cluster *c, enum dataset d, const struct ch_feed_row *r)
{
	static const char sql[] = "INSERT INTO feeds (dataset, layout, ver, filled, shards, "
				  "schema, snapshot, tags, at) FORMAT RowBinary";
	struct buf row = { 0 };
	bool ok;

	ch_put_text(&row, str_of(schema_dataset_name(d)));
	ch_put_number(&row, r->layout, 4);
	ch_put_number(&row, r->ver, 8);
	buf_char(&row, r->filled);
	ch_put_number(&row, r->shards, 4);
	ch_put_number(&row, r->schema, 8);
	ch_put_text(&row, str_of(r->snapshot));
	ch_put_text(&row, str_of(r->tags));
	ch_put_number(&row, (uint64_t)r->at, 8);
	ok = ch_cluster_run(c, str_of(sql), buf_done(&row), NULL);
	buf_free(&row);
	return ok;
}

bool
ch_layout_switch(struct ch_cluster *c, enum dataset d, unsigned layout)
{
	static const char sql[] =
	    "INSERT INTO layouts (dataset, layout, schema, at) FORMAT RowBinary";
	struct buf row = { 0 };
	bool ok;

	ch_put_text(&row, str_of(schema_dataset_name(d)));
	ch_put_number(&row, layout, 4);
	ch_put_number(&row, ch_schema_number(d), 8);
	ch_put_number(&row, (uint64_t)ts_now().us, 8);
	ok = ch_cluster_run(c, str_of(sql), buf_done(&row), NULL);
	buf_free(&row);
	return ok;
}

/* ---- the dictionary ---- */

static bool
load_value(struct ch_dict *k, struct str line, struct buf *room, int64_t *id)
{
	struct str field, number;
	int64_t f;

	if (!str_part(&line, '\t', &field) || !str_part(&line, '\t', &number) ||
	    !str_int64(field, &f) || !str_int64(number, id))
		return false;
	buf_clear(room);
	if (room->room < line.n)
		buf_add(room, line.p, line.n);
	if (line.n > 0 && !hex_parse(line, (unsigned char *)room->p, line.n / 2))
		return false;
	return ch_dict_load(k, (unsigned)f, (struct str){ room->p, line.n / 2 }, (uint32_t)*id);
}

bool
ch_dict_read(struct ch_cluster *c, struct ch_dict *k, enum dataset d, unsigned layout)
{
	char table[CH_NAME];
	struct buf room = { 0 };
	struct str answer, line;
	int64_t last = -1;
	bool ok = true, more = true;

	ch_table_name(d, layout, CH_DICT, table);
	while (ok && more) {
		ok = ch_cluster_printf(c, &answer,
		    "SELECT field, id, lower(hex(value)) FROM %s WHERE toInt64(id) > %" PRId64
		    " ORDER BY id LIMIT %d FORMAT TabSeparated",
		    table, last, DICT_PAGE);
		more = ok && answer.n > 0;
		while (ok && str_line(&answer, &line))
			if (!load_value(k, line, &room, &last)) {
				snprintf(c->message, sizeof(c->message),
				    "%s gives a value two numbers, or a number two values", table);
				ok = false;
			}
	}
	buf_free(&room);
	return ok;
}
