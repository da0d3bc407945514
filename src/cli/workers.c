/* SPDX-License-Identifier: ISC */
/* surfacectl workers: compares the upstream file, which alone defines the numbers of workers, with
   the masters, their workers, and nginx's loaded configuration. Prints the reloads that are due, in
   an order that leaves no request without a worker: a growing pool gets workers before nginx sends
   requests to it, and nginx stops sending requests to a shrinking pool before its workers end. */
#include "config.h"

#include "cli/cli.h"
#include "cli/nginx.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

/* The daemons behind nginx; the first serves all upstreams but one. */
static const char *const units[] = { "surfaced", "surfaced-stream" };

enum { UNITS = COUNT(units), LINES_MAX = (UNITS + 1) * POOLS_MAX };

struct line {
	struct str pool, socket, state;
	int64_t file, master, running, busy, searching, served, longest_ms;
	struct json nginx; /* null: nginx's loaded configuration is not known */
};

static const struct field line_out[] = {
	FIELD(struct line, pool, 0),
	FIELD(struct line, file, 0),
	FIELD(struct line, master, 0),
	OPTIONAL(struct line, nginx, FIELD_INT, NULLABLE, 0, 0),
	FIELD(struct line, running, 0),
	FIELD(struct line, busy, 0),
	FIELD(struct line, searching, 0),
	FIELD(struct line, served, 0),
	FIELD(struct line, longest_ms, 0),
	FIELD(struct line, state, 0),
	FIELD(struct line, socket, 0),
	FIELD_END,
};

struct report {
	struct list pools, next; /* next: the commands to run, in this order */
	struct str reason;       /* why they are due, or why the state is not known */
};

static const struct field report_out[] = {
	LIST(struct report, pools, 0, struct line, line_out, 0, 0),
	LIST_OF(struct report, next, 0, struct str, 0, 0),
	FIELD(struct report, reason, NULLABLE),
	FIELD_END,
};

struct scene {
	struct pool file[POOLS_MAX];
	size_t nfile;
	struct daemon_view masters[UNITS]; /* master 0: the daemon does not run */
	bool due[UNITS];                   /* the master has not read the present file */
	struct nginx nginx;
	bool grows, shrinks;
};

/* ---- one line for each pool ---- */

/* Finds a pool by its socket, since its name may have changed. NULL: the master does not have
   it. */
static const struct pool_view *
find_view(const struct daemon_view *v, const char *path, unsigned *wanted)
{
	*wanted = 0;
	for (size_t i = 0; i < v->pool_count; i++)
		if (strcmp(v->pools[i].path, path) == 0) {
			*wanted = v->pools[i].workers;
			return &v->views[i];
		}
	return NULL;
}

static bool
is_in_file(const struct scene *s, const char *path)
{
	for (size_t i = 0; i < s->nfile; i++)
		if (strcmp(s->file[i].path, path) == 0)
			return true;
	return false;
}

/* nginx has loaded the output of nginx -T, unless a file changed after that. */
static bool
nginx_known(const struct scene *s)
{
	return s->nginx.state == NGINX_RUNS && !ts_is_null(s->nginx.loaded) &&
	       !nginx_missed(&s->nginx, conf.upstreams);
}

static size_t
unit_of(const struct pool *p)
{
	const char *name = nginx_unit(p->name);

	for (size_t i = 0; i < UNITS; i++)
		if (strcmp(units[i], name) == 0)
			return i;
	panic("no unit %s", name);
}

static struct str
judge_pool(struct scene *s, const struct line *l, size_t unit, const char *path)
{
	bool known = nginx_known(s);

	if (s->masters[unit].master == 0)
		return STR("stopped");
	if (l->master != l->file) {
		s->due[unit] = true;
		s->grows |= l->file > l->master;
		s->shrinks |= l->file < l->master;
		return STR("reload needed");
	}
	if (s->nginx.state == NGINX_STOPPED)
		return STR("nginx stopped");
	if (known && nginx_weight(&s->nginx, path) == 0)
		return STR("not in nginx");
	if (l->running != l->file)
		return STR("changing");
	return s->nginx.state == NGINX_RUNS && !known ? STR("nginx reload needed") : STR("ok");
}

static void
compare_pool(struct cli *c, struct scene *s, struct line *l, const struct pool *p, unsigned file)
{
	size_t unit = unit_of(p);
	unsigned wanted;
	const struct pool_view *seen = find_view(&s->masters[unit], p->path, &wanted);

	*l = (struct line){
		.pool = str_of(p->name), .socket = str_of(p->path), .file = file, .master = wanted
	};
	if (nginx_known(s))
		l->nginx.text = arena_printf(c->arena, "%u", nginx_weight(&s->nginx, p->path));
	if (seen != NULL) {
		l->running = seen->running;
		l->busy = seen->busy;
		l->searching = seen->searching;
		l->served = (int64_t)seen->served;
		l->longest_ms = seen->longest_us / 1000;
	}
	l->state = judge_pool(s, l, unit, p->path);
}

