/* SPDX-License-Identifier: ISC */
/* The dictionary of a layout in the memory of its feeder, the only process that assigns numbers
 * (schema.h). A value gets a number when it first occurs, and its row of the table must be stored
 * before any row of a document that has the number:
 *
 *   ch_dict_id(os, "Linux")    known: its number          unknown: the next number of the field, and a row in `fresh`
 *   INSERT fresh               repeated, with the same numbers, until it succeeds
 *   INSERT documents
 *
 * An assigned number is never assigned to another value, even when no document has it: a statement
 * that failed may still be executed later. So the rows in `fresh` must be stored before anything
 * else, or the process must end. */
#ifndef SEARCH_CLICKHOUSE_DICT_H
#define SEARCH_CLICKHOUSE_DICT_H

#include "search/clickhouse/schema.h"

struct ch_dict;

struct ch_dict *ch_dict_new(enum dataset d);
void ch_dict_free(struct ch_dict *k);
/* Adds a row of the table. False: the row is invalid, or its value already has another number. */
bool ch_dict_load(struct ch_dict *k, unsigned field, struct str value, uint32_t id) MUST_USE;
/* Finds the number of a value, or assigns the next one of the field. False: the field already has
   CH_IDS values. */
bool ch_dict_id(
    struct ch_dict *k, const struct schema_field *f, struct str value, uint32_t *id) MUST_USE;
/* Finds the number of a value. False: the value has none. */
bool ch_dict_find(
    const struct ch_dict *k, const struct schema_field *f, struct str value, uint32_t *id) MUST_USE;
/* Rows in the format RowBinary that are not stored yet: field, folded, value, id. The caller
   empties it. */
struct buf *ch_dict_fresh(struct ch_dict *k);
size_t ch_dict_values(const struct ch_dict *k);

/* Append to RowBinary: a length with seven bits in each byte, a text after its length, and a number
   of so many bytes. */
void ch_put_length(struct buf *b, uint64_t n);
void ch_put_text(struct buf *b, struct str s);
void ch_put_number(struct buf *b, uint64_t v, size_t bytes);

#endif
