/* SPDX-License-Identifier: ISC */
/* The text of a PDF, made of its words and their places, as pdftotext -raw -bbox writes them. Pure.
 *
 * A PDF has no lines and no cells, only words at places. The order in which a program draws them
 * keeps the lines of a cell together, and the places tell the rest:
 *
 *     a gap in a line            two blanks, as between the columns of a table
 *     a gap between lines        a blank line
 *     the same line on pages     a running head or foot, which is left out
 *     a value that its column    one word again:     hxxps://lumen-
 *     has broken                                     sable19[.]site/pan     has three lines
 *                                                    el
 */
#ifndef CLI_REPORT_PDF_TEXT_H
#define CLI_REPORT_PDF_TEXT_H

#include "base/base.h"

struct str pdf_text(struct arena *a, struct str words);

#endif
