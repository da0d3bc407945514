/* SPDX-License-Identifier: ISC */
/* Builds one report: collects indicators and names in the order of the source, and merges those
   with equal values. */
#ifndef CLI_REPORT_BUILDER_H
#define CLI_REPORT_BUILDER_H

#include "cli/report/reading.h"
#include "cli/report/value.h"

struct report_builder {
	struct report_reading *r;
	struct report_document d;
	struct indicator *indicators;
	size_t n;
	struct indicator_name *names;
	size_t nnames;
	int tlp; /* the strictest level so far, a row of tbl/tlp_markings.h; -1: none */
	bool unknown_marking;
};

/* How a source calls its values. */
struct report_value {
	enum value_kind kind;
	struct str value;
	struct str of; /* the name of the object, for notes */
	enum disposition disposition;
	unsigned confidence;
	struct strs labels;
	struct ts first_seen_at, last_seen_at, valid_until;
};

void builder_begin(struct report_builder *b, struct report_reading *r, const char *source_kind);
/* Adds an indicator; false after a note, when the value is none of its kind. */
bool builder_value(struct report_builder *b, const struct report_value *v);
/* Adds a name that the source lists: kind is actor, malware, tool, sector or country. */
void builder_name(struct report_builder *b, const char *kind, struct str name);
/* Add a technique (T1059.001) or a CVE number; other texts are left out. */
void builder_technique(struct report_builder *b, struct str id);
void builder_cve(struct report_builder *b, struct str id);
void builder_tag(struct report_builder *b, struct str tag);
/* Marks the report with a level of TLP in any spelling; the strictest mark counts. An unknown one
   is remembered. */
void builder_tlp(struct report_builder *b, struct str level);
void builder_unknown_marking(struct report_builder *b, struct str name);
/* Sets a text of the report, cut to the characters that it may have; an empty text sets nothing. */
void builder_text(struct str *member, struct str text, size_t most);
/* Sets the URL if it is one of http or https. */
void builder_url(struct report_builder *b, struct str url);
/* Finishes the document and appends it to the reading, or notes that it is refused. */
void builder_end(struct report_builder *b);

#endif
