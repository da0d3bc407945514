/* SPDX-License-Identifier: ISC */
/* surfacectl(8): global options, the table of commands, and help. */
#include "config.h"

#include "cli/cli.h"
#include "daemon/conf.h"

#include <errno.h>
#include <pwd.h>
#include <unistd.h>

enum { ARENA_CAP = 1 << 30, WORD_MAX = 200, COMMANDS_MAX = 100 };

REGISTRY(const struct command, commands);

const struct command *const *
cli_commands(void)
{
	static const struct command *sorted[COMMANDS_MAX + 1];
	size_t n = (size_t)(commands_end - commands_first);

	if (n > COMMANDS_MAX)
		panic("more than %d commands", COMMANDS_MAX);
	if (sorted[0] == NULL)
		registry_sort(commands_first, n, sorted);
	return sorted;
}

static void
print_help_row(const struct command *cmd)
{
	printf("  %s%s%s%s\n", cmd->name, cmd->arguments != NULL ? " " : "",
	    cmd->arguments != NULL ? cmd->arguments : "", cmd->sub != NULL ? " ..." : "");
	if (cmd->help != NULL)
		printf("        %s\n", cmd->help);
}

static int
print_help(void)
{
	puts("usage: surfacectl [-c FILE] [--database CONNINFO] [--json] [--wide] COMMAND "
	     "...\n\ncommands:");
	for (const struct command *const *cmd = cli_commands(); *cmd != NULL; cmd++)
		print_help_row(*cmd);
	puts("\n\"surfacectl COMMAND --help\" lists what a command does; surfacectl(8) "
	     "says it all.");
	return EXIT_OK;
}

static int
print_sub_help(const char *path, const struct command *cmd)
{
	printf("usage: %s COMMAND ...\n\ncommands:\n", path);
	for (const struct command *sub = cmd->sub; sub->name != NULL; sub++)
		print_help_row(sub);
	if (cmd->more_help != NULL)
		cmd->more_help(cmd);
	return EXIT_OK;
}

static bool
asks_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static struct str
os_actor(struct arena *a)
{
	struct passwd *pw = getpwuid(getuid());

	if (pw != NULL)
		return arena_printf(a, "os:%s", pw->pw_name);
	return arena_printf(a, "os:%u", (unsigned)getuid());
}

/* The requested sub-command; NULL after a message or help: the caller returns *status. */
static const struct command *
find_sub(const struct cli *c, const struct command *cmd, int argc, char **argv, int *status)
{
	struct cli usage = { .path = arena_printf(c->arena, "%s COMMAND ...", c->path).p };
	struct guess g;

	if (argc < 2) {
		*status = cli_usage(&usage, "%s: which command? Try --help.", cmd->name);
		return NULL;
	}
	if (asks_help(argv[1])) {
		*status = print_sub_help(c->path, cmd);
		return NULL;
	}
	for (const struct command *sub = cmd->sub; sub->name != NULL; sub++)
		if (strcmp(sub->name, argv[1]) == 0)
			return sub;
	guess_begin(&g, str_of(argv[1]));
	for (const struct command *sub = cmd->sub; sub->name != NULL; sub++)
		guess_try(&g, str_of(sub->name), sub->name);
	*status = cli_usage(&usage, "%s has no command %.*s; %s%s%s", cmd->name, WORD_MAX, argv[1],
	    g.found == NULL ? "" : "did you mean ", g.found == NULL ? "" : g.found,
	    g.found == NULL ? "try --help" : "?");
	return NULL;
}

/* Walks down the tables of sub-commands, one word of the command line for each
   level, and builds the usage line on the way: "surfacectl", "surfacectl keys",
   "surfacectl keys create --account ...". A row at the end has either a statement
   or a function. --help works at each level and needs no database, since db_open
   connects only with the first statement. */
static int
run_command(struct cli *c, const struct command *cmd, int argc, char **argv)
{
	const struct command *group = NULL;
	int status = EXIT_OK;

	while (cmd->sub != NULL) {
		group = cmd;
		cmd = find_sub(c, cmd, argc, argv, &status);
		if (cmd == NULL)
			return status;
		c->path = arena_printf(c->arena, "%s %s", c->path, cmd->name).p;
		argc--;
		argv++;
	}
	if (cmd->arguments != NULL)
		c->path = arena_printf(c->arena, "%s %s", c->path, cmd->arguments).p;
	if (argc == 2 && asks_help(argv[1])) {
		printf("usage: %s\n%s\n", c->path, cmd->help);
		if (cmd->more_help != NULL)
			cmd->more_help(cmd);
		return EXIT_OK;
	}
	c->narrow = cmd->narrow;
	status = cmd->st != NULL ? cli_statement(c, cmd, argc, argv) : cmd->run(c, argc, argv);
	if (group != NULL && group->ended != NULL)
		group->ended(c, cmd, status);
	return status;
}

