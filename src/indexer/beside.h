/* SPDX-License-Identifier: ISC */
/* The work beside the passes, which may take minutes: merges of segments and rebuilds, in child
 * processes.
 *
 * The life of a merge. When there are more segments than the parameter index_segments, the smallest
 * ones become one segment, made from their dictionaries and postings alone; an index that does not
 * change is merged until it has two segments (is_idle in merger.c). A large merge runs in a child.
 * If an input is no longer in the index when the child has ended, the child's segment is dropped.
 *
 *     pass 41 ------ pass 42 ------ pass 43 ------ pass 44
 *        | fork: the child has a copy  |              | the child's segment replaces its inputs;
 *        | of the bits of the dead     | host x dies  | x, dead now but alive in that copy, is
 *        v                             v              | marked dead in it
 *        child: ..... hosts-D.seg and ordinals written ^
 *
 * The life of a rebuild. A child reads all documents in one snapshot. The segments A and B of the
 * present generation are outdated from then on, but they are served, and no merge mixes them with
 * later segments:
 *
 *     pass 41 ------ pass 42 ------ pass 43 ------ pass 44
 *        | fork: A and B are           | +segment C   | D and E replace A and B. C was written after
 *        | outdated                    | host x dies  | the fork and is kept: its hosts, and x, are
 *        v                             v              | marked dead in D and E
 *        child: ..... hosts-D.seg, hosts-E.seg ....... ^
 *
 * The passes between depend on the reason of the rebuild:
 *
 *   a field of this release is missing,   The generation is still a state of this database. Each pass
 *   or --rebuild                          adds the changes since the generation's snapshot, as always.
 *   the snapshot does not continue        The changes since that snapshot are unknown. This pass adds
 *                                         none. Later passes add the changes since this pass. Hosts that
 *                                         changed before it stay wrong until D and E replace A and B.
 *                                         The manifest gets an empty snapshot, so a writer that is
 *                                         restarted begins a new rebuild.
 *   no generation, or a damaged file      Nothing can be followed. A few documents are read by the pass itself;
 *                                         otherwise passes only wait for the child, whose generation is
 *                                         published as it is.
 *
 * A snapshot does not continue when it is from the future of this database (a restore from a
 * backup, or another database), or when deletions that it does not contain were purged.
 *
 * A child gives the parent its result as a file with the format of the manifest,
 * DATASET-FAMILY.state. The ids of all files of a child begin with its family, so that the parent
 * does not remove them while the child runs. */
#ifndef INDEXER_BESIDE_H
#define INDEXER_BESIDE_H

#include "indexer/indexer.h"

#include <sys/types.h>

/* ---- child.c ---- */

struct child {
	pid_t pid; /* 0: none */
	uint32_t family;
	int64_t next; /* mono_us: after a failure, no child is started before this time */
};

enum child_rc {
	CHILD_NONE,
	CHILD_RUNS,
	CHILD_DONE,
	CHILD_FAILED,
	CHILD_FULL, /* the merged segment would exceed a ceiling of the format */
};

/* Returns true in the child. In the parent, pid is 0 when there is no child. */
bool child_fork(struct child *c) MUST_USE;
/* Ends the child process. With CHILD_DONE it first stores `made`, the result. */
_Noreturn void child_exit(
    const char *directory, struct index_state *made, enum child_rc rc, char err[INDEX_FAULT]);
enum child_rc child_ended(struct child *c) MUST_USE;
void child_kill(struct child *c);

/* ---- merger.c: merges of segments ---- */

struct merger {
	const char *directory;
	bool no_child;             /* large merges run in this process, which ends after the pass */
	struct index_merge *merge; /* the merge that runs in the child; NULL: none */
	struct child child;
	int64_t unchanged_us; /* time since the last addition or removal; set by the caller */
};

/* Performs the small merges that are due. */
bool merger_small(struct merger *g, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* Starts a child for a large merge that is due. The segments must have just been published. */
void merger_start(struct merger *g, struct index_state *s);
/* If the child has ended, replaces the inputs of its merge by its segment and sets *changed. */
void merger_collect(struct merger *g, struct index_state *s, bool *changed);
/* Kills the child, if there is one, and drops its merge. */
void merger_abandon(struct merger *g, struct index_state *s);

/* ---- rebuild.c: a new index beside the old one ---- */

struct rebuilder {
	const char *directory;
	bool wanted; /* the index must be built again */
	bool ready;  /* the child has succeeded, and its result was not yet taken */
	struct child child;
	unsigned *running; /* rebuilding children of all datasets: at most one, to save memory */
	/* The keys of the records that were deleted since the child was started, each preceded by
	   its length. */
	struct buf gone;
};

/* Requests a rebuild, and marks the present segments as outdated. */
void rebuild_want(struct rebuilder *r, struct index_state *s);
/* Starts the child when one is wanted and none runs. No merge may run. */
void rebuild_start(struct rebuilder *r, struct index_state *s);
/* Checks whether the child has ended. Must be called before the snapshot of the pass that takes the
   result. */
void rebuild_poll(struct rebuilder *r, struct index_state *s);
/* Records that a record of the database was deleted, so that rebuild_take marks it dead. */
void rebuild_gone(struct rebuilder *r, struct str key);
/* Replaces the outdated segments by those of the child. s keeps its tags, with which its newer
   segments were written; *tags receives the tags of the child. */
bool rebuild_take(struct rebuilder *r, struct index_state *s, struct index_tags *tags,
    char err[INDEX_FAULT]) MUST_USE;
/* Takes the child's state as it is, with the child's snapshot, where there was no generation to
   follow. */
bool rebuild_begin_with(struct rebuilder *r, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* Kills the child, if there is one, and drops its result. A requested rebuild remains requested. */
void rebuild_abandon(struct rebuilder *r, struct index_state *s);

#endif
