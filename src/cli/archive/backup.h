/* SPDX-License-Identifier: ISC */
/* surfacectl backup and restore. A backup is a directory:
 *
 *   database.dump             pg_dump -Fc of one snapshot
 *   evidence/ab/cd/abcd...    every evidence file that the rows of the snapshot name, under its SHA-256
 *   fingerprint-key           the file of the parameter fingerprint_file, if there is one
 *   SHA256SUMS                the hashes of all, for sha256sum -c
 *   manifest.json             versions, counts and the hash of SHA256SUMS; written last
 *
 * backup.c writes into TARGET.partial and renames it when everything is on the disk, so a directory
 * without the suffix is complete. A run that was interrupted leaves TARGET.partial, and the next
 * run uses its evidence again. --since names an older backup whose evidence files are linked
 * instead of copied.
 *
 * Rows and files cannot be copied at the same moment. pg_dump and the list of evidence use one
 * snapshot of the database; evidence files never change, and the database only names files that are
 * already on the disk. A file that is missing fails the backup, or with --incomplete is listed in
 * the manifest.
 *
 * restore.c goes the other way: evidence first, which only adds files, then all rows in one
 * transaction. At no moment does a row name a file that is not there. */
#ifndef CLI_ARCHIVE_BACKUP_H
#define CLI_ARCHIVE_BACKUP_H

#include "cli/cli.h"

#define BACKUP_DUMP "database.dump"
#define BACKUP_EVIDENCE "evidence"
#define BACKUP_MANIFEST "manifest.json"
#define BACKUP_SUMS "SHA256SUMS"
#define BACKUP_KEY "fingerprint-key"

enum { BACKUP_FORMAT = 1, SHA256_HEX = 64, BACKUP_PATH = 4000 };

struct manifest {
	struct ts created_at;
	struct str program, server; /* versions */
	struct str sums;            /* SHA-256 of SHA256SUMS */
	struct list missing;        /* names of evidence files that could not be copied */
	int64_t format, schema, files, bytes;
};

extern const struct field manifest_fields[];

struct path {
	char z[4400];
};

/* Joins a directory and a name. Panics if the path is too long; the lengths of options were
   checked. */
struct path path_of(const char *folder, const char *name);
/* ab/cd/abcd...: the path of an evidence file below the evidence directory. */
struct path path_of_evidence(struct str sha256);

/* The SHA-256 of a file in hexadecimal, and its size; false with errno. */
bool hash_file(const char *path, char hex[SHA256_HEX + 1], int64_t *bytes) MUST_USE;

enum copied {
	COPIED,
	COPY_ABSENT,  /* the source does not exist */
	COPY_DAMAGED, /* the SHA-256 of the source is not its name */
	COPY_FAILED,  /* reading or writing failed, with errno */
};

/* Copies an evidence file between two evidence directories, unless the target has it completely.
   since: an evidence directory whose file is linked instead of copied; NULL: none. */
enum copied copy_evidence(struct str sha256, const char *from, const char *since, const char *to,
    int64_t *bytes) MUST_USE;
/* A description of the failure, for people; c is not COPIED. */
const char *copied_word(enum copied c);

/* key_file.c: the key by which exposed secrets are told apart. Copies it into a backup; *bytes is 0
   when there is none. */
bool backup_key(
    const char *from, const char *to, char hex[SHA256_HEX + 1], int64_t *bytes) MUST_USE;
/* Copies the key of a backup to where there is none. One that differs stays, with a warning. False
   with errno. */
bool restore_key(const char *from, const char *to) MUST_USE;

/* mkdir; true also if the directory exists. */
bool make_directory(const char *path) MUST_USE;
/* Waits until everything that was written to the file system of this directory is on the disk. */
bool sync_directory(const char *path) MUST_USE;

#endif
