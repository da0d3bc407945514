/* SPDX-License-Identifier: ISC */
/* The end of every reader: what becomes of a finished host, and of a fault in the file. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/json_values.h"

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

void
import_values(
    struct importer *im, void (*take)(void *arg, struct str text, uint64_t line), void *arg)
{
	enum json_values_next how;
	struct json_values v;
	struct str text;

	json_values_open(&v, im->src, NULL);
	while (!im->stop && (how = json_values_next(&v, &text)) != JSON_VALUES_END) {
		if (how == JSON_VALUE) {
			take(arg, text, v.line);
			arena_reset(im->arena);
			continue;
		}
		im->read++;
		if (how == JSON_VALUE_TOO_LONG)
			import_bad(im, v.line, "the record is longer than %d bytes", IMPORT_LINE);
		else
			import_bad(im, v.line, "no valid JSON: the record does not end");
	}
	json_values_close(&v);
}
