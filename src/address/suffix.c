/* SPDX-License-Identifier: ISC */
/* The public suffix list, from libpsl: the system's list where it is newer than the library's. */
#include "config.h"

#include "address/start_url.h"

#include <libpsl.h>

/* Loaded once a process and only read afterwards; NULL: libpsl was built without a list, and there is no file. */
static const psl_ctx_t *
suffixes(void)
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
	if (suffixes() == NULL)
		return STR_NULL;
	return str_of(psl_registrable_domain(suffixes(), arena_str(a, host).p));
}

/* A top-level domain has a rule of its own, or one for all names below it alone, as *.ck. Without a list every
   name passes: the addresses that it has are judged all the same. */
bool
host_delegated(struct arena *a, struct str host)
{
	const int rules = PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE;
	const char *dot = memrchr(host.p, '.', host.n);
	struct str top =
	    dot == NULL ? host
			: (struct str){ dot + 1, (size_t)(host.p + host.n - dot) - 1 };
	struct str below = arena_printf(a, "x.%.*s", (int)top.n, top.p);

	return suffixes() == NULL ||
	       psl_is_public_suffix2(suffixes(), below.p + 2, rules) ||
	       psl_is_public_suffix2(suffixes(), below.p, rules);
}
