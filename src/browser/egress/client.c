/* SPDX-License-Identifier: ISC */
/* One connection of a browser: SOCKS5 greeting and request, then a reach, then a relay. Every
 * request is reported once by traffic_report.
 *
 *   fd: client     greeting, request      read_socks_handshake reads no byte behind the request
 *   fd: client     reach                  the socket is not read; its bytes wait in the kernel
 *   fd: relay      bytes in both directions; the client only waits for on_relayed
 *
 * client_free may be called in each of these states, by the end of the session, and cancels the
 * reach or the relay. */
#include "config.h"

#include "browser/egress/egress.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

enum { REQUEST_MS = 10000 }; /* from the connection to the complete request */

struct client {
	LIST_ENTRY(client) next;
	struct session *s;
	int fd; /* -1: the relay owns it */
	struct event *readable;
	int64_t until; /* mono_us: the request must be complete by then */
	struct socks socks;
	struct target target;
	struct reach *reach;
	struct relay *relay;
};

void
client_free(struct client *c)
{
	struct session *s = c->s;

	if (c->reach != NULL) {
		traffic_report(s, &c->target, REASON_GONE, NULL);
		reach_cancel(c->reach);
	}
	if (c->relay != NULL)
		relay_cancel(c->relay);
	event_free(c->readable);
	if (c->fd >= 0)
		close(c->fd);
	LIST_REMOVE(c, next);
	s->n--;
	free(c);
}

static void
end_client(struct client *c)
{
	struct session *s = c->s;

	client_free(c);
	listener_resume(s);
}

/* Sends a few bytes. The socket buffer is almost empty, so a partial write means that the
   connection is lost. */
static bool
send_reply(const struct client *c, const unsigned char *bytes, size_t n)
{
	return send(c->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

static void
refuse_request(struct client *c, enum reason why)
{
	unsigned char reply[SOCKS_REPLY_LEN];

	socks_reply(reply, outcomes[why].reply);
	(void)send_reply(c, reply, sizeof(reply));
	traffic_report(c->s, &c->target, why, NULL);
	end_client(c);
}

/* ---- after the request ---- */

static void
on_relayed(void *arg)
{
	struct client *c = arg;

	c->relay = NULL;
	end_client(c);
}

static void
on_reached(void *arg, const struct reached *r)
{
	struct client *c = arg;
	unsigned char reply[SOCKS_REPLY_LEN];

	c->reach = NULL;
	if (r->why != REASON_CONNECTED) {
		refuse_request(c, r->why);
		return;
	}
	traffic_report(c->s, &c->target, REASON_CONNECTED, &r->at);
	socks_reply(reply, outcomes[REASON_CONNECTED].reply);
	if (!send_reply(c, reply, sizeof(reply))) {
		close(r->fd);
		end_client(c);
		return;
	}
	c->relay = relay_start(c->s->e->base, c->fd, r->fd, on_relayed, c);
	c->fd = -1;
	relay_early(c->relay, r->early, r->early_n);
}

/* ---- the SOCKS5 handshake ---- */

static void
handle_request(struct client *c)
{
	struct egress *e = c->s->e;
	enum reason why = judge_request(e->scratch, &c->socks, &c->target);

	arena_reset(e->scratch);
	event_del(c->readable);
	if (why == REASON_CONNECTED)
		c->reach = reach_start(e, &c->s->route, &c->target, on_reached, c);
	else
		refuse_request(c, why);
}

static void
refuse_protocol(struct client *c)
{
	unsigned char method[SOCKS_METHOD_LEN], reply[SOCKS_REPLY_LEN];

	socks_method(method, false);
	socks_reply(reply, c->socks.reply);
	if (c->socks.greeted)
		(void)send_reply(c, reply, sizeof(reply));
	else
		(void)send_reply(c, method, sizeof(method));
	traffic_report(c->s, &c->target, REASON_PROTOCOL, NULL);
	end_client(c);
}

static bool
send_method(const struct client *c)
{
	unsigned char method[SOCKS_METHOD_LEN];

	socks_method(method, true);
	return send_reply(c, method, sizeof(method));
}

/* Reads no byte behind the handshake: those belong to the target, and the relay reads them. */
static void
read_socks_handshake(int fd, short what, void *arg)
{
	unsigned char room[SOCKS_REQUEST_MAX];
	struct client *c = arg;
	size_t used;
	ssize_t n = recv(fd, room, socks_wants(&c->socks), MSG_DONTWAIT);

	if (n < 0 && what == EV_READ && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || mono_us() > c->until) {
		end_client(c);
		return;
	}
	switch (socks_take(&c->socks, room, (size_t)n, &used)) {
	case SOCKS_MORE:
		break;
	case SOCKS_GREETED:
		if (!send_method(c))
			end_client(c);
		break;
	case SOCKS_ASKED:
		handle_request(c);
		break;
	case SOCKS_BAD:
		refuse_protocol(c);
		break;
	}
}

struct client *
client_new(struct session *s, int fd)
{
	const struct timeval limit = ev_ms(REQUEST_MS);
	struct client *c = mem_zero(sizeof(*c));
	int one = 1;

	c->s = s;
	c->fd = fd;
	c->until = mono_us() + REQUEST_MS * 1000;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->readable = event_new(s->e->base, fd, EV_READ | EV_PERSIST, read_socks_handshake, c);
	if (c->readable == NULL || event_add(c->readable, &limit) != 0)
		panic("event_new or event_add failed for a browser's connection");
	LIST_INSERT_HEAD(&s->clients, c, next);
	s->n++;
	return c;
}
