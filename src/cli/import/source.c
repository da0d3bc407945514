/* SPDX-License-Identifier: ISC */
/* Reads a file or pipe through one buffer, which never grows beyond the longest allowed line.

     p          at              n                     room
     | consumed | unread bytes  | free                |

   read_more moves the unread bytes to the front, then doubles the room if they fill it, up to the
   first power of two above IMPORT_LINE; then it reads once. A line that is longer is skipped piece
   by piece with its number kept, so that one line without an end costs neither memory nor the rest
   of the file. Views of the buffer are valid until the next call, which may move the bytes.

   The first bytes decide whether the input is compressed. Then they and all later ones go through a
   second buffer:

     file --read--> packed --unpack_bytes--> p */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/source.h"
#include "cli/import/unpack.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { FIRST_ROOM = 256 * 1024, PACKED_ROOM = 128 * 1024, MAGIC = 4, PEEK = 32 * 1024 };

void
source_open(struct source *s, int fd, int stop)
{
	*s = (struct source){ .fd = fd, .stop = stop, .room = FIRST_ROOM };
	s->p = mem_alloc(s->room);
}

void
source_close(struct source *s)
{
	unpack_free(s->unpack);
	free(s->packed);
	free(s->p);
	s->p = s->packed = NULL;
}

/* Waits until fd is readable; false: the stop descriptor became readable first. The reader runs in
   a thread of its own (pipe.c) and may wait for a pipe without a writer. To stop it, the other
   thread closes its end of the stop pipe, which makes this end readable: a thread cannot be
   interrupted safely in read(). A stop of -1 is ignored by poll. */
static bool
wait_readable(const struct source *s)
{
	struct pollfd fds[] = { { .fd = s->fd, .events = POLLIN },
		{ .fd = s->stop, .events = POLLIN } };

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		continue;
	return fds[1].revents == 0;
}

/* Reads once from the file; 0: it has ended, or the reading was stopped. */
static size_t
read_some(struct source *s, char *to, size_t room)
{
	ssize_t k;

	if (!wait_readable(s))
		return 0;
	do
		k = read(s->fd, to, room);
	while (k < 0 && errno == EINTR);
	if (k < 0) {
		snprintf(s->why, sizeof(s->why), "cannot be read: %s", strerror(errno));
		s->failed = s->why;
	}
	if (k <= 0)
		return 0;
	s->bytes += (uint64_t)k;
	return (size_t)k;
}

/* Reads the first bytes of the file and decides whether they are compressed. */
static void
begin_input(struct source *s)
{
	size_t k;

	s->begun = true;
	while (s->n < MAGIC && (k = read_some(s, s->p + s->n, s->room - s->n)) > 0)
		s->n += k;
	s->unpack = unpack_new((struct str){ s->p, s->n }, &s->failed);
	if (s->failed != NULL)
		s->n = 0;
	if (s->unpack == NULL)
		return;
	s->packed = mem_alloc(s->n > PACKED_ROOM ? s->n : PACKED_ROOM);
	memcpy(s->packed, s->p, s->n);
	s->rest = (struct str){ s->packed, s->n };
	s->n = 0;
}

/* Unpacks until there are new bytes; 0: there are no more. */
static size_t
read_packed(struct source *s, char *to, size_t room)
{
	bool end = false;

	for (;;) {
		size_t n = unpack_bytes(s->unpack, &s->rest, to, room);

		if (n > 0)
			return n;
		s->failed = s->failed != NULL ? s->failed : unpack_fault(s->unpack);
		if (s->failed != NULL || end)
			return 0;
		if (s->rest.n > 0)
			continue;
		s->rest = (struct str){ s->packed, read_some(s, s->packed, PACKED_ROOM) };
		end = s->rest.n == 0;
		if (end)
			unpack_end(s->unpack);
	}
}

/* Makes room after the unread bytes and reads. */
static void
read_more(struct source *s)
{
	size_t k;

	if (s->at > 0) {
		memmove(s->p, s->p + s->at, s->n - s->at);
		s->n -= s->at;
		s->at = 0;
	}
	if (s->n == s->room && s->room <= IMPORT_LINE) {
		s->room *= 2;
		s->p = mem_grow(s->p, s->room);
	}
	if (!s->begun) {
		begin_input(s);
		if (s->n > 0)
			return;
	}
	k = s->failed != NULL   ? 0
	    : s->unpack != NULL ? read_packed(s, s->p + s->n, s->room - s->n)
				: read_some(s, s->p + s->n, s->room - s->n);
	s->n += k;
	s->end = k == 0;
}

/* Skips the rest of a line that is too long. */
static enum source_line
skip_line(struct source *s)
{
	for (;;) {
		char *nl = memchr(s->p + s->at, '\n', s->n - s->at);

		s->at = nl == NULL ? s->n : (size_t)(nl - s->p) + 1;
		if (nl != NULL || s->end)
			return SOURCE_TOO_LONG;
		read_more(s);
	}
}

enum source_line
source_line(struct source *s, struct str *line)
{
	size_t seen = 0;

	for (;;) {
		char *from = s->p + s->at, *nl = memchr(from + seen, '\n', s->n - s->at - seen);

		seen = s->n - s->at;
		if (nl == NULL && !s->end && seen <= IMPORT_LINE) {
			read_more(s);
			continue;
		}
		if (nl == NULL && seen == 0)
			return SOURCE_END;
		s->line++;
		*line = (struct str){ from, nl == NULL ? seen : (size_t)(nl - from) };
		if (line->n > IMPORT_LINE)
			return skip_line(s);
		s->at += line->n + (nl != NULL);
		if (line->n > 0 && line->p[line->n - 1] == '\r')
			line->n--;
		return SOURCE_LINE;
	}
}

struct str
source_chunk(struct source *s)
{
	struct str all;

	if (s->at == s->n && !s->end)
		read_more(s);
	all = (struct str){ s->p + s->at, s->n - s->at };
	s->at = s->n;
	return all;
}

struct str
source_bytes(struct source *s, size_t most)
{
	struct str all = source_chunk(s);

	if (all.n > most) {
		s->at -= all.n - most;
		all.n = most;
	}
	return all;
}

struct str
source_peek(struct source *s)
{
	while (!s->end && s->n - s->at < PEEK)
		read_more(s);
	return (struct str){ s->p + s->at, s->n - s->at };
}

char
source_first_byte(struct source *s)
{
	struct str head = source_peek(s);

	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){ head.p + 3, head.n - 3 };
	for (size_t i = 0; i < head.n; i++)
		if (!ascii_space(head.p[i]))
			return head.p[i];
	return 0;
}
