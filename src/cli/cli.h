/* SPDX-License-Identifier: ISC */
/* surfacectl(8), the administrator's program. It works on the database directly; doctor,
 * browser-check, workers and top also look at this host, and watch calls the API.
 *
 *   main.c        global options; finds the command among those that COMMAND registered
 *     |
 *     +-- row with sub         the next word selects a row of sub
 *     +-- row with st          statement.c: words and options become the parameters of one SQL statement, and
 *     |                        print.c prints its rows
 *     +-- row with run         a function: options.c parses the arguments
 *
 * Most commands are rows with st, so that a new command needs a statement and a row but no code. A
 * function is left where a command reads a file, prints a secret or needs more than one
 * transaction.
 *
 * Output has two forms. Text is for people and may change; --json prints one object and is an
 * interface. Both come from the same field table. Messages go to stderr, and the exit status (enum
 * cli_exit) lets a script distinguish a wrong argument from a missing object and from a missing
 * database. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "access/cursor.h"
#include "access/key.h"
#include "access/scope.h"
#include "address/webhook.h"
#include "cli/fail.h"
#include "db/db.h"
#include "resource/country.h"

/* The script of Debian's package that prepares PostgreSQL on this host. */
#define SETUP PKGDATADIR "/setup-postgresql"

struct cli {
	struct db *db;        /* from --database or the configuration; connects when first used */
	const char *conninfo; /* the connection string of db, for child processes */
	struct arena *arena;  /* memory until the program exits */
	bool json;            /* --json: one JSON object on stdout instead of text */
	bool wide;            /* --wide: every column of a list */
	const char *narrow;   /* struct command's narrow */
	struct str actor;     /* "os:NAME", for the audit */
	const char *path;     /* "surfacectl keys create", for usage messages */
};

/* The object whose UUID is the first parameter of a row's statement. */
enum cli_of {
	OF_NOTHING,
	OF_ACCOUNT,      /* --account */
	OF_PROJECT,      /* --project */
	OF_ACCOUNT_WORD, /* the first word is an account's name or UUID */
	OF_UUID_WORD,    /* the first word is the UUID */
};

enum { COMMAND_TEXTS = 3 };

/* A row has one of run, sub and st. run gets argv[0] = the command's name and returns an exit
   status. The parameters of st are the UUID of `of`, the other words, the flag as a boolean, and
   the texts. */
struct command {
	const char *name;
	const char *arguments; /* the rest of the usage line: "--account UUID NAME" */
	const char *help;
	int (*run)(struct cli *c, int argc, char **argv);
	const struct command *sub;                    /* ends with a row without name */
	void (*more_help)(const struct command *cmd); /* prints behind --help; NULL: nothing */
	/* NULL, or called when a command of `sub` has ended with the status. */
	void (*ended)(struct cli *c, const struct command *cmd, int status);

	/* first and st are STMT_LIST and have the same parameters. */
	const struct stmt *first; /* NULL, or a statement that must return a row before st runs */
	const char *refused;      /* NULL, or the message when the row of first is false */
	const struct stmt *st;
	const char *lists, *prints; /* the member of --json for all rows, or for the only row */
	enum cli_of of;
	size_t words;
	const char *flag;                 /* an option; NULL: none */
	const char *texts[COMMAND_TEXTS]; /* options with a value; null if absent */
	const char *narrow; /* "uuid name": the columns of a list without --wide; NULL: all */
};

/* Makes a command one of surfacectl's own; its file needs no other place in the program. */
#define COMMAND(id) REGISTER(commands, id)

/* The commands, sorted by name; NULL ends the list. */
const struct command *const *cli_commands(void);

/* ---- options.c: arguments of one command ---- */

struct cli_list {
	struct str *p; /* in the arena */
	size_t n;
};

/* An option "--name value" or "--name=value". One of text, list, flag, time and past is set and
   gets the value: a flag has none, a list collects repetitions, and a time is RFC 3339, YYYY-MM-DD
   or a distance from now on (90d, 12h), for past a distance back from now. */
struct cli_option {
	const char *name; /* NULL: the end of the table */
	struct str *text;
	struct cli_list *list;
	bool *flag;
	struct ts *time, *past;
};

/* Parses the arguments; words gets min to max arguments that are not options, and --json is always
   allowed. False after a message: the caller returns EXIT_USAGE. */
bool cli_options(struct cli *c, int argc, char **argv, const struct cli_option *options,
    struct cli_list *words, size_t min, size_t max) MUST_USE;

/* ---- print.c: records by field table, as text or as JSON ---- */

/* {"name": [...]}, or a table with a heading. size: of one item. */
int cli_print_list(const struct cli *c, const char *name, const struct field *fields,
    struct list list, size_t size);
/* {"name": {...}}, or one line for each member. */
int cli_print(
    const struct cli *c, const char *name, const struct field *fields, const void *record);

/* Run a statement (STMT_LIST) and print its rows. given: the argument of the command, which a
   message names if there is no row. */
int cli_one_row(
    struct cli *c, const char *name, const struct stmt *st, const char *given, struct db_args args);
int cli_rows(struct cli *c, const char *name, const struct stmt *st, struct db_args args);

#define cli_one(c, name, st, given, ...)                                                           \
	cli_one_row((c), (name), (st), (given), DB_ARGS(__VA_ARGS__))

/* ---- statement.c: commands that are one statement ---- */

int cli_statement(struct cli *c, const struct command *cmd, int argc, char **argv);

/* ---- accounts.c: for commands that work on an account, given by name or UUID ---- */

/* EXIT_OK, or the status to return after a message. */
int cli_account(struct cli *c, struct str given, struct uuid *out);
/* Checks the scopes of a --scope list and expands "all"; false after a message. */
bool cli_scopes(struct cli *c, struct cli_list given, struct strs *out) MUST_USE;

/* ---- projects.c: for commands that work on a project, given by --project as a UUID ---- */

int cli_project(struct cli *c, struct str given, struct uuid *out);

/* ---- import/ ---- */

/* The functions behind the rows of import_command. */
int import_assets(struct cli *c, int argc, char **argv);
int import_takeovers(struct cli *c, int argc, char **argv);
int import_cloud_prefixes(struct cli *c, int argc, char **argv);
int import_services(struct cli *c, int argc, char **argv);
int import_findings(struct cli *c, int argc, char **argv);
int import_content(struct cli *c, int argc, char **argv);

#endif
