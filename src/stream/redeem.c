/* SPDX-License-Identifier: ISC */
/* Uses the ticket of a request: one statement uses the ticket and takes the session's slot
 * (gate.h). Its answer upgrades or refuses the connection. The answer may be lost after the
 * statement has taken the slot, so the slot is released then. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/host.h"
#include "stream/stream.h"

#include <openssl/sha.h>

#include <errno.h>
#include <sys/socket.h>

enum { WAIT_US = 5000000 };

struct redeemed {
	struct str outcome;
	int64_t epoch;
	struct str host; /* the runner's; used when the outcome is "elsewhere" */
};

static const struct field redeemed_out[] = {
	FIELD(struct redeemed, outcome, 0),
	FIELD(struct redeemed, epoch, 0),
	FIELD(struct redeemed, host, 0),
	FIELD_END,
};

STMT_LIST(redeem, struct redeemed, redeemed_out,
    "SELECT outcome, epoch, host FROM stream_redeem($1, $2, $3, $4, $5, $6::integer, $7, $8)");

/* Connects to the runner's socket, which speaks WebSocket without a handshake. Returns -1 on
   failure. */
static int
connect_runner(const struct conn *c, int64_t epoch)
{
	const struct uuid_text session = uuid_text(&c->session);
	char path[sizeof(conf.run_directory) + 128];
	int fd;

	snprintf(path, sizeof(path), "%s/sessions/%s/%lld.sock", conf.run_directory, session.z,
	    (long long)epoch);
	fd = fd_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
	if (fd < 0)
		log_event(LOGP_WARNING, "runner", "req=%s session=%s why=\"%s\"", c->id, session.z,
		    strerror(errno));
	return fd;
}

static enum error
redeem_error(struct str outcome)
{
	static const struct {
		const char *outcome;
		enum error error;
	} rows[] = {
		{ "invalid", ERR_STREAM_TICKET_INVALID },
		{ "key", ERR_UNAUTHORIZED },
		{ "active", ERR_STREAM_ALREADY_ACTIVE },
		{ "not_ready", ERR_SESSION_NOT_READY },
		{ "terminal", ERR_SESSION_TERMINAL },
		{ "revoked", ERR_PERMISSION_DENIED },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (str_is(outcome, rows[i].outcome))
			return rows[i].error;
	panic("stream_redeem returned %.*s", (int)outcome.n, outcome.p);
}

/* Handles the answer to a ticket. The runner is connected after the slot is taken and not
 * before: a new connection to the runner displaces the runner's existing one, so a refused client
 * would otherwise end the stream of another client.
 *
 *   ok                     connect, upgrade; without a runner the slot is released
 *   elsewhere              the ticket is unused; nginx sends the request to the runner's host
 *   a refusal              the ticket is spent; after "key" it may come again with a good key
 *   no answer, or a fault  503; the slot is released in case the statement took it, and the ticket
 *                          is forgotten, so that a retry reaches the database */
static void
on_redeemed(void *arg, enum db_rc rc, const void *rows, size_t n)
{
	struct conn *c = arg;
	const struct redeemed *r = rows;
	int runner;

	if (rc != DB_OK || n != 1 || str_is(r->outcome, "key") || str_is(r->outcome, "elsewhere"))
		gate_forget_spent(c->proxy->gate, &c->ticket);
	if (rc != DB_OK || n != 1) {
		/* Only the answer may be lost: the statement may have taken the slot. */
		gate_release(c->proxy->gate, c->stream);
		conn_refuse(c, ERR_SERVICE_UNAVAILABLE);
		return;
	}
	if (str_is(r->outcome, "elsewhere")) {
		conn_relay(c, r->host);
		return;
	}
	if (!str_is(r->outcome, "ok")) {
		conn_refuse(c, redeem_error(r->outcome));
		return;
	}
	runner = connect_runner(c, r->epoch);
	if (runner >= 0) {
		conn_upgrade(c, runner);
		return;
	}
	gate_release(c->proxy->gate, c->stream);
	conn_refuse(c, ERR_SERVICE_UNAVAILABLE);
}

void
redeem_ticket(struct conn *c, const struct ticket *t, struct secret api_key)
{
	const struct db_ask ask = {
		.st = &redeem, .wait_us = WAIT_US, .done = on_redeemed, .arg = c
	};
	struct gate *g = c->proxy->gate;
	unsigned char hash[SHA256_DIGEST_LENGTH];
	struct bytes sent = { NULL, 0 };

	c->ticket = t->jti;
	gate_note_spent(g, &c->ticket);
	if (api_key.hidden.p != NULL) {
		SHA256((const unsigned char *)api_key.hidden.p, api_key.hidden.n, hash);
		sent = (struct bytes){ hash, sizeof(hash) };
	}
	db_async(c->proxy->db, &ask, P(t->jti), P(c->session), P(sent), P(c->stream),
	    P(*gate_self(g)), P(conf.stream_lease), P(str_of(c->id)), P(host_name()));
}
