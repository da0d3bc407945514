/* SPDX-License-Identifier: ISC */
/* surfaced-stream: the WebSocket proxy between nginx and the runner of a session
 * (C-107 to C-114, C-746 to C-750). It checks the upgrade request, uses the ticket, and forwards
 * frames in both directions.
 *
 * The life of a connection. Every conn is in one state and on that state's list:
 *
 *   accept -> HEAD ----> TICKET ----> OPEN --------------> ENDING -> freed
 *              |  bad      |  refused   |  runner ended       ^
 *              +---------> ANSWER       +------> RECHECK -----+
 *                            |                    (the database is asked whether a right was lost)
 *                            +-> freed when the answer is sent
 *
 * pump.c has a table of events by states. It derives its state from the one above and from one more
 * fact:
 *
 *   state here            further fact                                       state in pump.c
 *   HEAD, TICKET, ANSWER                                                     PUMP_ANSWER
 *   OPEN                  the client has sent no close frame                 PUMP_OPEN
 *   OPEN                  the client has sent its close frame                PUMP_CLOSING
 *   RECHECK                                                                  PUMP_RECHECK
 *   ENDING                the runner's socket is still open, because a       PUMP_FLUSH
 *                         frame to the client is incomplete
 *   ENDING                the runner's socket is closed                      PUMP_FAREWELL
 *
 * The pump reads a socket into one buffer of the process, checks the frames, and writes from that
 * buffer:
 *
 *   scratch   | ..payload | head payload | ping | head payload | hea
 *             |<-------- span 1 -------->|      |<-- span 2 -->|  ^ kept by the ws_reader until
 *                    |                     |           |            it is whole
 *   batch     iovec: span 1,       frames[0]: the ping,      span 2 ..., sent with one sendmsg
 *                    |             written again
 *                    v
 *   side.wait | sent | not yet sent |      a copy of the bytes that the socket did not accept
 *                    ^ wait_at      ^ wait_end
 *
 * - Data frames are forwarded as they are. Control frames, and heads that arrived in two reads, are
 *   written again, because their bytes are no longer in the buffer, or are needed unmasked.
 * - While a side has bytes in wait, the proxy does not read the other side. A direction therefore
 *   never stores more than one read (SCRATCH, 64 KiB) and small frames of the proxy's own, and a
 *   slow reader slows its sender down.
 * - A partial head is never forwarded. The proxy may insert a frame of its own (ping, close)
 *   exactly when no payload of a forwarded frame is outstanding: side_between_frames. At the end of
 *   a stream PUMP_FLUSH therefore forwards the rest of the runner's frame first, and the close
 *   frame follows it. When the rest has not come and been taken within 3 s, the client is closed
 *   without a close frame.
 * - One buffer serves all sockets: before a handler returns to the event loop, every byte of its
 *   read has been sent, copied into side.wait of the receiving side, kept in the ws_reader, or
 *   dropped. A receiver that is lost during a read is reported only after the whole read, because
 *   the report may free the conn that the scan still uses.
 *
 * Before the ticket is used. After handshake_judge the proxy checks that no bytes follow the
 * head, stream_connections, the ticket's signature and time, its session and project, and that
 * this process has not sent the ticket before (gate_is_spent). None of these uses the ticket.
 * Every refusal of handshake_judge and that of bytes behind the head are HTTP answers; every
 * later one may be a close frame (?refusal=close). A 101 is sent only for a valid handshake of
 * an allowed origin, so that a page of another site learns nothing but the failure. In TICKET
 * the call to the database holds the conn and cannot be withdrawn, so nothing may free the conn:
 * there is no deadline, and the client is not read. The call itself ends after 5 s. At the end
 * of the process the conns are freed after the loop has ended, and db_async_close then drops the
 * calls without calling back. The head is overwritten when the statement is queued, the
 * subprotocol when the 101 has been built, and both at the latest in conn_free.
 *
 * Several hosts. Only surfaced-stream of the runner's own host uses the ticket and forwards
 * frames. Another host checks the ticket's signature, asks the database, and answers its nginx
 * with the name of the runner's host; that nginx sends the whole request there over TLS, with
 * certificates of both hosts (nginx/relay.conf), and then passes bytes both ways:
 *
 *   client -- nginx A -- surfaced-stream A: "elsewhere, B"      the ticket is unused
 *                |
 *                +-- TLS -- nginx B -- surfaced-stream B: uses the ticket -- runner on B
 *
 * So surfaced-stream needs no network, a host trusts another host with no more than the tickets of
 * its clients, and every rule of a stream (one use, one slot, rechecks, close codes) is in force
 * in one process, as with one host.
 *
 * The end of a connection, and its close code. The client always gets the close frame before its
 * socket is closed, unless a frame to it is incomplete or it no longer answers.
 *
 *   event                            next state   close frame to the client
 *   client sends close               OPEN         the runner's answer; after 3 s its own code
 *   client's socket ends             freed        none; the runner's socket is closed
 *   client answers no ping           freed        none
 *   runner sends close               RECHECK      the runner's code; 1008 if a right was lost
 *   runner's socket ends             RECHECK      1013; 1008, or 1000 if the session has ended
 *   runner's socket ends in a frame  ENDING       none: it would be read as payload
 *   runner's socket ends between     ENDING       1013
 *     frames, after client's close
 *   a side breaks RFC 6455           ENDING       1002, 1007 or 1009
 *   recheck: right lost              ENDING       1008
 *   recheck: session ended           ENDING       1000
 *   recheck: slot lost, no answers   ENDING       1013
 *   shutdown                         ENDING       1001
 *
 * RECHECK exists because a runner also ends when a key is revoked, and neither its code nor its
 * silence shows that. The client is not read meanwhile. The slot stays taken: the database
 * identifies a stream by its slot. After the client's close frame nothing is rechecked: the
 * runner's close frame is forwarded, and the slot is released at once.
 * After 3 s, or when the database fails, the code of the table is sent unchecked. With the close
 * frame to the client, the slot is released, and the runner's socket is closed if it still is open
 * (gate.h), so the session can have its next stream. The slot is released at once, too, when the
 * runner's socket ends within a frame; other ends without a close frame release it when the conn is
 * freed. A release is repeated until the database has taken it or the process ends; then its lease
 * ends it.
 *
 * A socket that is closed with unread bytes sends a reset, which may overtake the close frame. So
 * the pump closes the client's socket when the first of these has happened: the client's close
 * frame has come and nothing waits for it; the client's socket has ended; 3 s have passed. After
 * malformed frames of the client it is 0.5 s, because its answer could not be recognised any more:
 * the close frame is followed by an end of file. A client's frame that is only too big is skipped,
 * so that client has the full 3 s.
 *
 * Silence. The proxy pings each open client in every third of conf.stream_silence, between two
 * frames and when no bytes wait for the client. A client is freed at once when for
 * conf.stream_silence nothing has come from it and its socket has taken none of the bytes that
 * waited. While the runner is slow the client is not read; conn.alive is then set forward at each
 * tick, so the client does not count as silent.
 *
 * Draining. After a reload the old process closes its listener, which the master keeps for the
 * new one, and goes on serving its streams: it keeps its own name in the slots, its lease, its
 * rechecks and its releases. It ends when no connection and no unconfirmed release is left.
 * After stream_drain seconds, or when the service stops, streams are ended with 1001, and the
 * process exits 5 s later at the latest. A draining process has had its SIGTERM at the reload,
 * so each tick asks daemon_ending(), a flag in memory shared with the master. Releases that are
 * not confirmed by then wait for the lease to end, because a clean exit also removes the lock
 * file by which roster.c would find the process dead.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "counting/totals.h"
#include "daemon/ev.h"
#include "db/async.h"
#include "stream/gate.h"
#include "stream/request.h"
#include "stream/side.h"

#include <sys/queue.h>

/* Why a stream ended; logged as why= (see pump.c). */
enum why {
	WHY_CLIENT,    /* the client closed, or its connection was lost */
	WHY_RUNNER,    /* the runner closed */
	WHY_LOST,      /* the runner's connection was lost without a close frame */
	WHY_TERMINAL,  /* the session is terminal */
	WHY_REVOKED,   /* the key lost the right to the session */
	WHY_DISPLACED, /* the slot was lost with its lease: the session may have another stream */
	WHY_SILENT,    /* the client answered no ping */
	WHY_PROTOCOL,  /* a side broke RFC 6455; the code shows how */
	WHY_SHUTDOWN,
	WHYS,
};

