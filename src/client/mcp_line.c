/* SPDX-License-Identifier: ISC */
/* Lines of a byte stream:
 *
 *   held  {"id":1}\n{"id":2}\n{"id":
 *                    ^used
 *
 * A line that grows beyond MCP_LINE_MAX is dropped at once and up to its end, so a client that
 * never ends a line cannot fill the memory. */
#include "config.h"

#include "client/mcp_line.h"

void
lines_feed(struct lines *l, const char *bytes, size_t n)
{
	if (l->used > 0) {
		memmove(l->held.p, l->held.p + l->used, l->held.n - l->used);
		l->held.n -= l->used;
		l->used = 0;
	}
	buf_add(&l->held, bytes, n);
}

enum line_result
lines_next(struct lines *l, struct str *out)
{
	for (;;) {
		struct str left = lines_rest(l);
		const char *end = left.n == 0 ? NULL : memchr(left.p, '\n', left.n);
		size_t n = end == NULL ? left.n : (size_t)(end - left.p);
		bool skipped = l->skipping;

		if (end == NULL && n <= MCP_LINE_MAX && !skipped)
			return LINE_NONE;
		l->used += end == NULL ? n : n + 1;
		l->skipping = end == NULL;
		if (!skipped && n > MCP_LINE_MAX)
			return LINE_TOO_LONG;
		if (end == NULL)
			return LINE_NONE;
		if (skipped)
			continue;
		*out = (struct str){ left.p, n };
		return LINE_WHOLE;
	}
}

struct str
lines_rest(const struct lines *l)
{
	return l->skipping && l->used == l->held.n
		   ? STR_NULL
		   : (struct str){ l->held.p + l->used, l->held.n - l->used };
}
