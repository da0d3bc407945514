/* SPDX-License-Identifier: ISC */
/* Connections: from a checked target to a socket (reach, which uses dial and route), and from two
   sockets to a relay. Each part that starts something calls its function back once, later, and
   never before the start has returned; it has freed itself by then. X_cancel frees it without a
   call. */
#ifndef BROWSER_EGRESS_REACH_H
#define BROWSER_EGRESS_REACH_H

#include "browser/egress/rule.h"
#include "browser/egress_link.h"
#include "daemon/ev.h"

struct egress;

/* ---- dial.c: a TCP connection to the first of several addresses that answers ---- */

struct dial;
typedef void dial_fn(void *arg, enum reason why, int fd, const struct ip *at);

/* open: any address is allowed. Only set for the proxy of a route. */
struct dial_to {
	const struct ip *ips; /* copied */
	size_t n;
	unsigned port;
	bool open;
};

struct dial *dial_start(struct event_base *base, const struct dial_to *to, dial_fn *fn, void *arg);
void dial_cancel(struct dial *d);

/* ---- route.c: how a session's connections leave this host ---- */

struct route {
	enum route_kind kind;
	char host[SOCKS_NAME_MAX + 1];
	unsigned port;
	char file[128]; /* a file in egress_secrets; "": no credential */
};

/* Fills r from the members of a message. Returns NULL, or the name of the bad member. */
const char *route_set(
    struct route *r, struct str kind, struct str host, int64_t port, struct str credential);
/* Reads the credential's file, each time, so that a changed file is used. Failures are logged. */
bool route_credential(const struct route *r, struct credential *out) MUST_USE;

/* ---- reach.c: from a checked target to a connection, by a route, within egress_connect ---- */

struct reach;

struct reached {
	enum reason why;
	int fd;                     /* connected: the receiver owns it; else -1 */
	struct ip at;               /* the target's address */
	const unsigned char *early; /* bytes that a proxy sent behind its answer */
	size_t early_n;
};

typedef void reach_fn(void *arg, const struct reached *r);

struct reach *reach_start(
    struct egress *e, const struct route *route, const struct target *t, reach_fn *fn, void *arg);
void reach_cancel(struct reach *r);

/* ---- relay.c: bytes in both directions ---- */

struct relay;
typedef void relay_fn(void *arg);

/* Owns both sockets from now on. */
struct relay *relay_start(struct event_base *base, int near, int far, relay_fn *fn, void *arg);
/* Queues bytes that far has sent already; call it at once after relay_start. */
void relay_early(struct relay *r, const unsigned char *early, size_t n);
void relay_cancel(struct relay *r);

#endif
