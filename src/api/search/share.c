/* SPDX-License-Identifier: ISC */
/* The table that the search workers share, and the decisions that it serves (share.h has the
   design). Every access is a single atomic operation and nothing is locked, because a worker may be
   killed at any moment: the worst result of a race is one request too many or too few in
   surfaced_heavy. */
#include "config.h"

#include "base/hash.h"
#include "api/search/share.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define POOL_SEARCH "surfaced_search"
#define POOL_HEAVY "surfaced_heavy"

enum {
	ACCOUNTS = 1024, /* a power of two */
	WAITING = 512,   /* as many as the queue of a socket holds */
	SLICE_WALL = 4,  /* slices by the clock, when others use the CPU */
	REST = 10,       /* slices after a long search without another try */
	PROBATION_US = 60000000,
	SHORT_US = 5000,
	DELIVERY_US = 1000000, /* nginx has delivered a request by then, or never will */
	PROMISES = 64,
	PROMISE_US = 60000000, /* no Retry-After is longer */
	PROMISE_KEPT_US = 5000000,
	HEAVY_NICE = 5,
};

struct account {
	_Atomic uint32_t number;
	_Atomic int64_t cut_at;  /* when a slice was over; 0: never */
	_Atomic int64_t cost_us; /* mean time of a search in surfaced_heavy; 0: none yet */
	/* The moments (mono_us) at which refused requests may return. */
	_Atomic int64_t promises[PROMISES];
};

struct waiting_request {
	_Atomic uint64_t request; /* 0: free */
	_Atomic uint32_t account;
	_Atomic int64_t since;
};

static struct table {
	struct account accounts[ACCOUNTS];
	struct waiting_request waiting[WAITING];
	_Atomic int64_t
	    overtaken; /* requests handed over before this moment (mono_us) wait no more */
} * table;

static bool is_heavy;

void
share_open(void)
{
	if (table != NULL)
		return;
	table =
	    mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		panic("mmap: %s", strerror(errno));
}

void
share_serve(const char *pool)
{
	is_heavy = strcmp(pool, POOL_HEAVY) == 0;
	if (is_heavy && setpriority(PRIO_PROCESS, 0, HEAVY_NICE) != 0)
		log_event(LOGP_WARNING, "priority", "pool=%s why=\"%s\"", pool, strerror(errno));
}

/* Two accounts with the same number share their entry in the table, which is rare and does no
   harm. */
static uint32_t
account_number(const struct req *rq)
{
	uint32_t n;

	memcpy(&n, rq->key->account.b, sizeof(n));
	return n | 1;
}

/* Hashes nginx's request id, which stays the same in a hand-over; never 0, which marks a free
   entry. */
static uint64_t
hash_request_id(struct str id)
{
	return hash_str(HASH_START, id) | 1;
}

/* Returns the account's entry and clears it when another account used it before. */
static struct account *
account_place(uint32_t number)
{
	struct account *a = &table->accounts[number * UINT32_C(2654435761) >> 22];

	if (atomic_exchange(&a->number, number) != number) {
		atomic_store(&a->cut_at, 0);
		atomic_store(&a->cost_us, 0);
		for (size_t i = 0; i < PROMISES; i++)
			atomic_store(&a->promises[i], 0);
	}
	return a;
}

static bool
can_hand_over(void)
{
	return !is_heavy && table != NULL && daemon_pool(POOL_HEAVY) != NULL;
}

/* ---- the queue of surfaced_heavy ---- */

/* Returns the moment before which no request that was handed over can still be waiting. nginx
   refuses a request when surfaced_heavy has max_conns connections, and no worker learns of it; but
   the queue is first come, first served. So a request was refused when a worker has accepted one
   that was handed over later, or has nothing to do:

     handed over at    10.0   10.2   10.4   11.3
     accepted          -      yes    -      -          10.0 may still be on its way through nginx
     accepted          -      yes    -      yes        10.0 was refused: 11.3 - DELIVERY_US is later; 10.4 still counts

   A second (DELIVERY_US) allows for requests that overtake each other, and the budget of a request
   ends every wait. */
static int64_t
find_queue_start(int64_t now)
{
	struct search_filter running = { .pool = POOL_HEAVY };
	int64_t start = now - conf.request_budget * 1000;
	int64_t overtaken = atomic_load(&table->overtaken);

	if (daemon_searches(&running) < daemon_pool(POOL_HEAVY)->workers)
		overtaken = now - DELIVERY_US;
	return overtaken > start ? overtaken : start;
}

static bool
is_waiting(const struct waiting_request *w, int64_t queue_start)
{
	return atomic_load(&w->request) != 0 && atomic_load(&w->since) > queue_start;
}

