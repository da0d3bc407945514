/* SPDX-License-Identifier: ISC */
/* One session's runner: a link to the dispatcher, a browser over CDP, its tabs, its evidence, its viewer.
   Each file below is one part of it; control.c decides when it begins and ends. */
#ifndef BROWSER_RUNNER_RUNNER_H
#define BROWSER_RUNNER_RUNNER_H

#include "browser/runner/cdp.h"
#include "browser/runner/live.h"
#include "browser/runner/outbox.h"
#include "browser/runner/profile.h"
#include "browser/runner/spawn.h"
#include "browser/runner_link.h"

#include <sys/queue.h>

enum stage {
	STAGE_NEW,      /* no job yet */
	STAGE_STARTING, /* the browser comes up, the first page is on its way */
	STAGE_RUNNING,
	STAGE_CLOSING, /* the last screenshot, what is still to be told */
	STAGE_OVER,    /* ended has been said */
};

/* A page. Its texts are owned. */
struct tab {
	TAILQ_ENTRY(tab) next;
	struct runner *r;
	int64_t id; /* from 1 */
	struct buf target, session, url, title;
	struct buf failure; /* of the newest document that was asked for; empty: none */
	bool unreachable;  /* the browser shows its error page instead of that document */
	size_t setting_up; /* calls without a reply yet */
	bool first;        /* to say the locale in its process */
	bool loading, can_go_back, can_go_forward;
	int steps; /* in its history, wanted by the viewer */
	bool closing;
	bool crashed; /* once before: the next time the session fails */
	bool dialog;  /* one is open */
	int64_t dialog_at;
	bool beforeunload;
	int64_t shot_at; /* mono_us of the last screenshot of a load */
	bool shot_due;   /* one of a load is still to be taken */
	/* input.c: where the mouse has gone while the page was busy with where it was */
	bool move_busy, move_waits;
	double move_x, move_y;
	int64_t move_buttons, move_modifiers;
};

TAILQ_HEAD(tabs, tab);
/* The session of a frame or worker, and whose it is. */
struct child {
	LIST_ENTRY(child) next;
	int64_t tab; /* 0: of none, as a service worker's */
	bool first;  /* as a tab's */
	size_t session_n;
	char session[];
};

LIST_HEAD(children, child);

struct network;
struct shots;
struct screencast;
struct control;

struct runner {
	struct event_base *base;
	struct arena *keep; /* for as long as the session lives */
	enum stage stage;
	struct runner_job job;
	const char *fault; /* of the configuration, to be told in answer; NULL: none */
	char version[64];  /* of the browser */

	struct control *control;
	struct profile *profile;
	struct browser_process process; /* pid 0: none */
	struct event *errors;
	char last_words[512]; /* of its standard error */
	struct cdp *cdp;      /* NULL: no browser */
	struct live *live;    /* NULL: not yet, or no more */

	struct tabs tabs;
	struct children children;
	struct tab *active;
	int64_t last_tab, ready_at;
	bool locale_due; /* see setup_again */

	struct outbox *outbox;
	struct network *network;
	struct shots *shots;
	struct screencast *cast;
};

/* ---- control.c: the dispatcher's side and the order of things ---- */

/* fd: the connection that it began with; taken. */
struct control *control_new(struct runner *r, int fd);
void control_free(struct control *c);
/* The first page is there, or will not be: the session runs. */
void runner_ready(struct runner *r);
/* Input or navigation by the viewer. */
void runner_activity(struct runner *r);
/* Ends the session because of us; detail is for people. */
void runner_fail(struct runner *r, const char *fmt, ...) PRINTF(2, 3);
/* There is more in the outbox. */
void control_evidence(struct control *c);
/* The last screenshot has been taken, or could not be. */
void control_last_shot(struct control *c);
/* It has said all that it ever will. */
void control_browser_gone(struct control *c);
/* It has been told why the session ends. */
void control_viewer_gone(struct control *c);

/* ---- browser.c: the process and the table of its events ---- */

bool browser_start(struct runner *r, char *err, size_t room) MUST_USE;
/* control_browser_gone follows, if it had not ended before: false. */
bool browser_kill(struct runner *r) MUST_USE;
void browser_stop(struct runner *r);

/* ---- tabs.c ---- */

/* Attaches to all there is and will be. */
void tabs_begin(struct runner *r);
void tabs_free(struct runner *r);
struct tab *tab_find(struct runner *r, int64_t id);
/* The tab whose session it is, or whose frame's or worker's; NULL: nobody's. */
struct tab *tab_of(struct runner *r, struct str session);
void tab_navigate(struct runner *r, struct tab *t, struct str url);
void tab_activate(struct runner *r, struct tab *t);
void tab_close(struct runner *r, struct tab *t);
/* steps 0: only learns what is possible. */
void tab_history(struct runner *r, struct tab *t, int steps);
/* Its address and title as they are now: Chromium tells of changes late. */
void tab_ask(struct runner *r, const struct tab *t);
void tabs_tick(struct runner *r);
/* Tells the viewer. */
void tabs_say(struct runner *r);
void tab_say_url(struct runner *r, const struct tab *t);
/* A call in the tab's session that nobody waits for. */
void tab_send(
    struct runner *r, const struct tab *t, const char *method, const char *constant);

