/* SPDX-License-Identifier: ISC */
/* surfaced-export: writes the exports that the API has accepted to files (C-413). export_workers
 * processes, each of which writes one export at a time.
 *
 *   search_export, queued                 written by POST /search/{dataset}/exports; NOTIFY export_work
 *        | export_claim                   a lease and an epoch
 *        v
 *   walk (search/walk.h)                  keys of one generation in their order, documents as they are now
 *        | a line each, compressed
 *        v
 *   export_directory/UUID.part            checkpoint, every CHECK_BYTES or export_checkpoint: the frame ends, fdatasync, and
 *        |                                export_progress stores the position, the bytes and the records
 *        v
 *   export_directory/UUID.ndjson.zst      renamed; export_complete stores the sha256. nginx sends it
 *        | keep.c, export_sweep           cancelled, expired or without a row: removed
 *
 * A file of several frames of zstd, or members of gzip, is one stream to every program that unpacks
 * it. So a checkpoint is a place at which the file can be cut, and the row tells how long the file
 * was there:
 *
 *   file   | frame 1 | frame 2 | frame 3 ... the process is killed
 *   row              ^ bytes, written, gone, position       (checkpoint after frame 1)
 *
 *   next claim: truncate to `bytes`, read what is left for its sha256, walk on behind `position`
 *
 * The generation of the first process may be gone by then. The walk goes on in the newest one;
 * since it goes by key, no record comes twice, and those behind the position are as the newer
 * generation has them. `resumed` counts this.
 *
 * Deaths, and their effects:
 *   a worker, the daemon   the lease ends, and the export goes on behind the last checkpoint
 *   before the rename      the same: nobody sees UUID.part
 *   after the rename       the next process takes the name back, cuts the file and writes the rest again
 *   PostgreSQL             the process closes the file and claims an export again later
 *   the disk is full       the export fails with disk_full, its file is removed, its records go back to the quota
 *   a lost right           export_progress and export_sweep cancel the export
 *
 * Two processes never write one file: the .part file is locked (flock), and every function of the
 * database compares the epoch. A process that finds the lock taken leaves it to the writer, however
 * long its step takes: the epoch grows when the file is locked (export_begin). */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "db/db.h"
#include "resource/export.h"
#include "search/engine.h"

struct exporter {
	struct arena *arena; /* emptied before each batch of documents */
	struct db *db;
	struct engine *engine;
	int64_t keep_at; /* for mono_due */
};

/* ---- job.c ---- */

/* Claims an export and writes it until it ends, is taken away, or the process is to stop. False:
   there is none, or the database failed. */
bool write_next_export(struct exporter *x) MUST_USE;

/* ---- keep.c ---- */

/* Removes the files that no export needs, now and then and when an export has changed. True: one
   has changed. */
bool keep_files(struct exporter *x);

/* ---- file.c ---- */

enum out_rc {
	OUT_OK,
	OUT_BUSY, /* another process has the file */
	OUT_FULL, /* the file system has less than export_reserve free, or is full */
	OUT_FAILED,
};

struct out;

/* Opens the file of an export and cuts it at its last checkpoint. *bytes is set to 0 when the file
   is shorter: all has to be written again. On failure *out is NULL. */
enum out_rc out_open(const struct export *e, int64_t *bytes, struct out **out) MUST_USE;
/* Adds text. After a failure only out_remove and out_close may follow. */
enum out_rc out_write(struct out *o, struct str text) MUST_USE;
/* Ends the frame and makes everything safe. *bytes is the size of the file. */
enum out_rc out_checkpoint(struct out *o, int64_t *bytes) MUST_USE;
/* After a checkpoint: gives the file its last name and computes its hash. */
enum out_rc out_finish(struct out *o, unsigned char sha256[32]) MUST_USE;
void out_remove(struct out *o);
void out_close(struct out *o);

#endif
