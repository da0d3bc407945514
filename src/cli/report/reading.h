/* SPDX-License-Identifier: ISC */
/* Sources of reports: files of other systems, and texts. A reader makes struct report_document and
 * does not use the database.
 *
 *   bytes of a file --> reader of its format (stix.c, misp.c, prose.c)
 *                         |   builder.h: one document at a time, each indicator once
 *                         v
 *                       struct report_reading: the documents, and notes of all that gave no
 *                       indicator
 *
 * A file may be malicious or damaged. No part of it is lost silently: a reference to a missing
 * object, an object of an unknown type or a pattern that cannot be read is a note
 * (tbl/report_notes.h) with the name of the part, and the import goes on. Only a file that is no
 * JSON, or no source of the format, has a fault. */
#ifndef CLI_REPORT_READING_H
#define CLI_REPORT_READING_H

#include "resource/report_document.h"

struct json_value;

enum report_note {
#define REPORT_NOTE(id, counter, message) NOTE_##id,
#include "tbl/report_notes.h"
#undef REPORT_NOTE
	NOTES,
};

enum { NOTES_NAMED = 1000 }; /* the names that are kept; further ones are only counted */

/* The words of the command line about a text, which has none of its own. */
struct report_options {
	struct str title, publisher, url, tlp, language;
	struct ts published_at;
};

struct report_noted {
	enum report_note note;
	struct str name;
};

struct report_reading {
	struct arena *a; /* memory of everything below */
	struct str file; /* the name of the file without its folders */
	/* the identity of a report that the source does not name; STR_NULL: the file */
	struct str ref;
	struct str text; /* its bytes */
	bool private;    /* the reports get an account: those of an unknown marking are red */
	struct report_options options;
	/* the results */
	struct str fault; /* STR_NULL: none */
	struct report_document *docs;
	size_t n;
	size_t counts[NOTES];
	struct report_noted *noted;
	size_t nnoted;
};

void report_note(struct report_reading *r, enum report_note note, struct str name);
/* "is referenced, but not in the file": follows the name. */
const char *report_note_message(enum report_note note);
const char *report_note_counter(enum report_note note);

/* Parses the text. Elements of its lists that are no JSON are left out and noted. NULL: r->fault is
   set. */
struct json_value *report_json(struct report_reading *r);

typedef void report_reader(struct report_reading *r);

report_reader report_read_stix, report_read_misp, report_read_text;
/* Makes a report of a text; extraction adds its indicators. source_kind: text, html or pdf. */
void report_read_prose(struct report_reading *r, const char *source_kind, struct str text);

#endif
