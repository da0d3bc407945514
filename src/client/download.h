/* SPDX-License-Identifier: ISC */
/* A large file of the API, in as many parts as the network makes of it. */
#ifndef CLIENT_DOWNLOAD_H
#define CLIENT_DOWNLOAD_H

#include "client/http.h"
#include "client/progress.h"
#include "client/sha256.h"

struct download {
	struct client *c;
	struct str path;  /* below settings.url */
	const char *name; /* the file that is written, for messages */
	/* A regular file, which may have the beginning already, open for reading and appending; or
	   standard output. */
	int fd;
	struct str sha256; /* the SHA-256 of the whole file */
	int64_t bytes;     /* its size */
	int64_t have;      /* the rest is private */
	int64_t skip;
	struct evp_md_ctx_st *sum;
	struct progress progress;
	int error; /* errno of a write that failed; 0: none */
};

enum download_end {
	DOWNLOAD_DONE,
	DOWNLOAD_FAILED,  /* after a message; the bytes that came are a beginning of the file */
	DOWNLOAD_DAMAGED, /* after a message; the bytes that came are not the file */
};

/* Downloads what is missing of the file and compares the SHA-256 of the whole. *status becomes the
   exit status of this program. */
enum download_end download_run(struct download *d, int *status) MUST_USE;

#endif
