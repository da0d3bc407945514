/* SPDX-License-Identifier: ISC */
/* The output buffer. Its room doubles, so appending n bytes one at a time copies less than 2n. In
   an arena, the bytes of the smaller room are wasted until the reset. */
#include "config.h"

#include "base/base.h"

#include <stdlib.h>

static void
grow_buffer(struct buf *b, size_t n)
{
	size_t room = b->room < 256 ? 256 : b->room;
	char *p;

	while (room - b->n < n) {
		if (room > SIZE_MAX / 2)
			panic("the size of a buffer overflows");
		room *= 2;
	}
	if (b->a != NULL) {
		p = arena_alloc(b->a, room);
		if (b->n > 0)
			memcpy(p, b->p, b->n);
	} else {
		p = realloc(b->p, room);
		if (p == NULL)
			panic("out of memory: %zu bytes", room);
	}
	b->p = p;
	b->room = room;
}

void
buf_add(struct buf *b, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	if (b->room - b->n < n)
		grow_buffer(b, n);
	memcpy(b->p + b->n, bytes, n);
	b->n += n;
}

void
buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void
buf_z(struct buf *b, const char *z)
{
	buf_add(b, z, strlen(z));
}

void
buf_char(struct buf *b, char c)
{
	if (b->room - b->n < 1)
		grow_buffer(b, 1);
	b->p[b->n++] = c;
}

void
buf_code_point(struct buf *b, uint32_t c)
{
	size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint32_t first[] = { 0, 0xc0, 0xe0, 0xf0 };

	buf_char(b, (char)(first[more] | c >> (6 * more)));
	while (more-- > 0)
		buf_char(b, (char)(0x80 | (c >> (6 * more) & 0x3f)));
}

/* Prints into the room that is left, and a second time only when that was too small. */
void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	if (b->room == b->n)
		grow_buffer(b, 1);
	n = vsnprintf(b->p + b->n, b->room - b->n, fmt, ap);
	va_end(ap);
	if (n < 0)
		panic("vsnprintf failed");
	if (b->room - b->n < (size_t)n + 1) {
		grow_buffer(b, (size_t)n + 1);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	b->n += (size_t)n;
}

struct str
buf_done(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}

void
buf_clear(struct buf *b)
{
	b->n = 0;
}

void
buf_free(struct buf *b)
{
	if (b->a == NULL)
		free(b->p);
	*b = (struct buf){ .a = b->a };
}
