/* SPDX-License-Identifier: ISC */
/* File descriptors, Unix sockets by path, and whole files. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include "base/buf.h"

void fd_close(int fd); /* does nothing if fd is negative, and preserves errno */
/* Sets close-on-exec of a descriptor that an exec has passed or should have passed. */
bool fd_cloexec(int fd);
/* Fills the address of the Unix socket at path; false with ENAMETOOLONG when the path is too
   long. */
struct sockaddr_un;
bool local_address(struct sockaddr_un *out, const char *path) MUST_USE;
/* Connects to the Unix socket at path; type is that of socket(2), and the descriptor is
   close-on-exec. Returns -1 with errno. */
int fd_connect(const char *path, int type);
/* True when a stream socket listens at path, even if its queue is full; otherwise errno has the
   reason. */
bool local_listens(const char *path);
/* Opens the file with the flags of open(2) and locks it until the descriptor is closed. Returns -1
   with errno; EWOULDBLOCK: another process holds the lock. */
int fd_lock(const char *path, int flags) MUST_USE;

/* ---- files ---- */

/* Writes all n bytes; a write that is cut short is continued, so that errno has the reason when it
   returns false. */
bool fd_write(int fd, const void *bytes, size_t n) MUST_USE;

/* True when a and b show the same file with the same content: same inode, size and time of
   modification. */
struct stat;
bool file_same(const struct stat *a, const struct stat *b);
/* Appends the content of a file to b. False with errno (EFBIG: more than most bytes); b may then
   contain a part of the file. */
bool file_read(const char *path, size_t most, struct buf *b) MUST_USE;

#endif
