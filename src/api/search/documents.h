/* SPDX-License-Identifier: ISC */
/* The documents of every dataset as PostgreSQL has them: read by their keys, and written into
 * answers.
 *
 * The index finds keys, PostgreSQL has the documents, and the two may differ: a record that was
 * deleted after the index was built is left out. A look-up has made the key itself and needs no
 * index, so it finds a record as soon as its import has committed.
 *
 *   keys (record_key)                 k1      k2      k3       k4
 *   rows, by the number of the key    1, doc          3, doc   4, no text: beyond the limit of bytes
 *   struct documents                  p[0]    NULL    p[2]     p[3]->doc.p is NULL
 *
 * The size of a document is not bounded by much: 16 MiB. Each statement therefore adds up the
 * stored sizes before it reads a document, and sends none when they exceed the limit of this worker
 * (share_bytes); the request then moves to the other pool. */
#ifndef API_SEARCH_DOCUMENTS_H
#define API_SEARCH_DOCUMENTS_H

#include "http/http.h"
#include "record/stored.h"
#include "search/schema.h"

struct document {
	int64_t at;     /* the number of its key, from 1 */
	struct str doc; /* p is NULL when it would make the page too large */
};

/* In the order of the keys; NULL: the database has no such record. */
struct documents {
	const struct document **p;
	size_t n;
};

/* The names of a dataset's documents, and what a key needs to read them (tbl/answers.h). */
struct answer_names {
	const char *list, *record, *hit;
	enum scope scope;
	enum entitlement entitlement;
};
extern const struct answer_names answer_names[DATASETS_AND_CONDITIONS];

/* Reads the documents of these keys, up to LIM_PAGE_BYTES and the first in any case. Fails when the
   database does, and hands the request over when they are too large for this worker. share_begin
   comes before. */
enum document_key { BY_KEY, BY_FINGERPRINT /* certificates: the end of their key */ };
int documents_read(
    struct req *rq, enum dataset d, enum document_key by, struct strs keys, struct documents *out);
/* Returns the number of documents before the first one that would have made the page too large. */
size_t documents_fit(const struct documents *docs);

/* A cursor after a record: its key, bound also to the dataset. Opening one fails with
 * invalid_search_cursor and leaves after when text.p is NULL. */
struct str key_cursor_seal(
    struct req *rq, enum dataset d, const struct cursor_for *bound, struct str key);
int key_cursor_open(struct req *rq, enum dataset d, const struct cursor_for *bound, struct str text,
    struct str *after);

/* The parameter "fields" of a struct with the member fields. */
#define FIELDS_PARAM(args)                                                                         \
	{                                                                                          \
		.field = { .name = "fields",                                                       \
			.type = FIELD_STR,                                                         \
			.offset = offsetof(args, fields),                                          \
			.lo = 1,                                                                   \
			.hi = LIM_QUERY,                                                           \
			.help = "The members to answer, with commas between them: fields of the "  \
				"dataset, or the "                                                 \
				"objects above them, such as services." },                         \
		.example = "first_seen,last_seen"                                                  \
	}

/* A struct with nothing else. */
struct fields_args {
	struct str fields;
};
extern const struct url_param fields_params[];

/* Parses it. *out is NULL when it was not sent. */
int fields_parse(
    struct req *rq, enum dataset d, struct str names, const struct record_fields **out);

/* Writes a stored document: its members in the order of the field table (C-414), all or those of
   fields. */
void document_write(
    struct buf *b, enum dataset d, struct str doc, const struct record_fields *fields);

/* The same as a text: the stored one, where that is the answer. */
struct str document_text(
    struct arena *a, enum dataset d, struct str doc, const struct record_fields *fields);

/* The memory of parsed documents; it is emptied after each use. */
struct arena *tree_arena(void);

#endif
