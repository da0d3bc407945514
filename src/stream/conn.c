/* SPDX-License-Identifier: ISC */
/* A connection as a value: its list, its secrets and its end.
 *
 * A conn owns both sockets and its head. The head and the subprotocol contain secrets (a ticket,
 * perhaps an API key) and are overwritten as soon as they are not needed. conn_free is called from
 * many places, so the caller of a function that may free the conn returns after it. */
#include "config.h"

#include "stream/stream.h"

#include <openssl/crypto.h>

void
conn_move(struct conn *c, enum conn_state to)
{
	TAILQ_REMOVE(&c->proxy->lists[c->state], c, next);
	c->state = to;
	TAILQ_INSERT_TAIL(&c->proxy->lists[to], c, next);
}

void
conn_forget_subprotocol(struct conn *c)
{
	if (c->subprotocol != NULL)
		OPENSSL_cleanse(c->subprotocol, strlen(c->subprotocol));
	free(c->subprotocol);
	c->subprotocol = NULL;
}

void
conn_forget_head(struct conn *c)
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
	conn_forget_head(c);
	conn_forget_subprotocol(c);
	free(c);
	p->conns--;
}
