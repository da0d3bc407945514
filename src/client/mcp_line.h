/* SPDX-License-Identifier: ISC */
/* Lines of a byte stream, of bounded length. No I/O. */
#ifndef CLIENT_MCP_LINE_H
#define CLIENT_MCP_LINE_H

#include "base/base.h"

enum { MCP_LINE_MAX = 1024 * 1024 };

/* A zeroed struct is an empty reader. */
struct lines {
	struct buf held; /* on the heap: bytes that were not answered yet */
	size_t used;     /* bytes of lines that lines_next has answered */
	bool skipping;   /* up to the end of a line that was too long */
};

enum line_result { LINE_NONE, LINE_WHOLE, LINE_TOO_LONG };

void lines_feed(struct lines *l, const char *bytes, size_t n);
/* The next line without its end, valid until the next lines_feed. A line that is too long is
   answered once, without its bytes. LINE_NONE: feed more. */
enum line_result lines_next(struct lines *l, struct str *out);
/* The bytes behind the last line end, when the stream has ended. */
struct str lines_rest(const struct lines *l);

#endif
