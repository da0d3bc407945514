/* SPDX-License-Identifier: ISC */
/* The tables of ClickHouse, made from the fields of a dataset (tbl/fields.h). The feeder
 * (indexer/sink.c) writes these columns and the compiler (sql.c) reads them; only this file
 * describes them.
 *
 * A dataset has a layout, a number from 1. A layout is a complete copy of the dataset with a
 * dictionary of its own; a new one is filled beside the old, and then a row of the table `layouts`
 * makes searches ask the new one.
 *
 *   on each server              over all servers (engine Distributed)
 *   hosts_1                     all_hosts_1                 the rows
 *   hosts_1_dict                all_hosts_1_dict            the dictionary
 *   layout                      layouts                     which layout of which dataset is asked: the row of the
 *                                                           greatest `at`, microseconds, whose schema is
 *                                                           ch_schema_number()
 *                               shards                      a row of each shard that answers
 *                               parts                       the rows of system.parts of all shards
 *   tag                         tags                        what buckets of tags show: name, classification, and the
 *                                                           categories with their parents, as struct tag has them
 *   feed                        feeds                       what each layout contains (layout.h)
 *
 * One server is a cluster of one: its configuration names the cluster `surfaced` with itself as the
 * only shard.
 *
 * A row is one version of a document. ReplacingMergeTree keeps the row of the greatest `ver` for a
 * `place`; until its merge has run, statements leave the older ones out (parts.c). A deleted
 * document is a row with gone = 1.
 *
 *   place, ver, gone     the key of the record; its version, which only grows; 1: it was deleted
 *   words                the words of all texts (words.h), those of nested objects too, each once
 *   nested_words         for each nested object in its order, the words of its own texts
 *   nested_key           of hosts: the three bytes that a service adds to the key of its host: port, transport 1 tcp,
 *                        2 udp, 3 sctp, 0 any other
 *   d_X                  the dictionary's numbers of the values of the field X, each once
 *   n_X                  the values of a field that has no dictionary, each once. An address as its key: 04 and four
 *                        bytes, or 06 and sixteen
 *   f_X                  those values folded by text_fold that folding changes, each once; most texts are folded already
 *   t_X                  the tokens of a text, each once
 *   i_X                  integers; 0 and 1 for a boolean; microseconds since 1970 for a date
 *   u_X                  what d_X or i_X of a nested field has for all nested objects together, each once
 *
 * d_, n_, f_, t_ and i_ of a nested field have an array for each nested object, which is empty when
 * the object has no value.
 *
 * A server reads whole columns. So each field has its own, although one column with the numbers of
 * all fields would take fewer files: a facet reads the values of its field alone. */
#ifndef SEARCH_CLICKHOUSE_SCHEMA_H
#define SEARCH_CLICKHOUSE_SCHEMA_H

#include "search/schema.h"

/* How a field is stored. A virtual boolean (expired) is stored as none of these; neither is the
   address that is the key of a host, which is `place`. */
struct ch_storage {
	bool ids;     /* in the dictionary, its numbers in d_X */
	bool values;  /* n_X */
	bool folded;  /* f_X */
	bool tokens;  /* t_X, and its words in words and nested_words */
	bool numbers; /* i_X */
};

struct ch_storage ch_storage(const struct schema_field *f);

enum ch_content {
	CH_PLACE,        /* String */
	CH_VER,          /* UInt64 */
	CH_GONE,         /* UInt8 */
	CH_WORDS,        /* Array(UInt64) */
	CH_NESTED_WORDS, /* Array(Array(UInt64)) */
	CH_NESTED_KEY,   /* Array(String) */
	/* d_X, Array(UInt32), or Array(Array(UInt32)) of a nested field; the following alike */
	CH_TERMS,
	CH_VALUES,  /* n_X, of String */
	CH_FOLDED,  /* f_X, of String */
	CH_TOKENS,  /* t_X, of String */
	CH_NUMBERS, /* i_X, of Int64 */
	CH_UNITED,  /* u_X, Array(UInt32) or Array(Int64) */
};

enum { CH_NAME = 96, CH_COLUMNS = 256 };

struct ch_column {
	enum ch_content content;
	const struct schema_field *field; /* set for CH_TERMS and the following; else NULL */
	char name[CH_NAME];
	const char *type;
};

/* The columns of the rows of a dataset that is no view, in the order of the table; returns their
   number. */
size_t ch_columns(enum dataset d, struct ch_column out[CH_COLUMNS]);
/* The name of a column of the field; content is CH_TERMS or a following one. */
void ch_column_name(const struct schema_field *f, enum ch_content content, char out[CH_NAME]);
/* The content of the column with the values of a field that names nested objects
   (schema_naming). */
enum ch_content ch_naming_content(const struct schema_field *f);
/* The name of a small column that has an element for each nested object, in a dataset that has
   nested objects. */
void ch_object_column(enum dataset d, char out[CH_NAME]);

/* The number of a value in the columns d_X, and in the dictionary:
 *
 *   bits 24 to 31    the number of the field (schema_field.index)
 *   bit 23           1: the value cannot be a bucket, because it is empty or too long (LIM_BUCKET_VALUE)
 *   bits 0 to 22     the number of the value within the field, from 0, below CH_IDS */
enum { CH_IDS = 1 << 23, CH_ID_SHIFT = 24 };

bool ch_bucketable(struct str value);
uint32_t ch_id(const struct schema_field *f, uint32_t number, struct str value);

enum ch_table {
	CH_ROWS,
	/* field UInt8, folded String, value String, id UInt32; a value has one row for ever */
	CH_DICT,
	CH_LOCAL_ROWS, /* of one server */
	CH_LOCAL_DICT,
};

void ch_table_name(enum dataset d, unsigned layout, enum ch_table t, char out[CH_NAME]);
/* A number that changes with the columns of a dataset, the numbers of its fields and the rules of
   this file. Searches do not ask a layout with another schema number, in which the numbers mean
   other fields. */
uint64_t ch_schema_number(enum dataset d);

struct ch_release {
	unsigned
	    version; /* 18, or 26 for 26 and the releases that have codecs and skipping indexes */
	/* ReplicatedReplacingMergeTree; each server has the macros {shard} and {replica} */
	bool replicated;
};

/* "18" or "26", followed by "-replicated" or nothing. */
bool ch_release_parse(const char *text, struct ch_release *out) MUST_USE;
/* Prints the statements that create the tables of a layout, each ended by a semicolon and a line
   feed. They must be run on every server, in the database of the tables. ch_print_layouts prints
   those of the tables that all datasets share. */
void ch_print_schema(struct buf *out, const struct ch_release *r, enum dataset d, unsigned layout);
void ch_print_layouts(struct buf *out, const struct ch_release *r);

#endif
