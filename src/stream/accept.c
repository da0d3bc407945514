/* SPDX-License-Identifier: ISC */
/* Connections from accept to their request: receiving and checking the request head, and the
 * deadlines of every state (stream.h draws the states).
 *
 * The buffer of the head has its full size from the start, because one that grows leaves copies of
 * the ticket in freed memory. */
#include "config.h"

#include "daemon/conf.h"
#include "stream/stream.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ACCEPT_BATCH = 64,
	HEAD_US = 10000000, /* nginx has the whole head before it sends any */
};

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

/* Copies the parts of the request that a 101 repeats. From here on the request is a handshake from
   an allowed origin, so the client may get a refusal as a close frame; any earlier refusal is an
   HTTP answer. */
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
check_ticket(struct conn *c, const struct handshake *h)
{
	const struct signing_keys *keys = signing_ring_now(c->proxy->keys);
	struct ticket t = { .kind = TICKET_STREAM };
	const char *fault;

	if (keys == NULL) {
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
	redeem_ticket(c, &t, h->api_key);
	conn_forget_head(c);
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
	c->relayed = request_count(r, "X-Surfaced-Relayed") > 0;
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
		check_ticket(c, &h);
}

static void
on_head_readable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct request r;
	size_t used;
	ssize_t n;

	(void)what;
	/* As large as a head may be from the start: a buffer that grows leaves its ticket in freed
	   memory. */
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
		/* EAGAIN: another process has accepted it. Without descriptors, connections wait in
		   the kernel's queue until the next tick adds the event again. */
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
