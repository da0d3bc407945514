/* SPDX-License-Identifier: ISC */
/* The lists of extraction (report_lists.h). Rows are in the memory of the call; an import, which
   makes many calls, copies them once. */
#include "config.h"

#include "resource/report_lists.h"

#include "base/limits.h"
#include "resource/report_document.h"

enum { LISTS_BYTES = 1 << 30, NAMES = 100, LISTED_TECHNIQUES = 200, LISTED_CVES = 500 };

static const struct field alias_out[] = {
	FIELD(struct extract_alias, kind, 0),
	FIELD(struct extract_alias, name, 0),
	FIELD(struct extract_alias, alias, 0),
	FIELD(struct extract_alias, ambiguous, 0),
	FIELD_END,
};

static const struct field benign_out[] = {
	FIELD(struct extract_benign, list, 0),
	FIELD(struct extract_benign, type, 0),
	FIELD(struct extract_benign, value, 0),
	FIELD_END,
};

STMT_LIST(lists_aliases, struct extract_alias, alias_out,
    "SELECT kind, name, alias, ambiguous FROM vocabulary ORDER BY alias COLLATE \"C\", kind, name");

STMT_LIST(lists_benign, struct extract_benign, benign_out,
    "SELECT list, type, value FROM benign_entry ORDER BY type COLLATE \"C\", value COLLATE \"C\", "
    "list");

enum db_rc
report_lists_read(struct db *db, struct report_lists *lists)
{
	struct list aliases, benign;
	enum db_rc rc = db_rows(db, &lists_aliases, &aliases, DB_NO_ARGS);

	if (rc == DB_OK)
		rc = db_rows(db, &lists_benign, &benign, DB_NO_ARGS);
	if (rc == DB_OK)
		*lists = (struct report_lists){ .aliases = aliases.items,
			.naliases = aliases.n,
			.benign = benign.items,
			.nbenign = benign.n };
	return rc;
}

enum db_rc
report_lists_load(struct db *db, struct report_lists *lists)
{
	struct report_lists read;
	struct extract_alias *aliases;
	struct extract_benign *benign;
	enum db_rc rc;

	if (lists->a != NULL)
		return DB_OK;
	rc = report_lists_read(db, &read);
	if (rc != DB_OK)
		return rc;
	lists->a = arena_new(LISTS_BYTES);
	aliases = ARENA_ARRAY(lists->a, read.naliases, struct extract_alias);
	for (size_t i = 0; i < read.naliases; i++)
		aliases[i] = (struct extract_alias){ arena_str(lists->a, read.aliases[i].kind),
			arena_str(lists->a, read.aliases[i].name),
			arena_str(lists->a, read.aliases[i].alias), read.aliases[i].ambiguous };
	benign = ARENA_ARRAY(lists->a, read.nbenign, struct extract_benign);
	for (size_t i = 0; i < read.nbenign; i++)
		benign[i] = (struct extract_benign){ arena_str(lists->a, read.benign[i].list),
			arena_str(lists->a, read.benign[i].type),
			arena_str(lists->a, read.benign[i].value) };
	lists->aliases = aliases;
	lists->naliases = read.naliases;
	lists->benign = benign;
	lists->nbenign = read.nbenign;
	return DB_OK;
}

void
report_lists_free(struct report_lists *lists)
{
	if (lists->a != NULL)
		arena_free(lists->a);
	*lists = (struct report_lists){ 0 };
}

/* ---- extraction ---- */

/* The lists of the report get the names, techniques and CVE numbers of the text. */
static void
list_found(struct arena *a, struct report_document *doc)
{
	for (size_t i = 0; i < doc->nnames; i++) {
		struct str kind = doc->names[i].kind;
		struct strs *list = str_is(kind, "actor")     ? &doc->threat_actors
				    : str_is(kind, "sector")  ? &doc->sectors
				    : str_is(kind, "country") ? &doc->countries
							      : &doc->malware_families;

		arena_add_once(a, list, doc->names[i].name, NAMES);
	}
	for (size_t i = 0; i < doc->n; i++) {
		if (str_is(doc->indicators[i].type, "technique"))
			arena_add_once(
			    a, &doc->techniques, doc->indicators[i].value, LISTED_TECHNIQUES);
		if (str_is(doc->indicators[i].type, "cve"))
			arena_add_once(a, &doc->cves, doc->indicators[i].value, LISTED_CVES);
	}
}

void
report_lists_extract(struct arena *a, const struct report_lists *lists, struct report_document *doc)
{
	struct extract_input in = { .text = doc->text,
		.url = doc->url,
		.publisher = doc->publisher,
		.aliases = lists->aliases,
		.naliases = lists->naliases,
		.benign = lists->benign,
		.nbenign = lists->nbenign };
	struct extract_output out;

	if (doc->text.p == NULL)
		return;
	out = extract(a, &in);
	doc->indicators = out.indicators;
	doc->n = out.n;
	doc->truncated = out.truncated;
	doc->names = out.names;
	doc->nnames = out.nnames;
	list_found(a, doc);
}
