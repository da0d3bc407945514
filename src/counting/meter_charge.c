/* SPDX-License-Identifier: ISC */
/* Charges that survive kill -9: takes units of quotas and usage, gives them back, and settles the
   charges of workers that died. counting/meter.h describes the protocol.

   The order of the writes is the protocol: journal entry, then word, then journal entry; and
   confirm_writer before each compare-and-swap. All are sequentially consistent, so every process
   sees them in this order. */
#include "config.h"

#include "counting/meter_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* An entry: tag << 32 | index of the slot << 2 | state. */
enum entry_state { ENTRY_FREE, ENTRY_TAKING, ENTRY_TAKEN, ENTRY_RETURNING };

enum { SEQ_BITS = 21, SEQ_MASK = (1 << SEQ_BITS) - 1 };
enum {
	/* nginx repeats a request at once, but the repetition may wait in a queue */
	RETRY_S = 10,
	/* a dying worker's connection closes before its lock is released, so the repetition may
	   arrive first */
	LOCK_TRIES = 100,
	LOCK_PAUSE_US = 1000,
};

#define LOCK_BASE (INT64_C(1) << 40) /* beyond every byte of the file */

_Static_assert(sizeof(struct journal) == 64, "a journal is a cache line");
_Static_assert(METER_JOURNALS + 1 < 1 << (32 - SEQ_BITS), "a journal's number fits into a tag");

static uint64_t
entry_of(uint32_t tag, uint64_t slot, enum entry_state state)
{
	return (uint64_t)tag << 32 | slot << 2 | (uint64_t)state;
}

static enum entry_state
entry_state(uint64_t entry)
{
	return (enum entry_state)(entry & 3);
}

static struct slot *
entry_slot(const struct meter_file *f, uint64_t entry)
{
	return &f->slots[(entry & UINT32_MAX) >> 2];
}

static uint32_t
next_tag(const struct meter_file *f, struct journal *j)
{
	j->seq = (j->seq + 1) & SEQ_MASK;
	return ((uint32_t)(j - f->journals) + 1) << SEQ_BITS | j->seq;
}

/* Writes into the journal of the number's last writer that its write succeeded. Called before the
   number is overwritten, because its tag is the only other evidence. */
static void
confirm_writer(const struct meter_file *f, uint64_t number)
{
	uint32_t tag = (uint32_t)(number >> 32), at = (tag >> SEQ_BITS) - 1;

	if (tag == 0 || at >= METER_JOURNALS)
		return;
	for (int i = 0; i < JOURNAL_ENTRIES; i++) {
		_Atomic uint64_t *entry = &f->journals[at].entries[i];
		uint64_t old = atomic_load(entry);

		if (old >> 32 != tag)
			continue;
		if (entry_state(old) == ENTRY_TAKING)
			atomic_compare_exchange_strong(
			    entry, &old, (old & ~UINT64_C(3)) | ENTRY_TAKEN);
		else if (entry_state(old) == ENTRY_RETURNING)
			atomic_compare_exchange_strong(entry, &old, 0);
		return;
	}
}

/* Does nothing without a journal; the charge is then lost when the worker is killed. */
static void
set_journal_entry(struct journal *j, int i, uint64_t entry)
{
	if (j != NULL)
		atomic_store(&j->entries[i], entry);
}

/* A slot that is not live is being surrendered or belongs to a past period: the worker must ask the
   meter. */
static bool
quota_has_room(const struct slot *s, uint64_t word, uint64_t *left)
{
	uint64_t count = word & UINT32_MAX, room = slot_room(s);

	if (atomic_load(&s->state) != SLOT_LIVE || count >= room || count == UINT32_MAX)
		return false;
	*left = room - count - 1;
	return true;
}

bool
charge_take(const struct meter_file *f, struct journal *j, enum slot_kind kind, struct slot *s,
    uint64_t *left)
{
	int i = (int)kind - (int)SLOT_ACCOUNT_QUOTA;
	uint64_t word, at = (uint64_t)(s - f->slots);
	uint32_t tag = j == NULL ? 0 : next_tag(f, j);

	set_journal_entry(j, i, entry_of(tag, at, ENTRY_TAKING));
	do {
		word = atomic_load(&s->word);
		if (kind != SLOT_KEY_USAGE && !quota_has_room(s, word, left)) {
			set_journal_entry(j, i, 0);
			return false;
		}
		confirm_writer(f, word);
	} while (!atomic_compare_exchange_strong(
	    &s->word, &word, (uint64_t)tag << 32 | ((word + 1) & UINT32_MAX)));
	set_journal_entry(j, i, entry_of(tag, at, ENTRY_TAKEN));
	return true;
}

void
charge_return_unnoted(const struct meter_file *f, struct slot *s)
{
	uint64_t back;

	do {
		back = atomic_load(&s->back);
		confirm_writer(f, back);
	} while (!atomic_compare_exchange_strong(&s->back, &back, (back + 1) & UINT32_MAX));
}

