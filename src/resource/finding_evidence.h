/* SPDX-License-Identifier: ISC */
/* The evidence for a finding, brought below LIM_EVIDENCE by its producer, so that the database
   never refuses it (C-130). */
#ifndef RESOURCE_FINDING_EVIDENCE_H
#define RESOURCE_FINDING_EVIDENCE_H

#include "json/json.h"

/* Cuts evidence that has more than LIM_EVIDENCE bytes as PostgreSQL prints it. Members are kept
   from the smallest to the largest. When the first that does not fit is a text or a list, its
   beginning is kept; the rest is left out, and truncated is true. Returns the reason why a value is
   no evidence, or NULL. */
const char *finding_evidence(struct arena *a, struct json *evidence) MUST_USE;

#endif
