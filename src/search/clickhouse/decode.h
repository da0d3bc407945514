/* SPDX-License-Identifier: ISC */
/* Reads rows of RowBinary, a format without names and types: the caller passes the types of its
   statement. The reader never reads beyond the answer, and uses at most a small multiple of its
   size in memory. */
#ifndef SEARCH_CLICKHOUSE_DECODE_H
#define SEARCH_CLICKHOUSE_DECODE_H

#include "base/base.h"

struct ch_rows {
	struct arena *a;
	struct str rest; /* the part that is still to be read */
	bool bad;        /* the answer is not a sequence of such rows */
};

enum { CH_VALUES_MAX = 7 };

/* A value of a row. An element of an array of arrays is represented by its first value, and is
   unset when it is empty. */
struct ch_value {
	uint64_t n;    /* number */
	struct str s;  /* text: points into the answer */
	size_t length; /* array: its elements */
	struct ch_value *items;
	bool set;
};

/* Reads the next row. types has a letter for each column, at most CH_VALUES_MAX:
     b  UInt8      w  UInt32      q  UInt64 or Int64      s  String
     S  Array(String)      T  Array(Array(String))      Q  Array(Array(Int64))
   False at the end, and when the answer is bad. */
bool ch_rows_next(
    struct ch_rows *r, const char *types, struct ch_value out[CH_VALUES_MAX]) MUST_USE;

#endif
