/* SPDX-License-Identifier: ISC */
/* surfacectl backup and restore. A backup is a directory:
 *
 *   database.dump             pg_dump -Fc of one snapshot
 *   evidence/ab/cd/abcd...    every evidence file that the rows of the snapshot name, under its SHA-256
 *   fingerprint-key           the file of the parameter fingerprint_file, if there is one
 *   SHA256SUMS                the hashes of all, for sha256sum -c
 *   manifest.hmac             proves that a machine with backup_key_file wrote manifest.json
 *   manifest.json             versions, counts and the hash of SHA256SUMS; written last
 *
 * The database's superuser executes the dump, so a user who can change a backup could run programs
 * on the machine that restores it. The chain manifest.hmac, manifest.json, SHA256SUMS, file covers
 * every byte. Another user may change a file between two reads, so backup and restore hash the very
 * bytes that they use: backup those that it writes, and restore those of a file on their way to the
 * place where they are used. The dump is larger than the memory, so dump.c hashes it twice.
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
#define BACKUP_MAC "manifest.hmac"

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

/* ---- hashes ---- */

/* The SHA-256 of bytes that come in parts. sha256_end frees it. */
struct evp_md_ctx_st;
struct sha256 {
	struct evp_md_ctx_st *md;
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
void sha256_end(struct sha256 *s, char hex[SHA256_HEX + 1]);

/* Copies all of in to out, and returns the SHA-256 and the size of what it copied; out -1: only
   hashes. False with errno. */
bool copy_hashed(int in, int out, char hex[SHA256_HEX + 1], int64_t *bytes) MUST_USE;
/* The SHA-256 of a file in hexadecimal, and its size; false with errno. */
bool hash_file(const char *path, char hex[SHA256_HEX + 1], int64_t *bytes) MUST_USE;

/* ---- files of evidence ---- */

enum copied {
	COPIED,
	COPY_ABSENT,  /* the source does not exist */
	COPY_DAMAGED, /* the source has another SHA-256 than it should have */
	COPY_FAILED,  /* reading or writing failed, with errno */
};

/* Copies an evidence file between two evidence directories, unless the target has it completely.
   since: an evidence directory whose file is linked instead of copied; NULL: none. */
enum copied copy_evidence(struct str sha256, const char *from, const char *since, const char *to,
    int64_t *bytes) MUST_USE;
/* A description of the failure, for people; c is not COPIED. */
const char *copied_word(enum copied c);

/* ---- key_file.c: the key of the fingerprints of exposed secrets ---- */

/* Copies it into a backup; *bytes is 0 when there is none. */
bool backup_key(
    const char *from, const char *to, char hex[SHA256_HEX + 1], int64_t *bytes) MUST_USE;
/* Copies the key of a backup, whose SHA-256 is known, to where there is none. One that differs
   stays, with a warning. */
enum copied restore_key(const char *from, struct str sha256, const char *to) MUST_USE;

/* ---- mac.c: the key that proves where a backup comes from ---- */

struct secret_key;
/* Reads backup_key_file, and makes it if it is missing. Prints a message and returns false on
   failure. The caller wipes the key. */
bool mac_key_open(struct secret_key *key) MUST_USE;
/* Writes the proof for the text of a manifest into the folder; false with errno. */
bool mac_write(const struct secret_key *key, struct str manifest, const char *folder) MUST_USE;
/* Prints a message and returns false unless the folder has the proof for this text of its
   manifest. */
bool mac_check(struct str manifest, const char *folder) MUST_USE;

/* ---- dump.c: reads the dump of a backup, which another user may change meanwhile ---- */

struct dump {
	const char *path;
	int fd; /* open before a change of user: the new user may not read the backup; -1: none */
	unsigned char (*pieces)[SHA256_HEX / 2]; /* the SHA-256 of each piece */
	size_t n;
};

/* Opens the file and compares it with its SHA-256; most: the bytes that it has at most. Prints a
   message and returns false when it differs. */
bool dump_open(
    struct arena *a, const char *path, struct str sha256, int64_t most, struct dump *out) MUST_USE;
/* Writes to a pipe what dump_open has hashed, and nothing else. Prints a message and returns false
   when the file has changed. Returns true if the reader of the pipe ends early. */
bool dump_send(const struct dump *d, int to) MUST_USE;

/* ---- directories ---- */

/* mkdir; true also if the directory exists. */
bool make_directory(const char *path) MUST_USE;
/* Waits until everything that was written to the file system of this directory is on the disk. */
bool sync_directory(const char *path) MUST_USE;

#endif
