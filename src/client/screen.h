/* SPDX-License-Identifier: ISC */
/* The terminal: its width, its colours, and how text becomes harmless and fits.
 *
 * Text of a document may hold any Unicode character. A terminal obeys some of them: escape
 * sequences move the cursor, set the title of the window or answer as if they had been typed, and
 * marks of direction reorder a line. text_show prints those as \x1b or \u202e. A character may take
 * two columns of the screen or none. */
#ifndef CLIENT_SCREEN_H
#define CLIENT_SCREEN_H

#include "base/base.h"

struct screen {
	bool out, err; /* stdout and stderr are terminals */
	bool colour_out, colour_err;
	bool utf8;      /* the locale can show every character */
	size_t columns; /* the width of what is printed on stdout; SIZE_MAX: unlimited */
	/* the same of messages and of the progress, which --wide does not change */
	size_t columns_err;
};

struct wrap {
	size_t width, indent, most;
};

enum style { PLAIN, BOLD, DIM, RED, YELLOW, GREEN, CYAN };

/* Looks at the descriptors, the locale, COLUMNS, NO_COLOR and TERM. */
void screen_find(struct screen *s, bool wide);

/* Appends the text, harmless; all of it. */
void text_show(struct buf *b, const struct screen *s, struct str text);
/* The columns that a harmless text takes. */
size_t text_width(struct str shown);
/* Appends a harmless text in exactly `width` columns: cut with an ellipsis, or filled with blanks
   at the end, or at the beginning if right. */
void text_fit(struct buf *b, const struct screen *s, struct str shown, size_t width, bool right);
/* Appends a harmless text in lines of at most `width` columns, broken behind a blank where there is
   one; each but the first begins with `indent` blanks. If there are more than `most` lines, the
   last one ends with an ellipsis. No newline ends the text. */
void text_wrap(struct buf *b, const struct screen *s, struct str shown, const struct wrap *wrap);
/* Appends the sequence that switches to a style, or nothing where there is no colour. */
void style_out(struct buf *b, const struct screen *s, enum style style);
void style_err(struct buf *b, const struct screen *s, enum style style);

#endif
