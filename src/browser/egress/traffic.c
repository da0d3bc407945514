/* SPDX-License-Identifier: ISC */
/* Reports to the dispatcher how the attempts of a browser to connect have ended. A session with
 * more than TRAFFIC_MAX reports in a second gets one message for each kind with the sum of the
 * rest. */
#include "config.h"

#include "browser/egress/egress.h"
#include "browser/egress_link.h"
#include "browser/link.h"

enum { TRAFFIC_MAX = 50 }; /* reports of a session in a second */

static void
send_traffic(struct session *s, const struct egress_traffic *t)
{
	if (s->owner != NULL)
		link_send(s->owner, "traffic", egress_traffic_fields, t, -1);
}

void
traffic_report(struct session *s, const struct target *t, enum reason why, const struct ip *at)
{
	const struct outcome *o = &outcomes[why];
	char address[IP_TEXT_LEN] = "";
	struct egress_traffic line = { .session = s->id,
		.event = str_of(event_names[o->event]),
		.host = str_of(t->requested),
		.port = t->port,
		.count = 1 };

	if (s->sent >= TRAFFIC_MAX) {
		s->more[o->event]++;
		return;
	}
	s->sent++;
	if (at != NULL) {
		ip_print(at, address);
		line.address = str_of(address);
	}
	if (why != REASON_CONNECTED)
		line.reason = str_of(o->name);
	if (o->event == EVENT_denied) /* the person on call looks for denials */
		log_event(LOGP_NOTICE, "denied", "session=%s host=\"%s\" port=%lld why=%s",
		    uuid_text(&s->id).z, line.host.p, (long long)line.port, line.reason.p);
	send_traffic(s, &line);
}

void
traffic_report_rest(struct session *s)
{
	for (int i = 0; i < EVENT_COUNT; i++) {
		if (s->more[i] > 0)
			send_traffic(s, &(struct egress_traffic){ .session = s->id,
					    .event = str_of(event_names[i]),
					    .reason = STR("more"),
					    .count = s->more[i] });
		s->more[i] = 0;
	}
	s->sent = 0;
}
