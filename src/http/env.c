/* SPDX-License-Identifier: ISC */
/* The variables of FastCGI that a request has, as nginx/pass.conf names them. */
#include "config.h"

#include "http/http_priv.h"

struct str
env_get(const struct req *rq, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *e = rq->env; *e != NULL; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return str_of(*e + n + 1);
	return STR_NULL;
}

unsigned
env_count(const struct req *rq, const char *name)
{
	size_t n = strlen(name);
	unsigned count = 0;

	for (const char *const *e = rq->env; *e != NULL; e++)
		count += strncmp(*e, name, n) == 0 && (*e)[n] == '=';
	return count;
}
