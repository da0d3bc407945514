/* SPDX-License-Identifier: ISC */
/* What the dispatcher and the runner of one session say to one another over link.h: the messages as structs,
   and their field tables. A message without a struct has no members. A runner begins with a connection as its
   standard input, on which the dispatcher speaks first, job or check; when that is lost it calls R/dispatch.sock.

   runner:     hello, socks + its SOCKS5 listener (both again after every reconnect), ready, activity,
               shot + a sealed memfd, net, truncated, ended (its last); checked (answers a check, its only one)
   dispatcher: job or check, once, before anything else; lease, running, close, egress, logged, refused, stored

   shot, net and truncated are the log of a session's evidence. The runner numbers them from 1 and keeps
   each until logged says that the database has it. It sends them in their order, at most LOG_WINDOW that are
   not answered, and not before the dispatcher has said something: by then it has been let in. On another
   connection it begins again with the first that is not answered; a number that the database has already is
   not stored twice. A runner of before there were numbers sends none, and its shots are answered by stored.

   An upgrade has either side speak to the other's former or next version: a message gets new members with a
   default, and no new meaning. Where that cannot be, a runner that does not understand says nothing: the
   dispatcher then lets sessions wait, until it is another one. */
#ifndef BROWSER_RUNNER_LINK_H
#define BROWSER_RUNNER_LINK_H

#include "browser/link.h"

enum {
	NET_BATCH_MAX = 32,      /* events of one net */
	NET_BATCH_BYTES = 60000, /* of their JSON */
	LOG_WINDOW = 64,         /* messages of the log that wait for their answer */
};

/* ---- from the runner ---- */

struct runner_hello {
	struct uuid session;
	int64_t epoch, pid;
	struct str state; /* starting, running, closing */
};

/* What surfaced-runner -t prints: whether browsers can be started where it stands. */
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

/* events: of struct json, each a net_event as wire/stream_messages.h writes it. */
struct runner_net {
	int64_t seq;
	struct list events;
};

/* There was more than can be kept. */
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
	struct str reason; /* a terminal_reason */
};

struct runner_egress {
	struct str event; /* connected, denied, failed */
	struct str host, address, reason;
	int64_t port;
};

/* It and all before it are in the database, or never will be. */
struct runner_logged {
	int64_t seq;
};

struct runner_stored {
	struct uuid id;
};

/* A shot that never will be stored. */
struct runner_refused {
	struct uuid id;
	struct str why;
};

extern const struct field runner_hello_fields[], runner_shot_fields[],
    runner_net_fields[], runner_truncated_fields[], runner_ended_fields[],
    runner_job_fields[], runner_lease_fields[], runner_running_fields[],
    runner_close_fields[], runner_egress_fields[], runner_logged_fields[],
    runner_stored_fields[], runner_refused_fields[], runner_checked_fields[];

#endif
