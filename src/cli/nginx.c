/* SPDX-License-Identifier: ISC */
/* Reads nginx's configuration from nginx -T, which prints all included files, and finds from /proc when nginx
   loaded it: a reload starts new workers, so the oldest worker that still takes requests started with the
   present configuration. */
#include "config.h"

#include "cli/nginx.h"
#include "cli/process.h"
#include "daemon/daemon.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DUMP_MAX = 8 << 20, WORDS_MAX = 16, TICKS = 2 };
/* The default of nginx, and systemd's soft limit. */
enum { CONNECTIONS_DEFAULT = 512, FILES_DEFAULT = 1024 };

#define FILE_MARK "# configuration file "

/* ---- the configuration ---- */

static bool
is_nginx_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word, with n == 0 at the end. Each of ; { } is a word. Enough of
   nginx's grammar for the output of nginx -T: comments end with their line, quotes
   of both kinds keep blanks and semicolons in a word. Backslashes are not
   followed; no directive that is read here needs one. The words are views of the
   text, which stays in the arena. */
static struct str
next_word(struct str *text)
{
	struct str w;

	while (text->n > 0 && (is_nginx_space(*text->p) || *text->p == '#')) {
		const char *eol = *text->p == '#' ? memchr(text->p, '\n', text->n) : text->p;

		eol = eol == NULL ? text->p + text->n - 1 : eol;
		text->n -= (size_t)(eol + 1 - text->p);
		text->p = eol + 1;
	}
	w = (struct str){ text->p, 0 };
	if (text->n > 0 && (*w.p == '"' || *w.p == '\'')) {
		const char *end = memchr(w.p + 1, *w.p, text->n - 1);

		w = (struct str){ w.p + 1, end == NULL ? text->n - 1 : (size_t)(end - w.p - 1) };
		text->n -= end == NULL ? text->n : w.n + 2;
		text->p += end == NULL ? 0 : w.n + 2;
		return w;
	}
	while (w.n < text->n && !is_nginx_space(w.p[w.n]) && strchr(";{}", w.p[w.n]) == NULL)
		w.n++;
	if (w.n == 0 && text->n > 0)
		w.n = 1;
	text->p += w.n;
	text->n -= w.n;
	return w;
}

static struct nginx_socket *
socket_of(struct nginx *n, struct str path)
{
	for (size_t i = 0; i < n->nsockets; i++)
		if (str_eq(n->sockets[i].path, path))
			return &n->sockets[i];
	if (n->nsockets == NGINX_SOCKETS)
		return NULL;
	n->sockets[n->nsockets].path = path;
	return &n->sockets[n->nsockets++];
}

static void
take_server(struct nginx *n, const struct str *words, size_t count)
{
	struct nginx_socket *s;
	int64_t weight = 1;

	for (size_t i = 2; i < count; i++) {
		struct str number = { words[i].p + 7, words[i].n - 7 };

		if (str_is(words[i], "backup") || str_is(words[i], "down"))
			return;
		if (str_starts(words[i], STR("weight=")) && !str_int64(number, &weight))
			weight = 1;
	}
	s = socket_of(n, (struct str){ words[1].p + 5, words[1].n - 5 });
	if (s != NULL)
		s->weight += (unsigned)weight;
}

static void
take_limit(int64_t *to, const struct str *words, const char *directive)
{
	int64_t n;

	if (str_is(words[0], directive) && str_int64(words[1], &n))
		*to = n;
}

static void
take_certificate(struct nginx *n, struct str path)
{
	if (path.n == 0 || path.p[0] != '/' || memchr(path.p, '$', path.n) != NULL)
		return;
	for (size_t i = 0; i < n->ncerts; i++)
		if (str_eq(n->certs[i], path))
			return;
	if (n->ncerts < NGINX_CERTS)
		n->certs[n->ncerts++] = path;
}

/* The server block that is being read. Its names and certificates may come in any order, so they are paired when
   the block ends. */
struct block {
	struct str names[WORDS_MAX], certs[WORDS_MAX];
	size_t depth, server, nnames,
	    ncerts; /* server: the depth of the server block; 0: outside one */
	bool api;   /* the block includes surfaced.conf, whose text nginx -T prints elsewhere */
};

/* A name that a client can request literally, not a pattern. */
static bool
is_plain_name(struct str name)
{
	return name.n > 0 && name.p[0] != '.' && strspn(name.p, "0123456789.:[]") < name.n &&
	       memchr(name.p, '*', name.n) == NULL && memchr(name.p, '~', name.n) == NULL &&
	       memchr(name.p, '_', name.n) == NULL && memchr(name.p, '$', name.n) == NULL;
}

