/* SPDX-License-Identifier: ISC */
/* The tools of surface mcp: operations of the API, described by its openapi.json. */
#ifndef CLIENT_MCP_TOOLS_H
#define CLIENT_MCP_TOOLS_H

#include "base/base.h"
#include "json/tree.h"

enum parameter_place { IN_PATH, IN_QUERY, IN_BODY };

struct tool_parameter {
	struct str name;
	enum parameter_place place;
	bool required;
};

struct tool {
	struct str name;    /* the operationId */
	struct str path;    /* "/search/hosts/{ip}" */
	const char *method; /* "GET" */
	struct str listed;  /* as JSON, for tools/list */
	struct tool_parameter *parameters;
	size_t nparameters;
	bool read_only;
	bool keyed; /* takes an Idempotency-Key, so that a repetition creates nothing twice */
	bool body;  /* has a body even if no argument belongs to it */
};

struct tools {
	struct tool *list; /* in the order of openapi.json */
	size_t n;
};

struct tools_wanted {
	struct str tags;    /* with commas: read-only operations with these tags; "all": with any */
	struct str allowed; /* with commas: these operations too, whatever they do */
	bool project;       /* project_uuid may be left out: the customer has set one */
};

/* Reads openapi.json into the arena. False if it is none, or if a name of wanted.allowed is no
   operation that a tool can call: then *unknown has that name, and it has no pointer otherwise. */
bool tools_read(struct arena *a, const struct json_value *openapi,
    const struct tools_wanted *wanted, struct tools *out, struct str *unknown) MUST_USE;
const struct tool *tool_named(const struct tools *t, struct str name);
const struct tool_parameter *tool_parameter_named(const struct tool *t, struct str name);
/* Whether a name is one of a list with commas. */
bool list_has(struct str list, struct str name);

#endif
