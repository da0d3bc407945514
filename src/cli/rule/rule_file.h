/* SPDX-License-Identifier: ISC */
/* A detection rule as YAML has it (surfaced-rule(5)):
 *
 *   bytes --yaml_read--> struct tree --rule_file_read--> struct rule_file --rule_file_json--> rules_load, rules_take (SQL)
 *                                                           |      ^
 *                                                           v      |
 *                                         rule_file_check      rule_file_print
 *                                         query, samples       YAML of a rule of the database */
#ifndef CLI_RULE_RULE_FILE_H
#define CLI_RULE_RULE_FILE_H

#include "cli/rule/yaml.h"
#include "search/schema.h"

struct rule_file_test {
	struct str name, record; /* JSON */
	bool match;              /* the author expects a match */
};

struct rule_file_relation {
	struct uuid id;
	struct str type; /* as Sigma names it */
};

struct rule_file_product {
	struct str area; /* p NULL: the rule produces nothing */
	struct str exposure_kind, title;
	int64_t rank;
};

enum {
	RULE_TAGS = 16,
	RULE_TECHNIQUES = 32,
	RULE_REFERENCES = 16,
	RULE_FALSE_POSITIVES = 16,
	RULE_RELATIONS = 16,
	RULE_TESTS = 20,
	RULE_RECORD = 16384,
};

struct rule_file {
	size_t line; /* of its document */
	struct uuid id;
	struct str title, status, severity, description, author, licence, scope, query, exclude;
	enum dataset dataset;
	struct strs tags, techniques, references, false_positives;
	bool applies_tags;
	struct rule_file_product produces;
	struct rule_file_test tests[RULE_TESTS];
	struct rule_file_relation related[RULE_RELATIONS];
	size_t ntests, nrelated;
};

/* Reads a document. False: *fault has its line and names the member. */
bool rule_file_read(struct arena *a, const struct tree *document, struct rule_file *out,
    struct yaml_fault *fault) MUST_USE;

/* Rules of accounts have fewer rights than others, and rules of the catalogue have more
   requirements. */
enum rule_origin { RULE_OF_ANYBODY, RULE_OF_ACCOUNT, RULE_OF_CATALOGUE };

/* The datasets of rules, by the names that rules have for them. False: there is none of this
   name. */
bool rule_dataset(struct str name, enum dataset *out) MUST_USE;
const char *rule_dataset_name(enum dataset d);

/* Parses the queries and judges the samples; then, by the origin, what such a rule may do and must
   have. *samples grows by the number of samples that came out as expected. scratch is reset
   repeatedly. False: *fault names the member. */
bool rule_file_check(struct arena *a, struct arena *scratch, const struct rule_file *r,
    enum rule_origin origin, size_t *samples, struct yaml_fault *fault) MUST_USE;

/* Appends the object that the functions of sql/functions/catalogue.sql take. hash: of the file;
   STR_NULL: none. */
void rule_file_json(struct buf *out, const struct rule_file *r, struct str hash);
/* Appends a document of YAML, which rule_file_read reads as the same rule. */
void rule_file_print(struct arena *a, struct buf *out, const struct rule_file *r);

#endif
