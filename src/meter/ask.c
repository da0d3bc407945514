/* SPDX-License-Identifier: ISC */
/* The socket on which workers ask for what they do not find in the mapping. */
#include "config.h"

#include "meter/meter.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROUND = 256 }; /* asks before anything else gets its turn */

bool
ask_open(struct warden *w, char *err, size_t room)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (!meter_socket_name(to.sun_path, sizeof(to.sun_path))) {
		snprintf(err, room, "the name of run_directory is too long for a socket");
		return false;
	}
	unlink(
	    to.sun_path); /* of a former self: there is one meter, which holds the lock */
	w->sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (w->sock >= 0 &&
	    bind(w->sock, (const struct sockaddr *)&to, sizeof(to)) == 0 &&
	    chmod(to.sun_path, 0660) == 0)
		return true;
	snprintf(err, room, "%s: %s", to.sun_path, strerror(errno));
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
		meter_announce(&w->file);
}
