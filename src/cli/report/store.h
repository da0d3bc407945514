/* SPDX-License-Identifier: ISC */
/* One run of a command that imports reports: stores what readers have made, a transaction a report,
   and sums up. */
#ifndef CLI_REPORT_STORE_H
#define CLI_REPORT_STORE_H

#include "cli/cli.h"
#include "cli/report/reading.h"
#include "resource/report_lists.h"

struct report_run_count {
	const char *name; /* NULL: none */
	uint64_t n;
};

struct report_run {
	struct cli *cli;
	bool private; /* the reports get the account; otherwise every account reads them */
	struct uuid account;
	struct report_lists lists;
	bool quiet;
	uint64_t read, fresh, changed, unchanged, bad;
	uint64_t counts[NOTES];
	struct report_run_count first[4]; /* counts of the command, printed before the others */
};

/* Prints the notes and the fault of a reading, and stores its documents. EXIT_OK, or the status to
   return after a message. A document that is refused is counted in .bad, and the others are
   stored. */
int report_run_store(struct report_run *r, const char *path, const struct report_reading *reading);
/* Frees the lists, and prints the sums. */
void report_run_end(struct report_run *r);

#endif
