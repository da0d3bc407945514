/* SPDX-License-Identifier: ISC */
/* surfaced-egress: takes the listening SOCKS5 sockets of browsers' empty network namespaces and connects for
   them, to public addresses alone, by the route of the session's country. Here is where the address rule is
   enforced (BROWSER.md, Egress; C-095). A part that starts something calls back later, never at once, and once;
   what it started has freed itself then. X_cancel frees it without a call. */
#ifndef BROWSER_EGRESS_EGRESS_H
#define BROWSER_EGRESS_EGRESS_H

#include "address/netaddr.h"
#include "address/resolver.h"
#include "address/start_url.h"
#include "browser/egress/proto.h"
#include "browser/egress_link.h"
#include "daemon/ev.h"

#include <sys/queue.h>
#include <sys/socket.h>

struct egress;

/* ---- judge.c: the rule ---- */

enum reason {
#define EGRESS_REASON(id, name, event, reply, help) REASON_##id,
#include "tbl/egress_reasons.h"
#undef EGRESS_REASON
	REASON_COUNT,
};

enum egress_event { EVENT_connected, EVENT_denied, EVENT_failed, EVENT_COUNT };

struct outcome {
	const char *name;
	enum egress_event event;
	unsigned char reply;
};

extern const struct outcome outcomes[REASON_COUNT];
extern const char *const event_names[EVENT_COUNT];

struct target {
	char said[SOCKS_NAME_MAX + 1]; /* what was asked for, printable */
	char name[SOCKS_NAME_MAX + 1]; /* to be looked up; "": ip is it */
	struct ip ip;
	unsigned port;
};

enum { IP_TEXT_LEN = 46 };

/* And not of egress_closed. */
bool ip_public(const struct ip *ip);
bool ip_parse(const char *text, struct ip *out) MUST_USE;
void ip_print(const struct ip *ip, char out[IP_TEXT_LEN]);
/* Where the browser wants to go, as far as the request alone shows it: REASON_CONNECTED may be tried. */
enum reason judge_request(
    struct arena *scratch, const struct socks *s, struct target *out) MUST_USE;
/* The same of a host in text. */
enum reason judge_host(
    struct arena *scratch, struct str host, unsigned port, struct target *out) MUST_USE;

/* ---- nets.c: "192.0.2.0/24, 2001:db8::1" ---- */

bool nets_good(struct str list);
/* In a list that is not good nothing is outside. */
bool nets_hold(struct str list, const struct ip *ip);

/* ---- resolve.c: what names stand for ---- */

enum { ADDRESSES_MAX = 64 }; /* of one name, that are tried */
struct addresses {
	size_t n;
	struct ip ips[ADDRESSES_MAX];
};

/* LOOKUP_PUBLIC: one address that is not public spoils all of them. LOOKUP_OURS: what an admin wrote, for which
   /etc/hosts and search domains count too. */
enum lookup_kind { LOOKUP_PUBLIC, LOOKUP_OURS, LOOKUP_KINDS };
/* What a look-up has come to (lookup_fn): REASON_CONNECTED with addresses to be tried. */
enum reason answer_judge(enum lookup_kind kind, int status,
    const struct ares_addrinfo *found, struct addresses *to) MUST_USE;

/* ---- dial.c: a TCP connection to the first of some addresses that answers ---- */

struct dial;
typedef void dial_fn(void *arg, enum reason why, int fd, const struct ip *at);

/* open: the address of a route's proxy, which need not be public. */
struct dial_to {
	const struct ip *ips; /* copied */
	size_t n;
	unsigned port;
	bool open;
};

struct dial *dial_start(
    struct event_base *base, const struct dial_to *to, dial_fn *fn, void *arg);
void dial_cancel(struct dial *d);

/* ---- route.c ---- */

struct route {
	enum route_kind kind;
	char host[SOCKS_NAME_MAX + 1];
	unsigned port;
	char file[128]; /* of egress_secrets; "": no credential */
};

/* From a message. NULL, or what is wrong with it. */
const char *route_set(struct route *r, struct str kind, struct str host, int64_t port,
    struct str credential);
/* Reads it anew each time, so that a changed file counts. False is logged. */
bool route_credential(const struct route *r, struct credential *out) MUST_USE;

/* ---- reach.c: from a judged target to a connection, by a route, within egress_connect ---- */

struct reach;

struct reached {
	enum reason why;
	int fd;                     /* the receiver's own when connected, else -1 */
	struct ip at;               /* the target's address */
	const unsigned char *early; /* what a proxy sent behind its answer */
	size_t early_n;
};

typedef void reach_fn(void *arg, const struct reached *r);

struct reach *reach_start(struct egress *e, const struct route *route,
    const struct target *t, reach_fn *fn, void *arg);
void reach_cancel(struct reach *r);

/* ---- relay.c: bytes both ways, each side as fast as the other takes them ---- */

struct relay;
typedef void relay_fn(void *arg);

/* Owns both descriptors from now on. early goes from far to near first. */
struct relay *relay_start(
    struct event_base *base, int near, int far, relay_fn *fn, void *arg);
void relay_early(struct relay *r, const unsigned char *early, size_t n);
void relay_cancel(struct relay *r);

/* ---- client.c: one connection of a browser ---- */

struct client;
struct session;

struct client *client_new(struct session *s, int fd);
void client_free(struct client *c);

/* ---- session.c: a browser's listener, route, connections ---- */

struct link;

struct session {
	LIST_ENTRY(session) next;
	struct egress *e;
	struct uuid id;
	struct route route;
	int listener;
	struct event *acceptable;
	bool paused; /* no room: acceptable is not added */
	LIST_HEAD(, client) clients;
	unsigned n;
	struct link *owner; /* who opened it last; NULL: gone, and shut at ends_at */
	int64_t ends_at;
	bool draining;             /* and shut when its last connection has ended */
	unsigned told;             /* lines of traffic since the last tick */
	int64_t more[EVENT_COUNT]; /* and what was above */
};

/* fd is taken. NULL, or what is wrong. */
const char *session_open(struct egress *e, struct link *owner, const struct uuid *id,
    const struct route *route, int fd);
struct session *session_find(struct egress *e, const struct uuid *id); /* NULL: none */
void session_free(struct session *s);
void session_orphan(struct egress *e, const struct link *gone);
/* Nobody is accepted any more; what stands goes on for egress_drain. */
void session_drain(struct session *s);
/* Once a second. */
void session_tick(struct session *s);
/* A client has ended. */
void session_left(struct session *s);

/* ---- control.c: the dispatcher ---- */

struct control;

struct control *control_new(struct egress *e);
void control_free(struct control *c);
void control_tick(struct control *c);
/* How a try ended. at: NULL unless it is connected. */
void control_traffic(
    struct session *s, const struct target *t, enum reason why, const struct ip *at);
/* What control_traffic only counted. */
void control_more(struct session *s);

struct egress {
	struct event_base *base;
	struct resolver *resolvers[LOOKUP_KINDS];
	struct control *control; /* NULL: draining */
	struct arena *scratch;   /* reset by who uses it, before it returns */
	LIST_HEAD(, session) sessions;
	size_t n;
	struct event *tick;
	timer_t patience; /* ends a call that blocks, with EINTR */
};

#endif
