/* SPDX-License-Identifier: ISC */
/* File descriptors, Unix sockets by their paths, and files as a whole. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include "base/buf.h"

void fd_close(int fd); /* unless it is negative; errno stays */
/* Fills the address of the Unix socket at path; false with ENAMETOOLONG when it is too long. */
struct sockaddr_un;
bool local_address(struct sockaddr_un *out, const char *path) MUST_USE;
/* Connected to the Unix socket at path; type as for socket(2), closed on exec. -1 with errno. */
int fd_connect(const char *path, int type);
/* Whether a stream socket listens at path, though its queue be full. Else errno. */
bool local_listens(const char *path);
/* Opened, flags as for open(2), and locked until it is closed. -1 with errno; EWOULDBLOCK: another has it. */
int fd_lock(const char *path, int flags) MUST_USE;

/* ---- files ---- */

/* Nothing was written to it, or put in its place, in between. */
struct stat;
bool file_same(const struct stat *a, const struct stat *b);
/* Appends a file's content; more than most bytes are EFBIG. False with errno, and a part may be there. */
bool file_read(const char *path, size_t most, struct buf *b) MUST_USE;

#endif
