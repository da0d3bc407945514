/* SPDX-License-Identifier: ISC */
/* Shared by the operations of detection rules. rule.c has those of alert rules.
 *
 *   detection.c          reads rules: list, one, its former versions, export
 *   detection_write.c    creates, replaces, deletes and copies them
 *   detection_move.c     moves between the states of tbl/rule_moves.h, and settings
 *   detection_import.c   many rules at once
 *   detection_validate.c what a rule would match, without storing it
 *   detection_check.c    what each of them asks of the content of a rule before it writes
 *   detection_judge.c    its samples, and how many records it matches */
#ifndef API_RULES_DETECTION_PRIV_H
#define API_RULES_DETECTION_PRIV_H

#include "api/api.h"
#include "detection/rule_query.h"
#include "resource/detection.h"

#define DETECTION_ROW(need)                                                                        \
	.scope = (need), .access = ACCESS_ACCOUNT, .meter = METER_QUOTA, .area = AREA_SERVICE,     \
	.entitlement = ENTITLEMENT_RULES, .tag = "Rules"

/* The errors of operations that count the matches of a rule. */
#define DETECTION_SEARCH_ERRORS                                                                    \
	ERR_SEARCH_COUNT_TOO_EXPENSIVE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT,                       \
	    ERR_SEARCH_UPSTREAM_FAILED, ERR_SEARCH_MISCONFIGURED

/* ---- detection.c ---- */

/* Parameters: key, rule. Returns no row when the key does not see the rule. */
extern const struct stmt select_detection;

/* Reads the rule of the path. FAILED: 404 was answered. */
int detection_read(struct req *rq, struct detection *out);
/* The same, but refuses a rule of the catalogue, which the account cannot change. */
int detection_read_own(struct req *rq, struct detection *out);
/* Refuses a key that is limited to projects, unless the rule names projects and the key sees all of
   them. A UUID of zeros stands for something that all projects share, such as a tag. */
int detection_manage(struct req *rq, struct uuid rule);
/* detection_read_own and detection_manage for the rule of the path. */
int detection_read_managed(struct req *rq, struct detection *out);
/* Answers with the present state of the rule. */
int detection_answer(struct req *rq, const struct uuid *uuid, int status);

/* ---- detection_check.c ---- */

/* Returns the dataset of a name in detection_datasets. */
enum dataset detection_dataset(struct str name);

/* Adds the faults in the content of a rule. prefix: "rules[3]." in an import, else "". FAILED: the
   database failed. */
int detection_check(
    struct req *rq, const struct detection_in *in, const char *prefix, struct body_faults *faults);
/* ---- detection_judge.c ---- */

/* Adds a fault for each sample that does not give the expected result. */
int detection_judge(
    struct req *rq, const struct detection_in *in, const char *prefix, struct body_faults *faults);
/* Sets for each sample whether it gives the expected result, in the order of in->tests. The samples
   may take the time that the request has left. */
int detection_samples(
    struct req *rq, const struct rule_query *q, const struct detection_in *in, bool *passed);

/* Converts a stored rule to the form of a body, with its samples. */
struct detection_in detection_texts(struct req *rq, const struct detection *d);

/* Counts the matches of a rule of scope all. besides: the exclude of the settings. *matches is 0
   for a rule of scope surface, and when no index can answer; surfaced-detect limits a rule that is
   too broad, too (saturated). */
int detection_matches(
    struct req *rq, const struct detection_in *in, struct str besides, uint64_t *matches);
/* Refuses a rule with more matches than a rule of scope all may have. */
int detection_refuse_broad(struct req *rq, const struct detection_in *in, struct str besides);

/* ---- detection_write.c ---- */

/* The content of a rule as JSON, for insert_detection and replace_detection. */
struct str detection_content(struct req *rq, const struct detection_in *in);

/* Parameters: account, member, uuid, id, status, content, and the hashes of the Idempotency-Key or
   null. Returns no row when the account has a rule of this id. */
extern const struct stmt insert_detection;
/* Parameters: account, rule, version, member, status, content, key. Returns no row when the rule
   has another version or this content already, or when the key does not see all its projects. */
extern const struct stmt replace_detection;

/* Gives a new rule the projects of the key, if the key is limited to projects. */
int detection_confine(struct req *rq, struct uuid rule);
/* Locks the tags until the end of the transaction, and refuses a tag that was removed since the
   body was checked. */
int detection_hold_tags(struct req *rq, const struct list *tags, const char *member);
/* Locks the account's rules until the end of the transaction, so that they can be counted. */
enum db_rc detection_lock(struct req *rq) MUST_USE;
/* Fails when the account now has too many rules, which rolls the transaction back. */
int detection_within_limits(struct req *rq);

/* Locks the account's rules as detection_lock does, and counts the evaluated ones without an
   anchor. */
enum db_rc detection_unanchored(struct req *rq, size_t *n) MUST_USE;
/* Fails when the account now has too many evaluated rules without an anchor, and more than before,
   which rolls the transaction back. in: the rule that may have become evaluated, or NULL. */
int detection_within_anchors(struct req *rq, const struct detection_in *in, size_t before);

#endif
