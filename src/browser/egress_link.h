/* SPDX-License-Identifier: ISC */
/* What the dispatcher and surfaced-egress say to one another over run_directory/egress.sock. */
#ifndef BROWSER_EGRESS_LINK_H
#define BROWSER_EGRESS_LINK_H

#include "json/json.h"

enum route_kind { ROUTE_DIRECT, ROUTE_CONNECT, ROUTE_SOCKS5 };

extern const char *const route_kinds[]; /* their names; NULL ends it */

/* ---- dispatcher to egress ---- */

/* With the listening SOCKS5 socket. Again at any time: the newest socket and route are a session's, the
   connections that stand go on. What was open before is to be opened again after a reconnect; what is not
   is shut some time later (egress_grace). */
struct egress_open {
	struct uuid session;
	struct str kind;       /* of route_kinds */
	struct str host;       /* of the route's proxy; none for direct */
	int64_t port;          /* 0 for direct */
	struct str credential; /* a file of egress_secrets; none: the proxy wants none */
};

/* Ends the session's connections. */
struct egress_shut {
	struct uuid session;
};

enum { PROBE_ID_MAX = 64 };

/* One try of a route; answered by probed. */
struct egress_probe {
	struct str id; /* of the dispatcher's choice */
	struct str kind, host;
	int64_t port;
	struct str credential;
	struct str target_host; /* public, as a browser's */
	int64_t target_port;
};

extern const struct field egress_open_fields[], egress_shut_fields[],
    egress_probe_fields[];

/* ---- egress to dispatcher ---- */

/* A browser's try to connect. At most 50 a second for each session; the rest of a second comes as one line
   an event, without host and port, with reason "more" and the count. */
struct egress_traffic {
	struct uuid session;
	struct str event; /* connected, denied, failed */
	struct str host;  /* as the browser asked for it: a name or an address */
	int64_t port;
	struct str address; /* connected: what host was found to be; else none */
	struct str reason;  /* of tbl/egress_reasons.h, or "more"; connected: none */
	int64_t count;      /* tries that this line stands for: 1 but for "more" */
};

struct egress_probed {
	struct str id;
	bool answered;
	int64_t ms;
	struct str why; /* answered: none; else of tbl/egress_reasons.h */
};

extern const struct field egress_traffic_fields[], egress_probed_fields[];

#endif
