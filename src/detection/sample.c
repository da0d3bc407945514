/* SPDX-License-Identifier: ISC */
/* Judges the samples of a detection rule. */
#include "config.h"

#include "detection/sample.h"

bool
rule_sample_passes(struct arena *scratch, const struct rule_query *q, const struct rule_sample *s,
    const struct tag *tags, size_t ntags, struct match_limit *limit)
{
	struct match_document d = { .own = s->record, .tags = tags, .ntags = ntags };

	return rule_query_passes(scratch, q, &d, limit) == s->match;
}
