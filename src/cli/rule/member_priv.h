/* SPDX-License-Identifier: ISC */
/* Members of a rule's mappings. A function that fails has recorded the fault and returns false; its
   callers return at once, so that the first fault of a document is the one that is reported. */
#ifndef CLI_RULE_MEMBER_PRIV_H
#define CLI_RULE_MEMBER_PRIV_H

#include "cli/rule/rule_file.h"

struct rule_reader {
	struct arena *a;
	struct rule_file *out;
	struct yaml_fault *fault;
};

/* A member with its name for messages, such as "surface.query". */
struct rule_member {
	const struct tree *t; /* NULL: the file does not have it */
	const char *name;
	size_t line; /* its own or, when it is missing, that of the mapping around it */
};

enum need { OPTIONAL_MEMBER, NEEDED };

struct rule_bounds {
	size_t items, characters;
};

/* Records the fault and returns false. */
bool rule_refuse_member(struct rule_reader *r, size_t line, const char *fmt, ...) PRINTF(3, 4);
/* path: of the mapping, with a dot behind it, or "". */
struct rule_member rule_member_of(
    struct rule_reader *r, const struct tree *map, const char *path, const char *name);
/* Refuses members that are not in the list, which ends with NULL. */
bool rule_check_names(struct rule_reader *r, const struct tree *map, const char *path,
    const char *const *known) MUST_USE;
/* most: characters. A member that is missing or empty leaves *out as it is. */
bool rule_read_text(struct rule_reader *r, struct rule_member m, enum need need, size_t most,
    struct str *out) MUST_USE;
/* Does the same, and refuses control characters. */
bool rule_read_line(struct rule_reader *r, struct rule_member m, enum need need, size_t most,
    struct str *out) MUST_USE;
/* One of the words; they end with NULL. */
bool rule_read_word(struct rule_reader *r, struct rule_member m, enum need need,
    const char *const *words, struct str *out) MUST_USE;
bool rule_read_bool(struct rule_reader *r, struct rule_member m, bool *out) MUST_USE;
bool rule_read_list(struct rule_reader *r, struct rule_member m, struct rule_bounds most,
    struct strs *out) MUST_USE;

#endif
