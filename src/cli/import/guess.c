/* SPDX-License-Identifier: ISC */
/* Guesses the format of a file, for imports without --format. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/source.h"

static bool
contains(struct str s, struct str part)
{
	return memmem(s.p, s.n, part.p, part.n) != NULL;
}

/* Guesses the format from the first bytes, after a byte order mark and blanks:

     <                                    nmap's XML
     [                                    masscan's array
     { with "timestamp" or "rec_type"     masscan, one object on each line; no member of ours has these names
     any other {                          our own documents
     nothing at all                       our own format: an empty file has no hosts in any

   Only the first line of an object is searched, because later lines may hold any text. */
import_reader *
import_guess(struct source *s)
{
	struct str head = source_peek(s);
	const char *nl;

	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){ head.p + 3, head.n - 3 };
	while (head.n > 0 &&
	       (head.p[0] == ' ' || head.p[0] == '\t' || head.p[0] == '\r' || head.p[0] == '\n'))
		head = (struct str){ head.p + 1, head.n - 1 };
	if (head.n == 0)
		return import_ndjson; /* an empty file has no hosts in any format */
	if (head.p[0] == '<')
		return import_nmap;
	if (head.p[0] == '[')
		return import_masscan;
	if (head.p[0] != '{')
		return NULL;
	nl = memchr(head.p, '\n', head.n);
	if (nl != NULL)
		head.n = (size_t)(nl - head.p);
	if (contains(head, STR("\"timestamp\"")) || contains(head, STR("\"rec_type\"")))
		return import_masscan;
	return import_ndjson;
}
