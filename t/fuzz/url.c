/* SPDX-License-Identifier: ISC */
/* The request line and the media type: what is decoded is valid, and no path escapes its segments. */
#include "config.h"

#include "http/http_priv.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static int
nothing(struct req *rq)
{
	(void)rq;
	return PASS;
}

static const struct route rows[] = {
	{ ROUTE_AS(GET, "/search/hosts", "a", nothing), .area = AREA_SEARCH },
	{ ROUTE_AS(GET, "/p/{a_uuid}/q/{b_uuid}", "b", nothing), .area = AREA_SERVICE },
	ROUTE_END,
};

static const struct route *const tables[] = { rows, NULL };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)64 << 20);
	struct str text = { (const char *)data, size }, out;
	struct account_params account;
	struct router_match found;

	if (percent_decode(a, text, PLUS_IS_SPACE, &out))
		assert(out.n <= size && str_utf8_bad(out) == out.n &&
		       (out.n == 0 || memchr(out.p, '\0', out.n) == NULL));
	if (router_match(a, tables, STR("GET"), text, &found) == MATCH_FOUND)
		for (size_t i = 0; i < found.ncaptured; i++)
			assert(found.captured[i].n > 0);
	params_account(a, text, &account);
	assert(account.named == 0 || account.org.n <= size);
	body_media_type(text);
	body_encoding(text);
	arena_free(a);
	return 0;
}
