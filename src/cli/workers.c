/* SPDX-License-Identifier: ISC */
/* surfacectl workers: the upstream file, the one place of worker counts, beside what runs. */
#include "config.h"

#include "cli/cli.h"
#include "base/daemon.h"

#include <errno.h>

enum { FILE_MAX = 1 << 20 };

struct line {
	struct str pool, socket, state;
	int64_t file, running, busy, searching, served, longest_ms;
};

static const struct field line_out[] = {
	FIELD(struct line, pool, 0),
	FIELD(struct line, file, 0),
	FIELD(struct line, running, 0),
	FIELD(struct line, busy, 0),
	FIELD(struct line, searching, 0),
	FIELD(struct line, served, 0),
	FIELD(struct line, longest_ms, 0),
	FIELD(struct line, state, 0),
	FIELD(struct line, socket, 0),
	FIELD_END,
};

static bool
read_pools(struct arena *a, struct pool pools[POOLS_MAX], size_t *n)
{
	char *text = arena_alloc(a, FILE_MAX), err[256];
	FILE *in = fopen(conf.upstreams, "re");
	size_t got;

	if (in == NULL) {
		cli_fail(EXIT_FAILED, "%s: %s", conf.upstreams, strerror(errno));
		return false;
	}
	got = fread(text, 1, FILE_MAX, in);
	fclose(in);
	if (pools_parse((struct str){ text, got }, pools, n, err, sizeof(err)))
		return true;
	cli_fail(EXIT_FAILED, "%s:%s", conf.upstreams, err);
	return false;
}

/* A pool by its socket: names may have been changed since. NULL: the master does not have it. */
static const struct pool_view *
find_view(const struct daemon_view *v, const char *path, unsigned *wanted)
{
	for (size_t i = 0; i < v->pool_count; i++)
		if (strcmp(v->pools[i].path, path) == 0) {
			*wanted = v->pools[i].workers;
			return &v->views[i];
		}
	return NULL;
}

static void
compare(struct line *l, const struct pool *p, const struct daemon_view *v)
{
	unsigned wanted = 0;
	const struct pool_view *seen = find_view(v, p->path, &wanted);

	l->pool = str_of(p->name);
	l->socket = str_of(p->path);
	l->file = p->workers;
	l->state = STR("ok");
	if (v->master == 0)
		l->state = STR("stopped");
	else if (seen == NULL || wanted != p->workers)
		l->state = STR("reload needed");
	else if (seen->running != p->workers)
		l->state = STR("changing");
	if (seen == NULL)
		return;
	l->running = seen->running;
	l->busy = seen->busy;
	l->searching = seen->searching;
	l->served = (int64_t)seen->served;
	l->longest_ms = seen->longest_us / 1000;
}

/* The master behind the first socket that answers; false when there is one that hides. */
static bool
look(const struct pool *pools, size_t n, struct daemon_view *v)
{
	char err[256] = "";

	for (size_t i = 0; i < n; i++)
		if (daemon_view(pools[i].path, v, err, sizeof(err)))
			return true;
		else if (v->master != 0)
			break;
	if (v->master == 0)
		return true;
	cli_fail(EXIT_FAILED, "%s", err);
	return false;
}

static int
workers(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	static struct pool pools[POOLS_MAX];
	static struct daemon_view view;
	struct cli_list words;
	struct line *lines;
	size_t n;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	if (!read_pools(c->arena, pools, &n) || !look(pools, n, &view))
		return EXIT_FAILED;
	lines = ARENA_ARRAY(c->arena, n, struct line);
	for (size_t i = 0; i < n; i++)
		compare(&lines[i], &pools[i], &view);
	return cli_print_list(c, "pools", line_out,
	    (struct list){ .items = lines, .n = n }, sizeof(*lines));
}

const struct command workers_command = {
	.name = "workers",
	.help = "the nginx upstream file beside the workers that run",
	.run = workers,
};