static void
return_entry(const struct meter_file *f, struct journal *j, int i)
{
	uint64_t entry = atomic_load(&j->entries[i]), back;
	struct slot *s = entry_slot(f, entry);
	uint32_t tag = next_tag(f, j);

	atomic_store(&j->entries[i], entry_of(tag, (uint64_t)(s - f->slots), ENTRY_RETURNING));
	do {
		back = atomic_load(&s->back);
		confirm_writer(f, back);
	} while (!atomic_compare_exchange_strong(
	    &s->back, &back, (uint64_t)tag << 32 | ((back + 1) & UINT32_MAX)));
	atomic_store(&j->entries[i], 0);
}

/* ---- phases of a request ---- */

void
charge_begin(struct journal *j, uint64_t request)
{
	if (j == NULL)
		return;
	atomic_store(&j->request, request);
	atomic_store(&j->phase, PHASE_TAKING);
}

void
charge_phase(struct journal *j, enum journal_phase phase)
{
	if (j == NULL)
		return;
	atomic_store(&j->since, (uint32_t)(boot_us() / SECOND_US));
	atomic_store(&j->phase, (uint32_t)phase);
}

/* Empties the journal without giving anything back. The caller has set PHASE_ANSWERING or returned
   the units, so that a kill in the middle gives nothing back either. */
static void
empty_journal(struct journal *j)
{
	for (int i = 0; i < JOURNAL_ENTRIES; i++)
		atomic_store(&j->entries[i], 0);
	atomic_store(&j->request, 0);
	atomic_store(&j->phase, PHASE_IDLE);
}

void
charge_keep(struct journal *j)
{
	if (j == NULL || atomic_load(&j->phase) == PHASE_IDLE)
		return;
	atomic_store(&j->phase, PHASE_ANSWERING);
	empty_journal(j);
}

void
charge_return(const struct meter_file *f, struct journal *j)
{
	for (int i = 0; i < JOURNAL_ENTRIES; i++)
		if (entry_state(atomic_load(&j->entries[i])) == ENTRY_TAKEN)
			return_entry(f, j, i);
	empty_journal(j);
}

/* ---- journals of dead workers ---- */

/* Finds out whether a killed worker had written the number that its journal entry announces. If it
 * had, either the number still has the tag of the entry, or the next writer has confirmed the entry
 * (confirm_writer):
 *
 *   entry       tag in the number   result
 *   TAKING      that of the entry   counted: the entry becomes TAKEN
 *   TAKING      another             not counted: the entry is emptied
 *   RETURNING   that of the entry   given back: the entry is emptied
 *   RETURNING   another             not given back: the entry becomes TAKEN, and charge_return
 *                                   gives the unit back
 *
 * The entry is read again before it is changed, because a writer may have confirmed it since. */
static void
resolve_entry(const struct meter_file *f, struct journal *j, int i)
{
	uint64_t entry = atomic_load(&j->entries[i]);
	const struct slot *s = entry_slot(f, entry);
	bool taking = entry_state(entry) == ENTRY_TAKING;
	uint64_t number;

	if (!taking && entry_state(entry) != ENTRY_RETURNING)
		return;
	number = atomic_load(taking ? &s->word : &s->back);
	if (number >> 32 == entry >> 32)
		confirm_writer(f, number);
	else if (atomic_load(&j->entries[i]) == entry) /* the write did not take place */
		atomic_store(&j->entries[i], taking ? 0 : (entry & ~UINT64_C(3)) | ENTRY_TAKEN);
}

static void
resolve_entries(const struct meter_file *f, struct journal *j)
{
	for (int i = 0; i < JOURNAL_ENTRIES; i++)
		resolve_entry(f, j, i);
}

static bool
lock_journal(const struct meter_file *f, uint32_t at, short type)
{
	struct flock l = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = LOCK_BASE + at, .l_len = 1
	};

	return fcntl(f->fd, F_OFD_SETLK, &l) == 0;
}

/* The caller holds the journal's lock, so its worker is dead. */
static void
settle_dead(const struct meter_file *f, struct journal *j)
{
	resolve_entries(f, j);
	if (atomic_load(&j->phase) == PHASE_ANSWERING)
		empty_journal(j);
	else
		charge_return(f, j);
}

/* True while nginx may still repeat the request, whose new worker would then adopt the charge. */
static bool
may_be_repeated(const struct journal *j)
{
	return atomic_load(&j->phase) == PHASE_ANSWERING &&
	       (uint32_t)(boot_us() / SECOND_US) - atomic_load(&j->since) < RETRY_S;
}

