/* SPDX-License-Identifier: ISC */
/* The arguments of a tool's call become a request to the API. */
#ifndef CLIENT_MCP_ASK_H
#define CLIENT_MCP_ASK_H

#include "client/http.h"
#include "client/mcp_tools.h"

/* The parameter limit of a call. */
struct ask_bounds {
	int64_t usual; /* if the arguments have none */
	/* this one whatever the arguments have, to fetch less at the second attempt; 0: not */
	int64_t limit;
};

/* Makes the request in client.page and stores the query in client.query, for carets. False with the
   reason in why, if the arguments are not those of the tool: nothing can be sent. args is an object
   or NULL. */
bool tool_ask(struct client *c, const struct tool *t, const struct json_value *args,
    const struct ask_bounds *bounds, struct ask *out, struct buf *why) MUST_USE;

#endif
