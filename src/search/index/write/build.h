/* SPDX-License-Identifier: ISC */
/* Builds a segment from documents. build_priv.h draws the way of a value through the builder. */
#ifndef SEARCH_INDEX_WRITE_BUILD_H
#define SEARCH_INDEX_WRITE_BUILD_H

#include "search/index/format/index.h"

struct index_builder;

/* The tags must outlive the builder. */
struct index_builder *index_build_new(enum dataset d, const struct index_tags *tags);
/* Adds one document: its key (record_key) and its stored text. Documents may come in any order, but
   each key once. After a failure the builder can only be freed. */
bool index_build_add(
    struct index_builder *b, struct str key, struct str json, char err[INDEX_FAULT]) MUST_USE;
uint32_t index_build_documents(const struct index_builder *b);
size_t index_build_memory(const struct index_builder *b); /* bytes, approximately */
/* Writes the segment's file. Fails when two documents have one key, or when the segment would
   pass a ceiling (format/ceilings.h), and leaves no file then. Afterwards the builder is empty
   and can build the next segment. */
bool index_build_write(struct index_builder *b, const char *directory, struct index_segment *out,
    char err[INDEX_FAULT]) MUST_USE;
/* Gives the files of the builder ids of this family. */
void index_build_family(struct index_builder *b, uint32_t family);
void index_build_free(struct index_builder *b);

#endif
