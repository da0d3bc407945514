/* SPDX-License-Identifier: ISC */
/* The reader of the native format: one host document on each line. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/source.h"

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
