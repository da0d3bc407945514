/* SPDX-License-Identifier: ISC */
/* YAML as a tree, of the subset that rules need. libyaml reads the file as a stream of events; this
 * reader refuses everything that makes YAML dangerous or ambiguous, each by its name and line:
 *
 *   anchors, aliases, merge keys    a small file could become a huge tree
 *   tags, directives %TAG           a value would be of a type that its text does not show
 *   keys twice in one mapping       readers disagree about which one counts
 *   encodings but UTF-8, U+0000     PostgreSQL stores neither
 *   more than 32 levels, 1 MiB      bounds
 *
 * A scalar is its text: no, yes and 1.10 are never a boolean or a number. Only the record of a
 * sample needs JSON's types, and yaml_json gives them to unquoted scalars that are JSON by
 * themselves. The reader does no I/O; t/fuzz/rule-yaml.c tests it. */
#ifndef CLI_RULE_YAML_H
#define CLI_RULE_YAML_H

#include "base/base.h"

enum { YAML_BYTES = 1 << 20, YAML_LEVELS = 32 };

enum tree_type { TREE_TEXT, TREE_LIST, TREE_MAP };

struct tree {
	enum tree_type type;
	size_t line;         /* from 1 */
	bool plain;          /* TEXT: without quotes and on one line */
	struct str text;     /* TEXT */
	struct str *names;   /* MAP: of its members */
	struct tree **items; /* LIST and MAP */
	size_t n;
};

struct yaml_fault {
	size_t line;
	struct str what; /* in the arena */
};

/* Reads every document of a text. False: *fault is the reason. All memory is in the arena. */
bool yaml_read(struct arena *a, struct str text, struct tree ***documents, size_t *n,
    struct yaml_fault *fault) MUST_USE;
/* The member of a MAP; NULL: it has none of this name, or the tree is no MAP. */
const struct tree *yaml_member(const struct tree *t, const char *name);
/* Appends the tree as JSON. */
void yaml_json(struct arena *a, struct buf *out, const struct tree *t);
/* Appends a text as a quoted scalar on one line, which this reader reads back as it was. */
void yaml_quote(struct buf *out, struct str s);

#endif
