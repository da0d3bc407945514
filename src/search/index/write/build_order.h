/* SPDX-License-Identifier: ISC */
/* The keys of documents while a segment is built, and the numbers that the documents get in the
   order of their keys; build_order.c shows an example. */
#ifndef SEARCH_INDEX_WRITE_BUILD_ORDER_H
#define SEARCH_INDEX_WRITE_BUILD_ORDER_H

#include "base/base.h"

struct index_builder;

/* Keys in the order of arrival: that of document i is bytes[at[i]..at[i + 1]-1]. */
struct arrived {
	struct buf bytes;
	size_t *at, room;
	bool mixed; /* the keys have not arrived in ascending order */
};

/* Appends the key of document doc; false when it is not a key of the dataset, or not greater than
   the one before. */
bool build_key(struct index_builder *b, uint32_t doc, struct str key) MUST_USE;
/* Remembers the key of the next document; false when it is not a key of the dataset. */
bool build_key_arrives(struct index_builder *b, struct str key) MUST_USE;
/* Compares the keys of two documents that have arrived. */
int arrived_cmp(const struct index_builder *b, uint32_t x, uint32_t y);
/* Gives the documents that arrived their final numbers; false when two of them have one key. */
bool build_order(struct index_builder *b) MUST_USE;
void arrived_free(struct arrived *k);
/* Sorts numbers of documents, none greater than `most`. room: n further ones. */
void documents_sort(uint32_t *docs, uint32_t n, uint32_t most, uint32_t *room);

#endif
