/* SPDX-License-Identifier: ISC */
/* The part of surfacectl migrate that SQL cannot do: reports of the earlier release get their
   rows. */
#include "config.h"

#include "cli/cli.h"
#include "cli/migrate.h"
#include "resource/report_store.h"

enum { SCRATCH = 1 << 30 };

struct has_tables {
	bool has;
};

static const struct field has_tables_out[] = { FIELD(struct has_tables, has, 0), FIELD_END };

STMT(has_reports, has_tables_out,
    "SELECT to_regclass('report') IS NOT NULL AND to_regprocedure('report_put(jsonb, text, jsonb,"
    " jsonb, bytea, text)') IS NOT NULL AS has");

int
migrate_reports(struct cli *c)
{
	struct arena *a = arena_new(SCRATCH);
	struct has_tables t;
	int64_t adopted;
	enum db_rc rc = db_one_row(c->db, &has_reports, &t, DB_NO_ARGS);

	if (rc == DB_OK && t.has)
		rc = report_adopt(c->db, a, &adopted);
	db_use(c->db, c->arena, 0);
	arena_free(a);
	return rc == DB_OK ? EXIT_OK : cli_fail_db(c, rc, "reports of the earlier release");
}
