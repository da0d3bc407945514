/* SPDX-License-Identifier: ISC */
/* The functions that all readers share, and the reader of the native format: one host document on each line. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/source.h"

void
import_bad(struct importer *im, uint64_t line, const char *fmt, ...)
{
	char what[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (n < 0)
		panic("vsnprintf failed");
	/* the message may quote the file, which must not control the terminal */
	for (char *c = what; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	im->bad(im->arg, line, str_of(what));
}

/* The end of every reader: a host that passes goes on to pipe.c, any other is
   reported with the line where it begins. The size is checked here on the printed
   document, because no bound on single members bounds their sum. im->doc is the
   one buffer of the importer: the callback must copy the document before it
   returns. */
void
import_emit(struct importer *im, struct import_host *h, enum import_manner manner, uint64_t line)
{
	struct str what;

	if (!import_host_finish(im->arena, h, manner, &what)) {
		import_bad(im, line, "%.*s", (int)what.n, what.p);
		return;
	}
	if (im->enrich != NULL)
		import_enrich(im->enrich, im->arena, h);
	buf_clear(&im->doc);
	import_host_print(&im->doc, h);
	if (im->doc.n > IMPORT_DOCUMENT) {
		import_bad(im, line, "the host is larger than %d bytes", IMPORT_DOCUMENT);
		return;
	}
	im->host(im->arg, h, buf_done(&im->doc));
}

static void
handle_document(struct importer *im, struct str line)
{
	struct import_host h = { .ip = STR_NULL };
	struct json_fault fault;
	struct json_value *v;
	struct str what;

	if (!json_scan(im->arena, line, IMPORT_DEPTH, &fault)) {
		import_bad(
		    im, im->src->line, "no valid JSON at byte %zu: %s", fault.at + 1, fault.what);
		return;
	}
	v = json_parse(im->arena, line);
	if (v == NULL) {
		import_bad(im, im->src->line, "no valid JSON");
		return;
	}
	if (!import_host_read(im->arena, v, &h, &what)) {
		import_bad(im, im->src->line, "%.*s", (int)what.n, what.p);
		return;
	}
	import_emit(im, &h, IMPORT_EXACT, im->src->line);
}

static bool
is_blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	return true;
}

void
import_ndjson(struct importer *im)
{
	struct str line;

	while (!im->stop) {
		switch (source_line(im->src, &line)) {
		case SOURCE_END:
			return;
		case SOURCE_TOO_LONG:
			im->read++;
			import_bad(
			    im, im->src->line, "the line is longer than %d bytes", IMPORT_LINE);
			break;
		case SOURCE_LINE:
			if (is_blank(line))
				break;
			im->read++;
			handle_document(im, line);
			arena_reset(im->arena);
			break;
		}
	}
}

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
	       (is_blank((struct str){ head.p, 1 }) || head.p[0] == '\r' || head.p[0] == '\n'))
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
