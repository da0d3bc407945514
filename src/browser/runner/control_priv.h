/* SPDX-License-Identifier: ISC */
/* Between control.c, what the dispatcher says, and closing.c, how a session ends. */
#ifndef BROWSER_RUNNER_CONTROL_PRIV_H
#define BROWSER_RUNNER_CONTROL_PRIV_H

#include "browser/runner/runner.h"

#include "address/start_url.h"

/* In this order. */
enum step {
	STEP_NONE,
	STEP_SHOT,    /* waits for the last screenshot */
	STEP_BROWSER, /* waits for what the browser had still to say */
	STEP_VIEWER,  /* waits until it has been told */
	STEP_STORED,  /* waits until all evidence is stored */
	STEP_SAID,    /* waits until the dispatcher has heard that it is over */
};

struct control {
	struct runner *r;
	struct link *link; /* NULL: the dispatcher is away */
	bool let_in;       /* it has said something on this connection */
	struct event *lease, *tick;
	unsigned ticks;
	char folder[160], path[192]; /* of the viewers' socket */

	int64_t since;      /* mono_us of the job */
	int64_t expires_us; /* mono_us; 0: not known */
	struct ts expires_at;
	int64_t active_at, told_active_at; /* mono_us */
	size_t warned, idle_warned;

	enum step at;
	struct event *step, *late; /* on to the next; this one takes too long */
	bool alone;                /* the dispatcher waits for nothing any more */
	bool failed;
	char reason[64], detail[768];
	char *said; /* by a dry run */
};

bool closing_prepare(struct control *c);
/* c->reason or c->failed is set. Once. */
void closing_begin(struct control *c);
/* What the present step waits for is there. Returns before anything is done. */
void closing_go_on(struct control *c);
/* The outbox may be empty now, or the dispatcher waits no more. */
void closing_check(struct control *c);

#endif
