/* SPDX-License-Identifier: ISC */
/* The live stream: whatever a viewer sends (lines are its messages), no crash, and positions, addresses and
   texts reach the browser's side within their bounds. */
#include "config.h"

#include "browser/runner/live_priv.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static void
see_watch(void *arg, bool on, int64_t fps, int64_t quality)
{
	(void)arg;
	(void)on;
	assert(fps >= 1 && fps <= 60 && quality >= 1 && quality <= 80);
}

static void
see_taken(void *arg, int64_t token)
{
	(void)arg;
	(void)token;
}

static void
see_mouse(void *arg, const struct stream_mouse *m)
{
	(void)arg;
	assert(m->x >= 0 && m->x <= 800 && m->y >= 0 && m->y <= 600);
	assert(m->button.n > 0 && m->buttons >= 0 && m->buttons <= 7);
}

static void
see_key(void *arg, const struct stream_key *k)
{
	(void)arg;
	assert(k->key.n > 0 && k->key.n <= 128 && k->text.n <= 32);
}

static void
see_text(void *arg, struct str text)
{
	(void)arg;
	assert(text.n > 0 && text.n <= LIM_STREAM_TEXT);
}

static void
see_nav(void *arg, struct str url)
{
	(void)arg;
	assert(str_starts(url, STR("http")));
}

static void
see_history(void *arg, int steps)
{
	(void)arg;
	assert(steps == 1 || steps == -1);
}

static void
see_plain(void *arg)
{
	(void)arg;
}

static void
see_tab(void *arg, int64_t tab)
{
	(void)arg;
	assert(tab >= 1 && tab <= LIM_STREAM_TABS);
}

static void
see_dialog(void *arg, const struct stream_dialog *d)
{
	(void)arg;
	assert(d->text.n <= LIM_STREAM_TEXT);
}

static const struct live_ops ops = { see_watch, see_taken, see_mouse, see_key, see_text, see_nav,
	see_history, see_plain, see_plain, see_tab, see_tab, see_dialog, see_plain, see_plain };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size };
	struct live l = { .ops = &ops, .arena = arena_new(16 * 1024 * 1024), .handling = true };

	l.hello.viewport = (struct stream_viewport){ 800, 600 };
	l.base = event_base_new();
	picture_open(&l);
	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		struct str line = { rest.p, end == NULL ? rest.n : (size_t)(end - rest.p) };

		if (line.n <= LIM_STREAM_MESSAGE)
			live_handle(&l, line);
		arena_reset(l.arena);
		rest.n -= line.n + (end != NULL);
		rest.p += line.n + (end != NULL);
	}
	picture_close(&l);
	event_base_free(l.base);
	arena_free(l.arena);
	return 0;
}
