/* SPDX-License-Identifier: ISC */
/* The Chrome DevTools Protocol (CDP) over --remote-debugging-pipe, for the runner and for its host
 * check.
 *
 * Messages are JSON objects, each followed by a NUL byte:
 *
 *   call 7      to the browser  {"id":7,"sessionId":"A1","method":"Page.navigate","params":{...}}
 *   its reply   to the runner   {"id":7,"sessionId":"A1","result":{...}}, or "error":{...}
 *   an event    to the runner   {"method":"Page.frameNavigated","sessionId":"A1","params":{...}}
 *
 * Every attached target (page, frame, worker) has a CDP session, and all sessions share the one
 * pipe: each message names its session, or none for the browser itself.
 *
 * The done function of a call runs exactly once, never within cdp_send. It gets NULL when the
 * browser replies with an error, when cdp_forget ends the session, and when the browser is gone. So
 * a caller may put its memory into a call and free it in done. There is one exception: calls sent
 * by done functions that run within cdp_free are discarded. */
#ifndef BROWSER_RUNNER_CDP_H
#define BROWSER_RUNNER_CDP_H

#include "daemon/ev.h"
#include "json/json.h"
#include "json/tree.h"

struct cdp;

/* result: the reply of the call; NULL: the call failed, or its session or the browser is gone. */
typedef void cdp_done(void *arg, const struct json_value *result);

/* A message of the browser that is no reply. */
struct cdp_event {
	struct str method;
	struct str session; /* empty: the browser itself */
	const struct json_value *params;
};

/* The arguments are valid until the function returns. No handler may free the cdp. */
struct cdp_side {
	void (*event)(void *arg, const struct cdp_event *event); /* NULL: events are ignored */
	void (*closed)(
	    void *arg); /* the browser ended, or a limit was exceeded; every call has failed */
};

struct cdp_call {
	struct str session; /* empty: the browser */
	const char *method;
	const struct field *fields; /* fields of the params; NULL: constant is used */
	const void *in;
	const char *constant; /* the params as JSON; NULL: {} */
	cdp_done *done;       /* NULL: the reply is ignored */
	void *arg;
};

/* in: the pipe that the browser writes to; out: the pipe that it reads. The cdp closes both. Never
   NULL. */
struct cdp *cdp_new(
    struct event_base *base, int in, int out, const struct cdp_side *side, void *arg);
/* Queues the call; never blocks and never runs a handler. c NULL: the browser has been stopped;
   nothing is sent and done is not called. */
void cdp_send(struct cdp *c, const struct cdp_call *call);
/* Fails every call of a session that has ended, before it returns. */
void cdp_forget(struct cdp *c, struct str session);
/* Has closed been called? */
bool cdp_is_over(const struct cdp *c);
/* Fails every call; calls sent by their done functions are discarded. */
void cdp_free(struct cdp *c);

/* ---- members of a message; v may be NULL, and an absent member is empty, 0, false or NULL ---- */

struct str cdp_text(const struct json_value *v, const char *name);
int64_t cdp_int(const struct json_value *v, const char *name); /* rounded */
double cdp_num(const struct json_value *v, const char *name);
bool cdp_bool(const struct json_value *v, const char *name);
const struct json_value *cdp_get(const struct json_value *v, const char *name);

#endif
