/* SPDX-License-Identifier: ISC */
/* A backup is a folder: database.dump as pg_dump writes it, evidence/ab/cd/<sha256>, SHA256SUMS over
   both, as sha256sum(1) checks it, and manifest.json, which is written last. */
#ifndef CLI_ARCHIVE_BACKUP_H
#define CLI_ARCHIVE_BACKUP_H

#include "cli/cli.h"

#define BACKUP_DUMP "database.dump"
#define BACKUP_EVIDENCE "evidence"
#define BACKUP_MANIFEST "manifest.json"
#define BACKUP_SUMS "SHA256SUMS"

enum { BACKUP_FORMAT = 1, SHA256_HEX = 64, BACKUP_PATH = 4000 };

struct manifest {
	struct ts created_at;
	struct str program, server; /* versions */
	struct str sums;            /* SHA-256 of SHA256SUMS */
	struct list missing;        /* evidence that could not be had: its names */
	int64_t format, schema, files, bytes;
};

extern const struct field manifest_fields[];

struct path {
	char z[4400];
};

/* A path of parts; panics where one is too long, which options are checked for. */
struct path path_of(const char *folder, const char *name);
/* ab/cd/abcd...: where the evidence of that SHA-256 is, below its folder. */
struct path path_of_evidence(struct str sha256);

/* The SHA-256 of a file as hexadecimal, and its size; false with errno when it cannot be read. */
bool hash_file(const char *path, char hex[SHA256_HEX + 1], int64_t *bytes) MUST_USE;

enum copied {
	COPIED,
	COPY_ABSENT,  /* there is no source */
	COPY_DAMAGED, /* the source is not what its name says */
	COPY_FAILED,  /* errno says why it could not be read or written */
};

/* An evidence file from one folder of evidence to another, unless it is there already, whole. since may be
   NULL: a folder whose file is linked instead of copied. */
enum copied copy_evidence(struct str sha256, const char *from, const char *since,
    const char *to, int64_t *bytes) MUST_USE;
/* What is wrong, for people; not of COPIED. */
const char *copied_word(enum copied c);

/* mkdir, which may exist. */
bool make_folder(const char *path) MUST_USE;
/* Everything written to the file system of this folder is on its disk. */
bool sync_folder(const char *path) MUST_USE;

#endif
