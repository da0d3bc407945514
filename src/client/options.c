/* SPDX-License-Identifier: ISC */
/* Options and words of one command line, by the tables of the command and of all commands.
 *
 *   surface search hosts --limit 10 port:22 country:DE
 *                  word  option     word    word
 *
 * An option may stand anywhere behind the command. --name=value, --name value, -o value and -ovalue
 * are the same. "--" ends the options, so that a query may begin with a dash. */
#include "config.h"

#include "base/guess.h"
#include "client/client.h"

const struct option_row common_options[] = {
	{ "json", 0, FLAG, NULL, "print a JSON document on each line, as into a pipe", 0, 0 },
	{ "csv", 0, FLAG, NULL, "print comma-separated values with a heading", 0, 0 },
	{ "table", 0, FLAG, NULL, "print a table, as on a terminal", 0, 0 },
	{ "wide", 0, FLAG, NULL, "cut nothing to the width of the terminal", 0, 0 },
	{ "url", 0, TEXT, "URL", "ask this API", 0, 0 },
	{ "cacert", 0, PATH, "FILE", "trust the authorities in this file", 0, 0 },
	{ "key-file", 0, PATH, "FILE", "read the API key from this file", 0, 0 },
	{ "patience", 0, NUMBER, "SECONDS", "wait for Retry-After up to this time in all", 0,
	    86400 },
	{ "help", 'h', FLAG, NULL, "print this", 0, 0 },
	{ 0 },
};

/* The index of an option in client.given: first those of the command, then those of all
   commands. */
static const struct option_row *
option_row_at(const struct client *c, size_t i)
{
	return i < OPTIONS_MAX ? &c->command->options[i] : &common_options[i - OPTIONS_MAX];
}

typedef bool match(const struct option_row *row, struct str name);

static bool
has_name(const struct option_row *row, struct str name)
{
	return str_is(name, row->name);
}

static bool
has_letter(const struct option_row *row, struct str name)
{
	return row->letter != 0 && row->letter == name.p[0];
}

/* SIZE_MAX: there is no such option. */
static size_t
find_row(const struct client *c, match *matches, struct str name)
{
	const struct option_row *rows[] = { c->command->options, common_options };

	for (size_t t = 0; t < COUNT(rows); t++)
		for (size_t i = 0; rows[t] != NULL && rows[t][i].name != NULL; i++)
			if (matches(&rows[t][i], name))
				return t * OPTIONS_MAX + i;
	return SIZE_MAX;
}

struct str
option(const struct client *c, const char *name)
{
	size_t i = find_row(c, has_name, str_of(name));

	if (i == SIZE_MAX)
		panic("%s has no option %s", c->command->name, name);
	return c->given[i];
}

bool
option_given(const struct client *c, const char *name)
{
	return option(c, name).p != NULL;
}

int64_t
option_number(const struct client *c, const char *name, int64_t otherwise)
{
	struct str text = option(c, name);
	int64_t n;

	return text.p != NULL && str_int64(text, &n) ? n : otherwise;
}

static bool
unknown_option(const struct client *c, const char *given)
{
	const struct option_row *rows[] = { c->command->options, common_options };
	struct guess g;

	guess_begin(&g, str_of(given + strspn(given, "-")));
	for (size_t t = 0; t < COUNT(rows); t++)
		for (size_t i = 0; rows[t] != NULL && rows[t][i].name != NULL; i++)
			guess_try(&g, str_of(rows[t][i].name), rows[t][i].name);
	if (g.found != NULL)
		fail(c, WRONG_USAGE, "there is no option %s; did you mean --%s?", given, g.found);
	else
		fail(c, WRONG_USAGE,
		    "there is no option %s; a query that begins with a dash stands behind \"--\"",
		    given);
	return false;
}

static bool
store_option(struct client *c, size_t i, struct str value)
{
	const struct option_row *row = option_row_at(c, i);
	int64_t n;

	if (row->kind == NUMBER &&
	    (!str_int64(value, &n) || n < row->lo || (row->hi > 0 && n > row->hi))) {
		fail(c, WRONG_USAGE, "--%s takes a number from %lld%s%s, not %.*s", row->name,
		    (long long)row->lo, row->hi > 0 ? " to " : " on",
		    row->hi > 0 ? arena_printf(c->arena, "%lld", (long long)row->hi).p : "",
		    (int)value.n, value.p);
		return false;
	}
	c->given[i] = value;
	return true;
}

