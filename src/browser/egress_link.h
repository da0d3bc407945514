/* SPDX-License-Identifier: ISC */
/* The messages between the dispatcher and surfaced-egress over run_directory/egress.sock (see
   link.h).

   dispatcher: open + the browser's listening SOCKS5 socket, shut, probe
   egress:     traffic (a browser's attempt to connect), probed (the result of a probe)

   The dispatcher keeps every socket that it has sent. After a reconnect, or a restart of egress, it
   sends open again for each of its sessions; egress closes the sessions that are not opened again
   within egress_grace. */
#ifndef BROWSER_EGRESS_LINK_H
#define BROWSER_EGRESS_LINK_H

#include "json/json.h"

enum route_kind { ROUTE_DIRECT, ROUTE_CONNECT, ROUTE_SOCKS5 };

extern const char *const route_kinds[]; /* the names of enum route_kind; NULL ends the list */

/* ---- dispatcher to egress ---- */

/* Sent with the listening SOCKS5 socket, and any number of times: the newest socket and route
   replace the session's former ones, and existing connections continue. */
struct egress_open {
	struct uuid session;
	struct str kind;       /* one of route_kinds */
	struct str host;       /* the route's proxy; unset for direct */
	int64_t port;          /* 0 for direct */
	struct str credential; /* a file in egress_secrets; unset: the proxy needs none */
};

/* Closes the session's listener and its connections. */
struct egress_shut {
	struct uuid session;
};

enum { PROBE_ID_MAX = 64 };

/* Tries a route once; probed is the answer. */
struct egress_probe {
	struct str id; /* chosen by the dispatcher, repeated in probed */
	struct str kind, host;
	int64_t port;
	struct str credential;
	struct str target_host; /* checked like a browser's target */
	int64_t target_port;
};

extern const struct field egress_open_fields[], egress_shut_fields[], egress_probe_fields[];

/* ---- egress to dispatcher ---- */

/* A browser's attempt to connect. At most 50 a second are sent for each session; the rest of a
   second is summed up in one message for each event, with reason "more", a count, and no host or
   port. */
struct egress_traffic {
	struct uuid session;
	struct str event; /* connected, denied, failed */
	struct str host;  /* as the browser asked for it: a name or an address */
	int64_t port;
	struct str address; /* the address of host; unset unless connected */
	struct str reason;  /* from tbl/egress_reasons.h, or "more"; unset if connected */
	int64_t count;      /* attempts in this message: 1 unless reason is "more" */
};

struct egress_probed {
	struct str id;
	bool answered;
	int64_t ms;
	struct str why; /* from tbl/egress_reasons.h; unset if answered */
};

extern const struct field egress_traffic_fields[], egress_probed_fields[];

#endif
