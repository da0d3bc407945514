/* SPDX-License-Identifier: ISC */
/* CDP over two pipes: splits the browser's bytes into messages, matches replies with calls by
   number, gives events to their handlers, and queues calls when the pipe is full.

   A done function may send further calls and so change the table of calls while fail_calls walks
   it. fail_calls therefore starts a bucket again after each call, and leaves calls that are newer
   than its start. */
#include "config.h"

#include "browser/runner/cdp.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
	CHUNK = 256 * 1024,
	MESSAGE_MAX =
	    64 * 1024 * 1024, /* a screenshot of the largest viewport in base64 is shorter */
	QUEUE_MAX =
	    16 * 1024 * 1024,   /* bytes of unsent calls, above which the browser counts as ended */
	KEEP_MAX = 1024 * 1024, /* memory that a buffer may keep between messages */
	ARENA_CAP = 4 * MESSAGE_MAX,
	BUCKETS = 256,
};

/* A call without a reply yet. */
struct call {
	TAILQ_ENTRY(call) next;
	int64_t id;
	cdp_done *done;
	void *arg;
	const char *method;
	size_t session_n;
	char session[];
};

TAILQ_HEAD(calls, call);

struct cdp {
	const struct cdp_side *side;
	void *arg;
	struct event *readable, *writable, *broken;
	int in, out;
	struct arena *arena;
	char *input; /* bytes that were read and not handled: the next message, incomplete */
	size_t input_n, input_room;
	struct buf queue; /* calls; the bytes up to sent have been written */
	size_t sent;
	struct calls calls[BUCKETS];
	int64_t last_id;
	bool over;
};

/* Removes the call from the table and runs its done function. */
static void
complete_call(struct cdp *c, struct call *k, const struct json_value *result)
{
	cdp_done *done = k->done;
	void *arg = k->arg;

	TAILQ_REMOVE(&c->calls[k->id % BUCKETS], k, next);
	free(k);
	if (done != NULL)
		done(arg, result);
}

/* Fails the calls of a session, or all calls if session is NULL. */
static void
fail_calls(struct cdp *c, const struct str *session)
{
	struct call *k, *next;
	int64_t last = c->last_id; /* calls that done functions send are newer and stay */

	for (size_t i = 0; i < BUCKETS; i++)
		for (k = TAILQ_FIRST(&c->calls[i]); k != NULL; k = next) {
			next = TAILQ_NEXT(k, next);
			if (k->id > last ||
			    (session != NULL &&
				!str_eq((struct str){ k->session, k->session_n }, *session)))
				continue;
			complete_call(c, k, NULL);
			next = TAILQ_FIRST(&c->calls[i]); /* done may have changed the list */
		}
}

/* Ends the connection: logs why, fails all calls, and calls closed once. */
static void
end_connection(struct cdp *c, const char *why)
{
	if (c->over) { /* calls that were sent after the end */
		fail_calls(c, NULL);
		return;
	}
	log_event(LOGP_NOTICE, "browser", "why=\"%s\"", why);
	c->over = true;
	event_del(c->readable);
	event_del(c->writable);
	fail_calls(c, NULL);
	c->side->closed(c->arg);
}

static void
handle_reply(struct cdp *c, int64_t id, const struct json_value *message)
{
	const struct json_value *error = cdp_get(message, "error");
	struct call *k;

	TAILQ_FOREACH(k, &c->calls[id % BUCKETS], next)
	if (k->id == id)
		break;
	if (k == NULL)
		return;
	if (error != NULL && k->done != NULL) {
		struct str why = cdp_text(error, "message");

		log_event(
		    LOGP_DEBUG, "call", "method=%s why=\"%.*s\"", k->method, (int)why.n, why.p);
	}
	complete_call(c, k, error != NULL ? NULL : cdp_get(message, "result"));
}

/* The UTF-16 unit of an escape "\uxxxx" at p; 0: there is no escape. */
static unsigned
utf16_escape(const char *p, size_t n)
{
	char digits[5] = "", *end;
	unsigned long u;

	if (n < 6 || p[0] != '\\' || p[1] != 'u')
		return 0;
	memcpy(digits, p + 2, 4);
	u = strtoul(digits, &end, 16);
	return end == digits + 4 ? (unsigned)u : 0;
}

static bool
is_surrogate(unsigned u, unsigned which)
{
	return (u & 0xfc00) == which;
}

