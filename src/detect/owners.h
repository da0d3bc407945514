/* SPDX-License-Identifier: ISC */
/* The projects that have records in their inventories. */
#ifndef DETECT_OWNERS_H
#define DETECT_OWNERS_H

#include "detect/detect.h"

struct owner {
	struct uuid project;
	const char *matched_by; /* "address" or "hostname" */
	struct str kind, name;  /* of the asset */
};

/* Reads the owners of the records of all hits of rules that have projects. */
enum db_rc owners_read(struct detect *x, const struct batch *b, struct owners **out) MUST_USE;
/* Whether a host serves so many owners that its names alone make it nobody's. */
bool owners_serve_many(const struct json_value *host) MUST_USE;
/* Reads the owners of all documents of the batch; once, for all detectors. */
enum db_rc owners_of_batch(struct detect *x, struct batch *b, const struct owners **out) MUST_USE;
/* The owners of a record: struct owner, one for each project, sorted by project. */
struct list owners_list(
    const struct owners *o, struct arena *a, enum dataset d, const struct match_document *m);

#endif
