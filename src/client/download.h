/* SPDX-License-Identifier: ISC */
/* A large file of the API, in as many parts as the network makes of it. */
#ifndef CLIENT_DOWNLOAD_H
#define CLIENT_DOWNLOAD_H

#include "client/http.h"
#include "client/progress.h"

struct download {
	struct client *c;
	struct str path;   /* below settings.url */
	const char *name;  /* for the progress */
	const char *part;  /* the local file; what it has already is not asked for again */
	struct str sha256; /* the SHA-256 of the whole file */
	int64_t bytes;     /* its size */
	FILE *file;        /* the rest is private */
	int64_t have;
	struct progress progress;
	bool ranged; /* this attempt asked for a range */
	int error;   /* errno of a write that the local disk refused; 0: none */
};

/* Downloads what is missing of the part and checks the whole; an exit status. A part whose SHA-256
   is wrong is removed. */
int download_run(struct download *d);

#endif
