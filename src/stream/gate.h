/* SPDX-License-Identifier: ISC */
/* Access to the database for streams. Two facts live there alone: a ticket is used once, and a
   session has one stream at a time. The second is a row, the slot, which names the stream and the
   process that serves the stream. The process renews all of its slots with one lease
   (stream_lease).

     redeem_ticket  uses the ticket and takes the slot, in one statement that locks the ticket's row
     gate_release   queues the slot for deletion; the queue is kept until the database confirms
     gate_tick      renews the lease, deletes queued slots, sends the counters
     recheck_tick   rechecks the rights of all streams every stream_recheck seconds, or at once
                    after a notification

   Every call is asynchronous, so a hanging database never delays a stream that runs.

   Redeeming. A process also refuses a ticket that it has sent before. When the answer of
   redeem_ticket is lost, the statement may have run: the client gets 503, the slot is released,
   and the process forgets the ticket, so that a retry reaches the database. If the statement had
   run, the retry gets 401 (the ticket was used) and the client has to ask for a new ticket;
   otherwise the retry opens the stream. A refusal (active, not_ready, terminal, revoked) uses
   the ticket, too, and takes no slot. After the answer "key" the ticket stays unused and is
   forgotten here, so it may come again with the right key. The proxy connects to the runner only
   after the slot is taken, because a new connection to a runner displaces its former one. When
   the runner cannot be reached, the slot is released, the ticket stays used, and the client gets
   SERVICE_UNAVAILABLE.

   Releasing. A slot whose release was not confirmed is released again until it is: it would not
   expire, because this process renews its lease. A slot is released by the UUID of its stream,
   which is random and chosen before the ticket is used, so a late or repeated release cannot
   free the session's next stream.

   Rechecking. An answer describes the moment of its question. It ends no stream that has opened
   since, and no stream whose runner has ended since: the latter is asked about again. After four
   intervals without an answer all open streams are closed with 1013, because a right may have been
   lost meanwhile. An answer also names slots that belong to no connection from TICKET to ENDING,
   such as one that a lost answer left behind: these are released. While this process cannot renew
   its lease, its slots remain; once the lease has ended another process may take a slot with a
   ticket, and the next recheck then finds no row and closes the old stream with 1013.

   A process that is killed leaves its slots behind. Its lease would block each session's next
   stream for stream_lease seconds. So each process locks a file of its own (roster.c), which the
   kernel unlocks at its end. A new process that can lock the file of another one reports that one
   dead with its first renewal, which deletes the dead process's slots. */
#ifndef STREAM_GATE_H
#define STREAM_GATE_H

#include "access/ticket.h"
#include "db/db.h"

struct conn;
struct proxy;

struct gate;
struct gate *gate_new(struct proxy *p);
void gate_free(struct gate *g);
/* Whether this process has already sent the ticket to the database; a second try can be refused
   here. */
bool gate_is_spent(struct gate *g, struct uuid ticket);
/* The ticket is being sent. */
void gate_note_spent(struct gate *g, const struct uuid *ticket);
/* Forgets the ticket, so that a retry reaches the database: it was not used, or the answer was
   lost. */
void gate_forget_spent(struct gate *g, const struct uuid *ticket);
/* The name of this process in the slots. */
const struct uuid *gate_self(const struct gate *g);
void gate_release(struct gate *g, struct uuid stream);
/* Whether the database has confirmed every release. */
bool gate_idle(const struct gate *g);
/* Called several times a second; runs whatever is due. */
void gate_tick(struct gate *g, int64_t now);

/* ---- redeem.c: tickets ---- */

/* Uses the ticket; conn_upgrade or conn_refuse is called later with the result. */
void redeem_ticket(struct conn *c, const struct ticket *t, struct secret api_key);

/* ---- recheck.c: the rights of all streams (C-113) ---- */

struct recheck;
/* Sets p->recheck_now. After that event pump_end follows for each stream in CONN_RECHECK, and for
   any that lost a right. */
struct recheck *recheck_new(struct proxy *p);
void recheck_free(struct recheck *r);
/* Called several times a second; rechecks when it is time. */
void recheck_tick(struct recheck *r, int64_t now);

/* ---- roster.c: finds dead stream processes of this host by their lock files ---- */

struct roster;
/* Creates and locks a file named self; the lock lasts as long as this process. */
struct roster *roster_new(struct uuid self);
/* The names of the dead processes found, as text. No other process reports them until
   roster_forget. */
struct strs roster_dead(struct roster *r);
void roster_forget(struct roster *r);
void roster_free(struct roster *r);

#endif
