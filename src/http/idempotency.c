/* SPDX-License-Identifier: ISC */
/* The stage that checks the header Idempotency-Key (C-084). The operation itself
   recognises a repeated request, in its transaction. */
#include "config.h"

#include "base/limits.h"
#include "http/http_priv.h"
#include "http/stages_priv.h"

static const char header[] = "Idempotency-Key";

static bool
has_control_characters(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return true;
	return false;
}

int
idempotency_read(struct req *rq)
{
	struct str sent = env_get(rq, "HTTP_IDEMPOTENCY_KEY");

	if (!rq->route->idempotent || sent.p == NULL)
		return PASS;
	if (env_count(rq, "HTTP_IDEMPOTENCY_KEY") != 1)
		return fail_field(rq, header, "duplicate", "must be sent once");
	if (str_utf8_bad(sent) != sent.n || has_control_characters(sent))
		return fail_field(
		    rq, header, "invalid_format", "must be UTF-8 without control characters");
	if (sent.n == 0)
		return fail_field(rq, header, "too_short", "must have at least 1 character");
	if (str_chars(sent) > LIM_IDEMPOTENCY_KEY)
		return fail_field(rq, header, "too_long",
		    arena_printf(
			rq->arena, "must have at most %d characters", (int)LIM_IDEMPOTENCY_KEY)
			.p);
	rq->idempotency_key = sent;
	return PASS;
}
