/* SPDX-License-Identifier: ISC */
/* Pictures of the active tab while somebody watches: a screenshot first, because a still page sends none,
   then what Chromium sends of its own accord. It has two on their way at most: live.c says when each was
   taken, and so keeps the pace. What changes meanwhile Chromium does not show afterwards: hence another
   screenshot when both have been taken. */
#include "config.h"

#include "browser/runner/runner.h"

enum {
	FLYING_MAX = 2, /* Chromium's own bound */
	FIRST_US =
	    1000000, /* a start that was lost to a change of documents shows nothing */
	TITLE_US = 1000000, /* Chromium does not tell of a title that a script sets */
};

struct screencast {
	struct runner *r;
	bool on;
	int64_t quality;
	struct tab *tab;    /* whose pictures come; NULL: nobody's */
	bool refused;       /* the tab had no document that could be shown */
	int64_t generation; /* of starts: what belongs to an earlier one is ignored */
	int flying;         /* frames that were not taken yet */
	bool missed;        /* Chromium may have kept a change to itself */
	bool shown;         /* a picture has come since the start, */
	int64_t began;      /* which was then, by mono_us */
	int64_t asked;      /* for the title, likewise */
	bool newer;         /* a frame has come since the screenshot was asked for */
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

/* ---- tokens: 0 is a screenshot, which Chromium does not wait for ---- */

struct frame_ack {
	int64_t sessionId;
};

static const struct field ack_fields[] = {
	FIELD(struct frame_ack, sessionId, 0),
	FIELD_END,
};

static int64_t
token_of(const struct screencast *s, int64_t id)
{
	return s->generation << 32 | (id & UINT32_MAX);
}

static void capture(struct screencast *s);

void
screencast_taken(struct screencast *s, int64_t token)
{
	if (s->tab == NULL || token >> 32 != s->generation)
		return;
	cdp_send(s->r->cdp, &(struct cdp_call){ .session = buf_done(&s->tab->session),
				.method = "Page.screencastFrameAck",
				.fields = ack_fields,
				.in = &(struct frame_ack){ token & UINT32_MAX } });
	if (--s->flying > 0 || !s->missed)
		return;
	s->missed = false;
	capture(s);
}

/* ---- pictures ---- */

static void
show(struct screencast *s, struct str data, const struct live_frame *about)
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
		screencast_taken(s, f.token);
	}
	free(jpeg);
}

void
on_screencast_frame(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct screencast *s = r->cast;
	const struct json_value *m = cdp_get(p, "metadata");
	struct tab *t = tab_of(r, session);

	if (t == NULL || t != s->tab) /* it is late: that screencast was stopped */
		return;
	s->newer = true;
	if (++s->flying == FLYING_MAX)
		s->missed = true;
	show(s, cdp_text(p, "data"),
	    &(struct live_frame){ .token = token_of(s, cdp_int(p, "sessionId")),
		.width = r->job.width,
		.height = r->job.height,
		.scroll_x = cdp_int(m, "scrollOffsetX"),
		.scroll_y = cdp_int(m, "scrollOffsetY") });
}

static void
on_first(void *arg, const struct json_value *result)
{
	struct screencast *s = arg;

	if (s->tab != NULL && result != NULL && !s->newer)
		show(s, cdp_text(result, "data"),
		    &(struct live_frame){
			.width = s->r->job.width, .height = s->r->job.height });
}

static void
on_started(void *arg, const struct json_value *result)
{
	struct screencast *s = arg;

	s->refused = result == NULL;
}

/* ---- starting and stopping ---- */

struct start {
	struct str format;
	int64_t quality, maxWidth, maxHeight;
};

static const struct field start_fields[] = {
	FIELD(struct start, format, 0),
	FIELD(struct start, quality, 0),
	FIELD(struct start, maxWidth, 0),
	FIELD(struct start, maxHeight, 0),
	FIELD_END,
};

/* As large as it is. */
static const struct field capture_fields[] = {
	FIELD(struct start, format, 0),
	FIELD(struct start, quality, 0),
	FIELD_END,
};

static void
stop(struct screencast *s)
{
	if (s->tab != NULL && s->r->cdp != NULL)
		tab_send(s->r, s->tab, "Page.stopScreencast", NULL);
	s->tab = NULL;
}

static void
capture(struct screencast *s)
{
	s->newer = false;
	cdp_send(s->r->cdp,
	    &(struct cdp_call){ .session = buf_done(&s->tab->session),
		.method = "Page.captureScreenshot",
		.fields = capture_fields,
		.in = &(struct start){ .format = STR("jpeg"), .quality = s->quality },
		.done = on_first,
		.arg = s });
}

static void
start(struct screencast *s)
{
	struct runner *r = s->r;
	struct start in = { STR("jpeg"), s->quality, r->job.width, r->job.height };

	if (!s->on || r->active == NULL || r->cdp == NULL)
		return;
	s->tab = r->active;
	s->generation++;
	s->refused = false;
	s->flying = 0;
	s->missed = s->shown = false;
	s->began = mono_us();
	capture(s);
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&s->tab->session),
			     .method = "Page.startScreencast",
			     .fields = start_fields,
			     .in = &in,
			     .done = on_started,
			     .arg = s });
}

void
screencast_watch(struct screencast *s, bool on, int64_t quality)
{
	stop(s);
	s->on = on;
	s->quality = quality > 0 ? quality : STREAM_QUALITY_DEFAULT;
	start(s);
}

void
screencast_switch(struct screencast *s)
{
	stop(s);
	start(s);
}

void
screencast_moved(struct screencast *s, const struct tab *t)
{
	if (s->tab == t && s->refused)
		screencast_switch(s);
}

void
screencast_tick(struct screencast *s)
{
	if (s->tab != NULL && !s->tab->dialog && !s->shown &&
	    mono_us() - s->began > FIRST_US)
		screencast_switch(s);
	if (s->tab != NULL && mono_us() - s->asked > TITLE_US) {
		s->asked = mono_us();
		tab_ask(s->r, s->tab);
	}
}

void
screencast_forget(struct screencast *s, const struct tab *t)
{
	if (s->tab == t)
		s->tab = NULL;
}
