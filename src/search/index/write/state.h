/* SPDX-License-Identifier: ISC */
/* The changes that the writer makes to a state (format/index.h) before it publishes it:
 *
 *   index_lock             once: this process is the only writer of the directory
 *   index_state_load       the generation that was published last
 *   index_state_add, _remove, _insert     the next generation, in memory
 *   index_publish          the ordinals that are missing; the manifest, by rename; then the files
 *                          that the new manifest does not name are removed
 *
 * Until the rename only memory and files without a name in any manifest have changed. So a writer
 * that is killed loses its pass and nothing else, and readers keep the former generation. The
 * exception is index_state_verify, which replaces a damaged file of the published generation by one
 * of the same content, or marks it, so that every reader closes it. */
#ifndef SEARCH_INDEX_WRITE_STATE_H
#define SEARCH_INDEX_WRITE_STATE_H

#include "search/index/format/index.h"

struct mapped;

/* Adds a segment and marks the older versions of its documents dead in all others. Segments without
   a live document are dropped. */
bool index_state_add(const char *directory, struct index_state *s, struct index_segment fresh,
    char err[INDEX_FAULT]) MUST_USE;
/* Makes missing ordinals, writes s as the next generation and removes the files that it does not
   name. */
bool index_publish(const char *directory, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* Takes the lock that keeps a second writer out. Closing the descriptor releases it. Returns -1
   when another process has the lock. */
int index_lock(const char *directory) MUST_USE;

/* Marks the document of a key dead in all segments. Sets *had when a segment had it alive. */
bool index_state_remove(const char *directory, struct index_state *s, struct str key, bool *had,
    char err[INDEX_FAULT]) MUST_USE;
/* Whether all segments, which are open, were built with all fields of this release and in its
   format. */
bool index_state_complete(const struct index_state *s);
/* Opens the segments that are not open yet. */
bool index_state_open(const char *directory, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* Gives a file its present mark, after a file with another mark was verified. */
void index_renew_mark(struct index_state *s, struct index_file *file, const struct mapped *open);
/* Notes that damage was found, which the next generation tells. */
void index_note_damage(struct index_state *s);
/* Compares every file with its mark, verifies about `bytes` more bytes, where the last call
   stopped, and compares copies with their files. Replaces damaged files and copies where that is
   possible, and sets s->remarked. Returns false when a file is lost. */
bool index_state_verify(
    const char *directory, struct index_state *s, uint64_t bytes, char err[INDEX_FAULT]) MUST_USE;
/* Returns a new id of a file. */
uint64_t index_new_id(uint32_t family);
/* For a child process: makes missing ordinals and writes s into a file of its family, which does
   not publish it. */
bool index_state_store(
    const char *directory, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* Takes those ordinals of made whose counterparts in s do not fit the segments of s. */
void index_state_adopt(struct index_state *s, const struct index_state *made);
/* Replaces the outdated segments of s by those of made, which was built beside s from a newer
   snapshot. The other segments of s stay: they are newer than their documents in made. Consumes
   made when it succeeds. */
bool index_state_renew(const char *directory, struct index_state *s, struct index_state *made,
    char err[INDEX_FAULT]) MUST_USE;
/* Adds a segment at its place in the order of sizes, and marks nothing dead. */
void index_state_insert(struct index_state *s, struct index_segment fresh);
/* Marks the document of a key dead in one open segment. False: the segment has no live document of
   the key. */
bool index_mark_dead(struct index_segment *s, struct str key);

#endif
