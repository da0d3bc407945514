/* SPDX-License-Identifier: ISC */
/* surfaced-egress: the only way from a browser to the network. A browser runs in an empty network
 * namespace, with one listening SOCKS5 socket; its runner passes that socket to the dispatcher, and
 * the dispatcher to this program. Here the connections are accepted, checked, and made from this
 * host (C-095).
 *
 *   session            one browser: listener, route, at most egress_connections clients
 *     +- client        one connection of the browser
 *          |
 *          |  greeting, request               socks.c: 10 s; not a byte behind the request is read
 *          |  judge_request                   judge.c: command, port, spelling, literal addresses
 *          v
 *        reach         at most egress_connect
 *          |  look-up of the name             resolver; a proxy is never asked to resolve
 *          |  answer_judge                    resolve.c: every address of the name must be public
 *          |  dial: the target, or the proxy  dial.c: asserts the rule again before connect(2), and
 *          |                                  checks the peer's address after it
 *          |  talk to the proxy               proxy.c: asks for the checked address, never for the
 *          |                                  name
 *          v
 *        relay         both sockets, until both directions have ended or nothing has moved for
 *                      egress_idle
 *
 * The address that was checked is the address that is connected to: there is one look-up, and its
 * result is passed on as bytes. A name that changes its address between two look-ups gains nothing.
 *
 * Each attempt is reported to the dispatcher as traffic, with a reason of tbl/egress_reasons.h;
 * traffic.c limits these reports for each session and second.
 *
 * The life of a session. open (control.c) creates it, or replaces its socket and route; shut ends
 * it. When the dispatcher's connection is lost, its sessions have no owner; they continue, and end
 * after egress_grace unless a dispatcher opens them again. After a reload, the old process stops
 * accepting and keeps its connections for at most egress_drain, while the new process gets the
 * listening sockets from the dispatcher.
 *
 * The listening socket is shared with the runner's side, which may be hostile: it can make the
 * socket blocking at any time. listener.c accepts under a timer, and session.c closes a listener
 * that blocks.
 *
 * The files below use one another in this order: listener.c and traffic.c, client.c, session.c,
 * control.c. */
#ifndef BROWSER_EGRESS_EGRESS_H
#define BROWSER_EGRESS_EGRESS_H

#include "browser/egress/reach.h"

#include <sys/queue.h>
#include <sys/socket.h>

/* ---- client.c: one connection of a browser ---- */

struct client;
struct session;

struct client *client_new(struct session *s, int fd);
void client_free(struct client *c);

/* ---- session.c: the listener, route and connections of a browser ---- */

struct link;

struct session {
	LIST_ENTRY(session) next;
	struct egress *e;
	struct uuid id;
	struct route route;
	int listener;
	struct event *acceptable;
	bool paused; /* too many clients: acceptable is not added */
	LIST_HEAD(, client) clients;
	unsigned n;
	struct link *owner;        /* the peer that opened it last; NULL: lost, ends at ends_at */
	int64_t ends_at;           /* mono_us */
	bool draining;             /* ends with its last connection */
	unsigned sent;             /* traffic messages since the last tick */
	int64_t more[EVENT_COUNT]; /* attempts that were only counted since then */
};

/* Owns fd. Returns NULL, or the fault. */
const char *session_open(
    struct egress *e, struct link *owner, const struct uuid *id, const struct route *route, int fd);
struct session *session_find(struct egress *e, const struct uuid *id); /* NULL: none */
void session_free(struct session *s);
/* Starts egress_grace for all sessions of a lost peer. */
void session_orphan(struct egress *e, const struct link *gone);
/* Stops accepting; connections continue for at most egress_drain. */
void session_drain(struct session *s);
/* Called once a second; may free s. */
void session_tick(struct session *s);

/* ---- listener.c: the listening socket of a session ---- */

/* Whether fd is a listening stream socket, of any namespace; makes it nonblocking. */
bool listener_is_good(int fd);
/* Returns a connection. -1: errno is EINTR when the socket blocks. */
int listener_accept(const struct session *s);
/* Stops accepting until listener_resume, which does nothing while the session has too many
   clients. */
void listener_pause(struct session *s);
void listener_resume(struct session *s);
void listener_close(struct session *s);

/* ---- traffic.c: reports to the dispatcher ---- */

/* Reports how an attempt ended. at is NULL unless it is connected. */
void traffic_report(
    struct session *s, const struct target *t, enum reason why, const struct ip *at);
/* Reports the attempts that traffic_report only counted. */
void traffic_report_rest(struct session *s);

/* ---- control.c: the link to the dispatcher ---- */

struct control;

struct control *control_new(struct egress *e);
void control_free(struct control *c);
void control_tick(struct control *c);

struct egress {
	struct event_base *base;
	struct resolver *resolvers[LOOKUP_KINDS];
	struct control *control; /* NULL: draining */
	struct arena *scratch;   /* each user resets it before returning */
	LIST_HEAD(, session) sessions;
	size_t n;
	struct event *tick;
	timer_t accept_timer; /* interrupts an accept that blocks, with EINTR */
};

#endif