/* Repairs a message in place: a lone surrogate escape becomes U+FFFD, a byte that is not UTF-8
   becomes '?'. A page may use lone surrogates in titles and addresses, Chromium copies them into
   its messages, and a page must not be able to hide its requests by making their events
   unreadable. */
static void
repair_unicode(char *p, size_t n)
{
	const unsigned high = 0xd800, low = 0xdc00;
	static const char replacement[] = "fffd";

	for (size_t i = 0; i < n; i++) {
		unsigned u = utf16_escape(p + i, n - i);

		if (is_surrogate(u, high) && is_surrogate(utf16_escape(p + i + 6, n - i - 6), low))
			i += 11;
		else if (is_surrogate(u, high) || is_surrogate(u, low))
			memcpy(p + i + 2, replacement, sizeof(replacement) - 1);
		else if (p[i] == '\\')
			i++;
	}
	for (size_t i = 0; (i += str_utf8_bad((struct str){ p + i, n - i })) < n; i++)
		p[i] = '?';
}

static const struct json_value *
parse_message(struct cdp *c, char *p, size_t n)
{
	const struct json_value *v = json_parse(c->arena, (struct str){ p, n });

	if (v != NULL)
		return v;
	repair_unicode(p, n);
	return json_parse(c->arena, (struct str){ p, n });
}

static void
handle_cdp_message(struct cdp *c, char *p, size_t n)
{
	const struct json_value *message = parse_message(c, p, n), *id;
	int64_t number;

	if (message == NULL || json_type(message) != JSON_OBJECT) {
		log_event(LOGP_NOTICE, "browser", "why=\"not JSON\" bytes=%zu", n);
		return;
	}
	id = cdp_get(message, "id");
	if (id != NULL && json_int(id, &number) && number > 0) {
		handle_reply(c, number, message);
		return;
	}
	if (c->side->event != NULL)
		c->side->event(c->arg, &(struct cdp_event){ .method = cdp_text(message, "method"),
					   .session = cdp_text(message, "sessionId"),
					   .params = cdp_get(message, "params") });
}

/* Handles all complete messages in the buffer; from: no NUL is before this offset. */
static void
handle_input(struct cdp *c, size_t from)
{
	size_t begin = 0;
	char *nul;

	while (!c->over && from < c->input_n &&
	       (nul = memchr(c->input + from, '\0', c->input_n - from)) != NULL) {
		size_t at = (size_t)(nul - c->input);

		handle_cdp_message(c, c->input + begin, at - begin);
		arena_reset(c->arena);
		begin = from = at + 1;
	}
	c->input_n -= begin;
	memmove(c->input, c->input + begin, c->input_n);
	if (c->input_n == 0 && c->input_room > KEEP_MAX) {
		free(c->input);
		c->input = NULL;
		c->input_room = 0;
	}
}

static void
grow_input(struct cdp *c)
{
	if (c->input_room - c->input_n >= CHUNK)
		return;
	c->input_room = (c->input_n + CHUNK) * 2;
	c->input = mem_grow(c->input, c->input_room);
}

static void
on_pipe_readable(int fd, short what, void *arg)
{
	struct cdp *c = arg;
	size_t before = c->input_n;
	ssize_t n;

	(void)what;
	grow_input(c);
	n = read(fd, c->input + c->input_n, CHUNK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end_connection(c, n == 0 ? "it has ended" : strerror(errno));
		return;
	}
	c->input_n += (size_t)n;
	handle_input(c, before);
	if (c->input_n > MESSAGE_MAX)
		end_connection(c, "a message is too long");
}

static void
on_pipe_broken(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	end_connection(arg, "it reads nothing");
}

/* Writes what the pipe accepts; the rest follows when the pipe is writable. */
static void
write_queue(struct cdp *c)
{
	while (c->sent < c->queue.n) {
		ssize_t n = write(c->out, c->queue.p + c->sent, c->queue.n - c->sent);

		if (n < 0 && errno == EAGAIN) {
			event_add(c->writable, NULL);
			return;
		}
		if (n < 0 &&
		    errno != EINTR) /* the browser is gone: on_pipe_readable gets its end of file */
			break;
		c->sent += n > 0 ? (size_t)n : 0;
	}
	event_del(c->writable);
	c->sent = 0;
	if (c->queue.room > KEEP_MAX)
		buf_free(&c->queue);
	else
		buf_clear(&c->queue);
}

static void
on_pipe_writable(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	write_queue(arg);
}

