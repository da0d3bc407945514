/* SPDX-License-Identifier: ISC */
/* Frames: the newest alone waits, at most fps of them go out in a second, and the browser is told to make
   the next one only when the viewer has kept up. */
#include "config.h"

#include "browser/runner/live_priv.h"

enum {
	UNSENT_MAX = 256 * 1024, /* bytes on the way above which the next frame waits */
	ACK_LATE_US = 2000000,   /* then the socket alone tells how a viewer keeps up */
	HEADER_VERSION = 1,
	HEADER_JPEG = 1,
	HEADER_NUMBER = 4, /* where the frame's number stands */
};

/* ---- tokens: what the runner waits for ---- */

static void
take_oldest(struct live *l)
{
	struct live_picture *p = &l->picture;
	int64_t token = p->owed[0];

	p->nowed--;
	memmove(p->owed, p->owed + 1, p->nowed * sizeof(p->owed[0]));
	l->ops->frame_taken(l->arg, token);
}

static void
owe(struct live *l, int64_t token)
{
	struct live_picture *p = &l->picture;

	if (p->nowed == LIVE_OWED)
		take_oldest(l);
	p->owed[p->nowed++] = token;
}

static bool
holds(const struct live_picture *p)
{
	return p->held.n > 0;
}

static void
drop_held(struct live *l)
{
	struct live_picture *p = &l->picture;

	if (!holds(p))
		return;
	buf_clear(&p->held);
	l->ops->frame_taken(l->arg, p->held_token);
}

/* ---- the pace ---- */

static int64_t
interval_us(const struct live_picture *p)
{
	return SECOND_US / p->fps;
}

static bool
keeps_up(struct live *l, int64_t now)
{
	struct live_picture *p = &l->picture;

	if (p->unacked > 0 && now - p->acked_us > ACK_LATE_US)
		p->acks = false;
	return (p->acks ? p->unacked : live_unsent(l)) < UNSENT_MAX;
}

static void
put32(unsigned char *at, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(n >> (24 - 8 * i));
}

static void
send_held(struct live *l, int64_t now)
{
	struct live_picture *p = &l->picture;
	size_t *size = &p->sizes[++p->sent % LIVE_SIZES];

	put32((unsigned char *)p->held.p + HEADER_NUMBER, p->sent);
	if (p->unacked == 0)
		p->acked_us = now; /* nothing is late */
	p->unacked += p->held.n - *size;
	*size = p->held.n;
	p->sent_us = now;
	live_put(l, WS_BINARY, buf_done(&p->held));
	buf_clear(&p->held);
	owe(l, p->held_token);
}

/* Sends what waits, or asks for another one; again after an interval while there is anything to do. */
static void
move_on(struct live *l)
{
	struct live_picture *p = &l->picture;
	int64_t now = mono_us(), wait = interval_us(p), left;
	struct timeval next;

	if (now - p->sent_us >= wait && keeps_up(l, now)) {
		if (holds(p))
			send_held(l, now);
		else if (p->nowed > 0)
			take_oldest(l);
	}
	/* From the last frame on: a tick between two would cost every other one. */
	left = p->sent_us + wait - now;
	left = left > 0 ? left : wait;
	next = (struct timeval){ left / SECOND_US, left % SECOND_US };
	if ((holds(p) || p->nowed > 0) && !event_pending(p->tick, EV_TIMEOUT, NULL))
		event_add(p->tick, &next);
}

static void
on_tick(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	move_on(arg);
}

void
picture_ack(struct live *l, uint32_t frame)
{
	struct live_picture *p = &l->picture;

	if (frame - p->acked > p->sent - p->acked) /* of none that was sent, or again */
		return;
	p->acks = true;
	p->acked_us = mono_us();
	if (p->sent - p->acked > LIVE_SIZES)
		p->acked = p->sent - LIVE_SIZES;
	while ((int32_t)(frame - p->acked) > 0) {
		size_t *size = &p->sizes[++p->acked % LIVE_SIZES];

		p->unacked -= *size;
		*size = 0;
	}
	move_on(l);
}

void
picture_pace(struct live *l, const struct stream_quality *q)
{
	struct live_picture *p = &l->picture;

	if (q->fps > 0)
		p->fps = q->fps;
	if (q->quality > 0)
		p->quality = q->quality;
	l->ops->watch(l->arg, true, p->fps, p->quality);
}

/* ---- frames ---- */

static unsigned
u16(int64_t n)
{
	return n < 0 ? 0 : n > UINT16_MAX ? UINT16_MAX : (unsigned)n;
}

static void
write16(struct buf *b, int64_t n)
{
	buf_char(b, (char)(u16(n) >> 8));
	buf_char(b, (char)u16(n));
}

static void
write32(struct buf *b, uint32_t n)
{
	unsigned char bytes[4];

	put32(bytes, n);
	buf_add(b, bytes, sizeof(bytes));
}

/* BROWSER.md, Stream messages; the number is put in when it is sent. */
static void
write_frame(struct buf *b, const struct live_frame *f)
{
	uint64_t us = (uint64_t)f->at.us;

	buf_clear(b);
	buf_char(b, HEADER_VERSION);
	buf_char(b, HEADER_JPEG);
	write16(b, f->tab);
	write32(b, 0);
	write32(b, (uint32_t)(us >> 32));
	write32(b, (uint32_t)us);
	write16(b, f->width);
	write16(b, f->height);
	write16(b, f->scroll_x);
	write16(b, f->scroll_y);
	write32(b, (uint32_t)f->jpeg.n);
	write32(b, 0);
	buf_str(b, f->jpeg);
}

void
live_frame(struct live *l, const struct live_frame *f)
{
	struct live_picture *p = &l->picture;

	if (!live_watched(l) || f->jpeg.n > LIM_STREAM_FRAME - STREAM_FRAME_HEADER) {
		l->ops->frame_taken(l->arg, f->token);
		return;
	}
	drop_held(l);
	write_frame(&p->held, f);
	p->held_token = f->token;
	move_on(l);
}

void
picture_restart(struct live *l)
{
	struct live_picture *p = &l->picture;

	event_del(p->tick);
	drop_held(l);
	while (p->nowed > 0)
		take_oldest(l);
	memset(p->sizes, 0, sizeof(p->sizes));
	p->unacked = 0;
	p->acked = p->sent;
	p->acks = false;
	p->sent_us = INT64_MIN / 2;
	p->fps = STREAM_FPS_DEFAULT;
	p->quality = STREAM_QUALITY_DEFAULT;
}

void
picture_open(struct live *l)
{
	l->picture.tick = event_new(l->base, -1, 0, on_tick, l);
	if (l->picture.tick == NULL)
		panic("live: no event");
	picture_restart(l);
}

void
picture_close(struct live *l)
{
	event_free(l->picture.tick);
	buf_free(&l->picture.held);
}
