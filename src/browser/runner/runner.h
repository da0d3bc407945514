/* SPDX-License-Identifier: ISC */
/* surfaced-runner: one process for one browser session.
 *
 *   surfaced-dispatch <-- link (browser/runner_link.h) --> control.c, closing.c     jobs, lease, end
 *                     <-- shot, net, truncated ----------- outbox.c                 log of evidence
 *                                                            ^
 *                                        network.c, shots.c -+                      requests, screenshots
 *                                            ^
 *   browser <-- CDP over pipes (cdp.h) --> tabs.c, setup.c, page.c                  targets, documents
 *                                            ^          |
 *                                input.c, viewer.c    screencast.c                  commands, frames
 *                                            ^          v
 *   surfaced-stream <-- WebSocket on R/sessions/ID/EPOCH.sock --> live*.c           the viewer
 *
 * Everything runs in one thread and one event loop. struct runner is passed to every part; each part owns the
 * struct that is named after it.
 *
 * The life of a session:
 *
 *   STAGE_NEW       control.c waits for a job (or for a host check, which ends the process)
 *   STAGE_STARTING  the browser starts; setup.c prepares its first page, tabs.c navigates it to start_url
 *   STAGE_RUNNING   "ready" was sent: the first page has answered, or PAGE_US have passed
 *   STAGE_CLOSING   the steps of closing.c: last screenshot, browser, viewer, storage
 *   STAGE_OVER      "ended" was sent; the process exits
 *
 * Who may end when. The dispatcher may restart at any time: the session continues without it until the lease
 * ends, reconnects, and sends all unanswered evidence again. The viewer may leave and return. A page may crash
 * once and is reloaded. The end of the browser, a second crash, the end of the lease and a signal fail the
 * session (runner_fail); only the dispatcher closes it without a failure.
 *
 * Targets. A target is a page, a frame of another process, or a worker. With auto-attach the browser reports
 * each new target before its script runs and pauses it until Runtime.runIfWaitingForDebugger:
 *
 *   browser --+-- page -> struct tab         a tab; a popup is a tab too
 *             |     +-- frame, worker -> struct child_target, with the id of its tab
 *             +-- service worker -> struct child_target of tab 0
 *
 * setup.c uses that pause to give the target its identity (profile.h), so no script sees the real one. An event
 * names the session of its target, and tab_of_session finds the tab. A tab is freed when its target detaches:
 * cdp_forget fails its pending calls first, so no done function runs with a freed tab. */
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
	STAGE_STARTING, /* the browser starts and loads its first page */
	STAGE_RUNNING,
	STAGE_CLOSING, /* closing.c ends the session step by step */
	STAGE_OVER,    /* the last step of closing: "ended" is sent */
};

/* A page. The tab owns its texts. */
struct tab {
	TAILQ_ENTRY(tab) next;
	struct runner *r;
	int64_t id; /* from 1 */
	struct buf target, session, url, title;
	struct buf
	    failure; /* why the newest requested document failed; empty: it did not */
	bool unreachable;  /* the browser shows its error page instead of the document */
	size_t setting_up; /* calls of setup_tab without a reply yet */
	bool owns_locale;  /* this target has set the locale of its process */
	bool loading, can_go_back, can_go_forward;
	int steps; /* steps in the history that the viewer requested; 0: none */
	bool closing;
	bool crashed; /* has crashed once; a second crash fails the session */
	bool dialog;  /* a dialog is open */
	int64_t dialog_at;
	bool beforeunload;
	int64_t shot_at; /* mono_us: the last screenshot after a load; 0: none yet */
	bool shot_due;   /* a screenshot after a load was postponed */
	/* input.c: the newest mouse position, kept while the page handles an earlier one */
	bool move_busy, move_waits;
	double move_x, move_y;
	int64_t move_buttons, move_modifiers;
};

TAILQ_HEAD(tabs, tab);
/* A frame in another process, or a worker. */
struct child_target {
	LIST_ENTRY(child_target) next;
	int64_t tab;      /* 0: no tab, as for a service worker */
	bool owns_locale; /* as in struct tab */
	size_t session_n;
	char session[];
};

LIST_HEAD(children, child_target);

struct network;
struct shots;
struct screencast;
struct control;

struct runner {
	struct event_base *base;
	struct arena *keep; /* memory until the process exits */
	enum stage stage;
	struct runner_job job;
	const char *
	    fault; /* a fault of the configuration, sent in answer to a job or check; NULL: none */
	char version[64]; /* of the browser */

	struct control *control;
	struct profile *profile;
	struct browser_process process; /* pid 0: none */
	struct event *errors;
	char stderr_tail[512]; /* the end of the browser's standard error */
	struct cdp *cdp;       /* NULL: no browser */
	struct live *live;     /* NULL: not created yet, or freed in closing */

	struct tabs tabs;
	struct children children;
	struct tab *active;
	int64_t last_tab, ready_at;
	bool locale_due; /* setup_restore_locale has scheduled its work */

	struct outbox *outbox;
	struct network *network;
	struct shots *shots;
	struct screencast *cast;
};

/* ---- control.c and closing.c: the link to the dispatcher, the stages of a session ---- */

/* fd: the dispatcher's connection, taken over. */
struct control *control_new(struct runner *r, int fd);
void control_free(struct control *c);
/* The first page has answered, or is not waited for any longer: the session runs. */
void runner_ready(struct runner *r);
/* Resets the idle time: the viewer sent input or a navigation. */
void runner_activity(struct runner *r);
/* Closes the session as failed; the text becomes its detail, which people read. */
void runner_fail(struct runner *r, const char *fmt, ...) PRINTF(2, 3);
/* Sends the contents of the outbox, if the dispatcher accepts evidence now. */
void control_send_log(struct control *c);
/* The last screenshot was taken, or failed. */
void control_last_shot(struct control *c);
/* The browser has ended, and all its messages have been read. */
void control_browser_gone(struct control *c);
/* The viewer's connection is closed. */
void control_viewer_gone(struct control *c);

