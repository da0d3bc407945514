/* SPDX-License-Identifier: ISC */
/* Fuzzes the network events of a hostile runner: each is refused, or becomes a valid event without credentials
   that network_clean does not change a second time. */
#include "config.h"

#include "browser/dispatch/evidence.h"
#include "t/fuzz/fuzz.h"
#include "wire/stream_messages.h"

#include <assert.h>

/* Checks a cleaned event: it decodes, has no NUL byte, and its cookies are redacted. */
static void
see(struct arena *a, struct str doc)
{
	struct net_event e = { .bytes_sent = 0 };
	struct decoded how = { 0 };
	const struct net_header *h;

	assert(json_decode(a, doc, net_event_fields, ts_now(), &e, &how) == JSON_OK);
	assert(memchr(doc.p, '\0', doc.n) == NULL);
	h = e.request_headers.items;
	for (size_t i = 0; i < e.request_headers.n; i++)
		assert(h[i].name.n != 6 || strncasecmp(h[i].name.p, "cookie", 6) != 0 ||
		       str_is(h[i].value, "[redacted]"));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64 << 20);
	struct runner_net net = { 0 };
	struct decoded how = { 0 };
	struct strs once, again;
	struct json events[NET_BATCH_MAX];

	if (json_decode(a, (struct str){ (const char *)data, size }, runner_net_fields, ts_now(),
		&net, &how) == JSON_OK &&
	    network_clean(a, net.events, &once)) {
		for (size_t i = 0; i < once.n; i++) {
			see(a, once.p[i]);
			events[i].text = once.p[i];
		}
		assert(network_clean(a, (struct list){ events, once.n }, &again));
		for (size_t i = 0; i < once.n; i++)
			assert(str_eq(once.p[i], again.p[i]));
	}
	arena_free(a);
	return 0;
}
