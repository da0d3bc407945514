/* SPDX-License-Identifier: ISC */
/* The reader of the native format: host documents as JSON (json_values.h). */
#include "config.h"

#include "cli/import/import.h"

static void
handle_document(struct importer *im, struct str text, uint64_t line)
{
	struct import_host h = { .ip = STR_NULL };
	struct json_fault fault;
	struct json_value *v;
	struct str what;

	if (!json_scan(im->arena, text, IMPORT_DEPTH, &fault)) {
		import_bad(im, line, "no valid JSON at byte %zu: %s", fault.at + 1, fault.what);
		return;
	}
	v = json_parse(im->arena, text);
	if (v == NULL)
		import_bad(im, line, "no valid JSON");
	else if (!import_host_read(im->arena, v, &h, &what))
		import_bad(im, line, "%.*s", (int)what.n, what.p);
	else
		import_emit(im, &h, IMPORT_EXACT, line);
}

static void
take_document(void *arg, struct str text, uint64_t line)
{
	struct importer *im = arg;

	im->read++;
	handle_document(im, text, line);
}

void
import_ndjson(struct importer *im)
{
	import_values(im, take_document, im);
}
