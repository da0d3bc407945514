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
 * it. So the file can be cut at a checkpoint, and the row contains the length of the file at the
 * last one:
 *
 *   file   | frame 1 | frame 2 | frame 3 ... the process is killed
 *   row              ^ bytes, written, gone, position       (checkpoint after frame 1)
 *
 *   next claim: truncate to `bytes`, read what is left for its sha256, walk on behind `position`
 *
 * The generation that the first process walked may be gone by then. The walk continues in the
 * newest generation. It is in the order of keys, so no record is written twice; the records after
 * the position are those of the newer generation. `resumed` counts the continuations.
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
 * database compares the epoch. A process that finds the file locked leaves the export to the
 * writer, even if a step of the writer takes longer than the lease: the epoch is increased only
 * after the file is locked (export_begin). */
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

/* Claims an export and writes it until it is complete, has failed or is cancelled, until another
   process continues it, or until this process has to stop. False: no export was claimed, or the
   claimed one was left to another process or a later claim. */
bool write_next_export(struct exporter *x) MUST_USE;

/* ---- keep.c ---- */

/* Removes the files that no export needs, every few seconds and after the notification of a change.
   True: such a notification has arrived. */
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
   is shorter: it has to be written again from its beginning. On failure *out is NULL. */
enum out_rc out_open(const struct export *e, int64_t *bytes, struct out **out) MUST_USE;
/* Writes text. After a failure only out_remove and out_close may follow. */
enum out_rc out_write(struct out *o, struct str text) MUST_USE;
/* Ends the frame and flushes the file to the disk. *bytes is the size of the file. */
enum out_rc out_checkpoint(struct out *o, int64_t *bytes) MUST_USE;
/* After a checkpoint: computes the hash of the file, and renames it to its final name. */
enum out_rc out_finish(struct out *o, unsigned char sha256[32]) MUST_USE;
void out_remove(struct out *o);
void out_close(struct out *o);

#endif
