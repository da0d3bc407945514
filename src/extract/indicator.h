/* SPDX-License-Identifier: ISC */
/* An indicator as a source has it: a text through extract(), or a bundle of another system through
   its importer. */
#ifndef EXTRACT_INDICATOR_H
#define EXTRACT_INDICATOR_H

#include "base/base.h"

enum disposition {
#define DISPOSITION(id, name, verdict, help) DISPOSITION_##id,
#include "tbl/dispositions.h"
#undef DISPOSITION
};

struct indicator {
	struct str type;  /* a name of tbl/indicator_types.h */
	struct str value; /* in the canonical form of its type */
	enum disposition disposition;
	unsigned confidence;  /* 0 to 100 */
	unsigned occurrences; /* at least 1 */
	bool defanged;        /* at least one occurrence was */
	struct str section;   /* the heading above it; null: none */
	struct str context; /* its sentence or row, defanged, at most 300 characters; null: none */
	struct str
	    ignored_by; /* the name of the list; null unless disposition is DISPOSITION_IGNORED */
	struct strs labels;
	struct ts first_seen_at, last_seen_at, valid_until; /* TS_NULL: not known */
};

/* An actor, a family, a technique, a CVE, a sector or a country that the source names, and why it
   is listed. */
struct indicator_name {
	struct str kind; /* a name of tbl/report_names.h: actor, malware, tool, sector, country */
	struct str name; /* as the vocabulary has it */
	struct str matched_as; /* the alias that the text has */
	unsigned confidence;   /* 0 to 100 */
};

#endif
