/* SPDX-License-Identifier: ISC */
/* The test of a detection rule: a document matches when the query finds it and the exclude does not
 * (C-146). The API, surfacectl and surfaced-detect share this test.
 *
 *   query    product:redis                       both are texts of surfaced-query(7) on the rule's dataset
 *   exclude  ip:{192.0.2.0/24}
 *        |  rule_query_parse
 *        v
 *   struct rule_query ---- rule_query_passes ----> whether one whole document matches
 *        |
 *        +-- rule_query_join ---> AND(MATCH product redis, NOT(MATCH ip 192.0.2.0/24))    for an engine
 *        +-- rule_query_anchor -> MATCH product redis    which every document that matches must
 *                                                        have */
#ifndef DETECTION_RULE_QUERY_H
#define DETECTION_RULE_QUERY_H

#include "search/match.h"

struct rule_query {
	struct query query, exclude;
	bool excludes; /* the exclude is not empty */
};

struct rule_query_fault {
	const char *member; /* "query" or "exclude" */
	struct query_fault fault;
};

/* The dataset that a rule names, with an underscore: "open_directories". DATASETS_AND_CONDITIONS:
   there is none. */
enum dataset rule_query_dataset(struct str name) MUST_USE;

/* Parses both texts. now: the meaning of "now" in them. An empty query matches every document, an
   empty exclude none. When this returns false, *fault contains the member, the position and the
   reason. */
bool rule_query_parse(struct arena *a, enum dataset d, struct str query, struct str exclude,
    struct ts now, struct rule_query *out, struct rule_query_fault *fault) MUST_USE;

/* Whether a document matches the rule. limit: see match_document. The function resets the arena
   scratch. */
bool rule_query_passes(struct arena *scratch, const struct rule_query *q,
    const struct match_document *d, struct match_limit *limit) MUST_USE;

/* Joins query and exclude to one tree for an engine. The trees are joined because a joined text
   could be longer than LIM_QUERY. besides: a further exclude, or NULL. out->text is the text of the
   query alone. */
void rule_query_join(
    struct arena *a, const struct rule_query *q, const struct query *besides, struct query *out);

/* Whether the query tests a field of tags. A rule that applies its own tags must not do that. *at
   becomes the position of the test. */
bool query_asks_tags(const struct query *q, uint32_t *at) MUST_USE;

/* Whether the result for a document can change although the document does not: the query compares a
   date with now, or tests a field such as certificate.expired that depends on the time. */
bool rule_query_uses_now(const struct rule_query *q) MUST_USE;

/* Returns the anchor of a rule: a test that every matching document must pass, so that
   surfaced-detect need not try all rules on a document. An anchor is a MATCH or EXACT of a keyword,
   an integer, a name or an address that is the root of the query, or a part of an AND at the root
   or in a nested object. If there are several, the one with the fewest values is returned. NULL:
   there is none, so the rule is evaluated on every document of its dataset. */
const struct node *rule_query_anchor(const struct rule_query *q);

#endif
