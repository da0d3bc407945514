/* SPDX-License-Identifier: ISC */
/* Reads nginx's configuration from nginx -T, which prints all included files. nginx_loaded.c finds
   out whether nginx runs with it. */
#include "config.h"

#include "cli/nginx_priv.h"
#include "cli/process.h"
#include "daemon/daemon.h"

#include <unistd.h>

enum { DUMP_MAX = 8 << 20, WORDS_MAX = 16 };
/* The default of nginx, and systemd's soft limit. */
enum { CONNECTIONS_DEFAULT = 512, FILES_DEFAULT = 1024 };

/* ---- the configuration ---- */

/* The next word, with n == 0 at the end. Each of ; { } is a word. Enough of
   nginx's grammar for the output of nginx -T: comments end with their line, quotes
   of both kinds keep blanks and semicolons in a word. Backslashes are not
   followed; no directive that is read here needs one. The words are views of the
   text, which stays in the arena. */
static struct str
next_word(struct str *text)
{
	struct str w;

	while (text->n > 0 && (ascii_space(*text->p) || *text->p == '#')) {
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
	while (w.n < text->n && !ascii_space(w.p[w.n]) && strchr(";{}", w.p[w.n]) == NULL)
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
add_certificate_path(struct nginx *n, struct str path)
{
	if (path.n == 0 || path.p[0] != '/' || memchr(path.p, '$', path.n) != NULL)
		return;
	for (size_t i = 0; i < n->ncerts; i++)
		if (str_eq(n->certs[i], path))
			return;
	if (n->ncerts < NGINX_CERTS)
		n->certs[n->ncerts++] = path;
}

/* The server block that is being read. Its names and certificates may come in any order, so they
   are paired when the block ends. */
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
	if (str_is(words[0], "listen") && str_starts(words[1], STR("unix:/")) &&
	    n->nlistens < NGINX_SOCKETS)
		n->listens[n->nlistens++] = (struct str){ words[1].p + 5, words[1].n - 5 };
	if (str_is(words[0], "server") && str_starts(words[1], STR("unix:")))
		take_server(n, words, count);
	if (str_is(words[0], "ssl_certificate"))
		add_certificate_path(n, words[1]);
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
	nginx_look_at_process(a, out, text);
}
