/* SPDX-License-Identifier: ISC */
/* Messages of JSON-RPC 2.0, in both directions. No I/O. */
#ifndef CLIENT_MCP_MESSAGE_H
#define CLIENT_MCP_MESSAGE_H

#include "json/tree.h"

enum rpc_kind {
	RPC_REQUEST,
	RPC_NOTIFICATION,
	RPC_ANSWER, /* to a request of ours; we send none */
	RPC_BAD,    /* answer it with code and why */
};

enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_UNSUPPORTED_VERSION =
	    -32022, /* belongs to the protocol from its revision 2026-07-28 on */
};

struct rpc {
	enum rpc_kind kind;
	struct str id; /* as JSON: 7, "a", or null if the message has none that can be read */
	struct str method;
	const struct json_value *params; /* an object, or NULL */
	enum rpc_code code;
	struct str why;
};

/* Reads one line. Never fails: a line that is no message is RPC_BAD. */
void rpc_read(struct arena *a, struct str line, struct rpc *out);
/* Appends an error, with its line end; data is JSON, or without pointer: none. */
void rpc_error(struct buf *b, struct str id, enum rpc_code code, struct str why, struct str data);
/* Appends the message with this result, which is JSON, and its line end. */
void rpc_result(struct buf *b, struct str id, struct str result);

#endif
