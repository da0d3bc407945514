/* SPDX-License-Identifier: ISC */
/* The address rule: where browsers may connect (C-095). Pure functions, without sockets. A target
   is checked in two steps: judge_request sees what the browser asked for, a name or an address;
   after the look-up of a name, answer_judge sees every address that the name has. One address that
   is not public refuses all of them, because the browser could otherwise be sent to it by the order
   of the answers. */
#ifndef BROWSER_EGRESS_RULE_H
#define BROWSER_EGRESS_RULE_H

#include "address/netaddr.h"
#include "address/resolver.h"
#include "address/start_url.h"
#include "browser/egress/proto.h"

/* How an attempt to connect ended. */
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
	unsigned char reply; /* the code of RFC 1928 for the browser */
};

extern const struct outcome outcomes[REASON_COUNT];
extern const char *const event_names[EVENT_COUNT];

struct target {
	char requested[SOCKS_NAME_MAX + 1]; /* the host as requested, made printable */
	char name[SOCKS_NAME_MAX + 1];      /* the name to look up; "": ip is the target */
	struct ip ip;
	unsigned port;
};

enum { IP_TEXT_LEN = 46 };

/* Whether an address is public and not in egress_closed. */
bool ip_public(const struct ip *ip);
/* Checks a browser's request, as far as that is possible without a look-up. REASON_CONNECTED: out
   may be tried. */
enum reason judge_request(
    struct arena *scratch, const struct socks *s, struct target *out) MUST_USE;
/* Checks a host in text in the same way. */
enum reason judge_host(
    struct arena *scratch, struct str host, unsigned port, struct target *out) MUST_USE;

/* ---- nets.c: addresses, and lists of networks, as "192.0.2.0/24, 2001:db8::1" ---- */

bool ip_parse(const char *text, struct ip *out) MUST_USE;
void ip_print(const struct ip *ip, char out[IP_TEXT_LEN]);
bool nets_good(struct str list);
/* Whether a network of the list contains ip. A malformed list contains every address. */
bool nets_hold(struct str list, const struct ip *ip);

/* ---- resolve.c: the answers of look-ups ---- */

enum { ADDRESSES_MAX = 64 }; /* addresses of one name that are tried */
struct addresses {
	size_t n;
	struct ip ips[ADDRESSES_MAX];
};

/* LOOKUP_PUBLIC: the browser's names; every address must be public. LOOKUP_OURS: the proxy of a
   route, which an administrator configured; /etc/hosts and search domains count, and any address is
   good. */
enum lookup_kind { LOOKUP_PUBLIC, LOOKUP_OURS, LOOKUP_KINDS };
/* Checks the result of a look-up (a lookup_fn's arguments). REASON_CONNECTED: to has the addresses
   to try. */
enum reason answer_judge(enum lookup_kind kind, int status, const struct ares_addrinfo *found,
    struct addresses *to) MUST_USE;

#endif