void on_target_attached(void *arg, struct str session, const struct json_value *p);
void on_target_detached(void *arg, struct str session, const struct json_value *p);
void on_target_changed(void *arg, struct str session, const struct json_value *p);

/* ---- setup.c: whom a target says that it is ---- */

/* A page; its reply is waited for, and it is closed where it cannot be had. */
void setup_tab(struct runner *r, struct tab *t);
/* A frame or worker. */
void setup_child(struct runner *r, struct child *c, struct str type);
/* The first in its process has gone: what that process forgets is said again. */
void setup_again(struct runner *r);
/* Another document is in the tab, and perhaps the tab in another process. */
void setup_moved(struct runner *r, struct tab *t);

void on_request_paused(void *arg, struct str session, const struct json_value *p);

/* ---- page.c: what happens in a tab ---- */

void dialog_answer(struct runner *r, struct tab *t, bool accept, struct str text);
/* What has waited too long: dialogs, screenshots. */
void page_tick(struct runner *r, struct tab *t);

/* The newest document of the tab itself, not of a frame in it, failed, or with an empty text has not. */
void page_failed(struct runner *r, struct tab *t, struct str failure);

void on_page_navigated(void *arg, struct str session, const struct json_value *p);
void on_page_moved(void *arg, struct str session, const struct json_value *p);
void on_page_loading(void *arg, struct str session, const struct json_value *p);
void on_page_stopped(void *arg, struct str session, const struct json_value *p);
void on_page_loaded(void *arg, struct str session, const struct json_value *p);
void on_dialog_open(void *arg, struct str session, const struct json_value *p);
void on_dialog_closed(void *arg, struct str session, const struct json_value *p);
void on_download(void *arg, struct str session, const struct json_value *p);
void on_crash(void *arg, struct str session, const struct json_value *p);

/* ---- network.c: evidence of what went over the network ---- */

struct network *network_new(struct runner *r);
void network_free(struct network *n);
void network_tick(struct network *n);
/* What is still open is told as it is. */
void network_finish(struct network *n);
/* An event that is no request: kind download, dialog, crash or certificate. */
void network_note(struct network *n, const struct net_event *e);
void network_egress(struct network *n, const struct runner_egress *e);

void on_request(void *arg, struct str session, const struct json_value *p);
void on_request_extra(void *arg, struct str session, const struct json_value *p);
void on_response(void *arg, struct str session, const struct json_value *p);
void on_response_extra(void *arg, struct str session, const struct json_value *p);
void on_data(void *arg, struct str session, const struct json_value *p);
void on_finished(void *arg, struct str session, const struct json_value *p);
void on_failed(void *arg, struct str session, const struct json_value *p);
void on_socket(void *arg, struct str session, const struct json_value *p);
void on_socket_request(void *arg, struct str session, const struct json_value *p);
void on_socket_response(void *arg, struct str session, const struct json_value *p);
void on_socket_error(void *arg, struct str session, const struct json_value *p);
void on_socket_closed(void *arg, struct str session, const struct json_value *p);

/* ---- shots.c: evidence of what was to be seen ---- */

struct shots *shots_new(struct runner *r);
void shots_free(struct shots *s);
void shots_take(struct shots *s, struct tab *t, const char *reason);
void shots_tick(struct shots *s);
/* Another document is in the tab. */
void shots_moved(struct shots *s, const struct tab *t);
void shots_forget(struct shots *s, const struct tab *t);
/* The dispatcher takes no more. */
void shots_refused(struct shots *s, struct str why);

/* ---- screencast.c: pictures for the viewer ---- */

struct screencast *screencast_new(struct runner *r);
void screencast_free(struct screencast *s);
void screencast_watch(struct screencast *s, bool on, int64_t quality);
void screencast_taken(struct screencast *s, int64_t token);
/* r->active is another one, or its renderer is new. */
void screencast_switch(struct screencast *s);
void screencast_tick(struct screencast *s);
/* Another document is in the tab. */
void screencast_moved(struct screencast *s, const struct tab *t);
void screencast_forget(struct screencast *s, const struct tab *t);

void on_screencast_frame(void *arg, struct str session, const struct json_value *p);

/* ---- viewer.c: what the viewer asks for; input.c: mouse and keys ---- */

extern const struct live_ops viewer_ops;
void input_mouse(struct runner *r, const struct stream_mouse *m);
void input_key(struct runner *r, const struct stream_key *k);
void input_text(struct runner *r, struct str text);

#endif
