/* SPDX-License-Identifier: ISC */
/* surface(1): finds the command, reads its options and the settings, and runs it. */
#include "config.h"

#include "base/guess.h"
#include "client/client.h"
#include "client/http.h"

#include <errno.h>

enum { COMMANDS_MAX = 100 };
static const size_t ARENA_CAP = (size_t)1 << 32;

REGISTRY(const struct command, client_commands);

const struct command *const *
client_commands(void)
{
	static const struct command *sorted[COMMANDS_MAX + 1];
	size_t n = (size_t)(client_commands_end - client_commands_first);

	if (n > COMMANDS_MAX)
		panic("more than %d commands", COMMANDS_MAX);
	if (sorted[0] == NULL)
		registry_sort(client_commands_first, n, sorted);
	return sorted;
}

static int
print_client_help(void)
{
	puts("usage: surface COMMAND [options] ...\n\ncommands:");
	for (const struct command *const *cmd = client_commands(); *cmd != NULL; cmd++)
		printf("  %-12s %s\n", (*cmd)->name, (*cmd)->help);
	puts("\n\"surface COMMAND --help\" lists its options; surface(1) has examples.\n"
	     "The API key comes from SURFACED_API_KEY or ~/.config/surfaced/key.");
	return DONE;
}

static bool
asks_client_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static const struct command *
find_client_command(const char *name, struct guess *g)
{
	guess_begin(g, str_of(name));
	for (const struct command *const *cmd = client_commands(); *cmd != NULL; cmd++) {
		if (strcmp((*cmd)->name, name) == 0)
			return *cmd;
		guess_try(g, str_of((*cmd)->name), (*cmd)->name);
	}
	return NULL;
}

static const struct command *
find_client_sub(const struct command *sub, const char *name, struct guess *g)
{
	guess_begin(g, str_of(name));
	for (; sub->name != NULL; sub++) {
		if (strcmp(sub->name, name) == 0)
			return sub;
		guess_try(g, str_of(sub->name), sub->name);
	}
	return NULL;
}

static int
no_command(const struct client *c, const char *name, const struct guess *g)
{
	return fail(c, WRONG_USAGE, "there is no command %s; %s%s%s", name,
	    g->found == NULL ? "" : "did you mean ", g->found == NULL ? "" : g->found,
	    g->found == NULL ? "try surface --help" : "?");
}

/* Walks down the tables of commands, a word for each level; a negative result is the number of
   words used, another one an exit status. */
static int
choose_command(struct client *c, int argc, char **argv)
{
	struct guess g;
	int used = 1;

	c->command = find_client_command(argv[0], &g);
	if (c->command == NULL)
		return no_command(c, argv[0], &g);
	c->path = arena_printf(c->arena, "surface %s", c->command->name);
	for (; c->command->sub != NULL; used++) {
		if (used == argc || asks_client_help(argv[used])) {
			usage_print(c, used == argc ? stderr : stdout);
			return used == argc ? WRONG_USAGE : DONE;
		}
		c->command = find_client_sub(c->command->sub, argv[used], &g);
		if (c->command == NULL)
			return no_command(c, argv[used], &g);
		c->path = arena_printf(c->arena, "%s %s", c->path.p, c->command->name);
	}
	return -used;
}

static void
choose_form(struct client *c)
{
	c->form = c->screen.out ? FORM_TABLE : FORM_NDJSON;
	if (option_given(c, "json"))
		c->form = FORM_NDJSON;
	if (option_given(c, "csv"))
		c->form = FORM_CSV;
	if (option_given(c, "table"))
		c->form = FORM_TABLE;
}

static int
run_named_command(struct client *c)
{
	int status;

	if (option_given(c, "help")) {
		usage_print(c, stdout);
		return DONE;
	}
	screen_find(&c->screen, option_given(c, "wide"));
	choose_form(c);
	status = c->command->offline ? DONE : settings_read(c);
	if (status != DONE)
		return status;
	status = c->command->run(c);
	http_end(c);
	return status;
}

int
main(int argc, char **argv)
{
	struct client c = { .command = NULL };
	int status;

	if (argc < 2 || asks_client_help(argv[1]))
		return print_client_help(), argc < 2 ? WRONG_USAGE : DONE;
	if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)
		return puts("surface " PACKAGE_VERSION), DONE;
	c.arena = arena_new(ARENA_CAP);
	c.page = arena_new(ARENA_CAP);
	screen_find(&c.screen, false);
	status = choose_command(&c, argc - 1, argv + 1);
	if (status < 0)
		status = options_read(&c, argc - 1 + status, argv + 1 - status)
			     ? run_named_command(&c)
			     : WRONG_USAGE;
	if (fflush(stdout) != 0 && status == DONE)
		status = fail(&c, FAILED, "cannot write the output: %s", strerror(errno));
	else if (ferror(stdout) && status == DONE) /* its errno is gone */
		status = fail(&c, FAILED, "cannot write the output: a part of it is lost");
	arena_free(c.page);
	arena_free(c.arena);
	return status;
}
