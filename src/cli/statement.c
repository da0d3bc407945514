/* SPDX-License-Identifier: ISC */
/* Commands that are one statement: arguments become its parameters, and its rows are printed. The
   parameters have a fixed order, which the row of the command (struct command) determines:

     $1          the UUID of `of`, unless it is OF_NOTHING
     then        the words, without the one that names `of`
     then        the flag as a boolean, if the row has one
     then        the texts, null where an option is absent

     surfacectl alerts list --project P --rule R --all      $1 = P, $2 = true, $3 = R

   `first` gets the same parameters and runs before: it must return a row, and with `refused` a true
   one. */
#include "config.h"

#include "cli/cli.h"

enum { WORDS_MAX = 2, PARAMS_MAX = 1 + WORDS_MAX + 1 + COMMAND_TEXTS };

struct given {
	struct str owner, texts[COMMAND_TEXTS];
	bool flag;
	struct cli_list words;
};

static bool
parse_arguments(struct cli *c, const struct command *cmd, int argc, char **argv, struct given *s)
{
	struct cli_option options[COMMAND_TEXTS + 3] = { { NULL } }, *o = options;

	if (cmd->of == OF_ACCOUNT)
		*o++ = (struct cli_option){ "account", .text = &s->owner };
	if (cmd->of == OF_PROJECT)
		*o++ = (struct cli_option){ "project", .text = &s->owner };
	if (cmd->flag != NULL)
		*o++ = (struct cli_option){ cmd->flag, .flag = &s->flag };
	for (size_t i = 0; i < COMMAND_TEXTS && cmd->texts[i] != NULL; i++)
		*o++ = (struct cli_option){ cmd->texts[i], .text = &s->texts[i] };
	return cli_options(c, argc, argv, options, &s->words, cmd->words, cmd->words);
}

static int
find_owner(struct cli *c, enum cli_of of, const struct given *s, struct uuid *out)
{
	switch (of) {
	case OF_NOTHING:
		return EXIT_OK;
	case OF_ACCOUNT:
		return cli_account(c, s->owner, out);
	case OF_PROJECT:
		return cli_project(c, s->owner, out);
	case OF_ACCOUNT_WORD:
		return cli_account(c, s->words.p[0], out);
	case OF_UUID_WORD:
		return uuid_parse(s->words.p[0], out)
			   ? EXIT_OK
			   : cli_usage(c, "%s is no UUID", s->words.p[0].p);
	}
	panic("a command of %d", (int)of);
}

static size_t
fill_parameters(
    const struct command *cmd, const struct given *s, struct uuid of, struct db_param p[PARAMS_MAX])
{
	bool of_word = cmd->of == OF_ACCOUNT_WORD || cmd->of == OF_UUID_WORD;
	size_t n = 0;

	if (cmd->of != OF_NOTHING)
		p[n++] = P(of);
	for (size_t i = of_word ? 1 : 0; i < s->words.n; i++)
		p[n++] = P(s->words.p[i]);
	if (cmd->flag != NULL)
		p[n++] = P(s->flag);
	for (size_t i = 0; i < COMMAND_TEXTS && cmd->texts[i] != NULL; i++)
		p[n++] = P(s->texts[i]);
	return n;
}

static int
run_first(struct cli *c, const struct command *cmd, const char *given, struct db_args args)
{
	bool *row = arena_alloc(c->arena, cmd->first->size);
	enum db_rc rc = db_one_row(c->db, cmd->first, row, args);

	if (rc != DB_OK)
		return cli_fail_db(c, rc, given);
	if (cmd->refused != NULL && !*row)
		return cli_fail(EXIT_FAILED, "%s: %s", given, cmd->refused);
	return EXIT_OK;
}

int
cli_statement(struct cli *c, const struct command *cmd, int argc, char **argv)
{
	struct db_param p[PARAMS_MAX];
	struct db_args args = { p, 0 };
	struct given s = { .flag = false };
	struct uuid of = { { 0 } };
	const char *about;
	int status;

	if (!parse_arguments(c, cmd, argc, argv, &s))
		return EXIT_USAGE;
	status = find_owner(c, cmd->of, &s, &of);
	if (status != EXIT_OK)
		return status;
	args.n = fill_parameters(cmd, &s, of, p);
	about = s.words.n > 0 ? s.words.p[0].p : cmd->lists;
	if (cmd->first != NULL)
		status = run_first(c, cmd, about, args);
	if (status != EXIT_OK)
		return status;
	if (cmd->lists != NULL)
		return cli_rows(c, cmd->lists, cmd->st, args);
	return cli_one_row(c, cmd->prints, cmd->st, about, args);
}
