/* SPDX-License-Identifier: ISC */
/* Resolves names in the event loop of daemon/ev.h with c-ares; ares.h declares the statuses and the
   result.

   The life of a look-up. lookup_start hands the name to c-ares. c-ares may answer at once, inside
   lookup_start, or from any later event; either way the answer is stored in the look-up and
   delivered by an event of its own. So fn never runs inside another call, and may free the
   resolver. A cancelled look-up is freed when c-ares has answered it, because c-ares cannot forget
   a single query. */
#ifndef ADDRESS_RESOLVER_H
#define ADDRESS_RESOLVER_H

#include "daemon/ev.h"

struct ares_addrinfo;
struct resolver;
struct lookup;

enum resolver_how {
	RESOLVER_HOST,  /* like this host: with /etc/hosts and search domains */
	RESOLVER_WHOLE, /* with /etc/hosts, without search domains */
	RESOLVER_DNS,   /* DNS only: without /etc/hosts, host aliases and search domains */
};

/* servers: addresses separated by commas; "": those in resolv.conf at this moment. Never returns
   NULL. */
struct resolver *resolver_new(struct event_base *base, enum resolver_how how, const char *servers);
void resolver_free(struct resolver *r); /* look-ups under way end without calling fn */
/* NULL, or the reason why no resolver can use these servers. */
const char *resolver_fault(const char *servers);

/* found: the addresses with ARES_SUCCESS, otherwise NULL; valid until fn returns. They are not
   sorted, because c-ares sorts by connecting sockets to them, and they have not been checked to be
   public yet. */
typedef void lookup_fn(void *arg, int status, const struct ares_addrinfo *found);
/* Calls fn once, from the loop and never before this returns. */
struct lookup *lookup_start(struct resolver *r, const char *name, lookup_fn *fn, void *arg);
void lookup_cancel(struct lookup *l);

#endif
