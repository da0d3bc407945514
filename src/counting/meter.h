/* SPDX-License-Identifier: ISC */
/* Rates, quotas and usage of one host: a file, meter.map, that every worker and surfaced-meter map
 * into their memory. A worker admits a request by compare-and-swap in it, without waiting for
 * another worker; its one system call asks whether the file was replaced. The difficulty: any
 * process may be killed between any two instructions, and no unit may be lost or counted twice.
 *
 *   meter.map
 *   +-------------------+-----------------------------+---------------------------------+
 *   | head              | slots, a hash table         | journals, one for each worker   |
 *   | clock, futex      | one for owner and period:   | the charge of the request that  |
 *   |                   | limit, word, back           | the worker is running           |
 *   +-------------------+-----------------------------+---------------------------------+
 *     ^ clock              ^ limit       ^ word, back    ^ written by its worker, confirmed by
 *     |                    |             |               | later writers, settled after its death
 *   surfaced-meter --------+           workers ----------+
 *     ^
 *     v  leases, flushes, clock; every number is absolute, so repeating a call is harmless
 *   PostgreSQL
 *
 * The life of a request in here: meter_admit looks at all slots that count for it (key's rate,
 * account's rate, account's quota, group's quota, key's usage) and refuses when one is full: the
 * first full limit in this order gives the error, the longest wait gives Retry-After. It then takes
 * a unit from each, in the same order; when another worker was quicker in one of them, it gives the
 * others back and looks again. Where a slot or a lease is missing it asks surfaced-meter by a
 * datagram and sleeps on a futex. Any answer of the meter, to any worker, wakes every sleeper,
 * which looks again. It asks again every 50 ms; after conf.meter_wait the request is refused as
 * unavailable (503), not as over a quota.
 *
 * Clocks. Windows of rates are seconds of boot_us(), the time since the boot: a wall clock that is
 * set back or forward would lengthen or cut a window. A boot makes a new file, so no window is
 * older than its clock. Months and days are those of PostgreSQL's clock, head.epoch_us + boot_us().
 * The meter sets epoch_us with each flush, so the wall clocks of hosts are irrelevant and all hosts
 * agree about the period.
 *
 * Leases. The meter obtains a part of a month's quota from PostgreSQL and raises the slot's limit
 * by it. A worker takes a unit while taken < limit + given back - surrendered. When another host
 * needs units, the meter surrenders the unused ones: it retires the slot and changes the tag in its
 * word, so that each compare-and-swap under way fails; now it can count the unused units exactly,
 * and makes the slot live again.
 *
 * Charges. A worker writes into its journal which slot it is about to count in (TAKING), counts in
 * the slot's word, and writes that it has counted (TAKEN). A worker may be killed between these
 * steps, so the word itself must show whether the unit was counted: its upper half is the tag
 * (journal, sequence number) of the last worker that counted there. Before a worker overwrites
 * another worker's tag, it sets the other worker's journal entry to TAKEN (confirm_writer). After
 * the death of a worker, its journal entry and the tag give the answer:
 *
 *   entry    tag in the word       the unit of the dead worker was
 *   TAKEN    any                   counted
 *   TAKING   the dead worker's     counted: this tag was written together with the count
 *   TAKING   another worker's      not counted: if the dead worker had written its tag, the worker
 *                                  that overwrote it would have set the entry to TAKEN
 *
 * Units are given back in the same way, in `back`.
 *
 * Phases of a journal, and what happens to the charge when the worker is killed:
 *
 *   idle --> taking --> charged --> answering --> idle
 *            |          |           |
 *            +----------+           +-- the charge stays: the answer was probably sent. For ten
 *            |                          seconds nothing touches it, because nginx repeats a GET
 *            |                          whose answer did not arrive
 *            +-- the units are given back
 *
 * A repeated request has the same identifier. Its new worker finds the dead worker's journal by the
 * identifier and adopts the journal with its charge (journal_adopt), so the request is charged
 * once. The kernel may close the dead worker's connection shortly before it releases the lock, and
 * nginx repeats the request at once. The new worker therefore tries the lock for 100 ms before it
 * charges the request again. The meter then gives the first charge back, unless the dead worker's
 * journal is in the phase answering: such a request is charged twice.
 *
 * Death is detected by locks: a worker holds a lock on its journal as long as it lives (an open
 * file description lock, which the kernel releases with the process), so a process that obtains the
 * lock knows that the worker is dead. The meter settles the journals of dead workers every
 * second. */
