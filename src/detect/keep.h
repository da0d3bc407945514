/* SPDX-License-Identifier: ISC */
/* Work that follows from the time alone: old rows, rules that have failed, days of dashboards. */
#ifndef DETECT_KEEP_H
#define DETECT_KEEP_H

#include "detect/detect.h"

/* Ends observations without recent data and deletes old rows. Returns true when there is more to
   do. */
bool keep_observations(struct detect *x) MUST_USE;
/* Removes the tags of rules that no longer apply them. Returns true when there is more to do. */
bool keep_tags(struct detect *x) MUST_USE;
/* Evaluates rules of the catalogue again that failed a day ago. */
void retry_failed_rules(struct detect *x);
/* Deletes old notes and places of secrets. Returns true when there is more to do. */
bool keep_secrets(struct detect *x) MUST_USE;
/* Stores the numbers of a dashboard for the days that have ended. Returns true when there may be
   more to do. */
bool keep_dashboards(struct detect *x) MUST_USE;

#endif
