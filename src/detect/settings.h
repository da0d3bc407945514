/* SPDX-License-Identifier: ISC */
/* Applies the settings of detectors, which hide findings. */
#ifndef DETECT_SETTINGS_H
#define DETECT_SETTINGS_H

#include "detect/detector.h"

/* Parses the exclude. */
void settings_parse(struct arena *a, struct settings *s);
/* Whether the settings hide a finding. record: its JSON object without the closing brace. */
bool settings_hide(struct detect *x, const struct settings *s, struct str record) MUST_USE;
/* Compares a page of the detector's findings with settings that have changed. */
enum db_rc settings_apply(struct look *l) MUST_USE;
/* Closes and opens the findings that settings_apply has chosen. */
enum db_rc settings_store(struct look *l) MUST_USE;
/* Reads the settings of the detector rules. */
enum db_rc settings_load_rules(struct detect *x) MUST_USE;

struct settings_of {
	const struct uuid *project, *rule;
	struct str key; /* of the record */
};

/* Marks the last finding of the list as hidden: it is not stored, or closed when it is stored
   already. */
void settings_hide_finding(struct buf *findings);
/* Marks the last finding of the list, which begins at `from`, as hidden if the settings hide it. */
void settings_mark(
    struct detect *x, struct buf *findings, size_t from, const struct settings_of *of);

#endif