/* ---- browser.c: the browser's process and the table of CDP events ---- */

/* Starts the browser; false with a reason in err. */
bool browser_start(struct runner *r, char *err, size_t room) MUST_USE;
/* Kills the browser; control_browser_gone follows when its pipe has been read. False: it had ended before. */
bool browser_kill(struct runner *r) MUST_USE;
/* Kills the browser, waits for it, and frees its CDP connection. */
void browser_stop(struct runner *r);

/* ---- tabs.c: targets ---- */

/* Makes the browser attach the runner to every present and future target. */
void tabs_begin(struct runner *r);
void tabs_free(struct runner *r);
struct tab *tab_find(struct runner *r, int64_t id);
/* The tab of a session, also of a frame's or worker's session; NULL: none. */
struct tab *tab_of_session(struct runner *r, struct str session);
void tab_navigate(struct runner *r, struct tab *t, struct str url);
void tab_activate(struct runner *r, struct tab *t);
void tab_close(struct runner *r, struct tab *t);
/* Goes back or forward; steps 0 only updates can_go_back and can_go_forward. */
void tab_history(struct runner *r, struct tab *t, int steps);
/* Requests the tab's present address and title: Chromium reports changes late. */
void tab_refresh(struct runner *r, const struct tab *t);
void tabs_tick(struct runner *r);
/* Sends the list of tabs, or the address of one, to the viewer. */
void tabs_send(struct runner *r);
void tab_send_url(struct runner *r, const struct tab *t);
/* Sends a call in the tab's session and ignores its reply. */
void tab_send(
    struct runner *r, const struct tab *t, const char *method, const char *constant);

void on_target_attached(void *arg, struct str session, const struct json_value *p);
void on_target_detached(void *arg, struct str session, const struct json_value *p);
void on_target_changed(void *arg, struct str session, const struct json_value *p);

/* ---- setup.c: gives each target the session's identity before it runs ---- */

/* Sets a page up and activates it after the last reply; closes it if a call fails. */
void setup_tab(struct runner *r, struct tab *t);
/* Sets a frame or worker up. */
void setup_child(struct runner *r, struct child_target *c, struct str type);
/* A target that had set its process's locale is gone, and the locale with it: sets it again for all. */
void setup_restore_locale(struct runner *r);
/* The tab shows another document, perhaps in another process. */
void setup_new_document(struct runner *r, struct tab *t);

void on_request_paused(void *arg, struct str session, const struct json_value *p);

/* ---- page.c: documents, dialogs, downloads and crashes of a tab ---- */

void dialog_answer(struct runner *r, struct tab *t, bool accept, struct str text);
/* Answers overdue dialogs and takes postponed screenshots. */
void page_tick(struct runner *r, struct tab *t);

/* Sets why the newest document of the tab's main frame failed; an empty text: it did not. */
void page_set_failure(struct runner *r, struct tab *t, struct str failure);

void on_page_navigated(void *arg, struct str session, const struct json_value *p);
void on_page_moved(void *arg, struct str session, const struct json_value *p);
void on_page_loading(void *arg, struct str session, const struct json_value *p);
void on_page_stopped(void *arg, struct str session, const struct json_value *p);
void on_page_loaded(void *arg, struct str session, const struct json_value *p);
void on_dialog_open(void *arg, struct str session, const struct json_value *p);
void on_dialog_closed(void *arg, struct str session, const struct json_value *p);
void on_download(void *arg, struct str session, const struct json_value *p);
void on_crash(void *arg, struct str session, const struct json_value *p);

/* ---- network.c: evidence of requests ---- */

struct network *network_new(struct runner *r);
void network_free(struct network *n);
void network_tick(struct network *n);
/* Records every unfinished request as it is. */
void network_finish(struct network *n);
/* Records an event that is not a request: kind download, dialog, crash or certificate. */
void network_record(struct network *n, const struct net_event *e);
/* Remembers a connection that surfaced-egress made, denied or failed to make. */
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

/* ---- shots.c: screenshots as evidence ---- */

struct shots *shots_new(struct runner *r);
void shots_free(struct shots *s);
void shots_take(struct shots *s, struct tab *t, const char *reason);
void shots_tick(struct shots *s);
/* The tab shows another document. */
void shots_new_document(struct shots *s, const struct tab *t);
/* The tab closes or has crashed: drops its screenshots. */
void shots_forget(struct shots *s, const struct tab *t);
/* The dispatcher stores no more screenshots of this session. */
void shots_refused(struct shots *s, struct str why);

/* ---- screencast.c: frames for the viewer ---- */

struct screencast *screencast_new(struct runner *r);
void screencast_free(struct screencast *s);
void screencast_watch(struct screencast *s, bool on, int64_t quality);
void screencast_ack(struct screencast *s, int64_t token);
/* Another tab is active, or the active tab has a new renderer: starts again. */
void screencast_switch(struct screencast *s);
void screencast_tick(struct screencast *s);
/* The tab shows another document. */
void screencast_new_document(struct screencast *s, const struct tab *t);
void screencast_forget(struct screencast *s, const struct tab *t);

void on_screencast_frame(void *arg, struct str session, const struct json_value *p);

/* ---- viewer.c: the viewer's commands; input.c: mouse and keys ---- */

extern const struct live_ops viewer_ops;
void input_mouse(struct runner *r, const struct stream_mouse *m);
void input_key(struct runner *r, const struct stream_key *k);
void input_text(struct runner *r, struct str text);

#endif