enum conn_state {
	CONN_HEAD,    /* the request head is being received */
	CONN_TICKET,  /* the database is using the ticket */
	CONN_OPEN,    /* frames are forwarded */
	CONN_RECHECK, /* the runner has ended; the database is asked whether a right was lost */
	CONN_ENDING,  /* a close frame is being sent, or the client's answer is awaited */
	CONN_ANSWER,  /* a refusal is being sent */
	CONN_STATES,
};

struct conn {
	TAILQ_ENTRY(conn) next; /* in proxy.lists[state] */
	struct proxy *proxy;
	enum conn_state state;
	struct side client, runner;
	int64_t deadline; /* mono_us: the end of this state; 0: none */
	int64_t opened;   /* mono_us */
	int64_t alive;    /* mono_us: the client last sent or accepted bytes */
	int64_t pinged;   /* mono_us */
	struct uuid stream, session, ticket;
	char id[37]; /* the request id, for the log and the envelope */
	/* Used before CONN_OPEN: the head received so far, then what the 101 repeats. */
	char *head;
	size_t head_n;
	char *subprotocol;
	char accept[ACCEPT_LEN + 1];
	/* Refuse with 101 and a close frame (tbl/stream_refusals.h). */
	bool refuse_by_close;
	bool relayed;  /* the request came from nginx of another host */
	bool released; /* the slot was passed to gate_release */
	enum why why;
	unsigned code;         /* in the client's close frame; 0: none yet */
	int64_t recheck_since; /* mono_us: when CONN_RECHECK began */
};

