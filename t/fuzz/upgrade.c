/* SPDX-License-Identifier: ISC */
/* Fuzzes the parser of upgrade requests: a head is complete at exactly its length, and every parsed string lies
   inside of it. */
#include "config.h"

#include "stream/request.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static bool
within(struct str part, struct str all)
{
	return part.n == 0 || (part.p >= all.p && part.p + part.n <= all.p + all.n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct request r, again;
	struct handshake h;
	size_t used, more;

	if (request_parse(text, &r, &used) != REQUEST_WHOLE)
		return 0;
	assert(used >= 4 && used <= size && memcmp(data + used - 4, "\r\n\r\n", 4) == 0);
	for (size_t i = 0; i < r.n; i++)
		assert(r.headers[i].name.n > 0 && within(r.headers[i].name, text) &&
		       within(r.headers[i].value, text));
	assert(request_parse((struct str){ text.p, used - 1 }, &again, &more) != REQUEST_WHOLE);
	if (handshake_judge(&r, "self https://viewer.example.com", &h) == ERR_UNSET) {
		assert(strlen(h.accept) == ACCEPT_LEN && h.subprotocol.hidden.n > 0 &&
		       within(h.subprotocol.hidden, text));
		assert(str_is(r.method, "GET") && r.minor == 1 &&
		       !str_is(request_header(&r, "Origin"), "null"));
	}
	return 0;
}
