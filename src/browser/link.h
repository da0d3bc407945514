/* SPDX-License-Identifier: ISC */
/* Links: connections between the programs that run browser sessions. A link is a SOCK_SEQPACKET
 * Unix socket; a packet is one message, "name {json}", with at most one file descriptor. Each kind
 * of message is a row of a table (struct link_message); runner_link.h and egress_link.h contain the
 * messages.
 *
 * The four processes. One dispatcher and one egress serve a host; each session has a runner, and
 * each runner one browser. A page may take over its browser, so neither the dispatcher nor egress
 * trusts what it receives:
 *
 *   PostgreSQL  <-->  dispatcher  <-- runner_link -->  runner  -- CDP over pipes -->  browser
 *   (the row: state,  leases, evidence,                one session,                      |
 *    epoch, lease)        |                            its outbox                     SOCKS5
 *                         | egress_link                    ^                             |
 *                         |                                | WebSocket           listening socket,
 *                         |                          surfaced-stream          in an empty namespace
 *                         v                                                              |
 *                      egress  <------ accepts the browser's connections ----------------+
 *                                      and connects to public addresses
 *
 * The database row is the only truth about a session. Its lease lasts 15 s and is renewed every 5 s
 * by the dispatcher for the runners it trusts; the runner is told 14 s, so the runner ends before
 * the row expires. Each start of a session has a new epoch, by which a runner of an earlier start
 * is recognised:
 *
 *   the epoch of a runner is compared           so a runner of an earlier start
 *   with the row, by every SQL function that    writes nothing (sql/functions/session.sql,
 *   the dispatcher calls for one session        evidence.sql)
 *   with the row, by the dispatcher at hello    is refused
 *   with the name of its socket, EPOCH.sock,    gets no viewer
 *   by surfaced-stream
 *
 *   process that dies   what follows
 *   dispatcher          Browsers continue. The runners reconnect to dispatch.sock, and the new
 *                       dispatcher adopts each one whose session and epoch fit a row of this host.
 *                       Evidence is not lost: a runner keeps it until it is confirmed. A runner
 *                       that finds no dispatcher ends itself with its lease; then the sweep of any
 *                       host ends the session, or queues it again if it had not become ready.
 *   runner              The kernel kills its browser (PR_SET_PDEATHSIG). The dispatcher sees the
 *                       end of the process or of the connection and calls session_lost(), see
 *                       below. Messages that have already reached the dispatcher are read and
 *                       stored. Evidence that the runner had not sent is lost, since no other
 *                       process has it.
 *   browser             The runner sends the evidence it has and ends, with the reason in its last
 *                       message. The same follows when the browser has not started after 30 s. If
 *                       only its first page does not answer, the session runs without the page
 *                       after 10 s. The dispatcher kills a runner that has not sent ready within
 *                       runner_start. In each case session_lost() follows.
 *   egress              Open connections break and pages fail; the sessions continue. The
 *                       dispatcher keeps a duplicate of every listening socket and sends all of
 *                       them to the next egress. Until then the dispatcher accepts connections from
 *                       these sockets and closes them, instead of leaving them in the queue, and it
 *                       claims no session.
 *   the host            The lease ends; the sweep of another host calls session_lost().
 *   PostgreSQL          Nothing starts. Sessions continue until their leases end.
 *
 * session_lost() decides by the state of the row. starting: queued again, or failed after the third
 * start. running: failed. closing: terminal, with the reason of the close.
 */
#ifndef BROWSER_LINK_H
#define BROWSER_LINK_H

#include "daemon/ev.h"
#include "json/json.h"

#include <sys/socket.h>

enum {
	LINK_MESSAGE_MAX = 65536, /* bytes of a packet */
	LINK_QUEUE_MAX = 4096,    /* messages queued for a peer that does not read */
};

struct link;

/* A message that has arrived. in is a struct of the row's size that was decoded by its fields; it
   is valid until the handler returns. */
struct link_received {
	struct link *link;
	const void *in;
	int fd; /* or -1; the handler owns it */
};

/* A message that this end understands. take may free the link. */
struct link_message {
	const char *name; /* NULL: end of the table */
	const struct field *fields;
	size_t size;
	void (*take)(void *arg, const struct link_received *got);
	bool takes_fd; /* false: a message with a descriptor is an error */
};

struct link_side {
	const struct link_message *messages;
	/* Called when the connection has ended or the peer sent a bad message (which is logged).
	   The owner frees the link here. */
	void (*closed)(void *arg, struct link *l);
};

/* Creates a listening socket at path, replacing an old one. Returns -1 with errno on failure. */
int link_listen(const char *path, unsigned mode);
/* Connects to path. Returns -1 with errno on failure. */
int link_connect(const char *path);
/* Makes a link of a connected socket and owns fd from now on. Never NULL. */
struct link *link_new(struct event_base *base, int fd, const struct link_side *side, void *arg);
/* Sends or queues a message; never blocks and never calls back. fd may be -1; the caller keeps it.
   A message longer than LINK_MESSAGE_MAX is a bug of the caller (panic). */
void link_send(
    struct link *l, const char *name, const struct field *fields, const void *out, int fd);
struct ucred link_peer(const struct link *l);
/* Receives everything that a dead peer has sent, for at most 2 s; closed is called as usual. */
void link_take_rest(struct link *l);
void link_free(struct link *l);

#endif
