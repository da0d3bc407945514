/* SPDX-License-Identifier: ISC */
/* Documents as rows of ClickHouse, with the columns of ch_columns in their order (schema.h):
 *
 *   ch_encode        document -> its values, in the encoder           not called for a deleted document
 *   ch_write_row     -> one row in the format RowBinary
 *   ch_write_block   -> the next row of a block                       ch_end_block: the block in the format Native
 *
 * The server reads Native, column by column, in a third of the time of RowBinary. */
#ifndef SEARCH_CLICKHOUSE_ROW_H
#define SEARCH_CLICKHOUSE_ROW_H

#include "search/clickhouse/dict.h"
#include "search/engine.h"

struct ch_encoder;

struct ch_encoder *ch_encoder_new(enum dataset d);
void ch_encoder_free(struct ch_encoder *e);
/* The tags from which fields are derived; they must live as long as the encoder is used. */
void ch_encoder_tags(struct ch_encoder *e, const struct tag *tags, size_t n);

enum { CH_FAULT = 256 };

struct ch_version {
	struct str key;
	uint64_t ver;
	bool gone;
};

/* Reads a document. Values that the dictionary lacks are added to it. After a failure the encoder
   contains a part of the document. */
bool ch_encode(
    struct ch_encoder *e, struct ch_dict *dict, struct str json, char err[CH_FAULT]) MUST_USE;
/* Appends the row of the document that was read, and empties the encoder, as ch_write_block
   does. */
void ch_write_row(struct ch_encoder *e, const struct ch_version *v, struct buf *out);

struct ch_block_column;

/* A block is initialised with zeros and belongs to one encoder. */
struct ch_block {
	struct ch_block_column *columns;
	size_t rows, bytes;
};

void ch_write_block(struct ch_encoder *e, const struct ch_version *v, struct ch_block *b);
/* Appends the block in the format Native, and empties it. */
void ch_end_block(const struct ch_encoder *e, struct ch_block *b, struct buf *out);
void ch_free_block(const struct ch_encoder *e, struct ch_block *b);

#endif
