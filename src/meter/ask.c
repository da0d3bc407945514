/* SPDX-License-Identifier: ISC */
/* The socket on which workers ask for slots and leases that they miss in the mapping. A datagram
 * has no answer: the worker sleeps on the mapping's futex, and looks again after
 * meter_wake_workers.
 *
 * All sleeping workers are woken after a batch of asks; one whose slot is still missing asks
 * again. So nothing here needs to know who asked, an ask may be lost (a full queue, a meter that
 * was killed), and an ask that comes twice finds the slot made. The period in an ask is checked,
 * because a worker with a wrong clock would otherwise fill the table with slots. */
#include "config.h"

#include "daemon/daemon.h"
#include "meter/meter.h"
#include "meter/lease.h"
#include "meter/slots.h"

#include <errno.h>
#include <sys/socket.h>

enum { ASKS_PER_TURN = 256 };
enum { PATH_ROOM = 128 };

bool
ask_open(struct meterd *m, char *err, size_t room)
{
	char path[PATH_ROOM];

	if (!meter_socket_name(path, sizeof(path)))
		panic(
		    "the meter's socket name is too long"); /* UNCOVERED: tbl/params.h bounds it */
	m->sock = daemon_bind(path, SOCK_DGRAM, 0660);
	if (m->sock >= 0)
		return true;
	snprintf(err, room, "%s: %s", path, strerror(errno));
	return false;
}

/* Accepts the current period and its neighbours only, whatever period the worker has computed. */
static bool
is_current_ask(const struct meterd *m, const struct meter_ask *a)
{
	uint32_t day = meter_day(m->now), month = meter_month(m->now);

	return a->magic == METER_ASK_MAGIC && a->day + 1 >= day && a->day <= day + 1 &&
	       a->month + 1 >= month && a->month <= month + 1;
}

static void
provide_slots(struct meterd *m, const struct meter_ask *a)
{
	static const struct uuid none;
	struct slot *usage;
	bool fresh;

	if (!is_current_ask(m, a) || !rates_need(m, &a->key, &a->account))
		return;
	usage = slots_get(m, SLOT_KEY_USAGE, &a->key, a->day, &fresh);
	if (usage != NULL && fresh)
		slot_publish(usage);
	lease_need(m, SLOT_ACCOUNT_QUOTA, &a->account, a->month);
	if (uuid_cmp(&a->group, &none) != 0)
		lease_need(m, SLOT_GROUP_QUOTA, &a->group, a->month);
}

void
ask_serve(struct meterd *m)
{
	struct meter_ask a;
	int n = 0;

	while (n < ASKS_PER_TURN && recv(m->sock, &a, sizeof(a), 0) == (ssize_t)sizeof(a)) {
		metrics_add(m->metrics, COUNTER_ASKS);
		provide_slots(m, &a);
		n++;
	}
	if (n > 0)
		meter_wake_workers(&m->file);
}
