/* SPDX-License-Identifier: ISC */
/* The servers of a cluster, and the tables of layouts on them (cluster.h). */
#include "config.h"

#include "daemon/conf.h"
#include "search/clickhouse/cluster.h"

#include <inttypes.h>
#include <stdarg.h>

enum { ANSWER_MAX = 1 << 28, PATIENCE_S = 120 };

/* An INSERT waits until every shard has stored its part, and fails after these timeouts when a
   shard does not respond. */
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

	c->too_large = a.too_large;
	if (rc != CH_OK)
		snprintf(c->message, sizeof(c->message), "%s%s%.64s: %.300s", ch_rc_name(rc),
		    rc == CH_MISCONFIGURED ? ", user " : "",
		    rc == CH_MISCONFIGURED ? c->server.user : "", a.message);
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

bool
ch_take_number(struct str *line, int64_t *out)
{
	struct str part;

	return str_part(line, '\t', &part) && str_int64(part, out);
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
	*shards = str_line(&answer, &line) && ch_take_number(&line, &n) ? (unsigned)n : 0;
	if (*shards == 0)
		snprintf(
		    c->message, sizeof(c->message), "the server has no cluster named surfaced");
	else if (*shards > c->nurls)
		snprintf(c->message, sizeof(c->message),
		    "the cluster has %u shards, and clickhouse_servers names %u servers", *shards,
		    c->nurls);
	return *shards > 0 && *shards <= c->nurls;
}

/* ---- tables ---- */

/* Runs the statements of a script, each of which ends with ";\n", at one server. */
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

static struct ch_http *
open_server(const struct ch_cluster *c, unsigned i)
{
	struct ch_server server = c->server;

	server.url = c->urls[i];
	return ch_http_open(&server);
}

/* Runs a script at every server. */
static bool
run_everywhere(struct ch_cluster *c, struct str script)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < c->nurls; i++) {
		struct ch_http *h = open_server(c, i);

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

/* Counts how many of the two local tables of a layout a server has, and reads the number of its
   shard from its own configuration (0: the server is not listed). */
static bool
look_at_server(struct ch_cluster *c, unsigned i, struct str sql, int64_t *tables, int64_t *shard)
{
	struct ch_http *h = open_server(c, i);
	struct ch_statement s = { .sql = sql,
		.settings = "",
		.query_id = "",
		.deadline = mono_us() + c->patience_us,
		.most = ANSWER_MAX };
	struct str answer, line;
	bool ok = run_at(c, h, &s, &answer);

	if (ok && (!str_line(&answer, &line) || !ch_take_number(&line, tables) ||
		      !ch_take_number(&line, shard))) {
		snprintf(c->message, sizeof(c->message), "%s: a bad row", c->urls[i]);
		ok = false;
	}
	ch_http_close(h);
	return ok;
}

/* A server is new when it became a shard after the layout was filled: its own configuration gives
   it a later shard number, or does not list it yet although there are more servers than shards. */
static bool
is_new(const struct ch_cluster *c, unsigned shards, int64_t shard)
{
	return shard > (int64_t)shards || (shard == 0 && c->nurls > shards);
}

bool
ch_layout_lost(
    struct ch_cluster *c, enum dataset d, unsigned layout, unsigned shards, const char **server)
{
	char rows[CH_NAME], dict[CH_NAME];
	struct buf sql = { 0 };
	bool ok = true;

	*server = NULL;
	ch_table_name(d, layout, CH_LOCAL_ROWS, rows);
	ch_table_name(d, layout, CH_LOCAL_DICT, dict);
	buf_printf(&sql,
	    "SELECT (SELECT count() FROM system.tables WHERE database = currentDatabase() AND name "
	    "IN ('%s', '%s')), (SELECT max(shard_num) FROM system.clusters WHERE cluster = "
	    "'surfaced' AND is_local) FORMAT TabSeparated",
	    rows, dict);
	/* Replicated tables are not checked: the lost table of a replica cannot be created again by
	   this process, and a new replica fetches its rows from the others. */
	for (unsigned i = 0; ok && *server == NULL && !c->release.replicated && i < c->nurls; i++) {
		int64_t tables = 0, shard = 0;

		ok = look_at_server(c, i, buf_done(&sql), &tables, &shard);
		if (ok && tables < 2 && !is_new(c, shards, shard))
			*server = c->urls[i];
	}
	buf_free(&sql);
	return ok;
}
