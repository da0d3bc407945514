/* SPDX-License-Identifier: ISC */
/* The nginx upstream file as the masters read it: pure text in, pools out. Only upstream blocks may stand
   in it; directives of a block other than server are nginx's affair. */
#include "config.h"

#include "daemon/daemon.h"

#include <errno.h>

enum token { TOKEN_END, TOKEN_WORD, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_SEMICOLON, TOKEN_BAD };
enum { WORD_ROOM = 256, FILE_MAX = 1 << 20 };

struct reader {
	const char *p, *end;
	unsigned line;
	const char *fault;        /* what is wrong; NULL: nothing yet */
	size_t n;                 /* of word */
	char word[WORD_ROOM + 1]; /* of the last TOKEN_WORD, unquoted */
	struct pool *pools;
	size_t count;
};

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
skip_blank(struct reader *r)
{
	for (bool comment = false; r->p < r->end; r->p++) {
		if (*r->p == '#')
			comment = true;
		if (*r->p == '\n') {
			comment = false;
			r->line++;
		}
		if (!comment && !is_space(*r->p))
			return;
	}
}

static enum token
fault(struct reader *r, const char *what)
{
	if (r->fault == NULL)
		r->fault = what;
	return TOKEN_BAD;
}

static bool
take(struct reader *r, char c)
{
	if (r->n == WORD_ROOM || (unsigned char)c < 0x20)
		return false;
	r->word[r->n++] = c;
	return true;
}

static bool
ends_word(char c)
{
	return is_space(c) || c == ';' || c == '{' || c == '}';
}

/* A quote counts at the beginning of a word alone, a backslash hides the next byte: nginx's rules. */
static enum token
read_word(struct reader *r)
{
	char quote = *r->p == '"' || *r->p == '\'' ? *r->p++ : '\0';

	for (r->n = 0; r->p < r->end; r->p++) {
		if (quote != '\0' ? *r->p == quote : ends_word(*r->p))
			break;
		if (*r->p == '\\' && r->p + 1 < r->end)
			r->p++;
		if (!take(r, *r->p))
			return fault(
			    r, "a word is too long or holds a control character");
	}
	if (quote != '\0' && r->p == r->end)
		return fault(r, "a quote is not closed");
	r->p += quote != '\0';
	if (quote != '\0' && r->p < r->end && (!ends_word(*r->p) || *r->p == '}'))
		return fault(r, "something follows a closing quote");
	r->word[r->n] = '\0';
	return TOKEN_WORD;
}

static enum token
next(struct reader *r)
{
	skip_blank(r);
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
pool_of(struct reader *r, const char *name, const char *path)
{
	struct pool *pool;

	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->pools[i].path, path) == 0)
			return &r->pools[i];
	if (r->count == POOLS_MAX) {
		fault(r, "too many pools");
		return NULL;
	}
	pool = &r->pools[r->count++];
	*pool = (struct pool){ .workers = 0 };
	snprintf(pool->name, sizeof(pool->name), "%s", name);
	snprintf(pool->path, sizeof(pool->path), "%s", path);
	return pool;
}

/* "unix:/path", or "unix:/path:" with nginx's optional colon at its end is not accepted: one spelling. */
static const char *
unix_path(struct reader *r)
{
	const char *path = r->word + 5;

	if (strncmp(r->word, "unix:", 5) != 0)
		return NULL;
	if (path[0] != '/' || r->n - 5 >= sizeof(r->pools->path)) {
		fault(r, "a socket path must be absolute and at most 107 bytes");
		return NULL;
	}
	return path;
}

/* weight=N counts; backup and down lines get no worker of their own. */
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
	enum token t = next(r);
	struct pool *pool = NULL;
	unsigned weight = 1;
	const char *path;

	if (t != TOKEN_WORD) {
		fault(r, "server without an address");
		return false;
	}
	path = unix_path(r);
	if (path != NULL)
		pool = pool_of(r, name, path);
	while (r->fault == NULL && (t = next(r)) == TOKEN_WORD)
		if (!server_parameter(r, &weight))
			fault(r, "weight must be from 1 to 512");
	if (r->fault == NULL && t != TOKEN_SEMICOLON)
		fault(r, "expected ; after server");
	if (pool != NULL)
		pool->workers += weight;
	return r->fault == NULL;
}

static bool
skip_directive(struct reader *r)
{
	enum token t;

	while ((t = next(r)) == TOKEN_WORD)
		continue;
	if (t != TOKEN_SEMICOLON)
		fault(r, "expected ; after a directive");
	return r->fault == NULL;
}

static bool
read_upstream(struct reader *r)
{
	char name[sizeof(r->pools->name)];
	enum token t;

	if (next(r) != TOKEN_WORD || r->n == 0 || r->n >= sizeof(name)) {
		fault(r, "upstream needs a name of at most 63 bytes");
		return false;
	}
	memcpy(name, r->word, r->n + 1);
	if (next(r) != TOKEN_OPEN) {
		fault(r, "expected { after the upstream's name");
		return false;
	}
	while ((t = next(r)) == TOKEN_WORD)
		if (!(strcmp(r->word, "server") == 0 ? read_server(r, name)
						     : skip_directive(r)))
			return false;
	if (t != TOKEN_CLOSE)
		fault(r, "expected a directive or }");
	return r->fault == NULL;
}

static void
judge(struct reader *r)
{
	unsigned sum = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->pools[i].workers == 0)
			fault(r, "a socket has no server line that counts (all backup or "
				 "down)");
		sum += r->pools[i].workers;
	}
	if (r->count == 0)
		fault(r, "no server with a unix: socket");
	if (sum > WORKERS_MAX)
		fault(r, "more than 512 workers");
}

bool
pools_parse(
    struct str text, struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	struct reader r = {
		.p = text.p, .end = text.p + text.n, .line = 1, .pools = out
	};
	enum token t = TOKEN_END;

	while (r.fault == NULL && (t = next(&r)) == TOKEN_WORD &&
	       strcmp(r.word, "upstream") == 0)
		if (!read_upstream(&r))
			break;
	if (r.fault == NULL && t != TOKEN_END)
		fault(&r, "only upstream blocks may stand here");
	if (r.fault == NULL)
		judge(&r);
	*n = r.count;
	if (r.fault != NULL)
		snprintf(err, room, "%u: %s", r.line, r.fault);
	return r.fault == NULL;
}

bool
pools_read(const char *path, bool (*wanted)(const struct pool *p),
    struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
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