struct queue {
	unsigned own;      /* waiting requests of the account */
	unsigned accounts; /* accounts with waiting requests, and this one */
};

/* True when an entry before the i-th has the same account. */
static bool
seen_before(size_t i, int64_t queue_start)
{
	uint32_t account = atomic_load(&table->waiting[i].account);

	for (size_t k = 0; k < i; k++)
		if (is_waiting(&table->waiting[k], queue_start) &&
		    atomic_load(&table->waiting[k].account) == account)
			return true;
	return false;
}

static struct queue
look_at_queue(uint32_t account, int64_t now)
{
	struct queue q = { .accounts = 1 };
	int64_t queue_start = find_queue_start(now);

	for (size_t i = 0; i < WAITING; i++) {
		if (!is_waiting(&table->waiting[i], queue_start))
			continue;
		if (atomic_load(&table->waiting[i].account) == account)
			q.own++;
		else
			q.accounts += !seen_before(i, queue_start);
	}
	return q;
}

/* Takes a free entry of the table. The exchange of `request` decides between two workers that want
   one entry; account and since are written after it. In between, another worker may read the old
   account or the old time: its count is wrong by one request for a microsecond. Two workers may
   even take one expired entry in turn, and one request is then not counted. The table serves
   estimates, so neither is worth a lock in the path of each search. False: all entries are taken,
   as many as the queue of the socket holds. */
static bool
enter_queue(const struct req *rq, uint32_t account, int64_t now)
{
	uint64_t request = hash_request_id(str_of(rq->id));
	int64_t queue_start = find_queue_start(now);

	for (size_t i = 0; i < WAITING; i++) {
		struct waiting_request *w = &table->waiting[i];
		uint64_t seen = atomic_load(&w->request);

		if (is_waiting(w, queue_start) ||
		    !atomic_compare_exchange_strong(&w->request, &seen, request))
			continue;
		atomic_store(&w->account, account);
		atomic_store(&w->since, now);
		return true;
	}
	return false;
}

static void
advance_overtaken(int64_t to)
{
	int64_t seen = atomic_load(&table->overtaken);

	while (seen < to && !atomic_compare_exchange_weak(&table->overtaken, &seen, to))
		;
}

void
share_accepted(struct str request_id)
{
	uint64_t request = hash_request_id(request_id);

	if (!is_heavy || table == NULL)
		return;
	for (size_t i = 0; i < WAITING; i++) {
		int64_t since = atomic_load(&table->waiting[i].since);
		uint64_t seen = request;

		if (!atomic_compare_exchange_strong(&table->waiting[i].request, &seen, 0))
			continue;
		advance_overtaken(since - DELIVERY_US);
		return;
	}
}

/* Counts the promises that are not due yet or can still be claimed. */
static unsigned
count_promises(const struct account *a, int64_t now)
{
	unsigned n = 0;

	for (size_t i = 0; i < PROMISES; i++)
		n += atomic_load(&a->promises[i]) > now - PROMISE_KEPT_US;
	return n;
}

/* Claims a promise that is due: this request counts as the refused one, since nothing distinguishes
   the two. */
static bool
claim_promise(struct account *a, int64_t now)
{
	for (size_t i = 0; i < PROMISES; i++) {
		int64_t due = atomic_load(&a->promises[i]);

		if (due <= now && due > now - PROMISE_KEPT_US &&
		    atomic_compare_exchange_strong(&a->promises[i], &due, 0))
			return true;
	}
	return false;
}

/* Stores the promise of a Retry-After. Without a free place the promise is dropped. */
static void
make_promise(struct account *a, int seconds, int64_t now)
{
	for (size_t i = 0; i < PROMISES; i++) {
		int64_t due = atomic_load(&a->promises[i]);

		if (due <= now - PROMISE_KEPT_US && atomic_compare_exchange_strong(&a->promises[i],
							&due, now + seconds * SECOND_US))
			return;
	}
}

/* Returns 0 when one more request of the account may wait, otherwise the seconds until one may. The
   work of an account in surfaced_heavy is a time:

     own       = waiting + running requests of the account
     search_us = its mean search * accounts in the queue / workers      a share of the workers, not all of them
     excess    = search_us * (own + promises) - conf.search_wait        at least 0: refuse, and come back then

   An account with fewer requests than there are workers is never refused, and neither is the
   request that keeps a promise. Promised requests count as work, so that clients that were refused
   together return one after another. */