#ifndef COUNTING_METER_H
#define COUNTING_METER_H

#include "counting/slot.h"

/* ---- the mapping ---- */

enum { JOURNAL_ENTRIES = SLOT_KINDS - SLOT_ACCOUNT_QUOTA };
enum journal_phase { PHASE_IDLE, PHASE_TAKING, PHASE_CHARGED, PHASE_ANSWERING };

/* The charge of the request that a worker is running. When the worker is killed, the worker of the
   repeated request adopts the charge, or the meter settles it (meter_charge.c). */
struct journal {
	_Atomic uint64_t request;      /* the request's identifier; 0: none */
	_Atomic uint32_t phase, since; /* since: second of boot_us */
	uint32_t seq;                  /* sequence number of the last tag */
	uint32_t unused[5];
	_Atomic uint64_t entries[JOURNAL_ENTRIES]; /* account's quota, group's, usage */
};

enum { METER_JOURNALS = 1024 }; /* further workers count without a journal */

enum { METER_VERSION = 2, BOOT_ID_LEN = 36 };

struct meter_head {
	uint64_t magic;
	uint32_t version, slots; /* slots: a power of two */
	struct uuid incarnation;
	char boot_id[BOOT_ID_LEN + 1];
	_Atomic uint32_t answers;  /* a futex, counted up when the meter has answered a worker */
	_Atomic int64_t epoch_us;  /* PostgreSQL's clock minus boot_us() */
	_Atomic uint32_t journals; /* journals below this number were used */
	uint32_t seq;              /* sequence number of the meter's last tag */
};

struct meter_file {
	size_t bytes;
	struct meter_head *head; /* NULL: not mapped */
	struct slot *slots;
	struct journal *journals;
	int fd; /* owns the journals' locks: closing it releases them */
};

uint32_t meter_day(struct ts t);   /* days since 1970 */
uint32_t meter_month(struct ts t); /* year * 12 + month, January being 0 */
struct ts meter_day_start(uint32_t day);
struct ts meter_month_start(uint32_t month);
/* PostgreSQL's time at a moment of boot_us(), by the last flush of this host. */
struct ts meter_time(const struct meter_file *f, int64_t boot);

/* The slot in SLOT_LIVE, for workers; NULL: there is none. */
struct slot *meter_find(
    const struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period);

/* ---- for surfaced-meter, which holds meter_lock ---- */

/* Makes this process the only meter of the host. Returns a descriptor that holds the lock, or
   -1. */
int meter_lock(void);
/* Opens meter.map in conf.run_directory. Makes a new one, with a new incarnation, when there is
   none or when it belongs to another boot or version. False with a reason. */
bool meter_file_hold(struct meter_file *f, char *err, size_t room) MUST_USE;
/* False when the file has another number of slots than conf.meter_slots wants. */
bool meter_file_fits(const struct meter_file *f);
void meter_file_close(struct meter_file *f);
/* Removes the name of the file, so that meter_file_hold makes a new file. Does nothing when the
   name already belongs to another file. */
void meter_file_drop(const struct meter_file *f);
/* True when the name meter.map belongs to another file, or to none. */
bool meter_file_replaced(const struct meter_file *f);
/* A new slot, where meter_find has none. The caller fills it in and publishes it. NULL: the table
   is full. */
struct slot *meter_add(
    struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period);
/* The retired slot of this owner and period; slot_publish makes it live again. NULL: there is
   none. */
struct slot *meter_find_retired(
    const struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period);
/* Settles the journals of dead workers: gives back units of requests that they did not answer. */
void meter_settle_dead(struct meter_file *f);

/* A worker's question to the meter, one datagram: make the slots of this request, with leases. */
struct meter_ask {
	uint64_t magic;
	struct uuid key, account, group; /* group all zero: none */
	uint32_t month, day;
};

#define METER_ASK_MAGIC UINT64_C(0x31746d6b73617375)
bool meter_socket_name(char *out, size_t room) MUST_USE;
/* Wakes every worker that waits for an answer. */
void meter_wake_workers(struct meter_file *f);

#endif
