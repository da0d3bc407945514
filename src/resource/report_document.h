/* SPDX-License-Identifier: ISC */
/* A report as an importer or POST /reports gives it to report_store (report_store.h), before it has
   a UUID. */
#ifndef RESOURCE_REPORT_DOCUMENT_H
#define RESOURCE_REPORT_DOCUMENT_H

#include "extract/indicator.h"

struct report_seen {
	struct ts first, last; /* TS_NULL: not known */
};

struct report_document {
	/* (account, source_kind, source_ref) names the report for ever: a STIX id, a MISP UUID, a
	   URL or the SHA-256 of the text. The same identity with other contents is a new
	   revision. */
	struct str source_kind; /* native, stix, misp, text, html or pdf */
	struct str source_ref;
	struct str title, summary, publisher, url, language, tlp; /* null: not known */
	struct str text;        /* for searches and the report's organisation; null: none */
	struct ts published_at; /* TS_NULL: not known */
	struct strs threat_actors, malware_families, sectors, techniques, cves, countries, tags;
	const struct indicator *indicators;
	size_t n;
	const struct indicator_name *names;
	size_t nnames;
	/* When the source of a native report had it, by which the later of two versions is known.
	   NULL: unknown. */
	const struct report_seen *seen;
	bool withdrawn; /* the source took it back */
	bool truncated; /* the source has more indicators than LIM_REPORT_INDICATORS */
};

#endif
