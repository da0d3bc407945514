/* SPDX-License-Identifier: ISC */
/* The samples of a detection rule: small documents that its author expects to match, or not to
 * match. A rule is staged or published only when all its samples give the expected result
 * (C-148). */
#ifndef DETECTION_SAMPLE_H
#define DETECTION_SAMPLE_H

#include "detection/rule_query.h"

/* A document of the rule's dataset. A service is an object of its own, {"port":11434,"http":{...}},
   as GET /search/services returns it. */
struct rule_sample {
	struct str name;
	const struct json_value *record;
	bool match; /* the author expects a match */
};

/* Whether the rule gives the expected result for the sample. tags: the taxonomy. limit: see
   match_document. */
bool rule_sample_passes(struct arena *scratch, const struct rule_query *q,
    const struct rule_sample *s, const struct tag *tags, size_t ntags,
    struct match_limit *limit) MUST_USE;

#endif