/* Reads the option at argv[*at] and moves *at to its last argument. */
static bool
read_client_option(struct client *c, int argc, char **argv, int *at)
{
	const char *arg = argv[*at];
	bool is_long = arg[1] == '-';
	struct str name = str_of(arg + (is_long ? 2 : 1));
	const char *equals = is_long ? strchr(name.p, '=') : NULL;
	const char *value = equals != NULL           ? equals + 1
			    : !is_long && name.n > 1 ? name.p + 1
						     : NULL;
	size_t i;

	if (equals != NULL)
		name.n = (size_t)(equals - name.p);
	i = find_row(c, is_long ? has_name : has_letter, name);
	if (i == SIZE_MAX)
		return unknown_option(c, arg);
	if (option_row_at(c, i)->kind == FLAG) {
		if (value == NULL)
			return store_option(c, i, STR(""));
		fail(c, WRONG_USAGE, "--%s takes no value", option_row_at(c, i)->name);
		return false;
	}
	if (value == NULL && *at + 1 < argc)
		value = argv[++*at];
	if (value != NULL)
		return store_option(c, i, str_of(value));
	fail(c, WRONG_USAGE, "--%s needs a value: %s", option_row_at(c, i)->name,
	    option_row_at(c, i)->value);
	return false;
}

bool
options_read(struct client *c, int argc, char **argv)
{
	bool ended = false;

	for (int i = 0; i < argc; i++) {
		if (!ended && strcmp(argv[i], "--") == 0) {
			ended = true;
		} else if (!ended && argv[i][0] == '-' && argv[i][1] != '\0') {
			if (!read_client_option(c, argc, argv, &i))
				return false;
		} else if (c->nwords == WORDS_MAX) {
			fail(c, WRONG_USAGE, "more than %d words; put the query into quotes",
			    WORDS_MAX);
			return false;
		} else {
			c->words[c->nwords++] = str_of(argv[i]);
		}
	}
	if (option_given(c, "help") ||
	    (c->nwords >= c->command->min && c->nwords <= c->command->max))
		return true;
	fail(c, WRONG_USAGE, "%s arguments",
	    c->nwords < c->command->min ? "there are not enough" : "there are too many");
	usage_print(c, stderr);
	return false;
}

struct str
words_joined(const struct client *c, size_t from)
{
	struct buf b = { .a = c->arena };

	for (size_t i = from; i < c->nwords; i++) {
		if (i > from)
			buf_char(&b, ' ');
		buf_str(&b, c->words[i]);
	}
	return buf_done(&b);
}

static void
print_rows(const struct option_row *rows, FILE *to)
{
	for (; rows != NULL && rows->name != NULL; rows++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s%s%s", rows->name, rows->value != NULL ? " " : "",
		    rows->value != NULL ? rows->value : "");
		fprintf(to, "  %c%c%s %-20s  %s\n", rows->letter != 0 ? '-' : ' ',
		    rows->letter != 0 ? rows->letter : ' ', rows->letter != 0 ? "," : " ", left,
		    rows->help);
	}
}

void
usage_print(const struct client *c, FILE *to)
{
	const struct command *cmd = c->command;

	fprintf(to, "usage: %.*s%s%s%s\n", (int)c->path.n, c->path.p,
	    cmd->sub != NULL ? " COMMAND ..." : " [options]", cmd->arguments != NULL ? " " : "",
	    cmd->arguments != NULL ? cmd->arguments : "");
	if (to == stderr)
		return;
	fprintf(to, "%s\n", cmd->help);
	for (const struct command *s = cmd->sub; s != NULL && s->name != NULL; s++)
		fprintf(to, "  %-12s %s\n", s->name, s->help);
	fputs("\noptions:\n", to);
	print_rows(cmd->options, to);
	print_rows(common_options, to);
}
