/* SPDX-License-Identifier: ISC */
/* Names of scopes and entitlements, in both directions. */
#include "config.h"

#include "access/scope.h"

static const char *const scopes[SCOPE_COUNT] = {
	[SCOPE_ANY] = "any",
	[SCOPE_MEMBER] = "member",
	[SCOPE_OWNER] = "owner",
#define SCOPE(id, name, who, help) [SCOPE_##id] = (name),
#include "tbl/scopes.h"
#undef SCOPE
};

static const char *const entitlements[ENTITLEMENT_COUNT] = {
	[ENTITLEMENT_ANY] = "any",
#define ENTITLEMENT(id, name, help) [ENTITLEMENT_##id] = (name),
#include "tbl/entitlements.h"
#undef ENTITLEMENT
};

const char *
scope_name(enum scope s)
{
	return scopes[s];
}

enum scope
scope_parse(struct str name)
{
	for (unsigned i = SCOPE_FIRST; i < SCOPE_COUNT; i++)
		if (str_is(name, scopes[i]))
			return (enum scope)i;
	return SCOPE_UNSET;
}

const char *
entitlement_name(enum entitlement e)
{
	return entitlements[e];
}

enum entitlement
entitlement_parse(struct str name)
{
	for (unsigned i = ENTITLEMENT_ANY + 1; i < ENTITLEMENT_COUNT; i++)
		if (str_is(name, entitlements[i]))
			return (enum entitlement)i;
	return ENTITLEMENT_UNSET;
}
