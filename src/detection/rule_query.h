/* SPDX-License-Identifier: ISC */
/* The test of a detection rule: its query, without the documents that its exclude finds (AREAS.md
 * 2.1). The API, surfacectl and surfaced-detect share it.
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
	bool excludes; /* exclude has a text */
};

struct rule_query_fault {
	const char *member; /* "query" or "exclude" */
	struct query_fault fault;
};

/* now: the time that "now" means in both texts. An empty query passes every document, an empty
   exclude none. When this returns false, *fault has the member, the position and the reason. */
bool rule_query_parse(struct arena *a, enum dataset d, struct str query, struct str exclude,
    struct ts now, struct rule_query *out, struct rule_query_fault *fault) MUST_USE;

/* scratch is reset repeatedly. */
bool rule_query_passes(struct arena *scratch, const struct rule_query *q,
    const struct match_document *d) MUST_USE;

/* Joins both to one tree for an engine; a joined text could be longer than LIM_QUERY. besides:
   another exclude, or NULL. out->text is the rule's query. */
void rule_query_join(struct arena *a, const struct rule_query *q, const struct query *besides,
    struct query *out);

/* Whether a test is on a field of tags, or on what follows from them. A rule that applies its tags
   must not ask. *at gets the position of the test. */
bool query_asks_tags(const struct query *q, uint32_t *at) MUST_USE;

/* Whether documents pass or fail as time goes by, without a change of theirs: a date is compared
   with now, or a field such as certificate.expired follows from the time. */
bool rule_query_uses_now(const struct rule_query *q) MUST_USE;

/* A test that every document must pass to match, by which surfaced-detect finds the rules that may
   match a document instead of trying all: a MATCH or EXACT of a keyword, an integer, a name or an
   address that stands at the top of the query or in an AND there, or in that of one nested object;
   the one with the fewest values. NULL: there is none, so the rule is tried on every document of
   its dataset. */
const struct node *rule_query_anchor(const struct rule_query *q);

#endif
