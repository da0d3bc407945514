/* SPDX-License-Identifier: ISC */
/* surfacectl exports: the exports that were requested with keys. surfaced-export writes their
   files. */
#include "config.h"

#include "cli/cli.h"
#include "resource/export.h"

STMT_LIST(list_exports, struct export, export_out,
    "SELECT " EXPORT_COLUMNS " FROM search_export WHERE account_uuid = $1"
    " AND ($2::text IS NULL OR state = $2) ORDER BY created_at DESC, uuid LIMIT 1000");

STMT_LIST(show_export, struct export, export_out,
    "SELECT " EXPORT_COLUMNS " FROM search_export WHERE uuid::text = lower($1)");

struct cancelled {
	bool was;
};

static const struct field cancelled_out[] = { FIELD(struct cancelled, was, 0), FIELD_END };

STMT_LIST(cancel_export, struct cancelled, cancelled_out,
    "SELECT export_cancel(uuid, NULL) IS NOT NULL AS was FROM search_export"
    " WHERE uuid::text = lower($1)");

static const struct command subs[] = {
	{ "list", "--account ACCOUNT [--state STATE]", "the newest", .st = &list_exports,
	    .lists = "exports", .of = OF_ACCOUNT, .texts = { "state" },
	    .narrow = "uuid dataset query state total written bytes created_at error" },
	{ "show", "UUID", "one", .st = &show_export, .prints = "export", .words = 1 },
	{ "cancel", "UUID", "stop one, or remove the file of a complete one",
	    .first = &cancel_export, .st = &show_export, .prints = "export", .words = 1 },
	{ NULL },
};

static const struct command exports_command = { "exports",
	.help = "files of search results that keys have asked for", .sub = subs };

COMMAND(exports_command);
