/* SPDX-License-Identifier: ISC */
/* Sharing the search workers among accounts: no account can keep another one's short searches
   waiting.

   A worker serves one request at a time, and it learns the account only after it has accepted the
   request. The rule therefore does not limit which requests are accepted. It limits the time for
   which a request may hold a worker of the pool that accepts all requests:

	                   short: answered here
	   nginx --> search.sock --> workers of surfaced_search: at most one slice each
	     ^  \                        |
	     |   \                       | X-Accel-Redirect: @surfaced_heavy
	     |    \                      v
	     |     +-- heavy.sock --> workers of surfaced_heavy: no slice, lower CPU priority
	     |                           |
	     +------- the answer <-------+

   Hand-over: the worker answers with X-Accel-Redirect, and nginx, which still holds the whole
   request and its id, sends it again to the queue of surfaced_heavy. The client notices nothing.
   The work of the first worker is lost, and its charge is given back (http/http.h), because the
   worker that answers charges again. A worker of surfaced_search hands a search over

     before it runs     if a search of the account was cut off less than REST slices ago: another lost slice is
                        likely. After that, until PROBATION_US after the cut, one search of the account at a
                        time is tried; a second one is handed over
     before it runs     if other searches of the account, older than SHORT_US, hold conf.search_share percent of
                        the pool
     while it runs      when its slice is over: conf.search_slice of CPU time, or SLICE_WALL times that by the
                        clock. The engine stops at its next check of the budget
     after the engine   if its documents are larger than LIM_FRONT_BYTES: no budget limits the time of PostgreSQL

   The bound. When a request of account B arrives, each of the F workers of surfaced_search runs at
   most one slice S, and each of the Q requests before it in the queue is answered shortly or handed
   over, which costs H, about half a millisecond. With C cores B waits at most about S * F / C + Q *
   H / C: 20 ms * 8 / 2 + 64 * 0.5 ms / 2 = 96 ms. Q is at most 100 for each client address
   (limit_conn). Several accounts with long searches add up: one slice for each worker that they
   hold. The bound also holds with one worker in each pool, because it comes from the slice and not
   from the number of workers.

   The queue of surfaced_heavy is first come, first served. An account may have conf.search_wait of
   work in it, divided by the number of accounts that wait:

     work of an account = (waiting + running + promised searches) * its mean search time / workers

   The mean is that of surfaced_heavy; before the first search there, it is taken as half of
   conf.search_wait.

   A search is refused with search_busy (503) and a Retry-After in three cases:

     case                                                        Retry-After
     its account has that much work, and at least as many        until the excess is done, at most 60 s: a promise
     searches, waiting or running, as surfaced_heavy has workers
     `waiting` is full                                           1 s, no promise
     it comes to surfaced_search, and conf.search_parallel       1 s, no promise
     other searches run in both pools

   Operations that are long in any case (route.heavy) never run in surfaced_api, where one account
   would hold every worker with them: its workers hand them over by the same rules before they read
   the body. The code of a refusal is then service_busy.

   A promise is a moment that the table stores. In the 5 s after it, one request of the account that
   would be refused for its work enters the queue instead, however long the queue is. Promised
   searches count as work, so the promises to 64 clients that were refused together are due one
   after another.

   `waiting` has one entry for each request between its hand-over and its acceptance. nginx refuses
   some requests that were handed over, because surfaced_heavy has max_conns connections, and no
   worker learns of it. Their entries must end by themselves. The queue keeps its order, so a worker
   that accepts a request proves that all requests handed over before it have left the queue. nginx
   may need a second to deliver a request. An entry therefore stops counting

      - when a worker accepts a request that was handed over a second later;
      - a second after its hand-over, when a worker has nothing to do;
      - after conf.request_budget in any case.

   An account that is alone gets every worker of surfaced_heavy. It gets every worker of
   surfaced_search for searches shorter than SHORT_US, and conf.search_share percent of these
   workers for longer ones.

   The table is anonymous memory that the workers of one master share. It serves decisions about
   milliseconds, so a reload may begin with an empty one, and two accounts with the same place in
   the table may overwrite the last seconds of each other. It has no lock, which a killed worker
   would keep: each access is one atomic operation, and a worker that dies between two of them lets
   in one request too many or too few. */
#ifndef API_SEARCH_SHARE_H
#define API_SEARCH_SHARE_H

#include "http/http.h"
#include "search/engine.h"

/* Creates the table; the master calls it before it forks. */
void share_open(void);
/* Each worker calls it with the name of its pool; workers of surfaced_heavy lower their
   priority. */
void share_serve(const char *pool);

/* Decides before the work of a search. PASS: the worker runs the search with this budget, which is
   set here. FAILED: the request is handed over or refused. */
int share_begin(struct req *rq, struct budget *budget);
/* Hands a search over whose slice is over; the next ones of the account are likely to be long,
   too. */
int share_cut_off(struct req *rq);
/* Hands a search over because of its documents, which says nothing about the next ones. */
int share_hand_over(struct req *rq);
/* Returns the limit of stored bytes of documents beyond which this worker hands a request over. */
int64_t share_bytes(void);

/* A hook of struct worker: hands a request over whose operation is long for certain, such as the
   reading of a report. Nothing of it is done before. FAILED: handed over or refused. */
int share_long(struct req *rq);

/* The hooks of struct worker: they remove a request from `waiting`, and time its search. */
void share_accepted(struct str request_id);
void share_answered(struct req *rq);

#endif
