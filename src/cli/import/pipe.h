/* SPDX-License-Identifier: ISC */
/* The thread that reads and parses the next batch while PostgreSQL stores the last one; handover.h draws
 * the turns. A batch belongs to one thread at a time: import_pipe_next gives one to the caller and
 * returns the one before to the reader, whose buffers are then used again. */
#ifndef CLI_IMPORT_PIPE_H
#define CLI_IMPORT_PIPE_H

#include "cli/import/import.h"

enum { IMPORT_ROUNDS = 32 };

struct import_batch {
	struct buf rows;     /* COPY lines (IMPORT_COPY): round, ip, doc */
	struct buf tags;     /* new slugs, each followed by NUL */
	struct buf messages; /* about bad records: "file:line: what\n" */
	size_t hosts;
	unsigned rounds; /* number of rounds; the nth record of an address is in round n - 1 */
	uint64_t read, bad;
};

struct import_pipe;

struct import_pipe_options {
	import_reader *reader; /* NULL: guess */
	const char *file;      /* name of the input in messages */
	int fd;
	bool strict;           /* stop at the first bad record */
	struct enrich *enrich; /* NULL: hosts are stored as they were read */
};

struct import_pipe *import_pipe_start(const struct import_pipe_options *o);
/* Waits for the next batch and returns the previous one to the reader. NULL: the input has ended. */
const struct import_batch *import_pipe_next(struct import_pipe *p);
/* After import_pipe_next has returned NULL: the reason of a failure, or NULL. */
const char *import_pipe_failed(const struct import_pipe *p);
uint64_t import_pipe_bytes(const struct import_pipe *p);
/* Stops the thread, also in the middle of a read, and frees the pipe. */
void import_pipe_end(struct import_pipe *p);

#endif
