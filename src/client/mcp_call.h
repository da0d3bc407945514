/* SPDX-License-Identifier: ISC */
/* Calls of tools that run side by side. */
#ifndef CLIENT_MCP_CALL_H
#define CLIENT_MCP_CALL_H

#include "client/client.h"
#include "client/mcp_tools.h"

enum { CALLS_MAX = 64, CALLS_RUNNING = 8 };

struct call;

struct calls {
	const struct client *client; /* settings and options, which each call copies */
	void *multi;                 /* of libcurl */
	struct call *first;          /* the oldest */
	size_t n, running;
	struct buf out; /* on the heap: messages to the assistant's program, for the loop to send */
	size_t most;    /* bytes of a result */
	int64_t usual;  /* the parameter limit, if a call has none */
	bool ending;    /* the input has ended: no call waits any more */
};

void calls_begin(struct calls *calls, const struct client *c);
void calls_end(struct calls *calls);
/* Starts a call, or writes its result if it cannot be. head is what the result begins with behind
   its bracket. args is copied. */
void call_begin(struct calls *calls, struct str id, struct str head, const struct tool *t,
    const struct json_value *args);
bool call_is_running(const struct calls *calls, struct str id);
/* Ends a call without an answer; a call that does not run is ignored. */
void call_cancel(struct calls *calls, struct str id);
/* Waits until bytes come in on fd (-1: none), or until a call can be continued, and continues it.
   True: fd is readable. */
bool calls_step(struct calls *calls, int fd);

#endif
