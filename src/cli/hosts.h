/* SPDX-License-Identifier: ISC */
/* Changes stored hosts, for surfacectl enrich and expire. */
#ifndef CLI_HOSTS_H
#define CLI_HOSTS_H

#include "cli/cli.h"
#include "record/record.h"

enum hosts_verdict { HOSTS_KEEP, HOSTS_CHANGE, HOSTS_REMOVE };

struct hosts_walk {
	struct cli *cli;
	/* Judges a finished host, and changes it for HOSTS_CHANGE. */
	enum hosts_verdict (*judge)(void *arg, struct arena *a, struct record *host);
	void *arg;
	bool dry; /* nothing is written */
	uint64_t read, changed, removed;
};

/* Walks over all hosts in the order of their addresses, at most a thousand or 16 MiB in a
   transaction, so an end in the middle keeps what was done. Imports of hosts wait for each
   transaction. EXIT_OK, or the status to return after a message. */
int hosts_walk(struct hosts_walk *w);

#endif
