/* SPDX-License-Identifier: ISC */
/* Writes files atomically: a reader finds either the old content or the complete new one. */
#ifndef SEARCH_INDEX_FORMAT_FILES_H
#define SEARCH_INDEX_FORMAT_FILES_H

#include "search/index/format/index.h"

/* Writes a temporary file, calls fsync, renames the file and calls fsync for the directory. */
bool file_replace(const char *directory, const char *path, const struct buf *content,
    char err[INDEX_FAULT]) MUST_USE;

/* The same in pieces: file_begin, then file_write at ascending offsets, then file_end. */
struct file_writer {
	int fd;    /* -1: a call failed; file_end returns false */
	int error; /* errno of that call */
	char path[4096], temporary[4104];
};

void file_begin(struct file_writer *w, const char *path);
void file_write(struct file_writer *w, const void *bytes, size_t n, uint64_t at);
bool file_end(struct file_writer *w, const char *directory, char err[INDEX_FAULT]) MUST_USE;
/* Removes what was written. */
void file_abandon(struct file_writer *w);
/* For a file whose content may be lost in a crash of the machine: no fsync. */
bool file_end_unsynced(struct file_writer *w, char err[INDEX_FAULT]) MUST_USE;

#endif
