/* SPDX-License-Identifier: ISC */
/* The messages between the dispatcher and the runner of one session, as structs with their field
   tables (see link.h). A message without a struct has no members. A runner starts with a connected
   socket as its standard input, on which the dispatcher sends first: job or check. When that
   connection is lost, the runner connects to dispatch.sock in run_directory.

   runner:     hello, and socks + its SOCKS5 listener (both again after every reconnect), ready,
               activity, shot + a sealed memfd, net, truncated, ended (its last); checked (the
               answer to check)
   dispatcher: job or check, once, first; lease, running, close, egress, logged, refused, stored

   shot, net and truncated are the log of a session's evidence, which survives either end's restart:

     runner's outbox      | 41 | 42 | 43 | 44 | 45 |
                            ^ the first number without an answer
     sent, unanswered     |<- at most LOG_WINDOW ->|
     logged {"seq": 42}     41 and 42 are in the database, or refused for good: the runner drops
                            them

   The runner numbers the messages from 1, sends them in order, and keeps each until logged covers
   it. It sends none before it has received a message, which proves that the dispatcher has accepted
   it. On a new connection it sends again from the first unanswered one; the database ignores a
   number that it already has. A runner of an old version sends no numbers, and its shots are
   answered by stored.

   During an upgrade either end may talk to the previous or the next version. A new member therefore
   has a default, and a member never changes its meaning. Where that is impossible, a runner that
   does not understand stays silent, and sessions wait until the runner is replaced as well. */
#ifndef BROWSER_RUNNER_LINK_H
#define BROWSER_RUNNER_LINK_H

#include "browser/link.h"

enum {
	NET_BATCH_MAX = 32,      /* events in one net */
	NET_BATCH_BYTES = 60000, /* bytes of JSON in one net */
	LOG_WINDOW = 64,         /* unanswered messages of the log */
};

/* ---- from the runner ---- */

struct runner_hello {
	struct uuid session;
	int64_t epoch, pid;
	struct str state; /* starting, running, closing */
};

/* The output of surfaced-runner -t: whether browsers can be started on this host. */
struct runner_checked {
	bool good;
	struct str said;
};

struct runner_shot {
	int64_t seq;
	struct uuid id;
	struct str reason; /* ready, load, request, interval, close */
	int64_t tab, width, height;
	struct str url, title, mime;
	struct ts taken_at;
};

/* events: a list of struct json; each is a net_event of wire/stream_messages.h. */
struct runner_net {
	int64_t seq;
	struct list events;
};

/* Events are missing here: there were more than the runner could keep. */
struct runner_truncated {
	int64_t seq;
};

struct runner_ended {
	bool failed;
	struct str detail;
};

/* ---- from the dispatcher ---- */

struct runner_job {
	struct uuid session;
	int64_t epoch;
	struct str start_url, profile, country;
	int64_t width, height, lifetime_ms, idle_ms, lease_ms, close_ms;
};

struct runner_lease {
	int64_t ms; /* from now */
};

struct runner_running {
	int64_t expires_in_ms;
};

struct runner_close {
	struct str reason; /* the terminal_reason of the session */
};

struct runner_egress {
	struct str event; /* connected, denied, failed */
	struct str host, address, reason;
	int64_t port;
};

/* Confirms this number and all lower ones: they are in the database, or refused for good. */
struct runner_logged {
	int64_t seq;
};

struct runner_stored {
	struct uuid id;
};

/* A screenshot that the dispatcher will never store. */
struct runner_refused {
	struct uuid id;
	struct str why;
};

extern const struct field runner_hello_fields[], runner_shot_fields[], runner_net_fields[],
    runner_truncated_fields[], runner_ended_fields[], runner_job_fields[], runner_lease_fields[],
    runner_running_fields[], runner_close_fields[], runner_egress_fields[], runner_logged_fields[],
    runner_stored_fields[], runner_refused_fields[], runner_checked_fields[];

#endif