static int
seconds_until_room(uint32_t number, int64_t now)
{
	struct account *a = account_place(number);
	struct queue q = look_at_queue(number, now);
	struct search_filter f = { .account = number, .pool = POOL_HEAVY };
	unsigned workers = daemon_pool(POOL_HEAVY)->workers, own = q.own + daemon_searches(&f);
	int64_t wait = conf.search_wait * 1000, search_us = atomic_load(&a->cost_us), excess;
	int seconds;

	if (own < workers)
		return 0;
	if (search_us == 0)
		search_us = wait / 2; /* a guess until the first search was timed */
	search_us = search_us * q.accounts / workers;
	excess = search_us * (own + count_promises(a, now)) - wait;
	if (excess < 0 || claim_promise(a, now))
		return 0;
	seconds = (int)(excess >= PROMISE_US ? PROMISE_US / SECOND_US : excess / SECOND_US + 1);
	make_promise(a, seconds, now);
	return seconds;
}

static int
hand_request_over(struct req *rq, uint32_t account, int64_t now)
{
	int seconds = seconds_until_room(account, now);

	if (seconds == 0 && !enter_queue(rq, account, now))
		seconds = 1;
	if (seconds > 0) {
		metrics_add(rq->worker->metrics, COUNTER_SEARCH_REFUSED);
		return fail_retry(rq,
		    rq->route->area == AREA_SEARCH ? ERR_SEARCH_BUSY : ERR_SERVICE_BUSY, seconds);
	}
	metrics_add(rq->worker->metrics, COUNTER_SEARCH_HANDED_OVER);
	rq->handed_to = "@surfaced_heavy";
	rq->content_type = "text/plain";
	rq->status = 200;
	return FAILED;
}

int
share_cut_off(struct req *rq)
{
	atomic_store(&account_place(account_number(rq))->cut_at, mono_us());
	return share_hand_over(rq);
}

int
share_hand_over(struct req *rq)
{
	return hand_request_over(rq, account_number(rq), mono_us());
}

int
share_long(struct req *rq)
{
	uint32_t account = account_number(rq);

	if (is_heavy)
		daemon_slot()->searching = account;
	return can_hand_over() ? hand_request_over(rq, account, mono_us()) : PASS;
}

/* ---- a search begins and ends ---- */

static bool
holds_its_share(uint32_t account, int64_t now)
{
	struct search_filter f = { account, POOL_SEARCH, now - SHORT_US };
	unsigned held = daemon_searches(&f);

	return held > 0 &&
	       held * INT64_C(100) >= daemon_pool(POOL_SEARCH)->workers * conf.search_share;
}

/* A recent search of the account was cut off, so the next one may be long, too. After REST slices
   one search at a time is tried again. */
static bool
is_likely_long(uint32_t account, int64_t now)
{
	int64_t cut_at = atomic_load(&account_place(account)->cut_at);
	struct search_filter f = { .account = account, .pool = POOL_SEARCH };

	if (cut_at == 0 || now - cut_at >= PROBATION_US)
		return false;
	return now - cut_at < REST * conf.search_slice * 1000 || daemon_searches(&f) > 0;
}

int
share_begin(struct req *rq, struct budget *budget)
{
	uint32_t account = account_number(rq);
	int64_t now = mono_us(), slice = conf.search_slice * 1000;

	daemon_slot()->searching = account;
	/* A handed-over search was counted before; seconds_until_room() bounds the searches of
	   surfaced_heavy. */
	if (!is_heavy && daemon_searches(&(struct search_filter){ 0 }) >= conf.search_parallel)
		return fail_retry(rq, ERR_SEARCH_BUSY, 1);
	*budget =
	    (struct budget){ .deadline = rq->deadline, .work = (uint64_t)conf.search_work_limit };
	if (!can_hand_over())
		return PASS;
	if (is_likely_long(account, now) || holds_its_share(account, now))
		return hand_request_over(rq, account, now);
	budget->slice_from = now + slice;
	budget->slice_cpu = cpu_us() + slice;
	budget->slice_until = now + SLICE_WALL * slice;
	return PASS;
}

int64_t
share_bytes(void)
{
	return can_hand_over() ? LIM_FRONT_BYTES : INT64_MAX;
}

/* Updates the mean time of a search of the account: each new search counts a quarter. */
void
share_answered(struct req *rq)
{
	struct account *a;
	int64_t cost, last = mono_us() - rq->started;

	if (!is_heavy || table == NULL || atomic_load(&daemon_slot()->searching) == 0 ||
	    rq->error == ERR_SEARCH_BUSY)
		return;
	a = account_place(account_number(rq));
	cost = atomic_load(&a->cost_us);
	atomic_store(&a->cost_us, cost == 0 ? last : cost + (last - cost) / 4);
}
