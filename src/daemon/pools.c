/* SPDX-License-Identifier: ISC */
/* The parser of the nginx upstream file. The masters and nginx read the same file, so the number of
   workers and the weights that nginx balances by cannot differ:

     upstream surfaced_api {
             server unix:/run/surfaced/api.sock weight=8;    a pool of 8 workers
             server unix:/run/surfaced/search.sock backup;   no worker: for nginx in an emergency
     }

   The parser is a function from text to pools, without I/O, with nginx's rules for quotes and
   backslashes. The file may contain upstream blocks only. Directives other than server are skipped;
   nginx checks them. */
#include "config.h"

#include "daemon/daemon.h"

#include <errno.h>

enum token { TOKEN_END, TOKEN_WORD, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_SEMICOLON, TOKEN_BAD };
enum { WORD_ROOM = 256, FILE_MAX = 1 << 20 };

struct reader {
	const char *p, *end;
	unsigned line;
	const char *fault;        /* first syntax error; NULL: none yet */
	size_t n;                 /* length of word */
	char word[WORD_ROOM + 1]; /* text of the last TOKEN_WORD, unquoted */
	struct pool *pools;
	size_t count;
};

static void
skip_blanks_and_comments(struct reader *r)
{
	for (bool comment = false; r->p < r->end; r->p++) {
		if (*r->p == '#')
			comment = true;
		if (*r->p == '\n') {
			comment = false;
			r->line++;
		}
		if (!comment && !ascii_space(*r->p))
			return;
	}
}

static enum token
set_syntax_fault(struct reader *r, const char *what)
{
	if (r->fault == NULL)
		r->fault = what;
	return TOKEN_BAD;
}

static bool
append_to_word(struct reader *r, char c)
{
	if (r->n == WORD_ROOM || (unsigned char)c < 0x20)
		return false;
	r->word[r->n++] = c;
	return true;
}

static bool
ends_nginx_word(char c)
{
	return ascii_space(c) || c == ';' || c == '{' || c == '}';
}

/* Reads a word by nginx's rules: a quote is special only at the beginning of a word, and a
   backslash makes the next byte an ordinary one. */
static enum token
read_word(struct reader *r)
{
	char quote = *r->p == '"' || *r->p == '\'' ? *r->p++ : '\0';

	for (r->n = 0; r->p < r->end; r->p++) {
		if (quote != '\0' ? *r->p == quote : ends_nginx_word(*r->p))
			break;
		if (*r->p == '\\' && r->p + 1 < r->end)
			r->p++;
		if (!append_to_word(r, *r->p))
			return set_syntax_fault(
			    r, "a word is too long or holds a control character");
	}
	if (quote != '\0' && r->p == r->end)
		return set_syntax_fault(r, "a quote is not closed");
	r->p += quote != '\0';
	if (quote != '\0' && r->p < r->end && (!ends_nginx_word(*r->p) || *r->p == '}'))
		return set_syntax_fault(r, "something follows a closing quote");
	r->word[r->n] = '\0';
	return TOKEN_WORD;
}

static enum token
next_token(struct reader *r)
{
	skip_blanks_and_comments(r);
	if (r->p == r->end)
		return TOKEN_END;
	switch (*r->p) {
	case '{':
		r->p++;
		return TOKEN_OPEN;
	case '}':
		r->p++;
		return TOKEN_CLOSE;
	case ';':
		r->p++;
		return TOKEN_SEMICOLON;
	}
	return read_word(r);
}

static struct pool *
find_or_add_pool(struct reader *r, const char *name, const char *path)
{
	struct pool *pool;

	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->pools[i].path, path) == 0)
			return &r->pools[i];
	if (r->count == POOLS_MAX) {
		set_syntax_fault(r, "too many pools");
		return NULL;
	}
	pool = &r->pools[r->count++];
	*pool = (struct pool){ .workers = 0 };
	snprintf(pool->name, sizeof(pool->name), "%s", name);
	snprintf(pool->path, sizeof(pool->path), "%s", path);
	return pool;
}

/* The path of the current word "unix:/path"; NULL for any other address, or with a fault set for a
   bad path. */
static const char *
unix_path(struct reader *r)
{
	const char *path = r->word + 5;

	if (strncmp(r->word, "unix:", 5) != 0)
		return NULL;
	if (path[0] != '/' || r->n - 5 >= sizeof(r->pools->path)) {
		set_syntax_fault(r, "a socket path must be absolute and at most 107 bytes");
		return NULL;
	}
	return path;
}

