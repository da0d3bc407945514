/* SPDX-License-Identifier: ISC */
/* The state that control.c (the link to the dispatcher, the lease, the timers), report.c, ending.c
   and closing.c (the end of a session) share. */
#ifndef BROWSER_RUNNER_CONTROL_PRIV_H
#define BROWSER_RUNNER_CONTROL_PRIV_H

#include "browser/runner/runner.h"

#include "address/start_url.h"

/* The steps of closing a session, in this order; closing.c explains each. */
enum step {
	STEP_NONE,
	STEP_SHOT,    /* the last screenshot is being taken */
	STEP_BROWSER, /* the browser was killed; its last messages are being read */
	STEP_VIEWER,  /* "bye" was sent to the viewer; its connection is not closed yet */
	STEP_STORED,  /* the dispatcher is storing the rest of the log */
	STEP_ENDED,   /* "ended" was sent; the dispatcher has not closed the link yet */
};

struct control {
	struct runner *r;
	struct link *link; /* NULL: the dispatcher is not connected */
	bool accepted;     /* the dispatcher has sent a message on this connection */
	struct event *lease, *tick;
	unsigned ticks;
	char directory[160], path[192]; /* path of the viewers' socket, and its directory */

	int64_t since;      /* mono_us: when the job came */
	int64_t expires_us; /* mono_us; 0: not known yet */
	struct ts expires_at;
	int64_t active_at, activity_sent_at; /* mono_us */
	size_t warned, idle_warned;

	enum step step;
	struct event *advance;      /* starts the next step */
	struct event *step_timeout; /* the present step takes too long */
	bool abandoned;             /* the lease has ended: the dispatcher expects nothing more */
	bool failed;
	char reason[64], detail[768];
	char *check_output; /* the text that a host check printed; sent, then freed */
};

/* The name of the stage in messages. */
const char *runner_stage_name(const struct runner *r);
/* Sends the stage to the viewer. */
void runner_send_state(struct runner *r);

bool closing_prepare(struct control *c);
/* Starts to close the session; later calls do nothing. c->reason or c->failed must be set. */
void closing_begin(struct control *c);
/* The present step has finished. The next one starts from the event loop, after this function
   returns. */
void closing_advance(struct control *c);
/* Ends STEP_STORED if the outbox is empty or the lease has ended. */
void closing_check(struct control *c);

#endif
