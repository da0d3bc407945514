/* SPDX-License-Identifier: ISC */
/* The rules of files and directories. */
#ifndef CLI_RULE_RULE_SET_H
#define CLI_RULE_RULE_SET_H

#include "cli/cli.h"
#include "cli/rule/rule_file.h"

struct rule_loaded {
	struct rule_file rule;
	struct str path, hash; /* the file that has the rule, and its SHA-256 */
};

struct rule_set {
	struct rule_loaded *p; /* by id */
	size_t n, nfiles, nsamples;
	size_t nderived; /* rules of p that no file has */
};

/* Reads and checks the rules of each path: a file, or a directory with all files below it that end
   in .yml or .yaml. Except for rules of an account, the rules that are derived from them are added.
   Each fault is a message on stderr with its file and line. EXIT_OK, or the
   status to return after messages. */
int rule_set_read(struct cli *c, struct strs paths, enum rule_origin origin, struct rule_set *out);

/* Whether rule_derive makes a second rule of this one: it is about a category of
   tbl/no_login_severities.h, and no rule about a missing login itself. */
bool rule_has_derived(const struct rule_file *r);
/* Derives the rule for services that r finds and that answer without a login (rule_derive.c). False:
   *fault names what is too long for it. */
bool rule_derive(struct arena *a, const struct rule_file *r, struct rule_file *out,
    struct yaml_fault *fault) MUST_USE;

/* Appends the list that the functions of sql/functions/catalogue.sql take. */
void rule_set_json(struct buf *out, const struct rule_set *s, enum rule_origin origin);

/* Prints which rules match which documents of a file: lines of JSON, each a document of the dataset
   hosts as surfacectl import takes it. Rules of other datasets than hosts and services look at
   none. */
int rule_set_try(struct cli *c, const struct rule_set *s, const char *path);

/* For migrate: makes the shipped rules and those of the administrator the catalogue. dir: NULL for
   these. Without an installed catalogue nothing is changed. */
int rule_catalogue_load(struct cli *c, const char *dir);

/* The command rules export. */
int rule_export(struct cli *c, int argc, char **argv);

#endif