TAILQ_HEAD(conns, conn);

struct proxy {
	struct event_base *base;
	struct event *listener; /* NULL: draining */
	struct db_async *db;
	struct signing_ring *keys;
	struct totals totals;
	struct arena *arena; /* reset after each event */
	struct conns lists[CONN_STATES];
	size_t conns;
	struct gate *gate;
	struct recheck *recheck;
	struct event *recheck_now; /* activated: recheck.c rechecks all streams at once */
	unsigned char *scratch;    /* SCRATCH bytes: the last read, of any socket */
	int64_t drain_until;       /* mono_us; 0: not draining */
	int64_t exit_by;           /* mono_us: the loop ends then at the latest; 0: not ending */
};

enum { SCRATCH = 65536 };

/* The files below and those of gate.h use one another in this order: conn.c, gate.c, pump.c,
   forward.c, upgrade.c, redeem.c and recheck.c, accept.c.

   A function that sends to a conn or ends it may free it. Its caller returns without using the conn
   again, and a loop over a list reads the next conn first. */

/* ---- conn.c: the list, the secrets and the end of a connection ---- */

void conn_move(struct conn *c, enum conn_state to);
void conn_forget_head(struct conn *c);
void conn_forget_subprotocol(struct conn *c);
/* Closes both sockets and frees c. */
void conn_free(struct conn *c);

/* ---- pump.c: the ends of a stream ---- */

/* Logs the end of the stream, releases the slot, and frees c. */
void pump_close(struct conn *c);
/* Writes what the socket accepts and queues the rest. Returns false when the connection was lost: c
   is then ending or freed. */
bool pump_send(struct conn *c, struct side *to, const void *bytes, size_t n);
/* Ends an open stream: sends the client a close frame with this code, as soon as a frame may be
   sent. */
void pump_end(struct conn *c, enum why why, unsigned code);
/* Ends a stream in CONN_RECHECK with the reason and code that the runner's end gave. */
void pump_end_as_runner(struct conn *c);
/* The deadline of the connection has passed. */
void pump_late(struct conn *c);

/* ---- forward.c: frames ---- */

void forward_start(struct conn *c);
/* Pings the client of an open stream when it is time; a silent client's stream is closed. */
void forward_ping(struct conn *c, int64_t now);

/* ---- upgrade.c: the answer to a request ---- */

/* Sends the 101 and starts the pump; runner is a connected socket, owned by c from now on. */
void conn_upgrade(struct conn *c, int runner);
/* Lets nginx send the request to this host, or refuses it. */
void conn_relay(struct conn *c, struct str host);
/* Sends the error as an HTTP answer, or as 101 and a close frame if the client asked for that; c
   may be freed. */
void conn_refuse(struct conn *c, enum error e);

/* ---- accept.c: new connections, and the deadlines of all ---- */

void conn_accept(struct proxy *p, int listener);
/* Acts on deadlines that have passed; pings the client of an open stream. */
void conn_tick(struct conn *c, int64_t now);

#endif
