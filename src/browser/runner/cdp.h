/* SPDX-License-Identifier: ISC */
/* The Chrome DevTools Protocol over --remote-debugging-pipe: JSON messages that end with a NUL, calls with
   numbers and their replies, events. Sessions are flat: each message names the one it belongs to. */
#ifndef BROWSER_RUNNER_CDP_H
#define BROWSER_RUNNER_CDP_H

#include "daemon/ev.h"
#include "json/json.h"

struct cdp;

/* The reply of a call; NULL: it failed, or its session or the browser is gone. */
typedef void cdp_done(void *arg, const struct json_value *result);

struct cdp_event {
	const char *name; /* NULL: end of the table */
	/* session: empty for the browser's own. */
	void (*take)(void *arg, struct str session, const struct json_value *params);
};

/* Everything is valid until the function returns; none of them may free the cdp. */
struct cdp_side {
	const struct cdp_event *events;
	void (*closed)(void
		*arg); /* the browser is gone, or spoke nonsense; all calls have failed */
};

struct cdp_call {
	struct str session; /* empty: the browser */
	const char *method;
	const struct field *fields; /* of the params; NULL: see constant */
	const void *in;
	const char *constant; /* the params as JSON; NULL: {} */
	cdp_done *done;       /* NULL: nobody asks */
	bool may_fail;        /* that is no news */
	void *arg;
};

/* in: what the browser writes, out: what it reads; both become the cdp's. Never NULL. */
struct cdp *cdp_new(
    struct event_base *base, int in, int out, const struct cdp_side *side, void *arg);
/* Never blocks and never calls back from within. c NULL: there is no browser any more, nothing is sent. */
void cdp_send(struct cdp *c, const struct cdp_call *call);
/* The session is gone: its calls fail, here. */
void cdp_forget(struct cdp *c, struct str session);
/* closed has been called. */
bool cdp_is_over(const struct cdp *c);
/* The calls that wait fail; what they lead to is dropped. */
void cdp_free(struct cdp *c);

/* ---- reading what the browser says: of an absent member, nothing ---- */

struct str cdp_text(const struct json_value *v, const char *name);
int64_t cdp_int(const struct json_value *v, const char *name); /* rounded */
double cdp_num(const struct json_value *v, const char *name);
bool cdp_bool(const struct json_value *v, const char *name);
const struct json_value *cdp_get(const struct json_value *v, const char *name);

#endif
