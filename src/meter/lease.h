/* SPDX-License-Identifier: ISC */
/* Leases of quotas: the part of a month's quota that this host may use without asking PostgreSQL.
 *
 *   quota of the month, in PostgreSQL
 *   +----------------+-----------------+--------+--------------------+
 *   | used up        | leased, host A  | host B | rest               |
 *   +----------------+-----------------+--------+--------------------+
 *                      |       |
 *                      taken   slot_left: lease_surrender returns it when host B needs it
 *
 * A slot without any unit left is in one of three states. Its note has retry_at: other hosts hold
 * unused units and were asked for them, so the lease is tried again every 20 ms. Or `until` is in
 * the future: the quota is exhausted, and workers refuse without asking for that second. Or
 * neither: the next question of a worker leads to meter_lease. lease_doubt ends the second state
 * early, when the limits in the database may have changed. */
#ifndef METER_LEASE_H
#define METER_LEASE_H

#include "meter/meter.h"

/* Makes the slot of a quota, and leases units for it if there are any. */
void lease_need(struct meterd *m, enum slot_kind kind, const struct uuid *owner, uint32_t month);
/* Tries again for leases that wait for other hosts. */
void lease_retry(struct meterd *m);
/* Surrenders units that other hosts need, or that a reduced quota does not allow any more. */
void lease_surrender(struct meterd *m);
/* Surrenders the unused units of every lease, and reports them. False: some are not reported,
   because the database failed; the next call reports them. */
bool lease_return(struct meterd *m) MUST_USE;
/* Limits may have changed: exhausted quotas are asked for again. */
void lease_doubt(struct meterd *m);
/* Reports surrendered units and leases that PostgreSQL may not know, at most REPORTS of them. */
void lease_report(struct meterd *m);

#endif