/* Applies one parameter of a server line. weight=N is the number of workers; a backup or down line
   has none. */
static bool
server_parameter(struct reader *r, unsigned *weight)
{
	int64_t n;

	if (strcmp(r->word, "backup") == 0 || strcmp(r->word, "down") == 0)
		*weight = 0;
	if (strncmp(r->word, "weight=", 7) != 0)
		return true;
	if (!str_int64(str_of(r->word + 7), &n) || n < 1 || n > WORKERS_MAX)
		return false;
	if (*weight > 0)
		*weight = (unsigned)n;
	return true;
}

static bool
read_server(struct reader *r, const char *name)
{
	enum token t = next_token(r);
	struct pool *pool = NULL;
	unsigned weight = 1;
	const char *path;

	if (t != TOKEN_WORD) {
		set_syntax_fault(r, "server without an address");
		return false;
	}
	path = unix_path(r);
	if (path != NULL)
		pool = find_or_add_pool(r, name, path);
	while (r->fault == NULL && (t = next_token(r)) == TOKEN_WORD)
		if (!server_parameter(r, &weight))
			set_syntax_fault(r, "weight must be from 1 to 512");
	if (r->fault == NULL && t != TOKEN_SEMICOLON)
		set_syntax_fault(r, "expected ; after server");
	if (pool != NULL)
		pool->workers += weight;
	return r->fault == NULL;
}

static bool
skip_directive(struct reader *r)
{
	enum token t;

	while ((t = next_token(r)) == TOKEN_WORD)
		continue;
	if (t != TOKEN_SEMICOLON)
		set_syntax_fault(r, "expected ; after a directive");
	return r->fault == NULL;
}

static bool
read_upstream(struct reader *r)
{
	char name[sizeof(r->pools->name)];
	enum token t;

	if (next_token(r) != TOKEN_WORD || r->n == 0 || r->n >= sizeof(name)) {
		set_syntax_fault(r, "upstream needs a name of at most 63 bytes");
		return false;
	}
	memcpy(name, r->word, r->n + 1);
	if (next_token(r) != TOKEN_OPEN) {
		set_syntax_fault(r, "expected { after the upstream's name");
		return false;
	}
	while ((t = next_token(r)) == TOKEN_WORD)
		if (!(strcmp(r->word, "server") == 0 ? read_server(r, name) : skip_directive(r)))
			return false;
	if (t != TOKEN_CLOSE)
		set_syntax_fault(r, "expected a directive or }");
	return r->fault == NULL;
}

static void
check_pool_sizes(struct reader *r)
{
	unsigned sum = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->pools[i].workers == 0)
			set_syntax_fault(r,
			    "a socket has no server line that counts (all backup or "
			    "down)");
		sum += r->pools[i].workers;
	}
	if (r->count == 0)
		set_syntax_fault(r, "no server with a unix: socket");
	if (sum > WORKERS_MAX)
		set_syntax_fault(r, "more than 512 workers");
}

bool
pools_parse(struct str text, struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	struct reader r = { .p = text.p, .end = text.p + text.n, .line = 1, .pools = out };
	enum token t = TOKEN_END;

	while (r.fault == NULL && (t = next_token(&r)) == TOKEN_WORD &&
	       strcmp(r.word, "upstream") == 0)
		if (!read_upstream(&r))
			break;
	if (r.fault == NULL && t != TOKEN_END)
		set_syntax_fault(&r, "only upstream blocks may stand here");
	if (r.fault == NULL)
		check_pool_sizes(&r);
	*n = r.count;
	if (r.fault != NULL)
		snprintf(err, room, "%u: %s", r.line, r.fault);
	return r.fault == NULL;
}

bool
pools_read(const char *path, bool (*wanted)(const struct pool *p), struct pool out[POOLS_MAX],
    size_t *n, char *err, size_t room)
{
	struct buf text = { 0 };
	size_t all = 0;
	char why[256];
	bool ok = file_read(path, FILE_MAX, &text);

	if (!ok)
		snprintf(err, room, "%s: %s", path, strerror(errno));
	else if (!(ok = pools_parse(buf_done(&text), out, &all, why, sizeof(why))))
		snprintf(err, room, "%s:%s", path, why);
	buf_free(&text);
	*n = 0;
	for (size_t i = 0; ok && i < all; i++)
		if (wanted == NULL || wanted(&out[i]))
			out[(*n)++] = out[i];
	return ok;
}
