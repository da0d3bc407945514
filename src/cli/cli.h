/* SPDX-License-Identifier: ISC */
/* surfacectl(8): one command is one file and one row of main.c's table. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "core/core.h"

enum cli_exit {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_NO_DATABASE = 4,
};

struct cli {
	struct db *db; /* of the configuration or --database; connects when first used */
	struct arena *arena; /* for the whole run */
	bool json;           /* --json: one JSON object on stdout instead of text */
	struct str actor;    /* "os:NAME", for the audit */
	const char *path; /* "surfacectl keys create": what usage messages begin with */
};

/* run gets argv[0] = the command's name, as getopt_long wants it, and returns an exit status. A row
   with sub has no run: its first argument selects a row of sub. */
struct command {
	const char *name;
	const char *arguments; /* "--account UUID NAME": of the usage line */
	const char *help;
	int (*run)(struct cli *c, int argc, char **argv);
	const struct command *sub; /* ends with a row without name */
};

/* A message on stderr, "surfacectl: ...", and the status to return. */
int cli_fail(enum cli_exit status, const char *fmt, ...) PRINTF(2, 3);
/* From now on messages of cli_fail go there instead; NULL: to stderr again. */
void cli_catch(struct buf *into);
int cli_usage(const struct cli *c, const char *fmt, ...) PRINTF(2, 3);
/* Says what the database said; DB_DOWN is EXIT_NO_DATABASE, DB_NONE EXIT_NOT_FOUND. */
int cli_fail_db(const struct cli *c, enum db_rc rc, const char *what);

/* ---- options.c: arguments of one command ---- */

struct cli_list {
	struct str *p; /* in the arena */
	size_t n;
};

/* "--name value" or "--name=value" into the one member that is set; a flag takes no value. A list
   collects repetitions. A time is RFC 3339, YYYY-MM-DD or a distance from now: 90d, 12h. */
struct cli_option {
	const char *name; /* NULL: the end of the table */
	struct str *text;
	struct cli_list *list;
	bool *flag;
	struct ts *time;
};

/* False after a message: return EXIT_USAGE. words gets min to max arguments that are no options.
   --json is understood everywhere. */
bool cli_options(struct cli *c, int argc, char **argv, const struct cli_option *options,
    struct cli_list *words, size_t min, size_t max) MUST_USE;

/* ---- print.c: records by field table, as text or as JSON ---- */

/* {"name": [...]}, or a table with a heading. size: of one item. */
int cli_print_list(const struct cli *c, const char *name, const struct field *fields,
    struct list list, size_t size);
/* {"name": {...}}, or a line a member. */
int cli_print(const struct cli *c, const char *name, const struct field *fields,
    const void *record);

/* ---- account.c: for commands that work on one account, which may be said by name or UUID ---- */

/* EXIT_OK, or the status to return after a message. */
int cli_account(struct cli *c, struct str said, struct uuid *out);

/* ---- projects.c: for commands that work on one project, which --project said by UUID ---- */

int cli_project(struct cli *c, struct str said, struct uuid *out);

/* Scopes of a --scope list, "all" among them or not, checked: false after a message. */
bool cli_scopes(struct cli *c, struct cli_list said, struct strs *out) MUST_USE;

/* ---- migrate.c: for doctor ---- */

/* How many files of dir the database has not had, and the last one's number; EXIT_OK or a status after
   a message. */
int migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version);

/* ---- the commands ---- */

extern const struct command migrate_command, groups_command, accounts_command,
    members_command, projects_command, keys_command, entitlements_command, tags_command,
    audit_command, limits_command, usage_command, top_command, sessions_command,
    routes_command, rules_command, destinations_command, alerts_command,
    deliveries_command;

/* Rows of import_command. */
int import_assets(struct cli *c, int argc, char **argv);
int import_services(struct cli *c, int argc, char **argv);
int import_findings(struct cli *c, int argc, char **argv);

/* Of files that a build may leave out. */
extern const struct command import_command __attribute__((weak));
extern const struct command workers_command __attribute__((weak));
extern const struct command doctor_command;

#endif