static void
take_block(struct block *b, const struct str *words, size_t count)
{
	bool names = str_is(words[0], "server_name");

	if (b->server > 0 && str_is(words[0], "include") &&
	    str_ends(words[1], STR("/surfaced.conf")))
		b->api = true;
	if (b->server == 0 || (!names && !str_is(words[0], "ssl_certificate")))
		return;
	for (size_t i = 1; i < count; i++)
		if (names && is_plain_name(words[i]) && b->nnames < WORDS_MAX)
			b->names[b->nnames++] = words[i];
		else if (!names && b->ncerts < WORDS_MAX)
			b->certs[b->ncerts++] = words[i];
}

static void
end_block(struct nginx *n, struct block *b)
{
	for (size_t i = 0; i < b->ncerts; i++)
		for (size_t k = 0; k < b->nnames && n->nnames < NGINX_NAMES; k++)
			n->names[n->nnames++] = (struct nginx_name){ b->certs[i], b->names[k] };
	if (b->api && b->nnames > 0 && n->site.p == NULL)
		n->site = b->names[0];
	b->server = b->nnames = b->ncerts = 0;
	b->api = false;
}

/* Handles the words before one of ; { } in their block. */
static void
handle_words(struct nginx *n, struct block *b, char sign, const struct str *words, size_t count)
{
	if (sign == '{') {
		b->depth++;
		if (count == 1 && str_is(words[0], "server"))
			b->server = b->depth;
	} else if (sign == '}') {
		if (b->depth == b->server)
			end_block(n, b);
		b->depth -= b->depth > 0;
	} else if (count > 1) {
		take_block(b, words, count);
	}
}

static void
take_directive(struct nginx *n, const struct str *words, size_t count)
{
	if (count < 2)
		return;
	take_limit(&n->connections, words, "worker_connections");
	take_limit(&n->files, words, "worker_rlimit_nofile");
	if (str_is(words[0], "user"))
		n->user = words[1];
	if (str_is(words[0], "pid"))
		n->pid_file = words[1];
	if (str_is(words[0], "server_name") && str_is(words[1], "surfaced-loop"))
		n->loop = true;
	if (str_is(words[0], "location") && str_is(words[1], "@surfaced_long"))
		n->api = true;
	if (str_is(words[0], "server") && str_starts(words[1], STR("unix:")))
		take_server(n, words, count);
	if (str_is(words[0], "ssl_certificate"))
		take_certificate(n, words[1]);
}

static void
parse_words(struct nginx *n, struct str text)
{
	struct str words[WORDS_MAX], w;
	struct block b = { 0 };
	size_t count = 0;

	while ((w = next_word(&text)).p != NULL && (w.n > 0 || text.n > 0)) {
		if (w.n == 1 && strchr(";{}", *w.p) != NULL) {
			take_directive(n, words, count);
			handle_words(n, &b, *w.p, words, count);
			count = 0;
		} else if (count < WORDS_MAX) {
			words[count++] = w;
		}
	}
}

/* The configuration, without the result of the test that nginx prints before it. */
static struct str
skip_test_result(struct str text)
{
	static const char mark[] = FILE_MARK;
	const char *at = memmem(text.p, text.n, mark, sizeof(mark) - 1);

	return at == NULL ? STR("") : (struct str){ at, text.n - (size_t)(at - text.p) };
}

/* nginx's error message without its time and process. */
static struct str
error_message(struct str text)
{
	static const char mark[] = "[emerg]";
	const char *at = memmem(text.p, text.n, mark, sizeof(mark) - 1), *end;

	if (at == NULL)
		return STR("nginx -t fails");
	end = memchr(at, '\n', text.n - (size_t)(at - text.p));
	return (
	    struct str){ at, end == NULL ? text.n - (size_t)(at - text.p) : (size_t)(end - at) };
}

/* ---- the time of loading ---- */

static bool
read_small(const char *path, char *text, size_t room)
{
	FILE *in = fopen(path, "re");
	size_t n;

	if (in == NULL)
		return false;
	n = fread(text, 1, room - 1, in);
	text[n] = '\0';
	fclose(in);
	return n > 0;
}

static int
read_pid(struct arena *a, struct str file)
{
	char text[32] = "";
	int64_t pid = 0;

	if (!read_small(
		file.p == NULL ? "/run/nginx.pid" : arena_str(a, file).p, text, sizeof(text)) ||
	    !str_int64(str_trim(str_of(text)), &pid))
		return 0;
	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM) ? (int)pid : 0;
}

/* The field `wanted` of /proc/PID/stat, counted as in proc(5); text points to the end of field 2. */
static int64_t
stat_number(const char *text, int wanted)
{
	const char *p = text;
	int64_t n = 0;

	for (int at = 2; at < wanted && p != NULL; at++)
		p = strchr(p + 1, ' ');
	if (p == NULL || !str_int64((struct str){ p + 1, strcspn(p + 1, " \n") }, &n))
		return 0;
	return n;
}

