/* SPDX-License-Identifier: ISC */
/* Notes of a reading. */
#include "config.h"

#include "cli/report/reading.h"

static const struct {
	const char *counter, *message;
} notes[NOTES] = {
#define REPORT_NOTE(id, counter, message) { #counter, message },
#include "tbl/report_notes.h"
#undef REPORT_NOTE
};

void
report_note(struct report_reading *r, enum report_note note, struct str name)
{
	r->counts[note]++;
	if (r->nnoted == NOTES_NAMED)
		return;
	r->noted = arena_room(r->a, r->noted, r->nnoted, sizeof(*r->noted));
	r->noted[r->nnoted++] = (struct report_noted){ note, name };
}

const char *
report_note_message(enum report_note note)
{
	return notes[note].message;
}

const char *
report_note_counter(enum report_note note)
{
	return notes[note].counter;
}
