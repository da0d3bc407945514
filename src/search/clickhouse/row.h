/* SPDX-License-Identifier: ISC */
/* Documents as rows of ClickHouse, in the format RowBinary and in the order of ch_columns
   (schema.h). */
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
};

/* Appends the row of a document. Values that the dictionary does not have get their numbers. */
bool ch_encode(struct ch_encoder *e, struct ch_dict *dict, const struct ch_version *v,
    struct str json, struct buf *out, char err[CH_FAULT]) MUST_USE;
/* Appends the row that marks a document as deleted. */
void ch_encode_gone(struct ch_encoder *e, const struct ch_version *v, struct buf *out);

#endif