/* The start of a worker in ticks since boot; 0: pid is not a worker of this master, or is shutting down. */
static int64_t
worker_start(const char *pid, int master)
{
	enum { PARENT = 4, START = 22 };
	char path[64], text[1024];
	const char *name_end;
	int64_t start;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (!read_small(path, text, sizeof(text)) || (name_end = strrchr(text, ')')) == NULL ||
	    stat_number(name_end, PARENT) != master)
		return 0;
	start = stat_number(name_end, START);
	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	if (!read_small(path, text, sizeof(text)) || strstr(text, "worker process") == NULL ||
	    strstr(text, "shutting down") != NULL)
		return 0;
	return start;
}

static struct ts
ticks_to_time(int64_t ticks)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (struct ts){ ts_now().us - boot.tv_sec * 1000000 - boot.tv_nsec / 1000 +
			    ticks * 1000000 / sysconf(_SC_CLK_TCK) };
}

/* The start of the oldest worker: a worker that replaced a crashed one started after the
   configuration was loaded.

     reload at 12:00      workers of 12:00, and old ones with the title "worker process is shutting down"
     crash at 13:00       one worker of 13:00, the others of 12:00
     answer               12:00

   nginx has no interface for this question. Times of /proc are in ticks since boot, so nginx_missed
   allows two ticks before it calls a file newer. A file that was edited and not yet loaded is
   found; a reload that failed is found as well, since its workers never started. */
static struct ts
find_loaded(int master)
{
	DIR *dir = opendir("/proc");
	int64_t oldest = 0;
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		int64_t start = e->d_name[0] >= '1' && e->d_name[0] <= '9'
				    ? worker_start(e->d_name, master)
				    : 0;

		if (start > 0 && (oldest == 0 || start < oldest))
			oldest = start;
	}
	if (dir != NULL)
		closedir(dir);
	return oldest == 0 ? TS_NULL : ticks_to_time(oldest);
}

bool
nginx_missed(const struct nginx *n, const char *path)
{
	int64_t tick = 1000000 / sysconf(_SC_CLK_TCK);
	struct stat st;

	if (ts_is_null(n->loaded) || stat(path, &st) != 0)
		return false;
	return (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 >
	       n->loaded.us + TICKS * tick;
}

/* Checks every file that nginx read, and the certificates, which are renewed independently. */
static void
find_stale(struct arena *a, struct nginx *n, struct str text)
{
	static const char mark[] = FILE_MARK;
	const char *at, *end;

	while (
	    n->stale.p == NULL && (at = memmem(text.p, text.n, mark, sizeof(mark) - 1)) != NULL) {
		struct str path;

		text.n -= (size_t)(at - text.p) + sizeof(mark) - 1;
		text.p = at + sizeof(mark) - 1;
		end = memchr(text.p, '\n', text.n);
		if (end == NULL || end == text.p)
			break;
		path = arena_str(a, (struct str){ text.p, (size_t)(end - text.p) - 1 });
		if (nginx_missed(n, path.p))
			n->stale = path;
	}
	for (size_t i = 0; i < n->ncerts && n->stale.p == NULL; i++)
		if (nginx_missed(n, arena_str(a, n->certs[i]).p))
			n->stale = n->certs[i];
}

/* ---- the whole ---- */

unsigned
nginx_weight(const struct nginx *n, const char *path)
{
	for (size_t i = 0; i < n->nsockets; i++)
		if (str_is(n->sockets[i].path, path))
			return n->sockets[i].weight;
	return 0;
}

const char *
nginx_unit(const char *upstream)
{
	return strcmp(upstream, POOL_STREAM) == 0 ? "surfaced-stream" : "surfaced";
}

void
nginx_look(struct arena *a, const char *file, struct nginx *out)
{
	const char *program = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx";
	char *argv[] = { (char *)(uintptr_t)program, "-T", file != NULL ? "-c" : NULL,
		(char *)(uintptr_t)file, NULL };
	struct buf given = { .a = a };
	int status = process_read(argv, &given, DUMP_MAX);
	struct str text = skip_test_result(buf_done(&given));

	*out = (struct nginx){
		.loaded = TS_NULL, .connections = CONNECTIONS_DEFAULT, .files = FILES_DEFAULT
	};
	if (status == PROCESS_ABSENT)
		return;
	out->state = NGINX_BROKEN;
	out->complaint = error_message(buf_done(&given));
	if (status != 0)
		return;
	parse_words(out, text);
	out->master = read_pid(a, out->pid_file);
	out->state = out->master > 0 ? NGINX_RUNS : NGINX_STOPPED;
	if (out->master > 0)
		out->loaded = find_loaded(out->master);
	find_stale(a, out, text);
}
