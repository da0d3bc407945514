/* SPDX-License-Identifier: ISC */
/* Rates, quotas and usage of one host: a file that every worker and surfaced-meter map. A worker admits a request by
   compare-and-swap and never waits for another worker. Hard about it: any of the processes may be killed between any
   two instructions, and still no unit may be lost or counted twice.

     meter.map
     +------------------+---------------------------+----------------------------------+
     | head             | slots: hash table         | journals: one a worker           |
     | epoch, futex     | an owner and a period each| the charge of its running request|
     +------------------+---------------------------+----------------------------------+
        ^ epoch            ^ limit    | word, back     ^ lock of the worker; the meter and
        |                  |          v                | the retry take those of the dead
     surfaced-meter <-> PostgreSQL: leases (absolute numbers), flushes, clock

   Clocks. Windows of rates are seconds of boot_us(), which never steps and survives what the file survives. Months
   and days are those of PostgreSQL's clock: head.epoch_us + boot_us(). The meter sets epoch_us with each flush, so a
   wall clock of a host matters nowhere, and all hosts agree.

   Lease. The meter obtains parts of a month's quota and raises the slot's limit. A worker takes a unit while
   taken < limit + given back - surrendered. To surrender, the meter retires the slot and changes the word's tag:
   each worker's pending compare-and-swap fails, the rest is counted exactly, and the slot is live again.

   Charge. A worker notes in its journal which slot it is about to count in, counts, and notes that it has. Killed
   in between, it leaves the question whether it counted. The word answers it: its upper half is the tag (journal,
   sequence) of the last writer, and the next writer confirms that tag in the journal before it overwrites the word
   (confirm_writer). Giving back works likewise on `back`.

     idle --> taking --> charged --> answering --> idle      killed while taking or charged: given back
                                                             killed while answering: kept, for the answer was probably
                                                             sent; if not, nginx repeats a GET

   A worker holds a lock on its journal as long as it lives (an open file description lock, which the kernel releases
   with the process), so whoever obtains the lock knows that the worker is dead. The meter settles the journals of the
   dead every second. A request that nginx repeats has the same identifier: its new worker takes over the dead
   worker's journal together with the charge, so the request is charged once. */
#ifndef COUNTING_METER_H
#define COUNTING_METER_H

#include "json/json.h"

#include <stdatomic.h>

/* ---- the mapping ---- */

/* What a slot counts, in the order in which limits refuse (C-068). */
enum slot_kind {
	SLOT_KEY_RATE,      /* owner: key; period 0 */
	SLOT_ACCOUNT_RATE,  /* owner: account; period 0; search operations */
	SLOT_ACCOUNT_QUOTA, /* owner: account; period: month */
	SLOT_GROUP_QUOTA,   /* owner: group; period: month */
	SLOT_KEY_USAGE,     /* owner: key; period: day */
	SLOT_KINDS,
};

enum slot_state {
	SLOT_EMPTY,
	SLOT_LIVE,
	SLOT_RETIRED, /* not found any more, but somebody may still hold it */
	SLOT_FREE,    /* for another owner */
};

/* word:  a rate's (start of the window in seconds of boot_us << 32) | admitted in it; a quota's
          and usage's (tag of the last writer << 32) | taken.
   back:  of quota and usage: (tag of the last writer << 32) | taken and given back since.
   limit: a rate's (requests << 32) | seconds of the window; what a quota's leases add up to.
   surrendered: a quota's: leased and returned to the database unused.
   Every number of a quota and of usage only grows, so the larger of two reports is the later one. */
struct slot {
	_Atomic uint16_t state;
	uint16_t kind;
	uint32_t period;
	uint32_t seq; /* the meter's: number of the last lease that was asked for */
	_Atomic uint32_t surrendered;
	struct uuid owner;
	_Atomic uint64_t word, back, limit;
	_Atomic uint32_t
	    mark; /* a quota's: the meter is told when this much is left; 0: never */
	_Atomic uint32_t
	    until; /* a quota's: exhausted until this second of the monotonic clock */
};

enum { JOURNAL_ENTRIES = SLOT_KINDS - SLOT_ACCOUNT_QUOTA };
enum journal_phase { PHASE_IDLE, PHASE_TAKING, PHASE_CHARGED, PHASE_ANSWERING };

/* The charge of the request that a worker runs: what meter_charge.c needs when the worker is killed. */
struct journal {
	_Atomic uint64_t request;      /* the request's identifier; 0: none */
	_Atomic uint32_t phase, since; /* since: second of boot_us */
	uint32_t seq;                  /* of the last tag */
	uint32_t unused[5];
	_Atomic uint64_t entries[JOURNAL_ENTRIES]; /* account's quota, group's, usage */
};

enum { METER_JOURNALS = 1024 }; /* more workers than that count without a journal */

enum { METER_VERSION = 2, BOOT_ID_LEN = 36 };

struct meter_head {
	uint64_t magic;
	uint32_t version, slots; /* slots: a power of two */
	struct uuid incarnation;
	char boot_id[BOOT_ID_LEN + 1];
	_Atomic uint32_t
	    news; /* a futex: one more whenever the meter has answered somebody */
	_Atomic int64_t epoch_us;  /* PostgreSQL's clock minus boot_us() */
	_Atomic uint32_t journals; /* those below this number have been used */
	uint32_t seq;              /* of the meter's last tag */
};