static void
add_call(struct cdp *c, const struct cdp_call *call)
{
	struct call *k = mem_alloc(sizeof(*k) + call->session.n);

	k->id = c->last_id;
	k->done = call->done;
	k->arg = call->arg;
	k->method = call->method;
	k->session_n = call->session.n;
	if (call->session.n > 0)
		memcpy(k->session, call->session.p, call->session.n);
	TAILQ_INSERT_TAIL(&c->calls[k->id % BUCKETS], k, next);
}

void
cdp_send(struct cdp *c, const struct cdp_call *call)
{
	struct buf *b;

	if (c == NULL)
		return;
	b = &c->queue;
	c->last_id++;
	add_call(c, call);
	if (c->over || b->n - c->sent > QUEUE_MAX) {
		event_active(c->broken, EV_TIMEOUT, 0);
		return;
	}
	buf_z(b, "{\"id\":");
	json_write_int(b, c->last_id);
	buf_z(b, ",\"method\":");
	json_write_str(b, str_of(call->method));
	if (call->session.n > 0) {
		buf_z(b, ",\"sessionId\":");
		json_write_str(b, call->session);
	}
	buf_z(b, ",\"params\":");
	if (call->fields != NULL)
		json_write(b, call->fields, call->in);
	else
		buf_z(b, call->constant != NULL ? call->constant : "{}");
	buf_char(b, '}');
	buf_char(b, '\0');
	if (!event_pending(c->writable, EV_WRITE, NULL))
		write_queue(c);
}

void
cdp_forget(struct cdp *c, struct str session)
{
	fail_calls(c, &session);
}

bool
cdp_is_over(const struct cdp *c)
{
	return c->over;
}

static void
prepare_pipe(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
		panic("fcntl failed for a CDP pipe: %s", strerror(errno));
	(void)fcntl(fd, F_SETPIPE_SZ, 1024 * 1024); /* a screenshot takes fewer reads */
}

struct cdp *
cdp_new(struct event_base *base, int in, int out, const struct cdp_side *side, void *arg)
{
	struct cdp *c = mem_zero(sizeof(*c));

	prepare_pipe(in);
	prepare_pipe(out);
	c->side = side;
	c->arg = arg;
	c->in = in;
	c->out = out;
	c->arena = arena_new(ARENA_CAP);
	for (size_t i = 0; i < BUCKETS; i++)
		TAILQ_INIT(&c->calls[i]);
	c->readable = event_new(base, in, EV_READ | EV_PERSIST, on_pipe_readable, c);
	c->writable = event_new(base, out, EV_WRITE | EV_PERSIST, on_pipe_writable, c);
	c->broken = event_new(base, -1, 0, on_pipe_broken, c);
	if (c->readable == NULL || c->writable == NULL || c->broken == NULL ||
	    event_add(c->readable, NULL) != 0)
		panic("event_new failed for the CDP pipes");
	return c;
}

void
cdp_free(struct cdp *c)
{
	struct call *k, *next;

	c->over = true;
	fail_calls(c, NULL);
	for (size_t i = 0; i < BUCKETS; i++)
		for (k = TAILQ_FIRST(&c->calls[i]); k != NULL; k = next) {
			next = TAILQ_NEXT(k, next);
			free(k);
		}
	event_free(c->readable);
	event_free(c->writable);
	event_free(c->broken);
	close(c->in);
	close(c->out);
	buf_free(&c->queue);
	free(c->input);
	arena_free(c->arena);
	free(c);
}

const struct json_value *
cdp_get(const struct json_value *v, const char *name)
{
	return v != NULL ? json_get(v, name) : NULL;
}

struct str
cdp_text(const struct json_value *v, const char *name)
{
	const struct json_value *m = cdp_get(v, name);
	struct str s = m != NULL ? json_text(m) : STR_NULL;

	return s.p != NULL ? s : STR("");
}

double
cdp_num(const struct json_value *v, const char *name)
{
	const struct json_value *m = cdp_get(v, name);

	return m != NULL ? json_num(m) : 0;
}

int64_t
cdp_int(const struct json_value *v, const char *name)
{
	double n = cdp_num(v, name);

	return fabs(n) < 9e15 ? llround(n) : 0;
}

bool
cdp_bool(const struct json_value *v, const char *name)
{
	const struct json_value *m = cdp_get(v, name);

	return m != NULL && json_bool(m);
}
