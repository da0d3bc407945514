/* SPDX-License-Identifier: ISC */
/* The names of HTTP headers that have a meaning here. */
#include "config.h"

#include "wire/header.h"

#include <strings.h>

/* The headers whose values never become evidence: a reader of a session's network events must not
   be able to log in with them. Names are compared without case, as in HTTP. The list has names and
   no patterns of values, since a token cannot be recognised by its form. A header that is not in
   the list is stored with its value, so a new kind of credential needs a row here. */
bool
header_secret(struct str name)
{
	/* A name that ends with - matches all headers that begin with it. */
	static const struct str secret[] = { STR_INIT("authorization"), STR_INIT("cookie"),
		STR_INIT("set-cookie"), STR_INIT("set-cookie2"), STR_INIT("proxy-"),
		STR_INIT("x-api-key") };

	for (size_t i = 0; i < COUNT(secret); i++) {
		size_t n = secret[i].n;

		if ((name.n == n || (name.n > n && secret[i].p[n - 1] == '-')) &&
		    strncasecmp(name.p, secret[i].p, n) == 0)
			return true;
	}
	return false;
}
