/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "base/url.h"

#include <string.h>

/* Browsers read a backslash as a slash. */
static bool
ends_authority(char c)
{
	return c == '/' || c == '?' || c == '#' || c == '\\';
}

bool
url_split(struct str url, struct str *authority, struct str *rest)
{
	struct str s = url;
	size_t n = 0;
	bool scheme;

	while (n < s.n && !ends_authority(s.p[n]))
		n++;
	scheme = n > 0 && s.p[n - 1] == ':' && s.n - n >= 2 && s.p[n] == '/' && s.p[n + 1] == '/';
	if (scheme) {
		s = (struct str){ s.p + n + 2, s.n - n - 2 };
		for (n = 0; n < s.n && !ends_authority(s.p[n]);)
			n++;
	}
	*authority = (struct str){ s.p, n };
	*rest = (struct str){ n == 0 ? s.p : s.p + n, s.n - n };
	return scheme;
}

struct str
url_host(struct str authority)
{
	struct str host = authority;
	const char *at = host.n == 0 ? NULL : memrchr(host.p, '@', host.n), *end;

	if (at != NULL)
		host = (struct str){ at + 1, (size_t)(host.p + host.n - at) - 1 };
	if (host.n == 0)
		return host;
	if (host.p[0] == '[') {
		end = memchr(host.p, ']', host.n);
		if (end != NULL)
			return (struct str){ host.p + 1, (size_t)(end - host.p) - 1 };
	}
	end = memchr(host.p, ':', host.n);
	if (end != NULL && memrchr(host.p, ':', host.n) == end)
		host.n = (size_t)(end - host.p);
	return host;
}
