/* SPDX-License-Identifier: ISC */
/* How accounts share the search workers: no account can keep another one's short searches waiting.

   A worker serves one request at a time, and it learns the account only after it has accepted the
   request. So the rule is not about who may be accepted, but about how long any request may hold a
   worker of the pool that accepts for everybody:

	                   short: answered here
	   nginx --> search.sock --> workers of surfaced_search: at most one slice each
	     ^  \                        |
	     |   \                       | X-Accel-Redirect: @surfaced_heavy
	     |    \                      v
	     |     +-- heavy.sock --> workers of surfaced_heavy: no slice, lower CPU priority
	     |                           |
	     +------- the answer <-------+

   Hand-over: the worker answers with X-Accel-Redirect, and nginx, which still holds the whole request
   and its id, sends it again to the queue of surfaced_heavy. The client notices nothing. A worker of
   surfaced_search hands a search over when
    1. its slice is over: conf.search_slice of CPU time, or SLICE_WALL times that by the clock. The
       engine stops at its next check of the budget. This work is lost, so that
    2. for REST slices after that all searches of the account are handed over at once, and for
       PROBATION_US afterwards only one of them at a time is tried;
    3. other searches of the account, older than SHORT_US, hold conf.search_share percent of the pool;
    4. the documents to fetch from PostgreSQL, where no budget reaches, are larger than LIM_FRONT_BYTES.

   The bound. When a request of account B arrives, each of the F workers of surfaced_search runs at most
   one slice S, and each of the Q requests before it in the queue is answered shortly or handed over,
   which costs H, about half a millisecond. With C cores B waits at most about S * F / C + Q * H / C:
   20 ms * 8 / 2 + 64 * 0.5 ms / 2 = 96 ms. Q is at most 100 for each client address (limit_conn). More
   accounts than one that send long searches add up, one slice for each worker that they hold. The bound
   holds with one worker in each pool, too: it comes from the slice, not from the number of workers.

   The queue of surfaced_heavy is first come, first served, and each account may have conf.search_wait
   of work in it, divided by the number of accounts there. `waiting` has one entry for each request on
   its way, from the hand-over to its acceptance; an entry that nginx never delivered expires after
   conf.request_budget. The entries, the running searches and the mean time of the account's searches
   tell how long its work lasts. A request beyond that is refused with search_busy, and its Retry-After
   is a promise: the table remembers the moment, the next request of the account from then on is let in
   whatever the queue holds, and promised work counts as work, so that the promises of 64 clients that
   were refused together follow one another. A request is never refused while a worker is free for it.

   An account that is alone gets every worker of both pools. The table is for decisions of milliseconds:
   it is anonymous memory that the workers of one master share, and a reload begins with an empty one.
   Two accounts with the same place in the table only share its memory of the last seconds. */
#ifndef API_SHARE_H
#define API_SHARE_H

#include "http/http.h"
#include "search/engine.h"

/* Makes the table; in the master, before it forks. */
void share_open(void);
/* In a worker: whether it is one of surfaced_heavy, and if so, lower priority. */
void share_serve(const char *pool);

/* Before the work of a search. PASS: run it within the budget's slice, which is set here; FAILED: the
   request is handed over or refused. */
int share_begin(struct req *rq, struct budget *budget);
/* The work turned out to be too long for this worker. */
int share_hand_over(struct req *rq);
/* Stored bytes of documents beyond which this worker has to hand the request over. */
int64_t share_bytes(void);

/* For struct worker. */
void share_accepted(struct str request_id);
void share_answered(struct req *rq);

#endif
