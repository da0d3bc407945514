/* SPDX-License-Identifier: ISC */
/* The answer to a request: a refusal, or the upgrade that begins a stream. */
#include "config.h"

#include "daemon/daemon.h"
#include "stream/answer.h"
#include "stream/stream.h"

#include <stdatomic.h>

enum { ANSWER_US = 5000000 };

/* Sends an answer that ends the connection. */
static void
send_last(struct conn *c, struct str text)
{
	struct proxy *p = c->proxy;

	conn_move(c, CONN_ANSWER);
	c->deadline = mono_us() + ANSWER_US;
	if (pump_send(c, &c->client, text.p, text.n) && c->client.wait == NULL)
		conn_free(c);
	arena_reset(p->arena);
}

void
conn_refuse(struct conn *c, enum error e)
{
	struct proxy *p = c->proxy;
	struct str text = c->refuse_by_close ? answer_refusal(p->arena, c, e)
					     : answer_error(p->arena, e, str_of(c->id));

	log_event(LOGP_INFO, "refused", "req=%s status=%d", c->id, error_status(e));
	totals_add(&p->totals, answer_total(e), 1);
	send_last(c, text);
}

/* The runner is on another host. nginx follows the answer's X-Accel-Redirect and sends the client's
   request, with its ticket, to surfaced-stream of that host (nginx/relay.conf). A request that came
   that way goes no further: the configuration of nginx then has the name of one host with the
   address of another. */
void
conn_relay(struct conn *c, struct str host)
{
	struct proxy *p = c->proxy;
	struct str text = answer_relay(p->arena, host);

	if (text.p == NULL || c->relayed) {
		log_event(LOGP_ERR, "relay", "req=%s host=\"%.*s\" why=\"%s\"", c->id, (int)host.n,
		    host.p, c->relayed ? "another host sent it here" : "no name for nginx");
		conn_refuse(c, ERR_SERVICE_UNAVAILABLE);
		return;
	}
	log_event(LOGP_INFO, "relayed", "req=%s host=\"%.*s\"", c->id, (int)host.n, host.p);
	send_last(c, text);
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
	conn_forget_subprotocol(c);
	totals_add(&p->totals, TOTAL_STREAMS_OPENED, 1);
	atomic_fetch_add(&daemon_slot()->served, 1);
	if (pump_send(c, &c->client, text.p, text.n))
		forward_start(c);
	arena_reset(p->arena);
}
