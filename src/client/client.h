/* SPDX-License-Identifier: ISC */
/* surface(1), the customer's program: it asks the API over HTTPS with the customer's key. It links
 * src/base, src/json and src/wire, which hold no code of the server, and libcurl.
 *
 *   main.c        finds the command among those that COMMAND registered
 *   options.c     reads its options, which are rows of a table, and its words
 *   settings.c    key, URL and files of the customer
 *     |
 *   the command's function (search.c, lookup.c, ...)
 *     |  message.c  "surface: ..." on stderr
 *     |  api.c      sends a request and parses its answer; a refusal becomes a message and an exit status
 *     |    http.c   libcurl; waits for Retry-After, repeats a request whose connection broke
 *     |  print.c    documents: table, CSV or NDJSON
 *     v  screen.c   what a terminal can show, and what it must not receive
 *   stdout; messages go to stderr
 *
 * Everything that the API answers may have been written by a hostile host. No byte of it reaches a
 * terminal unless text_show (screen.h) or json_show (value.h) has escaped its control
 * characters. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/base.h"
#include "base/registry.h"
#include "client/screen.h"
#include "json/tree.h"

/* The exit status; surface(1) lists them under EXIT STATUS. */
enum surface_exit {
	DONE = 0,
	FAILED = 1,      /* a local failure: a file, the output, an answer that is not the API's */
	WRONG_USAGE = 2, /* wrong options or words; nothing was sent */
	WRONG_QUERY = 3, /* 400: the query or a parameter */
	NOT_FOUND = 4,   /* 404 */
	NOT_ALLOWED = 5, /* 401, 403, or there is no key */
	TRY_LATER = 6,   /* 429 or 503, and waiting did not help or would take too long */
	NO_ANSWER = 7,   /* the connection could not be made or broke again and again */
	FAILED_THERE = 8 /* any other refusal or failure of the API */
};

/* ---- the tables of commands and options ---- */

enum { WORDS_MAX = 64, OPTIONS_MAX = 24 };

enum option_kind {
	FLAG,
	NUMBER, /* from lo to hi */
	TEXT,
	PATH,   /* TEXT that completion completes as a file */
	FIELDS, /* TEXT that completion completes as names of fields with commas between them */
	FACETS, /* the same, of fields that can be aggregated */
};

struct option_row {
	const char *name; /* without the dashes; NULL: the end of the table */
	char letter;      /* -o; 0: none */
	enum option_kind kind;
	const char *value; /* "N", "FILE": the placeholder of the value */
	const char *help;
	int64_t lo, hi;
};

/* The first word of a command, for completion. */
enum first_word { WORD_ANY, WORD_DATASET, WORD_SHELL };

struct client;

/* A row has run or sub. */
struct command {
	const char *name;
	const char *arguments; /* the words, as in "DATASET [QUERY ...]"; NULL: none */
	const char *help;
	int (*run)(struct client *c); /* returns an exit status */
	const struct command *sub;    /* ends with a row without name */
	const struct option_row *options;
	size_t min, max; /* number of words */
	enum first_word first;
	bool offline; /* needs neither key nor URL */
};

#define COMMAND(id) REGISTER(client_commands, id)

/* The commands, sorted by name; NULL ends the list. */
const struct command *const *client_commands(void);
/* The options of every command. */
extern const struct option_row common_options[];

/* ---- one run ---- */

enum form {
	FORM_TABLE,
	FORM_NDJSON,
	FORM_CSV,
};

struct settings {
	struct str url; /* with /api/v1, without a slash at the end */
	struct str key;
	const char *cacert, *socket; /* NULL: the system's authorities; no Unix socket */
	struct str project;          /* without pointer: none */
};

struct client {
	struct arena *arena; /* until the program ends */
	struct arena *page;  /* until the next answer of a list is asked for */
	struct settings settings;
	struct screen screen;
	enum form form;
	const struct command *command;
	struct str path; /* "surface session create", for messages */
	struct str words[WORDS_MAX];
	size_t nwords;
	struct str given[2 * OPTIONS_MAX]; /* values of the options, in the order of the tables */
	struct str query;                  /* the query that positions in messages are about */
	void *curl;
	int64_t waited_ms;   /* for Retry-After, in this run */
	bool progress_drawn; /* the cursor of the terminal is in a line of progress.c */
};

/* ---- options.c ---- */

/* Reads the arguments behind the command's name; false after a message. */
bool options_read(struct client *c, int argc, char **argv) MUST_USE;
/* The value of an option of this command; without pointer: not given. A flag that is given has the
   value "". */
struct str option(const struct client *c, const char *name);
bool option_given(const struct client *c, const char *name);
int64_t option_number(const struct client *c, const char *name, int64_t otherwise);
/* The words from the given one on, with a blank between them. */
struct str words_joined(const struct client *c, size_t from);
/* Prints the usage of a command. */
void usage_print(const struct client *c, FILE *to);

/* ---- settings.c ---- */

/* Reads key, URL and the rest; an exit status after a message. */
int settings_read(struct client *c);
/* Appends the text of the configuration, or nothing if there is none; an exit status after a
   message. */
int settings_config(struct client *c, const char *path, struct buf *out);
/* DONE, or WRONG_USAGE after a message: the URL does not begin with https://. */
int settings_https(const struct client *c, struct str url);
/* A file of the customer's folder for surface, such as ~/.config/surfaced/key; NULL: there is no
   home. */
const char *settings_file(const struct client *c, const char *name);
const char *cache_file(const struct client *c, const char *name);

/* ---- message.c ---- */

/* Prints "surface: ..." on stderr and returns the status. */
int fail(const struct client *c, enum surface_exit status, const char *fmt, ...) PRINTF(3, 4);
/* Prints a line on stderr if that is a terminal: what the program waits for or has left out. */
void note(const struct client *c, const char *fmt, ...) PRINTF(2, 3);
/* Prints "surface: warning: ..." on stderr. */
void warn(const struct client *c, const char *fmt, ...) PRINTF(2, 3);

#endif
