/* SPDX-License-Identifier: ISC */
/* The socket on which workers ask for what they do not find in the mapping. */
#include "config.h"

#include "daemon/daemon.h"
#include "meter/meter.h"

#include <errno.h>
#include <sys/socket.h>

enum { ROUND = 256 }; /* asks before anything else gets its turn */
enum { PATH_ROOM = 128 };

bool
ask_open(struct warden *w, char *err, size_t room)
{
	char path[PATH_ROOM];

	if (!meter_socket_name(path, sizeof(path)))
		panic("too long a name"); /* UNCOVERED: tbl/params.h bounds it */
	w->sock = daemon_bind(path, SOCK_DGRAM, 0660);
	if (w->sock >= 0)
		return true;
	snprintf(err, room, "%s: %s", path, strerror(errno));
	return false;
}

/* Only periods that are now: whatever a worker's clock says. */
static bool
is_sane(const struct warden *w, const struct meter_ask *a)
{
	uint32_t day = meter_day(w->now), month = meter_month(w->now);

	return a->magic == METER_ASK_MAGIC && a->day + 1 >= day && a->day <= day + 1 &&
	       a->month + 1 >= month && a->month <= month + 1;
}

static void
serve(struct warden *w, const struct meter_ask *a)
{
	static const struct uuid none;
	struct slot *usage;
	bool fresh;

	if (!is_sane(w, a) || !rates_need(w, &a->key, &a->account))
		return;
	usage = roster_slot(w, SLOT_KEY_USAGE, &a->key, a->day, &fresh);
	if (usage != NULL && fresh)
		slot_publish(usage);
	lease_need(w, SLOT_ACCOUNT_QUOTA, &a->account, a->month);
	if (uuid_cmp(&a->group, &none) != 0)
		lease_need(w, SLOT_GROUP_QUOTA, &a->group, a->month);
}

void
ask_serve(struct warden *w)
{
	struct meter_ask a;
	int n = 0;

	while (n < ROUND && recv(w->sock, &a, sizeof(a), 0) == (ssize_t)sizeof(a)) {
		metrics_add(w->metrics, COUNTER_ASKS);
		serve(w, &a);
		n++;
	}
	if (n > 0)
		meter_wake_workers(&w->file);
}
