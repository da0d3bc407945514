/* SPDX-License-Identifier: ISC */
/* Attributes of MISP, which STIX that MISP wrote contains, too. */
#ifndef CLI_REPORT_MISP_H
#define CLI_REPORT_MISP_H

#include "cli/report/builder.h"

struct misp_value {
	struct str type, value, of; /* .of: the name for notes */
	bool to_ids;
	bool malicious;      /* its category is, and no attribute of the event has to_ids */
	bool false_positive; /* a sighting says that it is no indicator */
	int confidence;      /* as the source has it, 0 to 100; MISP_UNJUDGED: it has none */
	struct strs labels;
	struct ts first_seen_at, last_seen_at, valid_until;
};

enum { MISP_UNJUDGED = -1 };

void misp_value(struct report_builder *b, const struct misp_value *v);

#endif
