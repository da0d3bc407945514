/* SPDX-License-Identifier: ISC */
/* Commands that are one statement: what was said becomes its parameters, what it returns is printed. */
#include "config.h"

#include "cli/cli.h"

enum { WORDS_MAX = 2 };

int
cli_one_row(struct cli *c, const char *name, const struct stmt *st, const char *said,
    struct db_args args)
{
	void *row = arena_alloc(c->arena, st->size);
	enum db_rc rc = db_one_row(c->db, st, row, args);

	if (rc != DB_OK)
		return cli_fail_db(c, rc, said);
	return cli_print(c, name, st->out, row);
}

int
cli_rows(struct cli *c, const char *name, const struct stmt *st, struct db_args args)
{
	struct list rows;
	enum db_rc rc = db_rows(c->db, st, &rows, args);

	if (rc != DB_OK)
		return cli_fail_db(c, rc, name);
	return cli_print_list(c, name, st->out, rows, st->size);
}

int
cli_statement(struct cli *c, const struct command *cmd, int argc, char **argv)
{
	struct db_param p[WORDS_MAX + 2];
	struct cli_option options[3] = { { NULL } }, *o = options;
	struct str owner = STR_NULL;
	struct cli_list words;
	struct uuid uuid;
	bool flag = false;
	size_t n = 0;

	if (cmd->of_account)
		*o++ = (struct cli_option){ "account", .text = &owner };
	if (cmd->of_project)
		*o++ = (struct cli_option){ "project", .text = &owner };
	if (cmd->flag != NULL)
		*o = (struct cli_option){ cmd->flag, .flag = &flag };
	if (!cli_options(c, argc, argv, options, &words, cmd->words, cmd->words))
		return EXIT_USAGE;
	if (cmd->of_account || cmd->of_project) {
		int status =
		    (cmd->of_account ? cli_account : cli_project)(c, owner, &uuid);

		if (status != EXIT_OK)
			return status;
		p[n++] = P(uuid);
	}
	for (size_t i = 0; i < words.n; i++)
		p[n++] = P(words.p[i]);
	if (cmd->flag != NULL)
		p[n++] = P(flag);
	if (cmd->lists != NULL)
		return cli_rows(c, cmd->lists, cmd->st, (struct db_args){ p, n });
	return cli_one_row(
	    c, cmd->prints, cmd->st, words.p[0].p, (struct db_args){ p, n });
}
