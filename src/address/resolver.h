/* SPDX-License-Identifier: ISC */
/* Names to addresses in the loop of daemon/ev.h, by c-ares (ares.h has the statuses and what is found). */
#ifndef ADDRESS_RESOLVER_H
#define ADDRESS_RESOLVER_H

#include "daemon/ev.h"

struct ares_addrinfo;
struct resolver;
struct lookup;

enum resolver_how {
	RESOLVER_HOST,  /* as this host does: its file and its search domains count */
	RESOLVER_WHOLE, /* a name is whole, without search domains */
	RESOLVER_DNS, /* and this host's own file and aliases are none of its business */
};

/* servers: addresses with commas between them; "": those of resolv.conf, as it is now. Never NULL. */
struct resolver *resolver_new(
    struct event_base *base, enum resolver_how how, const char *servers);
void resolver_free(struct resolver *r); /* look-ups under way end without a call */
/* NULL, or why there can be none with these servers. */
const char *resolver_fault(const char *servers);

/* found: NULL, or what ARES_SUCCESS comes with, until it returns; not sorted, for that would connect to what
   has not been judged. */
typedef void lookup_fn(void *arg, int status, const struct ares_addrinfo *found);
/* Calls fn once, from the loop and never before this returns. */
struct lookup *lookup_start(
    struct resolver *r, const char *name, lookup_fn *fn, void *arg);
void lookup_cancel(struct lookup *l);

#endif