/* The pools of the file, then the pools that only a master has. */
static struct list
compare_all(struct cli *c, struct scene *s)
{
	struct line *lines = ARENA_ARRAY(c->arena, LINES_MAX, struct line);
	size_t n = 0;

	for (size_t i = 0; i < s->nfile; i++)
		compare_pool(c, s, &lines[n++], &s->file[i], s->file[i].workers);
	for (size_t u = 0; u < UNITS; u++)
		for (size_t i = 0; i < s->masters[u].pool_count; i++)
			if (!is_in_file(s, s->masters[u].pools[i].path))
				compare_pool(c, s, &lines[n++], &s->masters[u].pools[i], 0);
	return (struct list){ lines, n };
}

/* ---- advice ---- */

/* A socket must have workers before nginx sends requests to it, and get no requests when its
   workers end:

     a pool grows      reload surfaced, then nginx     workers first
     a pool shrinks    reload nginx, then surfaced     requests stop first
     both              two changes of the file, so that each has one right order

   In any other order nginx connects to a socket without a worker, and requests fail. nginx is
   reloaded only when it runs and has not loaded the present file. */
static void
add_advice(struct cli *c, const struct scene *s, struct report *r)
{
	struct str *steps = ARENA_ARRAY(c->arena, UNITS + 1, struct str);
	bool nginx = s->nginx.state == NGINX_RUNS && !nginx_known(s), due = false;

	if (nginx && !s->grows)
		steps[r->next.n++] = STR("systemctl reload nginx");
	for (size_t u = 0; u < UNITS; u++) {
		if (s->due[u])
			steps[r->next.n++] =
			    arena_printf(c->arena, "systemctl reload %s", units[u]);
		due |= s->due[u];
	}
	if (nginx && s->grows)
		steps[r->next.n++] = STR("systemctl reload nginx");
	r->next.items = steps;
	if (s->masters[0].master == 0)
		r->reason = STR("surfaced does not run: systemctl start surfaced");
	else if (s->nginx.state == NGINX_BROKEN)
		r->reason = s->nginx.complaint;
	else if (s->grows && s->shrinks)
		r->reason = STR("some pools grow and some shrink: where a socket goes, do "
				"it in two changes, first what grows");
	else if (due && nginx)
		r->reason = s->grows ? STR("it grows: workers first, then nginx")
				     : STR("it shrinks: nginx first, then the workers");
}

static int
print_report(const struct cli *c, const struct report *r)
{
	struct buf b = { .a = c->arena };

	if (c->json) {
		json_write(&b, report_out, r);
		buf_char(&b, '\n');
		fwrite(b.p, 1, b.n, stdout);
		return EXIT_OK;
	}
	cli_print_list(c, "pools", line_out, r->pools, sizeof(struct line));
	for (size_t i = 0; i < r->next.n; i++)
		printf(
		    "%s %s\n", i == 0 ? "-> " : "then", ((const struct str *)r->next.items)[i].p);
	if (r->reason.p != NULL)
		printf("(%.*s)\n", (int)r->reason.n, r->reason.p);
	return EXIT_OK;
}

/* Queries the master of a unit through the first socket that answers; false: it runs but cannot be
   queried. */
static bool
query_master(struct scene *s, size_t unit)
{
	struct daemon_view *v = &s->masters[unit];
	char err[256] = "";

	for (size_t i = 0; i < s->nfile && v->master == 0; i++)
		if (unit_of(&s->file[i]) == unit &&
		    daemon_view(s->file[i].path, v, err, sizeof(err)))
			return true;
	if (v->master == 0)
		return true;
	cli_fail(EXIT_FAILED, "%s", err);
	return false;
}

static int
workers(struct cli *c, int argc, char **argv)
{
	static struct scene s;
	struct str file = STR_NULL;
	const struct cli_option options[] = { { "nginx", .text = &file }, { NULL } };
	struct report r = { .reason = STR_NULL };
	struct cli_list words;
	char err[512];

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (!pools_read(conf.upstreams, NULL, s.file, &s.nfile, err, sizeof(err)))
		return cli_fail(EXIT_FAILED, "%s", err);
	for (size_t u = 0; u < UNITS; u++)
		if (!query_master(&s, u))
			return EXIT_FAILED;
	nginx_look(c->arena, file.p, &s.nginx);
	r.pools = compare_all(c, &s);
	add_advice(c, &s, &r);
	return print_report(c, &r);
}

static const struct command workers_command = {
	.name = "workers",
	.arguments = "[--nginx FILE]",
	.help = "the nginx upstream file beside the workers that run, and what to reload",
	.run = workers,
};

COMMAND(workers_command);
