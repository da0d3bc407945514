/* SPDX-License-Identifier: ISC */
/* The places for hashes of passwords on this host. A hash takes a tenth of a second or more of a
   core, and a worker that waits for a place serves nobody else, so both are shared out:

     runs      at most password_parallel workers; one of a person, and one of a network
     waits     at most HASH_WAITING others, for two seconds; one of a person, and one of a network
     serves    at least one worker of the pool always does neither

   The next place belongs to the waiting worker of the best rank: first those whose network runs no
   hash, among them those whom the network is known to be of, and then the one that came first. A
   worker leaves at once when as many as may wait have a better rank. So a crowd of one network
   keeps nobody else from signing in.

   The slots of the workers say who runs and who waits (daemon.h). Nothing is locked, because a
   worker may be killed at any moment: a worker announces itself and then counts the others. Two
   workers that take the last place at once see each other, so that never more run than may, and
   at worst both wait for another turn. */
#include "config.h"

#include "daemon/daemon_priv.h"

#include <time.h>

enum {
	HASHERS_MAX = 128, /* workers that are looked at; more neither run nor wait */
	TURN_NS = 5000000, /* between two looks of a waiting worker */
	HASH_WAITING = 2,  /* workers that wait */
	WAIT_US = 2000000, /* how long each does */
};

enum { NO_HASH, HASH_WAITS, HASH_RUNS }; /* worker_slot.hashing */

struct hasher {
	uint32_t state;
	struct hash_claim claim;
	int64_t since;
	size_t slot;
};

struct hashers {
	struct hasher all[HASHERS_MAX]; /* without this worker */
	size_t n;
	unsigned running;
};

static void
look_at_hashers(const struct shared *shared, struct hashers *out)
{
	uint32_t high = atomic_load(&shared->high);

	*out = (struct hashers){ .n = 0 };
	for (size_t i = 0; i < high && i < SLOTS_MAX && out->n < HASHERS_MAX; i++) {
		const struct worker_slot *s = &shared->slots[i];
		uint32_t state = atomic_load(&s->hashing);

		if (s == daemon_slot() || state == NO_HASH)
			continue;
		out->all[out->n++] = (struct hasher){ .state = state,
			.claim = { .person = atomic_load(&s->hash_person),
			    .network = atomic_load(&s->hash_network),
			    .known = atomic_load(&s->hash_known) != 0 },
			.since = atomic_load(&s->hash_since),
			.slot = i };
		out->running += state == HASH_RUNS;
	}
}

static bool
network_runs(const struct hashers *h, uint64_t network)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->all[i].state == HASH_RUNS && h->all[i].claim.network == network)
			return true;
	return false;
}

static bool
is_older(const struct hasher *a, const struct hasher *b)
{
	return a->since != b->since ? a->since < b->since : a->slot < b->slot;
}

/* Whether a gets the next place rather than b; both wait. */
static bool
ranks_before(const struct hashers *h, const struct hasher *a, const struct hasher *b)
{
	bool a_runs = network_runs(h, a->claim.network), b_runs = network_runs(h, b->claim.network);

	if (a_runs != b_runs)
		return b_runs;
	if (a->claim.known != b->claim.known)
		return a->claim.known;
	return is_older(a, b);
}

/* Whether the other worker has the place of this person or network. People who are known to be of
   the network do not take its place. */
static bool
has_place_of(const struct hasher *other, const struct hasher *me)
{
	bool same =
	    other->claim.person == me->claim.person ||
	    (me->claim.one && !other->claim.known && other->claim.network == me->claim.network);

	return same && (other->state == HASH_RUNS || is_older(other, me));
}

/* Announces the hash, and takes the announcement back when as many others have announced theirs. */
static bool
take_place(const struct shared *shared, int64_t most)
{
	struct hashers h;

	atomic_store(&daemon_slot()->hashing, HASH_RUNS);
	look_at_hashers(shared, &h);
	if (h.running == 0 || h.running < most)
		return true;
	atomic_store(&daemon_slot()->hashing, HASH_WAITS);
	return false;
}

/* The workers of the pool that may hash, and those that may wait; one always serves others. A pool
   of one worker hashes all the same. */
struct places {
	int64_t most, waiting;
};

static struct places
places_of_pool(const struct shared *shared, int64_t most)
{
	int64_t workers = daemon_slot()->pool < shared->pool_count
			      ? shared->pools[daemon_slot()->pool].workers
			      : most + 1 + HASH_WAITING;
	struct places p;

	if (most > workers - 2)
		most = workers > 2 ? workers - 2 : 1;
	p.most = most;
	p.waiting = workers - 1 - most;
	if (p.waiting > HASH_WAITING)
		p.waiting = HASH_WAITING;
	if (p.waiting < 0)
		p.waiting = 0;
	return p;
}

enum turn { TURN_GO, TURN_WAIT, TURN_LEAVE };

static enum turn
next_hash_turn(const struct shared *shared, const struct hasher *me, const struct places *p)
{
	struct hashers h;
	int64_t ahead = 0;

	look_at_hashers(shared, &h);
	for (size_t i = 0; i < h.n; i++) {
		if (has_place_of(&h.all[i], me))
			return TURN_LEAVE;
		ahead += h.all[i].state == HASH_WAITS && ranks_before(&h, &h.all[i], me);
	}
	if ((h.n == 0 || h.running + ahead < p->most) && take_place(shared, p->most))
		return TURN_GO;
	return ahead < p->waiting ? TURN_WAIT : TURN_LEAVE;
}

bool
daemon_hash_begin(const struct hash_claim *claim, int64_t most)
{
	const struct timespec turn = { .tv_nsec = TURN_NS };
	struct worker_slot *slot = daemon_slot();
	const struct shared *shared = worker_shared();
	struct hasher me = { .state = HASH_WAITS, .claim = *claim, .since = mono_us() };
	struct places p;
	enum turn next;

	if (shared == NULL)
		return true;
	me.slot = (size_t)(slot - shared->slots);
	p = places_of_pool(shared, most);
	atomic_store(&slot->hash_person, claim->person);
	atomic_store(&slot->hash_network, claim->network);
	atomic_store(&slot->hash_known, claim->known);
	atomic_store(&slot->hash_since, me.since);
	atomic_store(&slot->hashing, HASH_WAITS);
	while (
	    (next = next_hash_turn(shared, &me, &p)) == TURN_WAIT && mono_us() < me.since + WAIT_US)
		nanosleep(&turn, NULL);
	if (next == TURN_GO)
		return true;
	daemon_hash_end();
	return false;
}

void
daemon_hash_end(void)
{
	atomic_store(&daemon_slot()->hashing, NO_HASH);
}
