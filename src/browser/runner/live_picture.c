/* SPDX-License-Identifier: ISC */
/* Frames and their pace: only the newest frame waits, at most fps frames are sent in a second, and
   the browser gets an acknowledgement, which lets it paint the next one, only while the viewer
   keeps up.

   A viewer keeps up while less than UNSENT_MAX bytes are on their way. A viewer that acknowledges
   frames is measured by its acknowledgements, which include the network behind surfaced-stream; any
   other viewer, and one whose acknowledgements are late, by the bytes that surfaced-stream has not
   read. */
#include "config.h"

#include "browser/runner/live_priv.h"

enum {
	UNSENT_MAX = 256 * 1024, /* bytes on their way above which the next frame waits */
	ACK_LATE_US = 2000000,   /* without an acknowledgement: the socket's queue counts instead */
	HEADER_VERSION = 1,
	HEADER_JPEG = 1,
	HEADER_NUMBER = 4, /* offset of the frame's number */
};

/* ---- tokens, which the runner gets back ---- */

static void
return_oldest_token(struct live *l)
{
	struct live_picture *p = &l->picture;
	int64_t token = p->tokens[0];

	p->ntokens--;
	memmove(p->tokens, p->tokens + 1, p->ntokens * sizeof(p->tokens[0]));
	l->ops->frame_taken(l->arg, token);
}

static void
add_sent_token(struct live *l, int64_t token)
{
	struct live_picture *p = &l->picture;

	if (p->ntokens == LIVE_TOKENS)
		return_oldest_token(l);
	p->tokens[p->ntokens++] = token;
}

static bool
has_waiting_frame(const struct live_picture *p)
{
	return p->waiting.n > 0;
}

static void
drop_waiting_frame(struct live *l)
{
	struct live_picture *p = &l->picture;

	if (!has_waiting_frame(p))
		return;
	buf_clear(&p->waiting);
	l->ops->frame_taken(l->arg, p->waiting_token);
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
store_be32(unsigned char *at, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(n >> (24 - 8 * i));
}

static void
send_waiting_frame(struct live *l, int64_t now)
{
	struct live_picture *p = &l->picture;
	size_t *size = &p->sizes[++p->sent % LIVE_SIZES];

	store_be32((unsigned char *)p->waiting.p + HEADER_NUMBER, p->sent);
	if (p->unacked == 0)
		p->acked_us = now; /* no acknowledgement is late yet */
	p->unacked += p->waiting.n - *size;
	*size = p->waiting.n;
	p->sent_us = now;
	live_write(l, WS_BINARY, buf_done(&p->waiting));
	buf_clear(&p->waiting);
	add_sent_token(l, p->waiting_token);
}

/* Sends the waiting frame or returns a token for the next one, if the interval has passed and the
   viewer keeps up; schedules itself again while a frame or a token is left. */
static void
advance_picture(struct live *l)
{
	struct live_picture *p = &l->picture;
	int64_t now = mono_us(), wait = interval_us(p), left;
	struct timeval next;

	if (now - p->sent_us >= wait && keeps_up(l, now)) {
		if (has_waiting_frame(p))
			send_waiting_frame(l, now);
		else if (p->ntokens > 0)
			return_oldest_token(l);
	}
	/* The interval counts from the last frame: a fixed tick that fires between two would halve
	   the rate. */
	left = p->sent_us + wait - now;
	left = left > 0 ? left : wait;
	next = (struct timeval){ left / SECOND_US, left % SECOND_US };
	if ((has_waiting_frame(p) || p->ntokens > 0) && !event_pending(p->tick, EV_TIMEOUT, NULL))
		event_add(p->tick, &next);
}

static void
on_picture_tick(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	advance_picture(arg);
}

void
picture_ack(struct live *l, uint32_t frame)
{
	struct live_picture *p = &l->picture;

	if (frame - p->acked >
	    p->sent - p->acked) /* the frame was never sent, or was acknowledged before */
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
	advance_picture(l);
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
clamp_u16(int64_t n)
{
	return n < 0 ? 0 : n > UINT16_MAX ? UINT16_MAX : (unsigned)n;
}

static void
append_be16(struct buf *b, int64_t n)
{
	buf_char(b, (char)(clamp_u16(n) >> 8));
	buf_char(b, (char)clamp_u16(n));
}

static void
append_be32(struct buf *b, uint32_t n)
{
	unsigned char bytes[4];

	store_be32(bytes, n);
	buf_add(b, bytes, sizeof(bytes));
}

/* Builds the binary message of surfaced-stream-messages(7); send_waiting_frame fills its number
   in. */
static void
build_frame(struct buf *b, const struct live_frame *f)
{
	uint64_t us = (uint64_t)f->at.us;

	buf_clear(b);
	buf_char(b, HEADER_VERSION);
	buf_char(b, HEADER_JPEG);
	append_be16(b, f->tab);
	append_be32(b, 0);
	append_be32(b, (uint32_t)(us >> 32));
	append_be32(b, (uint32_t)us);
	append_be16(b, f->width);
	append_be16(b, f->height);
	append_be16(b, f->scroll_x);
	append_be16(b, f->scroll_y);
	append_be32(b, (uint32_t)f->jpeg.n);
	append_be32(b, 0);
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
	drop_waiting_frame(l);
	build_frame(&p->waiting, f);
	p->waiting_token = f->token;
	advance_picture(l);
}

void
picture_restart(struct live *l)
{
	struct live_picture *p = &l->picture;

	event_del(p->tick);
	drop_waiting_frame(l);
	while (p->ntokens > 0)
		return_oldest_token(l);
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
	l->picture.tick = event_new(l->base, -1, 0, on_picture_tick, l);
	if (l->picture.tick == NULL)
		panic("event_new failed for the pace of frames");
	picture_restart(l);
}

void
picture_close(struct live *l)
{
	event_free(l->picture.tick);
	buf_free(&l->picture.waiting);
}
