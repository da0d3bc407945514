/* SPDX-License-Identifier: ISC */
/* surfaced-stream: SPEC 4.6, CONTRACT A4, C-107 to C-114. Between nginx and the runner of a session: an
   upgrade request is judged, its ticket used, and from then on frames go through, both ways. */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "access/key.h"
#include "access/ticket.h"
#include "counting/totals.h"
#include "daemon/ev.h"
#include "db/async.h"
#include "db/db.h"
#include "wire/error.h"
#include "wire/ws.h"

#include <event2/event_struct.h>
#include <sys/queue.h>

/* ---- request.c: the head of an HTTP/1 request, pure text ---- */

enum { REQUEST_HEADERS = 64, REQUEST_MAX = 16384 };

struct request {
	struct str method, target;
	int minor; /* of HTTP/1 */
	size_t n;
	struct header {
		struct str name, value; /* the value without blanks around it */
	} headers[REQUEST_HEADERS];
};

enum request_rc { REQUEST_MORE, REQUEST_WHOLE, REQUEST_BAD };

/* *used: bytes of the head, with its empty line. What out says points into text. */
enum request_rc request_parse(struct str text, struct request *out, size_t *used);
/* The value of a header that stands there once; without p: it does not, or more than once. */
struct str request_header(const struct request *r, const char *name);
size_t request_count(const struct request *r, const char *name);
/* Whether a comma-separated list, in all headers of the name, has this member, whatever its case. */
bool request_lists(const struct request *r, const char *name, const char *member);

/* ---- handshake.c: what makes an upgrade (RFC 6455 4.2) one of ours ---- */

enum { ACCEPT_LEN = 28 };

struct handshake {
	struct uuid project, session; /* of the path */
	struct secret subprotocol;    /* points into the request */
	struct secret api_key;        /* without p: none was sent */
	char accept[ACCEPT_LEN + 1];
	bool refuse_by_close; /* the client asked for ?refusal=close */
};

/* ERR_UNSET: go on. origins: as conf.stream_origins. */
enum error handshake_judge(
    const struct request *r, const char *origins, struct handshake *out) MUST_USE;

/* ---- a connection ---- */

/* Why a stream ended: the log's word, the metrics' and what the client is told. */
enum why {
	WHY_CLIENT,   /* it closed, or went away */
	WHY_RUNNER,   /* it closed */
	WHY_LOST,     /* the runner went away without a word */
	WHY_TERMINAL, /* the session is */
	WHY_REVOKED,
	WHY_DISPLACED, /* the lease was lost: the session may have another stream */
	WHY_SILENT,
	WHY_PROTOCOL, /* a side broke RFC 6455; the code says how */
	WHY_SHUTDOWN,
	WHYS,
};

/* One of the two sockets of a stream. */
struct side {
	int fd;                /* -1: none */
	bool reading, writing; /* whether the event is added */
	struct event readable, writable;
	struct ws_reader reader; /* of what comes from there */
	/* What it has not taken yet; while there is any, nothing is read from the other side. */
	unsigned char *wait;
	size_t wait_at, wait_end;
	uint64_t bytes; /* that came from there */
};

enum conn_state {
	CONN_HEAD,   /* its request comes */
	CONN_TICKET, /* the database is asked */
	CONN_OPEN,   /* frames pass */
	CONN_JUDGED, /* the runner has ended; the database is asked whether a right was lost */
	CONN_ENDING, /* no new frames; the close frame goes, or its answer comes */
	CONN_ANSWER, /* an error goes */
	CONN_STATES,
};

struct proxy;

