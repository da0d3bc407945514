/* SPDX-License-Identifier: ISC */
/* Records: the documents of every dataset, by the tables of their fields (tbl/fields). Importers
 * make records, the database table record contains their text, and the index and the API read that
 * text.
 *
 *   JSON text --record_parse--> tree --record_finish--> canonical tree --record_print--> canonical text
 *                                ^                        |         |
 *   readers of tools' formats ---+                        |         +--record_key--> bytes that order the table
 *   (record_set_...)                      stored tree ----+--record_merge--> tree
 *
 * The tree follows the table, not the text: an object is an array with a place for each member of
 * its row in the table, so two records of one dataset are merged, compared and printed by walking
 * two arrays side by side.
 *
 *   rows of tbl/fields/hosts.h        struct record_member          struct record_object
 *     "ip"                              ip                            v[0]  "192.0.2.7"
 *     "asn"                             asn                           v[1]  not set
 *     "services.port"                   services [list of objects]    v[2]  -> { port, transport, http -> { title } }
 *     "services.transport"                +-- port                          -> { port, transport, ... }
 *     "services.http.title"               +-- transport
 *                                         +-- http
 *                                              +-- title
 *
 * Three properties are tested with random records of every dataset (t/unit/record_merge.c):
 *   - a canonical text that is parsed, finished and printed again is the same text, byte for byte;
 *   - merge(x, x) is x;
 *   - merge(x, y) is merge(y, x) when both have last_seen.
 * So the same file twice changes nothing, and two files may come in either order.
 *
 * Everything is in the arena that the caller passes. Texts are views: those of a parsed record are
 * in the arena, too. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/base.h"
#include "record/dataset.h"
#include "record/print.h"

struct record_member; /* a row of the tables, or an object or list of objects that rows are below */
struct record_object;

struct record {
	enum dataset dataset;
	struct record_object *root;
};

/* ---- making a record ---- */

struct record record_new(struct arena *a, enum dataset d);

enum record_manner {
	/* our own format: an unknown member or a value that its form refuses is a fault */
	RECORD_STRICT,
	/* Formats of tools, and documents that an older release stored: an unknown member or a
	   refused value is left out, a long text is cut. */
	RECORD_LENIENT,
};

/* Parses one JSON object. False: *what names the faulty member or the byte of the text, and the
   reason. */
bool record_parse(struct arena *a, enum dataset d, struct str text, enum record_manner manner,
    struct record *out, struct str *what) MUST_USE;

/* Set a member by its dotted name, which the table must have ("http.title" of a service); a text is
   not copied. record_add appends to a list of texts that it began, and record_nested likewise to
   the dataset's nested objects. */
void record_set_text(struct arena *a, struct record_object *o, const char *name, struct str value);
void record_set_int(struct arena *a, struct record_object *o, const char *name, int64_t value);
void record_set_bool(struct arena *a, struct record_object *o, const char *name, bool value);
void record_set_time(struct arena *a, struct record_object *o, const char *name, struct ts value);
void record_add(struct arena *a, struct record_object *o, const char *name, struct str value);
/* Sets a whole list of texts; an empty one removes the member. */
void record_set_texts(
    struct arena *a, struct record_object *o, const char *name, struct strs values);
struct record_object *record_nested(struct arena *a, struct record *r);

/* Read a member: false or STR_NULL when it is not set. */
struct str record_text(const struct record_object *o, const char *name);
bool record_int(const struct record_object *o, const char *name, int64_t *out) MUST_USE;
/* The nested objects, such as the services of a host. */
size_t record_nested_all(const struct record *r, struct record_object *const **out);
size_t record_texts(const struct record_object *o, const char *name, const struct str **out);

/* Brings every member into its canonical form and adds the members that follow from others (the
   apex domain, the address of an answer). False: *what names the faulty member; also when the
   record has no key. */
bool record_finish(
    struct arena *a, struct record *r, enum record_manner manner, struct str *what) MUST_USE;
/* Gives a record, and each of its services, the times that it lacks. */
void record_seen(struct record *r, struct ts when);

/* Brings the value of an indicator of this type into its canonical form. NULL, or the fault as the
   end of a sentence. */
const char *record_indicator_fault(struct arena *a, struct str type, struct str *value) MUST_USE;

/* ---- finished records ---- */

/* Merges two records of one key; the result shares values with both. A record without last_seen is
   later than any. */
struct record record_merge(struct arena *a, const struct record *old, const struct record *new);

/* The record's key: bytes in the order of the dataset's answers. */
struct str record_key(struct arena *a, const struct record *r);
/* The part of a key that identifies the record: the whole key, but for a report only its UUID,
   because the key of a report changes with its published_at. */
struct str record_key_identity(enum dataset d, struct str key);
/* The key as a text for messages and tests: "192.0.2.7", "www.example.org A NOERROR". */
struct str record_key_text(struct arena *a, enum dataset d, struct str key);

#endif
