/* SPDX-License-Identifier: ISC */
/* webhook_url_fault: what passes is https, short, printable, without user information or fragment, and
   judged alike in capitals. */
#include "config.h"

#include "address/webhook.h"
#include "base/limits.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str url = { (const char *)data, size }, host;
	struct arena *a = arena_new(1 << 20);

	if (webhook_url_fault(url, "443 1024-65535") == NULL) {
		assert((int64_t)url.n <= LIM_WEBHOOK_URL && url.n > 8);
		for (size_t i = 0; i < url.n; i++)
			assert(url.p[i] > ' ' && url.p[i] <= '~' && url.p[i] != '#');
		host = (struct str){ url.p + 8, 0 };
		while (8 + host.n < url.n && strchr("/?", host.p[host.n]) == NULL)
			host.n++;
		assert(host.n > 0 && memchr(host.p, '@', host.n) == NULL);
		assert(webhook_url_fault(
			   str_lower_ascii(arena_alloc(a, size), url), "443 1024-65535") == NULL);
	}
	arena_free(a);
	return 0;
}
