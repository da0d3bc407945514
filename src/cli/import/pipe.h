/* SPDX-License-Identifier: ISC */
/* The thread that reads, parses and finishes records while the caller stores the last batch of
 * them. handover.h draws the turns. */
#ifndef CLI_IMPORT_PIPE_H
#define CLI_IMPORT_PIPE_H

#include "cli/import/enrich_host.h"
#include "cli/import/format.h"
#include "cli/import/store.h"
#include "cli/import/records.h"
#include "secret/fingerprint.h"

struct import_part {
	struct import_batch
	    batches[DATASETS]; /* only the batches of the datasets that are requested are open */
	struct buf messages;   /* about bad records: "file:line: reason\n" */
	uint64_t read, bad, skipped;
	uint64_t secrets; /* masked secrets */
};

struct import_pipe_options {
	enum dataset dataset;
	unsigned also;    /* as in struct records */
	const char *file; /* name of the input in messages */
	int fd;
	struct str origin; /* as in struct records */
	struct ts seen;
	struct enrich *enrich;              /* for hosts; NULL: they are stored as they were read */
	bool strict;                        /* stop at the first bad record */
	const struct record_ports *scanned; /* --replace-ports, or NULL */
	bool authoritative;                 /* as in struct records */
	const struct secret_key *key;       /* for notes about masked secrets; NULL: no notes */
};

struct import_pipe;

struct import_pipe *import_pipe_open(const struct import_pipe_options *o);
/* Before the start: a known format that no reader reads, NULL when the input has none; the format of
   the input, NULL when it is unknown; and the options of the format, to be filled. */
const struct format_foreign *import_pipe_foreign(struct import_pipe *p);
const struct format *import_pipe_guess(struct import_pipe *p);
struct format_options *import_pipe_format_options(struct import_pipe *p);
/* Starts the thread. */
void import_pipe_start(struct import_pipe *p, records_reader *reader);
/* Waits for the next part and returns the previous one to the reader. NULL: the input has ended. */
struct import_part *import_pipe_next(struct import_pipe *p);
/* Before the start, or after import_pipe_next has returned NULL: the reason of a failure, or
   NULL. */
const char *import_pipe_failed(const struct import_pipe *p);
uint64_t import_pipe_bytes(const struct import_pipe *p);
/* Stops the thread if it was started, also in the middle of a read, and frees the pipe. */
void import_pipe_end(struct import_pipe *p);

#endif
