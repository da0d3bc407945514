/* SPDX-License-Identifier: ISC */
/* Frames of the active tab while a viewer is connected: a screenshot first, because the screencast
   of a still page sends none, then the screencast of Chromium.

     Page.startScreencast --> screencastFrame --> live_frame
                                    ^                  | frame_taken, at the pace of live_picture.c
                                    +-- FrameAck <-----+

   Chromium has at most UNACKED_MAX unacknowledged frames, and never sends a change that it painted
   while both were on their way. So when UNACKED_MAX was reached, another screenshot follows after
   the last acknowledgement; without it a page that stops moving would show an old picture for
   ever. */
#include "config.h"

#include "browser/runner/screencast.h"
#include "browser/runner/tabs.h"

enum {
	UNACKED_MAX = 2,    /* the limit in Chromium */
	FIRST_US = 1000000, /* no frame for this long: a new document has cancelled the start */
	TITLE_US = 1000000, /* between two requests for the title: a script may have changed it */
};

struct screencast {
	struct runner *r;
	bool on;
	int64_t quality;
	struct tab *tab;    /* the tab of the screencast; NULL: it is stopped */
	bool refused;       /* the tab had no document to show */
	int64_t generation; /* number of starts; tokens of earlier ones are ignored */
	int unacked;        /* frames without an acknowledgement */
	bool missed;        /* Chromium may have painted a change that it did not send */
	bool shown;         /* a frame has been shown since the start */
	int64_t began;      /* mono_us of the start */
	int64_t asked;      /* mono_us of the last request for the title */
	bool newer;         /* a frame has come since the last screenshot was requested */
};

struct screencast *
screencast_new(struct runner *r)
{
	struct screencast *s = mem_zero(sizeof(*s));

	s->r = r;
	return s;
}

void
screencast_free(struct screencast *s)
{
	free(s);
}

/* ---- tokens ---- */

/* A token is the generation with Chromium's sessionId; 0: a screenshot, which needs no
   acknowledgement. */

struct frame_ack {
	int64_t sessionId;
};

static const struct field ack_fields[] = {
	FIELD(struct frame_ack, sessionId, 0),
	FIELD_END,
};

static int64_t
make_token(const struct screencast *s, int64_t id)
{
	return s->generation << 32 | (id & UINT32_MAX);
}

static void request_still(struct screencast *s);

void
screencast_ack(struct screencast *s, int64_t token)
{
	if (s->tab == NULL || token >> 32 != s->generation)
		return;
	cdp_send(s->r->cdp, &(struct cdp_call){ .session = buf_done(&s->tab->session),
				.method = "Page.screencastFrameAck",
				.fields = ack_fields,
				.in = &(struct frame_ack){ token & UINT32_MAX } });
	if (--s->unacked > 0 || !s->missed)
		return;
	s->missed = false;
	request_still(s);
}

/* ---- frames ---- */

static void
send_frame(struct screencast *s, struct str data, const struct live_frame *about)
{
	size_t n, room = data.n / 4 * 3 + 3;
	unsigned char *jpeg = mem_alloc(room);
	struct live_frame f = *about;

	f.tab = s->tab->id;
	f.at = ts_now();
	if (data.n > 0 && s->r->live != NULL && base64_parse(data, jpeg, room, &n)) {
		f.jpeg = (struct str){ (const char *)jpeg, n };
		s->shown = true;
		live_frame(s->r->live, &f);
	} else {
		screencast_ack(s, f.token);
	}
	free(jpeg);
}

static void
on_screencast_frame(struct runner *r, const struct cdp_event *event)
{
	struct screencast *s = r->cast;
	const struct json_value *m = cdp_get(event->params, "metadata");
	struct tab *t = tab_of_session(r, event->session);

	if (t == NULL || t != s->tab) /* a late frame of a screencast that was stopped */
		return;
	s->newer = true;
	if (++s->unacked == UNACKED_MAX)
		s->missed = true;
	send_frame(s, cdp_text(event->params, "data"),
	    &(struct live_frame){ .token = make_token(s, cdp_int(event->params, "sessionId")),
		.width = r->job.width,
		.height = r->job.height,
		.scroll_x = cdp_int(m, "scrollOffsetX"),
		.scroll_y = cdp_int(m, "scrollOffsetY") });
}

ON_EVENT("Page.screencastFrame", on_screencast_frame);

static void
on_still(void *arg, const struct json_value *result)
{
	struct screencast *s = arg;

	if (s->tab != NULL && result != NULL && !s->newer)
		send_frame(s, cdp_text(result, "data"),
		    &(struct live_frame){ .width = s->r->job.width, .height = s->r->job.height });
}

static void
on_screencast_started(void *arg, const struct json_value *result)
{
	struct screencast *s = arg;

	s->refused = result == NULL;
}

/* ---- starting and stopping ---- */

struct image_params {
	struct str format;
	int64_t quality, maxWidth, maxHeight;
};

static const struct field screencast_fields[] = {
	FIELD(struct image_params, format, 0),
	FIELD(struct image_params, quality, 0),
	FIELD(struct image_params, maxWidth, 0),
	FIELD(struct image_params, maxHeight, 0),
	FIELD_END,
};

/* Without a maximum: a screenshot has the size of the viewport. */
static const struct field still_fields[] = {
	FIELD(struct image_params, format, 0),
	FIELD(struct image_params, quality, 0),
	FIELD_END,
};

static void
stop_screencast(struct screencast *s)
{
	if (s->tab != NULL && s->r->cdp != NULL)
		tab_send(s->r, s->tab, "Page.stopScreencast", NULL);
	s->tab = NULL;
}

static void
request_still(struct screencast *s)
{
	s->newer = false;
	cdp_send(s->r->cdp,
	    &(struct cdp_call){ .session = buf_done(&s->tab->session),
		.method = "Page.captureScreenshot",
		.fields = still_fields,
		.in = &(struct image_params){ .format = STR("jpeg"), .quality = s->quality },
		.done = on_still,
		.arg = s });
}

static void
start_screencast(struct screencast *s)
{
	struct runner *r = s->r;
	struct image_params in = { STR("jpeg"), s->quality, r->job.width, r->job.height };

	if (!s->on || r->active == NULL || r->cdp == NULL)
		return;
	s->tab = r->active;
	s->generation++;
	s->refused = false;
	s->unacked = 0;
	s->missed = s->shown = false;
	s->began = mono_us();
	request_still(s);
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&s->tab->session),
			     .method = "Page.startScreencast",
			     .fields = screencast_fields,
			     .in = &in,
			     .done = on_screencast_started,
			     .arg = s });
}

void
screencast_watch(struct screencast *s, bool on, int64_t quality)
{
	stop_screencast(s);
	s->on = on;
	s->quality = quality > 0 ? quality : STREAM_QUALITY_DEFAULT;
	start_screencast(s);
}

void
screencast_switch(struct screencast *s)
{
	stop_screencast(s);
	start_screencast(s);
}

void
screencast_new_document(struct screencast *s, const struct tab *t)
{
	if (s->tab == t && s->refused)
		screencast_switch(s);
}

void
screencast_tick(struct screencast *s)
{
	if (s->tab != NULL && !s->tab->dialog && !s->shown && mono_us() - s->began > FIRST_US)
		screencast_switch(s);
	if (s->tab != NULL && mono_us() - s->asked > TITLE_US) {
		s->asked = mono_us();
		tab_refresh(s->r, s->tab);
	}
}

void
screencast_forget(struct screencast *s, const struct tab *t)
{
	if (s->tab == t)
		s->tab = NULL;
}
