/* SPDX-License-Identifier: ISC */
/* The samples of a detection rule: small documents that its author expects to match, or not to
 * match. A rule is only staged or published when all of them come out as expected (AREAS.md 2.1,
 * C-148). */
#ifndef DETECTION_SAMPLE_H
#define DETECTION_SAMPLE_H

#include "detection/rule_query.h"

/* A document of the rule's dataset; a service by itself, {"port":11434,"http":{...}}, as GET
   /search/services answers it. The tags of the taxonomy are d->tags of the caller. */
struct rule_sample {
	struct str name;
	const struct json_value *record;
	bool match; /* the author expects a match */
};

/* Whether the rule judges the sample as its author expects. */
bool rule_sample_passes(struct arena *scratch, const struct rule_query *q, const struct rule_sample *s,
    const struct tag *tags, size_t ntags) MUST_USE;

#endif
