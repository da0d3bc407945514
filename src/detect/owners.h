/* SPDX-License-Identifier: ISC */
/* The projects whose inventories contain a record. */
#ifndef DETECT_OWNERS_H
#define DETECT_OWNERS_H

#include "detect/detect.h"

struct owner {
	struct uuid project;
	const char *matched_by; /* "address" or "hostname" */
	struct str kind, name;  /* of the asset */
};

/* Reads the owners of all hits whose rules have runs with projects. */
enum db_rc owners_read(struct detect *x, const struct batch *b, struct owners **out) MUST_USE;
/* Whether a host serves so many owners that its names do not prove who owns it. */
bool owners_serve_many(const struct json_value *host) MUST_USE;
/* Reads the owners of all documents of the batch. Only the first call runs a statement. */
enum db_rc owners_of_batch(struct detect *x, struct batch *b, const struct owners **out) MUST_USE;
/* The owners of a record: struct owner, one for each project, sorted by project. */
struct list owners_list(
    const struct owners *o, struct arena *a, enum dataset d, const struct match_document *m);

#endif
