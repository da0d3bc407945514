/* SPDX-License-Identifier: ISC */
/* Input with bounded memory: a file, a pipe or standard input, as lines or as chunks. No file size
 * and no line length changes how much memory a source needs, so a hostile file cannot exhaust the
 * host. gzip and zstd are recognised by their first bytes and unpacked (unpack.h); readers get only
 * the unpacked bytes. */
#ifndef CLI_IMPORT_SOURCE_H
#define CLI_IMPORT_SOURCE_H

#include "base/base.h"

struct unpack;

struct source {
	int fd, stop;
	char *p; /* the bytes from at to n are unread */
	size_t n, at, room;
	uint64_t line; /* number of the last returned line, from 1 */
	_Atomic uint64_t
	    bytes; /* bytes read so far; the other thread reads it for the progress line */
	bool end, begun;
	const char *failed;    /* NULL, or the reason: "cannot be read: Is a directory" */
	char why[80];          /* the text of failed, when it has an errno */
	struct unpack *unpack; /* NULL: the input is not compressed */
	char *packed;          /* compressed bytes, of which .rest are unread */
	struct str rest;
};

enum source_line { SOURCE_LINE, SOURCE_TOO_LONG, SOURCE_END };

/* The caller closes fd. stop: a descriptor that becomes readable to end the reading; -1: none. */
void source_open(struct source *s, int fd, int stop);
void source_close(struct source *s);
/* line has no newline and is valid until the next call. */
enum source_line source_line(struct source *s, struct str *line);
/* Consumes and returns the buffered bytes, at least one; n is 0 at the end. */
struct str source_chunk(struct source *s);
/* Does the same for at most so many bytes. */
struct str source_bytes(struct source *s, size_t most);
/* Returns the first bytes without consuming them. */
struct str source_peek(struct source *s);
/* Returns the first byte after blanks and a byte order mark of UTF-8 without consuming it. 0: there
   is no such byte. */
char source_first_byte(struct source *s);

#endif