/* The command with the most similar name; NULL: none is similar. */
static const char *
nearest_command(const char *name)
{
	struct guess g;

	guess_begin(&g, str_of(name));
	for (const struct command *const *cmd = cli_commands(); *cmd != NULL; cmd++)
		guess_try(&g, str_of((*cmd)->name), (*cmd)->name);
	return g.found;
}

static const struct command *
find_command(const char *name)
{
	for (const struct command *const *cmd = cli_commands(); *cmd != NULL; cmd++)
		if (strcmp((*cmd)->name, name) == 0)
			return *cmd;
	return NULL;
}

struct globals {
	const char *file, *database;
	bool json, wide, help, version;
};

/* The index of the command in argv; negative: the index of a wrong option. */
static int
read_globals(int argc, char **argv, struct globals *g)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--json") == 0)
			g->json = true;
		else if (strcmp(argv[i], "--wide") == 0)
			g->wide = true;
		else if (asks_help(argv[i]))
			g->help = true;
		else if (strcmp(argv[i], "-V") == 0 || strcmp(argv[i], "--version") == 0)
			g->version = true;
		else if (strcmp(argv[i], "-c") == 0 && i + 1 < argc)
			g->file = argv[++i];
		else if (strcmp(argv[i], "--database") == 0 && i + 1 < argc)
			g->database = argv[++i];
		else if (strncmp(argv[i], "--database=", 11) == 0)
			g->database = argv[i] + 11;
		else
			return -i;
	}
	return i;
}

static const char *
find_default_file(void)
{
	static const char file[] = SYSCONFDIR "/surfacectl.conf";

	return access(file, F_OK) == 0 ? file : NULL;
}

/* Reads public_url from surfaced.conf beside the file of surfacectl, unless the file of surfacectl
   sets it: the address of nginx is configured for the API. A fault of that file is reported by
   doctor. */
static void
borrow_public_url(struct arena *a, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *path =
	    arena_printf(a, "%.*ssurfaced.conf", slash == NULL ? 0 : (int)(slash + 1 - file), file)
		.p;
	struct conf own = conf, other;
	char err[512];

	if (conf.public_url[0] != '\0' || access(path, R_OK) != 0 ||
	    !conf_load("surfaced", path, err, sizeof(err)))
		return;
	other = conf;
	conf = own;
	conf.public_url = other.public_url;
	other.public_url = own.public_url;
	conf_free(&other);
}

static int
start_command(struct globals *g, int argc, char **argv)
{
	struct cli c = { .json = g->json, .wide = g->wide, .path = "surfacectl" };
	const struct command *cmd = find_command(argv[0]);
	char err[512];
	int status;

	if (cmd == NULL) {
		const char *guess = nearest_command(argv[0]);

		return cli_fail(EXIT_USAGE, "there is no command %.*s; %s%s%s", WORD_MAX, argv[0],
		    guess == NULL ? "" : "did you mean ", guess == NULL ? "" : guess,
		    guess == NULL ? "try surfacectl --help" : "?");
	}
	if (!conf_load(
		"surfacectl", g->file != NULL ? g->file : find_default_file(), err, sizeof(err)))
		return cli_fail(EXIT_FAILED, "%s", err);
	c.arena = arena_new(ARENA_CAP);
	borrow_public_url(c.arena, g->file != NULL ? g->file : SYSCONFDIR "/surfacectl.conf");
	c.actor = os_actor(c.arena);
	c.path = arena_printf(c.arena, "surfacectl %s", cmd->name).p;
	c.conninfo = g->database != NULL ? g->database : conf.database;
	c.db = db_open(c.conninfo, "surfacectl");
	db_use(c.db, c.arena, 0);
	db_quiet(c.db);
	/* The audit log names the operating system's user and not the database role. A setting of
	   the session is no proof: an administrator with a login to the database can set any
	   name. */
	db_setting(c.db, "surfaced.actor", c.actor);
	status = run_command(&c, cmd, argc, argv);
	db_close(c.db);
	arena_free(c.arena);
	if (fflush(stdout) != 0 && status == EXIT_OK)
		return cli_fail(EXIT_FAILED, "cannot write the output: %s", strerror(errno));
	if (ferror(stdout) && status == EXIT_OK) /* its errno is gone */
		return cli_fail(EXIT_FAILED, "cannot write the output: a part of it is lost");
	return status;
}

int
main(int argc, char **argv)
{
	struct globals g = { 0 };
	int at = read_globals(argc, argv, &g);

	if (at < 0)
		return cli_fail(EXIT_USAGE,
		    "wrong option %.*s, or its value is missing; try surfacectl --help", WORD_MAX,
		    argv[-at]);
	if (g.version) {
		puts(PACKAGE_STRING);
		return EXIT_OK;
	}
	if (g.help || (at < argc && asks_help(argv[at])))
		return print_help();
	if (at == argc)
		return cli_fail(EXIT_USAGE, "which command? Try surfacectl --help.");
	return start_command(&g, argc - at, argv + at);
}
