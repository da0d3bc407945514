/* SPDX-License-Identifier: ISC */
/* Attributes of MISP, which STIX that MISP wrote contains, too. */
#ifndef CLI_REPORT_MISP_H
#define CLI_REPORT_MISP_H

#include "cli/report/builder.h"

struct misp_value {
	struct str type, value, of; /* .of: the name for notes */
	bool to_ids;
	unsigned confidence; /* without to_ids; 0: that of a mention */
	struct strs labels;
	struct ts first_seen_at, last_seen_at;
};

void misp_value(struct report_builder *b, const struct misp_value *v);

#endif
