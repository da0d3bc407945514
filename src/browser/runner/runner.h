/* SPDX-License-Identifier: ISC */
/* surfaced-runner: one process for one browser session.
 *
 *   dispatcher <-- link (browser/runner_link.h) --> control.c, closing.c   jobs, lease, end
 *              <-- shot, net, truncated ----------- outbox.c               log of evidence
 *                                                     ^
 *                                 network.c, shots.c -+                    requests, screenshots
 *                                     ^
 *   browser <-- CDP (cdp.h) ------> targets.c, setup.c, page.c             targets, documents
 *                                     ^          |
 *                         input.c, viewer.c    screencast.c                commands, frames
 *                                     ^          v
 *   stream <-- WebSocket on R/sessions/ID/EPOCH.sock --> live*.c           the viewer
 *
 * Everything runs in one thread and one event loop. struct runner is passed to every part; each
 * part owns the struct that is named after it.
 *
 * The life of a session:
 *
 *   STAGE_NEW       control.c waits for a job (or for a host check, which ends the process)
 *   STAGE_STARTING  the browser starts; setup.c prepares its first page, tabs.c loads start_url
 *   STAGE_RUNNING   "ready" was sent: the first page has answered, or PAGE_US have passed
 *   STAGE_CLOSING   the steps of closing.c: last screenshot, browser, viewer, storage
 *   STAGE_OVER      "ended" was sent; the process exits
 *
 * Who may end when. The dispatcher may restart at any time: the session continues without it until
 * the lease ends, reconnects, and sends all unanswered evidence again. The viewer may leave and
 * return. A page may crash once and is reloaded. The end of the browser, a second crash, the end of
 * the lease and a signal fail the session (runner_fail); only the dispatcher closes it without a
 * failure.
 *
 * Targets. A target is a page, a frame of another process, or a worker. With auto-attach the
 * browser reports each new target before its script runs and pauses it until
 * Runtime.runIfWaitingForDebugger:
 *
 *   browser --+-- page -> struct tab         a tab; a popup is a tab too
 *             |     +-- frame, worker -> struct child_target, with the id of its tab
 *             +-- service worker -> struct child_target of tab 0
 *
 * setup.c uses that pause to give the target its identity (profile.h), so no script sees the real
 * one. An event names the session of its target, and tab_of_session finds the tab. A tab is freed
 * when its target detaches: cdp_forget fails its pending calls first, so no done function runs with
 * a freed tab. */
#ifndef BROWSER_RUNNER_RUNNER_H
#define BROWSER_RUNNER_RUNNER_H

#include "base/registry.h"
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
	int64_t document;      /* the number of the newest requested document (network.c) */
	struct ts document_at; /* when the first request for it began, before any redirect */
	struct buf failure;    /* why that document failed; empty: it did not */
	bool unreachable;      /* the browser shows its error page instead of the document */
	size_t setting_up;     /* calls of setup_tab without a reply yet */
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
	int64_t tab; /* 0: no tab, as for a service worker */
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
	const char
	    *fault; /* a fault of the configuration, sent in answer to a job or check; NULL: none */
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

	struct outbox *outbox;
	struct network *network;
	struct shots *shots;
	struct screencast *cast;
};

/* ---- events of the browser ---- */

/* A handler of one event of CDP. ON_EVENT behind a handler registers it (base/registry.h);
   browser.c calls it. */
struct event_handler {
	const char *method;
	void (*handle)(struct runner *r, const struct cdp_event *event);
};

#define ON_EVENT(name, function)                                                                   \
	static const struct event_handler function##_handler = { (name), (function) };             \
	REGISTER(event_handlers, function##_handler)

#endif
