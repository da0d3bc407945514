/* SPDX-License-Identifier: ISC */
/* Prints records: all members, as they are stored, or some of them, as they are answered. */
#ifndef RECORD_PRINT_H
#define RECORD_PRINT_H

#include "base/base.h"
#include "record/dataset.h"

struct record;
struct record_object;

/* A set of members to print. It contains all members of each selected object, and all objects above
   each selected member. */
struct record_fields;

/* Parses "ip,services.port": 1 to LIM_FIELDS names of the dataset's members. NULL: *bad is the
   unknown name, or empty when there are too many names. */
const struct record_fields *record_fields_parse(
    struct arena *a, enum dataset d, struct str names, struct str *bad);

/* Returns the members that answers may contain; NULL: all. For programs of one thread. */
const struct record_fields *record_fields_answered(enum dataset d);

/* Prints in the order of the table without white space; an empty object is left out. fields: NULL
   for all. */
void record_print(struct buf *b, const struct record *r, const struct record_fields *fields);
/* Prints an object of a record, such as a service, in the same way. */
void record_print_object(
    struct buf *b, const struct record_object *o, const struct record_fields *fields);

#endif
