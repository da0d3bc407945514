/* SPDX-License-Identifier: ISC */
/* An append-only output buffer. With .a set, its bytes are in that arena and end with it; otherwise
   they are on the heap and buf_free frees them. A zeroed struct is an empty buffer. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/memory.h"

struct buf {
	struct arena *a;
	char *p;
	size_t n, room;
};

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_z(struct buf *b, const char *z);
void buf_char(struct buf *b, char c);
void buf_code_point(
    struct buf *b, uint32_t c); /* in UTF-8; c is no surrogate and at most U+10FFFF */
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
struct str buf_done(const struct buf *b); /* a view, valid until the next call */
void buf_clear(struct buf *b);
void buf_free(struct buf *b);

#endif
