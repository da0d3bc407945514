/* SPDX-License-Identifier: ISC */
/* Connections from accept to free: receiving the request head, refusing or upgrading, and the
 * deadlines of every state (stream.h draws the states). forward.c has the frames, pump.c the ends.
 *
 * A conn owns both sockets and its head. The head and the subprotocol contain secrets (a ticket,
 * perhaps an API key) and are overwritten as soon as they are not needed; the buffer of the head
 * has its full size from the start, because one that grows leaves copies in freed memory.
 * conn_free is called from many places, so the caller of a function that may free the conn
 * returns after it. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "stream/stream.h"

#include <openssl/crypto.h>

#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ACCEPT_BATCH = 64,
	HEAD_US = 10000000, /* nginx has the whole head before it sends any */
	ANSWER_US = 5000000,
};

void
conn_move(struct conn *c, enum conn_state to)
{
	TAILQ_REMOVE(&c->proxy->lists[c->state], c, next);
	c->state = to;
	TAILQ_INSERT_TAIL(&c->proxy->lists[to], c, next);
}

static void
forget_subprotocol(struct conn *c)
{
	if (c->subprotocol != NULL)
		OPENSSL_cleanse(c->subprotocol, strlen(c->subprotocol));
	free(c->subprotocol);
	c->subprotocol = NULL;
}

static void
forget_head(struct conn *c)
{
	if (c->head != NULL)
		OPENSSL_cleanse(c->head, c->head_n);
	free(c->head);
	c->head = NULL;
	c->head_n = 0;
}

void
conn_free(struct conn *c)
{
	struct proxy *p = c->proxy;

	TAILQ_REMOVE(&p->lists[c->state], c, next);
	side_close(&c->client);
	side_close(&c->runner);
	forget_head(c);
	forget_subprotocol(c);
	free(c);
	p->conns--;
}

/* ---- answers ---- */

void
conn_refuse(struct conn *c, enum error e)
{
	struct proxy *p = c->proxy;
	struct str text = c->refuse_by_close ? answer_refusal(p->arena, c, e)
					     : answer_error(p->arena, e, str_of(c->id));

	log_event(LOGP_INFO, "refused", "req=%s status=%d", c->id, error_status(e));
	totals_add(&p->totals, answer_total(e), 1);
	conn_move(c, CONN_ANSWER);
	c->deadline = mono_us() + ANSWER_US;
	if (pump_send(c, &c->client, text.p, text.n) && c->client.wait == NULL)
		conn_free(c);
	arena_reset(p->arena);
}

void
conn_upgrade(struct conn *c, int runner)
{
	struct proxy *p = c->proxy;
	struct str text = answer_upgrade(p->arena, c->accept, c->subprotocol, str_of(c->id));

	c->runner.fd = runner;
	c->opened = c->alive = c->pinged = mono_us();
	c->deadline = 0;
	conn_move(c, CONN_OPEN);
	forget_subprotocol(c);
	totals_add(&p->totals, TOTAL_STREAMS_OPENED, 1);
	atomic_fetch_add(&daemon_slot()->served, 1);
	if (pump_send(c, &c->client, text.p, text.n))
		forward_start(c);
	arena_reset(p->arena);
}

/* ---- the request ---- */

/* Uses the request id that nginx sent; without a valid one, makes one. */
static void
adopt_request_id(struct conn *c, const struct request *r)
{
	struct str id = request_header(r, "X-Surfaced-Id");
	struct uuid own;

	if (id.n > 0 && id.n < sizeof(c->id)) {
		memcpy(c->id, id.p, id.n);
		c->id[id.n] = '\0';
		if (strspn(c->id, "0123456789abcdef-") == id.n)
			return;
	}
	own = uuid_random();
	uuid_print(&own, c->id);
}

/* Copies the parts of the request that a 101 repeats. From here on the request is a handshake from an allowed
   origin, so the client may get a refusal as a close frame; any earlier refusal is an HTTP answer. */
static void
keep_handshake(struct conn *c, const struct handshake *h)
{
	memcpy(c->accept, h->accept, sizeof(c->accept));
	c->subprotocol = strndup(h->subprotocol.hidden.p, h->subprotocol.hidden.n);
	if (c->subprotocol == NULL)
		panic("out of memory for a subprotocol");
	c->refuse_by_close = h->refuse_by_close;
}

