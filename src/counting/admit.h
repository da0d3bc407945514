/* SPDX-License-Identifier: ISC */
/* A worker's side of the mapping (counting/meter.h): admits a request by all limits of its key, or
 * refuses it.
 *
 *   meter_admit --> ADMITTED --> the handler --> meter_answering --> the answer --> meter_answered
 *        |                            |
 *        +--> refused: nothing taken  +--> meter_give_back, when the answer costs nothing (C-069)
 *
 * The worker may be killed at every arrow. Until meter_answering the units are given back by
 * surfaced-meter; afterwards they stay counted. */
#ifndef COUNTING_ADMIT_H
#define COUNTING_ADMIT_H

#include "counting/slot.h"

struct meter_file;

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
	METER_UNAVAILABLE, /* slot or lease missing and the meter does not answer (C-018) */
};

struct meter_who {
	struct uuid key, account, group;
	unsigned charges;
	uint64_t request; /* identifier, the same when nginx repeats the request; 0: none */
	int64_t boot;     /* boot_us: when the request began */
	int64_t deadline; /* mono_us: bounds the wait together with conf.meter_wait */
};

/* The units that one request took, so that they can be given back, and the numbers of its RateLimit
   headers. */
struct meter_ticket {
	bool charged; /* the worker's journal has its charge */
	struct slot *taken[SLOT_KINDS];
	uint32_t window[SLOT_KINDS]; /* a rate's: start of the window of the unit */
	int64_t limit, seconds;      /* the key's rate; limit 0: not known */
	int64_t remaining, reset;    /* requests in this window, seconds to the next one */
	int64_t retry_after;         /* seconds, of a refusal */
};

/* A worker's view of the mapping. meter_admit first checks that the mapped file still has the name
   meter.map. If another file has the name, meter_admit maps that file; if no file has it, it waits
   for one. The meter keeps a replaced file for as long as a request may run, and so also stores the
   units of a request that was admitted just before the replacement. */
struct meter_link;
struct meter_link *meter_new(void); /* never NULL */
void meter_free(struct meter_link *m);
/* Takes a unit of every slot that counts for the request, or none at all. Waits for the meter only
   when a slot or a lease is missing. */
enum meter_rc meter_admit(
    struct meter_link *m, const struct meter_who *who, struct meter_ticket *out);
/* Gives back every unit that the request took, as if it had never been counted (C-069). */
void meter_give_back(struct meter_link *m, struct meter_ticket *t);
/* Call before the answer is sent: from then on the charge stays, even when this worker is
   killed. */
void meter_answering(struct meter_link *m);
/* Call after the answer has been sent. */
void meter_answered(struct meter_link *m);
/* The current mapping, for GET /usage and the tests; NULL: there is none. */
const struct meter_file *meter_view(struct meter_link *m);

#endif