struct meter_file {
	uint64_t dev, ino;
	size_t bytes;
	struct meter_head *head; /* NULL: not mapped */
	struct slot *slots;
	struct journal *journals;
	int fd; /* the journals' locks belong to it */
};

uint32_t meter_day(struct ts t);   /* days since 1970 */
uint32_t meter_month(struct ts t); /* year * 12 + month, January being 0 */
struct ts meter_day_start(uint32_t day);
struct ts meter_month_start(uint32_t month);
/* PostgreSQL's time at a moment of boot_us(), as this host knows it. */
struct ts meter_time(const struct meter_file *f, int64_t boot);

/* Units of a quota that this host may hand out in all. */
uint64_t slot_room(const struct slot *s);
/* Taken, and given back since, of a quota or of usage. */
uint64_t slot_taken(const struct slot *s);
uint64_t slot_back(const struct slot *s);
/* What is left of a quota's leases on this host; never more than there is. */
uint64_t slot_left(const struct slot *s);
/* Taken and not given back, of a quota or of usage. */
uint64_t slot_used(const struct slot *s);
/* The slot in SLOT_LIVE, for workers; NULL: there is none. */
struct slot *meter_find(const struct meter_file *f, enum slot_kind kind,
    const struct uuid *owner, uint32_t period);

/* ---- for surfaced-meter, which holds the file's lock ---- */

/* One meter a host: a descriptor that holds the lock, or -1. */
int meter_lock(void);
/* Opens conf.run_directory's file, or makes one with a new incarnation when there is none, or it is of
   another boot, size or version. False with a reason. */
bool meter_file_hold(struct meter_file *f, char *err, size_t room) MUST_USE;
void meter_file_close(struct meter_file *f);
/* The next meter begins with a new one. */
void meter_file_drop(void);
/* A new slot, to be filled in before slot_publish, where meter_find has none; NULL: the table is full. */
struct slot *meter_add(
    struct meter_file *f, enum slot_kind kind, const struct uuid *owner, uint32_t period);
/* The retired slot of this owner and period, which slot_publish puts to use again; NULL: there is none. */
struct slot *meter_find_retired(const struct meter_file *f, enum slot_kind kind,
    const struct uuid *owner, uint32_t period);
void slot_publish(struct slot *s);
void slot_retire(struct slot *s);
void slot_free(struct meter_file *f, struct slot *s);
/* Takes back what is left of the leases, at once and against every worker; the number of units. */
uint64_t slot_surrender(struct meter_file *f, struct slot *s);
/* Gives back what workers that died had charged for requests they did not answer. */
void meter_settle_dead(struct meter_file *f);

/* What a worker asks of the meter, one datagram. */
struct meter_ask {
	uint64_t magic;
	struct uuid key, account, group; /* group all zero: none */
	uint32_t month, day;
};

#define METER_ASK_MAGIC UINT64_C(0x31746d6b73617375)
bool meter_socket_name(char *out, size_t room) MUST_USE;
/* Wakes every worker that waits for news. */
void meter_announce(struct meter_file *f);

/* ---- for a worker ---- */

enum meter_charge {
	CHARGE_RATE = 1 << 0,        /* the key's rate */
	CHARGE_SEARCH_RATE = 1 << 1, /* the account's */
	CHARGE_QUOTA = 1 << 2,       /* account and group; counted as usage */
};

enum meter_rc {
	METER_ADMITTED,
	METER_KEY_RATE,
	METER_ACCOUNT_RATE,
	METER_ACCOUNT_QUOTA,
	METER_GROUP_QUOTA,
	METER_UNAVAILABLE, /* no slot or no lease, and no meter that gives one: fail closed (C-018) */
};

struct meter_who {
	struct uuid key, account, group;
	unsigned charges;
	uint64_t request; /* its identifier, the same when nginx repeats it; 0: none */
	int64_t boot;     /* boot_us: when the request began */
	int64_t deadline; /* mono_us: no later, whatever conf.meter_wait says */
};

/* One request's: what it took, to give it back, and what its headers say. */
struct meter_ticket {
	bool charged; /* the worker's journal has its charge */
	struct slot *taken[SLOT_KINDS];
	uint32_t window[SLOT_KINDS]; /* of a rate: the window that was taken from */
	int64_t limit, seconds;      /* of the key's rate; limit 0: not known */
	int64_t remaining, reset; /* requests in this window, seconds to the next one */
	int64_t retry_after;      /* of a refusal */
};

struct
    meter_link; /* a worker's end of the mapping: opened when there is one, and again when it is replaced */
struct meter_link *meter_new(void); /* never NULL */
void meter_free(struct meter_link *m);
/* All or nothing over the charges. Waits for the meter only where a slot or a lease is missing. */
enum meter_rc meter_admit(
    struct meter_link *m, const struct meter_who *who, struct meter_ticket *out);
/* What was taken counts as never taken (C-069). */
void meter_give_back(struct meter_link *m, struct meter_ticket *t);
/* The answer is about to be sent: from here on the charge stays, unless nginx repeats the request. */
void meter_answering(struct meter_link *m);
/* The answer has been sent. */
void meter_answered(struct meter_link *m);
/* The mapping as it stands, for GET /usage and the tests; NULL: there is none. */
const struct meter_file *meter_view(struct meter_link *m);

#endif