static void
redeem_ticket(struct conn *c, const struct handshake *h)
{
	char err[256];
	const struct ticket_keys *keys = ticket_ring_keys(c->proxy->keys, err, sizeof(err));
	struct ticket t = { 0 };
	const char *fault;

	if (keys == NULL) {
		log_event(LOGP_ERR, "stream_keys", "why=\"%s\"", err);
		conn_refuse(c, ERR_SERVICE_UNAVAILABLE);
		return;
	}
	fault = ticket_open(c->proxy->arena, keys, h->subprotocol, ts_now(), &t);
	if (fault == NULL &&
	    (uuid_cmp(&t.session, &h->session) != 0 || uuid_cmp(&t.project, &h->project) != 0))
		fault = "another session's";
	if (fault == NULL && gate_is_spent(c->proxy->gate, t.jti))
		fault = "it was used";
	if (fault != NULL) {
		log_event(LOGP_INFO, "ticket", "req=%s why=\"%s\"", c->id, fault);
		conn_refuse(c, ERR_STREAM_TICKET_INVALID);
		return;
	}
	c->session = h->session;
	c->stream = uuid_random();
	conn_move(c, CONN_TICKET);
	c->deadline = 0;
	gate_redeem(c, &t, h->api_key);
	forget_head(c);
	arena_reset(c->proxy->arena);
}

static void
check_request(struct conn *c, const struct request *r, size_t used)
{
	struct handshake h;
	enum error e;

	event_del(&c->client.readable);
	c->client.reading = false;
	adopt_request_id(c, r);
	e = handshake_judge(r, conf.stream_origins, &h);
	/* A client may not send frames before the answer (RFC 6455 4.1). */
	if (e == ERR_UNSET && used < c->head_n)
		e = ERR_INVALID_REQUEST;
	if (e == ERR_UNSET)
		keep_handshake(c, &h);
	if (e == ERR_UNSET && c->proxy->conns > (size_t)conf.stream_connections)
		e = ERR_SERVICE_UNAVAILABLE;
	if (e != ERR_UNSET)
		conn_refuse(c, e);
	else
		redeem_ticket(c, &h);
}

static void
on_head_readable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct request r;
	size_t used;
	ssize_t n;

	(void)what;
	/* As large as a head may be from the start: a buffer that grows leaves its ticket in freed memory. */
	if (c->head == NULL)
		c->head = mem_alloc(REQUEST_MAX);
	n = read(fd, c->head + c->head_n, REQUEST_MAX - c->head_n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		conn_free(c);
		return;
	}
	c->head_n += (size_t)n;
	switch (request_parse((struct str){ c->head, c->head_n }, &r, &used)) {
	case REQUEST_MORE:
		return;
	case REQUEST_WHOLE:
		check_request(c, &r, used);
		return;
	case REQUEST_BAD:
		adopt_request_id(c, &(struct request){ .n = 0 });
		event_del(&c->client.readable);
		c->client.reading = false;
		conn_refuse(c, ERR_INVALID_REQUEST);
		return;
	}
	panic("request_rc out of range");
}

static void
conn_new(struct proxy *p, int fd)
{
	struct conn *c = mem_zero(sizeof(*c));

	c->proxy = p;
	c->client.fd = fd;
	c->runner.fd = -1;
	c->state = CONN_HEAD;
	c->deadline = mono_us() + HEAD_US;
	TAILQ_INSERT_TAIL(&p->lists[CONN_HEAD], c, next);
	p->conns++;
	event_assign(&c->client.readable, p->base, fd, EV_READ | EV_PERSIST, on_head_readable, c);
	if (event_add(&c->client.readable, NULL) != 0)
		panic("event_add failed for a client");
	c->client.reading = true;
}

void
conn_accept(struct proxy *p, int listener)
{
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			conn_new(p, fd);
			continue;
		}
		/* EAGAIN: another process has accepted it. Without descriptors, connections wait in the
		   kernel's queue until the next tick adds the event again. */
		if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
			return;
		log_event(LOGP_ERR, "accept", "why=\"%s\"", strerror(errno));
		event_del(p->listener);
		return;
	}
}

void
conn_tick(struct conn *c, int64_t now)
{
	bool late = c->deadline != 0 && now > c->deadline;

	switch (c->state) {
	case CONN_HEAD:
	case CONN_ANSWER:
		if (late)
			conn_free(c);
		return;
	case CONN_OPEN:
		if (late)
			pump_late(c);
		else
			forward_ping(c, now);
		return;
	case CONN_RECHECK:
	case CONN_ENDING:
		if (late)
			pump_late(c);
		return;
	case CONN_TICKET:
		return;
	case CONN_STATES:
		break;
	}
	panic("unknown connection state %d", (int)c->state);
}
