/* SPDX-License-Identifier: ISC */
/* The public suffix list, from libpsl: the newer one of the system's list and the library's own. */
#include "config.h"

#include "address/start_url.h"

#include <libpsl.h>

/* Loads the list once for the process; NULL: libpsl was built without a list, and the system has
   none. */
static const psl_ctx_t *
suffix_list(void)
{
	static const psl_ctx_t *psl;

	if (psl == NULL)
		psl = psl_latest(NULL);
	if (psl == NULL)
		psl = psl_builtin();
	return psl;
}

struct str
host_registrable(struct arena *a, struct str host)
{
	if (suffix_list() == NULL)
		return STR_NULL;
	return str_of(psl_registrable_domain(suffix_list(), arena_str(a, host).p));
}

/* A top-level domain has a rule of its own in the list, or only one for all names below it, like
   *.ck. Without a list every name passes; its addresses are checked in any case when it is used. */
bool
host_delegated(struct arena *a, struct str host)
{
	const int rules = PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE;
	const char *dot = memrchr(host.p, '.', host.n);
	struct str top =
	    dot == NULL ? host : (struct str){ dot + 1, (size_t)(host.p + host.n - dot) - 1 };
	struct str below = arena_printf(a, "x.%.*s", (int)top.n, top.p);

	return suffix_list() == NULL || psl_is_public_suffix2(suffix_list(), below.p + 2, rules) ||
	       psl_is_public_suffix2(suffix_list(), below.p, rules);
}

bool
host_suffix_icann(struct str host)
{
	char name[256];

	if (suffix_list() == NULL || host.n >= sizeof(name))
		return false;
	memcpy(name, host.p, host.n);
	name[host.n] = '\0';
	return psl_is_public_suffix2(suffix_list(), name, PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE);
}