struct conn {
	TAILQ_ENTRY(conn) next; /* of the list that its state is */
	struct proxy *proxy;
	enum conn_state state;
	struct side client, runner;
	int64_t deadline;              /* mono_us: of a state that must end; 0: none */
	int64_t opened, alive, pinged; /* mono_us */
	struct uuid stream, session, ticket;
	char id[37]; /* of the request: for the log and the envelope */
	/* While it is not open: what has come of its head, then what the answer needs. */
	char *head;
	size_t head_n;
	char *subprotocol;
	char accept[ACCEPT_LEN + 1];
	bool
	    refuse_by_close; /* a refusal is a 101 and a close frame (tbl/stream_refusals.h) */
	bool released;       /* its slot is free, or will be */
	enum why why;
	unsigned code; /* of the close frame that the client gets; 0: none */
	int64_t asked; /* mono_us: CONN_JUDGED since then */
};

TAILQ_HEAD(conns, conn);

struct proxy {
	struct event_base *base;
	struct event *listener; /* NULL: no more */
	struct db_async *db;
	struct ticket_ring *keys;
	struct totals totals;
	struct arena *arena; /* of one event */
	struct conns lists[CONN_STATES];
	size_t conns;
	struct gate *gate;
	unsigned char *scratch; /* SCRATCH bytes: what was read last, of whichever side */
	int64_t drain_until;    /* mono_us; 0: not draining */
	int64_t over;           /* the end, at the latest; 0: not ending */
};

enum { SCRATCH = 65536 };

/* ---- conn.c ---- */

void conn_accept(struct proxy *p, int listener);
void conn_move(struct conn *c, enum conn_state to);
/* Lets everything of it go, and its slot. */
void conn_free(struct conn *c);
/* 101, and frames from now on: runner is connected. */
void conn_upgrade(struct conn *c, int runner);
/* Sends the envelope, or the close frame that the client asked for; the connection ends after it. */
void conn_refuse(struct conn *c, enum error e);
/* What has a time. */
void conn_tick(struct conn *c, int64_t now);

/* ---- answer.c ---- */

/* The whole answer, head and envelope, in the arena. */
struct str answer_error(struct arena *a, enum error e, struct str request_id);
struct str answer_upgrade(
    struct arena *a, const char *accept, const char *subprotocol, struct str request_id);
/* 101 and a close frame whose code names the error. */
struct str answer_refusal(struct arena *a, const struct conn *c, enum error e);
enum total answer_total(enum error e);

/* ---- pump.c: frames ---- */

void pump_start(struct conn *c);
/* It is over: logged, the slot let go. c is gone. */
void pump_close(struct conn *c);
/* Queued for a side; sent as far as it goes now. False: the side is gone and so is the connection. */
bool pump_send(struct conn *c, struct side *to, const void *bytes, size_t n);
/* The stream ends: a close frame goes to the client where a frame may, then everything else follows. */
void pump_end(struct conn *c, enum why why, unsigned code);
/* Ends a stream whose runner has ended, with the runner's own close code. */
void pump_end_as_runner(struct conn *c);
void pump_ping(struct conn *c, int64_t now);

/* ---- gate.c: the database ---- */

struct gate;
struct gate *gate_new(struct proxy *p);
void gate_free(struct gate *g);
/* The database knows of it, and says no. */
bool gate_is_spent(struct gate *g, struct uuid ticket);
/* Uses the ticket: conn_upgrade or conn_refuse follows. */
void gate_redeem(struct conn *c, const struct ticket *t, struct secret api_key);
void gate_release(struct gate *g, struct uuid stream);
/* Asks the database at once about all streams, those in CONN_JUDGED among them: a pump_end of each follows. */
void gate_judge(struct gate *g);
/* All that was released is. */
bool gate_idle(const struct gate *g);
/* Once a second, and when the database has told of a change. */
void gate_tick(struct gate *g, int64_t now);

extern const struct stmt *const gate_stmts[]; /* NULL ends the list */

/* ---- roster.c: which processes of this host are dead, as the kernel knows ---- */

struct roster;
/* Holds a lock in the name of self until this process ends. */
struct roster *roster_new(struct uuid self);
/* The names whose locks nobody holds, as text; they are this process's until roster_forget. */
struct strs roster_dead(struct roster *r);
void roster_forget(struct roster *r);
void roster_free(struct roster *r);

#endif
