/* SPDX-License-Identifier: ISC */
/* surfacectl(8): one command is one file and one row of main.c's table. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "access/cursor.h"
#include "access/key.h"
#include "access/scope.h"
#include "address/webhook.h"
#include "db/db.h"
#include "resource/country.h"

enum cli_exit {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_NO_DATABASE = 4,
};

struct cli {
	struct db *db; /* of the configuration or --database; connects when first used */
	const char *conninfo; /* what db was opened with, for programs that are started */
	struct arena *arena;  /* for the whole run */
	bool json;            /* --json: one JSON object on stdout instead of text */
	bool wide;            /* --wide: every column of a list */
	const char *narrow;   /* of the command: see there */
	struct str actor;     /* "os:NAME", for the audit */
	const char *path; /* "surfacectl keys create": what usage messages begin with */
};

/* Whose UUID is the first parameter of a command that is a statement. */
enum cli_of {
	OF_NOTHING,
	OF_ACCOUNT,      /* --account */
	OF_PROJECT,      /* --project */
	OF_ACCOUNT_WORD, /* the first word names it */
	OF_UUID_WORD,    /* the first word is it */
};

enum { COMMAND_TEXTS = 3 };

/* run gets argv[0] = the command's name, as getopt_long wants it, and returns an exit status. A row
   with sub has no run: its first argument selects a row of sub. Nor has one with st: its parameters are
   the UUID, the other words, whether the flag was said, and the texts. */
struct command {
	const char *name;
	const char *arguments; /* "--account UUID NAME": of the usage line */
	const char *help;
	int (*run)(struct cli *c, int argc, char **argv);
	const struct command *sub; /* ends with a row without name */

	/* Both STMT_LIST, with the same parameters. */
	const struct stmt *first; /* NULL, or what must find one row before */
	const char
	    *refused; /* NULL, or what is wrong when that row, a boolean, is false */
	const struct stmt *st;
	const char *lists, *prints; /* all rows, or one; and what --json calls them */
	enum cli_of of;
	size_t words;
	const char *flag;                 /* an option; NULL: none */
	const char *texts[COMMAND_TEXTS]; /* options with a value, null when not said */
	const char
	    *narrow; /* "uuid name": the columns of its list without --wide; NULL: all */
};

/* The commands in their order; NULL after the last. */
const struct command *cli_commands(size_t i);

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

/* ---- statement.c: a statement (STMT_LIST), and what it returns printed ---- */

/* said: what the message is about when it fails. */
int cli_one_row(struct cli *c, const char *name, const struct stmt *st, const char *said,
    struct db_args args);
int cli_rows(struct cli *c, const char *name, const struct stmt *st, struct db_args args);
int cli_statement(struct cli *c, const struct command *cmd, int argc, char **argv);

#define cli_one(c, name, st, said, ...)                                                  \
	cli_one_row((c), (name), (st), (said), DB_ARGS(__VA_ARGS__))

/* ---- accounts.c: for commands that work on one account, which may be said by name or UUID ---- */

/* EXIT_OK, or the status to return after a message. */
int cli_account(struct cli *c, struct str said, struct uuid *out);
/* Scopes of a --scope list, "all" among them or not, checked: false after a message. */
bool cli_scopes(struct cli *c, struct cli_list said, struct strs *out) MUST_USE;

/* ---- projects.c: for commands that work on one project, which --project said by UUID ---- */

int cli_project(struct cli *c, struct str said, struct uuid *out);

/* ---- migrate.c: for doctor and restore; all return EXIT_OK or a status after a message ---- */

/* How many files of dir the database has not had, and the last one's number. */
int migrate_pending(struct cli *c, const char *dir, int64_t *pending, int64_t *version);
/* Brings the database up to date, and prints nothing. */
int migrate_rest(struct cli *c, const char *dir);
/* The number of dir's last file; false after a message. */
bool migrate_newest(struct cli *c, const char *dir, int64_t *version) MUST_USE;

struct migrate_role {
	struct str name;
	bool login;
};

/* A struct migrate_role for each that roles.sql makes. */
int migrate_roles(struct cli *c, const char *dir, struct list *out);

/* ---- the commands ---- */

extern const struct command migrate_command, groups_command, accounts_command,
    members_command, projects_command, keys_command, entitlements_command, tags_command,
    audit_command, limits_command, usage_command, top_command, sessions_command,
    routes_command, secret_command, stream_keys_command, watch_command, backup_command,
    restore_command, rules_command, destinations_command, alerts_command,
    deliveries_command, import_command, workers_command, doctor_command, browser_command,
    completion_command;

/* Rows of import_command. */
int import_assets(struct cli *c, int argc, char **argv);
int import_services(struct cli *c, int argc, char **argv);
int import_findings(struct cli *c, int argc, char **argv);

#endif
