/* SPDX-License-Identifier: ISC */
/* The thread that reads, parses and finishes records while the caller stores the last batch of them. handover.h draws the
 * turns. */
#ifndef CLI_IMPORT_RECORD_PIPE_H
#define CLI_IMPORT_RECORD_PIPE_H

#include "cli/import/enrich_host.h"
#include "cli/import/format.h"
#include "cli/import/record_store.h"
#include "cli/import/records.h"

struct record_part {
	struct record_batch batch;
	struct buf messages; /* about bad records: "file:line: what\n" */
	uint64_t read, bad, skipped;
};

struct record_pipe_options {
	enum dataset dataset;
	const char *file; /* name of the input in messages */
	int fd;
	struct str origin; /* as in struct records */
	struct ts seen;
	struct enrich *enrich; /* of hosts; NULL: they are stored as they were read */
	bool strict;           /* stop at the first bad record */
};

struct record_pipe;

struct record_pipe *record_pipe_open(const struct record_pipe_options *o);
/* Before the start: the format of the input, NULL when it is unknown; and the options of the format, to be filled. */
const struct format *record_pipe_guess(struct record_pipe *p);
struct format_options *record_pipe_format_options(struct record_pipe *p);
/* Starts the thread. */
void record_pipe_start(struct record_pipe *p, records_reader *reader);
/* Waits for the next part and returns the previous one to the reader. NULL: the input has ended. */
struct record_part *record_pipe_next(struct record_pipe *p);
/* Before the start, or after record_pipe_next has returned NULL: the reason of a failure, or NULL. */
const char *record_pipe_failed(const struct record_pipe *p);
uint64_t record_pipe_bytes(const struct record_pipe *p);
/* Stops the thread if it was started, also in the middle of a read, and frees the pipe. */
void record_pipe_end(struct record_pipe *p);

#endif
