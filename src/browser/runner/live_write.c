/* SPDX-License-Identifier: ISC */
/* Writes WebSocket frames to the viewer.

   The viewer may be freed only from an event: live_write can be called deep inside a handler of
   CDP, whose caller does not expect the viewer to vanish. An overlong queue therefore sets
   overflowed and activates the event of the pings (on_ping in live.c). */
#include "config.h"

#include "browser/runner/live_priv.h"

#include <sys/ioctl.h>
#include <linux/sockios.h>

enum {
	QUEUE_MAX = 16 * 1024 * 1024, /* unsent bytes above which the viewer is disconnected */
	LINGER_S = 2,                 /* time for the viewer's close frame */
};

bool
live_watched(const struct live *l)
{
	return l->viewer != NULL && !l->viewer->closing;
}

size_t
live_unsent(const struct live *l)
{
	int kernel = 0;

	if (ioctl(bufferevent_getfd(l->viewer->bev), SIOCOUTQ, &kernel) != 0)
		kernel = 0;
	return evbuffer_get_length(bufferevent_get_output(l->viewer->bev)) + (size_t)kernel;
}

static void
queue_bytes(struct live_viewer *v, const void *bytes, size_t n)
{
	if (bufferevent_write(v->bev, bytes, n) != 0)
		panic("bufferevent_write failed for the viewer");
}

void
live_write(struct live *l, unsigned opcode, struct str payload)
{
	struct live_viewer *v = l->viewer;
	unsigned char head[WS_HEAD_MAX];

	if (!live_watched(l) || v->overflowed)
		return;
	queue_bytes(v, head, ws_head(head, WS_FIN | opcode, payload.n, NULL));
	queue_bytes(v, payload.p, payload.n);
	if (evbuffer_get_length(bufferevent_get_output(v->bev)) <= QUEUE_MAX)
		return;
	/* on_ping frees the viewer; the caller does not expect that here. */
	v->overflowed = true;
	event_active(l->ping, EV_TIMEOUT, 0);
}

void
live_write_control(struct live_viewer *v, unsigned opcode, struct str payload)
{
	unsigned char frame[WS_CONTROL_FRAME];

	queue_bytes(v, frame, ws_control(frame, WS_FIN | opcode, payload, NULL));
}

void
live_write_close(struct live *l, unsigned code, const char *why)
{
	const struct timeval linger = { LINGER_S, 0 };
	unsigned char frame[WS_CONTROL_FRAME];

	if (l->viewer->closing)
		return;
	l->viewer->closing = true;
	queue_bytes(l->viewer, frame, ws_close(frame, code, str_of(why), NULL));
	event_add(l->linger, &linger);
}
