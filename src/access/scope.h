/* SPDX-License-Identifier: ISC */
/* Scopes of API keys and people, and entitlements of accounts: their numbers and names, from
   src/tbl. */
#ifndef ACCESS_SCOPE_H
#define ACCESS_SCOPE_H

#include "base/base.h"

enum scope {
	SCOPE_UNSET,
	SCOPE_ANY, /* a valid key is enough */
	/* Only people have the scopes member and owner; no key can have them. */
	SCOPE_MEMBER,
	SCOPE_OWNER,
#define SCOPE(id, name, who, help) SCOPE_##id,
#include "tbl/scopes.h"
#undef SCOPE
	SCOPE_COUNT,
	SCOPE_FIRST = SCOPE_OWNER + 1, /* the first scope that a key may have */
};

enum entitlement {
	ENTITLEMENT_UNSET,
	ENTITLEMENT_ANY, /* no entitlement is needed */
#define ENTITLEMENT(id, name, help) ENTITLEMENT_##id,
#include "tbl/entitlements.h"
#undef ENTITLEMENT
	ENTITLEMENT_COUNT,
};

const char *scope_name(enum scope s);    /* "search.view"; "any", "member", "owner" */
enum scope scope_parse(struct str name); /* SCOPE_UNSET: there is no such scope */
const char *entitlement_name(enum entitlement e);
enum entitlement entitlement_parse(struct str name);

#endif