struct journal *
journal_join(struct meter_file *f)
{
	for (uint32_t i = 0; i < METER_JOURNALS; i++) {
		struct journal *j = &f->journals[i];
		uint32_t used = atomic_load(&f->head->journals);

		if (may_be_repeated(j) || !lock_journal(f, i, F_WRLCK))
			continue;
		if (may_be_repeated(j)) {
			(void)lock_journal(f, i, F_UNLCK);
			continue;
		}
		settle_dead(f, j);
		while (used <= i && !atomic_compare_exchange_weak(&f->head->journals, &used, i + 1))
			;
		return j;
	}
	return NULL;
}

void
meter_settle_dead(struct meter_file *f)
{
	uint32_t used = atomic_load(&f->head->journals);

	for (uint32_t i = 0; i < used && i < METER_JOURNALS; i++) {
		struct journal *j = &f->journals[i];

		if (atomic_load(&j->phase) == PHASE_IDLE || may_be_repeated(j) ||
		    !lock_journal(f, i, F_WRLCK))
			continue;
		if (!may_be_repeated(j))
			settle_dead(f, j);
		(void)lock_journal(f, i, F_UNLCK);
	}
}

/* True when the charge is complete and has exactly the owners that this request is charged to. */
static bool
is_charge_of(const struct meter_file *f, const struct journal *j,
    const struct uuid *const owners[JOURNAL_ENTRIES])
{
	uint32_t phase = atomic_load(&j->phase);

	if (phase != PHASE_CHARGED && phase != PHASE_ANSWERING)
		return false;
	for (int i = 0; i < JOURNAL_ENTRIES; i++) {
		uint64_t entry = atomic_load(&j->entries[i]);
		const struct slot *s = entry_slot(f, entry);

		if ((owners[i] != NULL) != (entry_state(entry) == ENTRY_TAKEN))
			return false;
		if (owners[i] != NULL && uuid_cmp(owners[i], &s->owner) != 0)
			return false;
	}
	return true;
}

static bool
lock_patiently(const struct meter_file *f, uint32_t at)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (lock_journal(f, at, F_WRLCK))
			return true;
		usleep(LOCK_PAUSE_US);
	}
	return false;
}

/* Makes the charge of j the charge of this request; the caller has the lock of j. Releases the lock
 * of the caller's own journal, which is idle, so that another worker can use it. If the charge has
 * other owners than the request, the charge is given back and the result is false. */
static bool
adopt_dead_charge(const struct meter_file *f, struct journal *own, struct journal *j,
    const struct uuid *const owners[JOURNAL_ENTRIES])
{
	resolve_entries(f, j);
	if (!is_charge_of(f, j, owners)) {
		settle_dead(f, j);
		return false;
	}
	if (own != NULL)
		(void)lock_journal(f, (uint32_t)(own - f->journals), F_UNLCK);
	charge_phase(j, PHASE_CHARGED);
	return true;
}

/* Finds the journal of a dead worker that has charged this request, and makes it the caller's
 * own. The repetition may arrive while the worker is still dying, so the lock is awaited
 * (LOCK_TRIES). By the time it is obtained, the meter may have settled the journal: the
 * identifier is compared again. */
struct journal *
journal_adopt(const struct meter_file *f, struct journal *own, uint64_t request,
    const struct uuid *const owners[JOURNAL_ENTRIES])
{
	uint32_t used = atomic_load(&f->head->journals);

	for (uint32_t i = 0; i < used && i < METER_JOURNALS; i++) {
		struct journal *j = &f->journals[i];

		if (j == own || atomic_load(&j->request) != request || !lock_patiently(f, i))
			continue;
		if (atomic_load(&j->request) == request && adopt_dead_charge(f, own, j, owners))
			return j;
		(void)lock_journal(f, i, F_UNLCK);
	}
	return NULL;
}

/* ---- the meter's side ---- */

/* Stops all workers for the moment of counting. No worker finds a retired slot. A worker that
   already holds it cannot count either: its compare-and-swap fails because the tag has changed, and
   after reading the word again it finds that the slot is not live. A meter that is killed in here
   leaves a retired slot; roster_slot makes it live again when a worker asks for it. */
uint64_t
slot_surrender(struct meter_file *f, struct slot *s)
{
	uint64_t word, left;
	uint32_t tag;

	slot_retire(s);
	f->head->seq = (f->head->seq + 1) & SEQ_MASK;
	tag = (METER_JOURNALS + 1U) << SEQ_BITS | f->head->seq;
	do {
		word = atomic_load(&s->word);
		confirm_writer(f, word);
	} while (!atomic_compare_exchange_strong(
	    &s->word, &word, (uint64_t)tag << 32 | (word & UINT32_MAX)));
	left = slot_left(s);
	if (left > UINT32_MAX - atomic_load(&s->surrendered))
		left = 0;
	atomic_fetch_add(&s->surrendered, (uint32_t)left);
	slot_publish(s);
	return left;
}
