/* SPDX-License-Identifier: ISC */
/* surface completion: the code that a shell loads, and the words that it offers.
 *
 * The code of each shell is short. It runs "surface completion words -- WORD ... CURRENT" and
 * offers the lines that come back, so the tables of commands and options are the only description
 * of the command line, and one function serves the three shells:
 *
 *   surface se|                       search, session
 *   surface search h|                 hosts
 *   surface search hosts --l|         --limit
 *   surface search hosts -f ip,serv|  ip,services.port, ip,services.product, ...
 *   surface search hosts -por|        -port:, -ports...
 *   surface search hosts tls_enabled:|  tls_enabled:true, tls_enabled:false */
#include "config.h"

#include "client/dataset.h"
#include "client/schema.h"
#include "client/value.h"

#include <unistd.h>

struct completion {
	struct client *c;
	const struct command *command; /* NULL: the first word */
	struct str current;            /* the word that the cursor is on */
	struct str dataset; /* the first word behind the command; without pointer: none yet */
	size_t words;       /* words behind the command, without options */
};

/* Prints head and word if together they begin with the current word. */
static void
offer_completion(const struct completion *t, struct str head, const char *word, const char *tail)
{
	struct str all = arena_printf(t->c->arena, "%.*s%s%s", (int)head.n, head.p, word, tail);

	if (str_starts(all, t->current))
		puts(all.p);
}

static void
offer_options(const struct completion *t, const struct option_row *rows)
{
	for (; rows != NULL && rows->name != NULL; rows++)
		offer_completion(t, STR("--"), rows->name, "");
}

static void
offer_commands(const struct completion *t)
{
	if (t->command == NULL) {
		for (const struct command *const *cmd = client_commands(); *cmd != NULL; cmd++)
			offer_completion(t, STR(""), (*cmd)->name, "");
		offer_completion(t, STR("--"), "help", "");
		offer_completion(t, STR("--"), "version", "");
		return;
	}
	for (const struct command *sub = t->command->sub; sub != NULL && sub->name != NULL; sub++)
		offer_completion(t, STR(""), sub->name, "");
}

/* ---- names of fields ---- */

/* The schema of the dataset: the kept copy, or what the API answers. */
static const struct json_value *
find_completed_schema(const struct completion *t)
{
	const struct json_value *schemas = schema_kept(t->c);
	struct json_value *fresh = NULL;

	if (schemas == NULL && settings_read(t->c) == DONE && schema_get(t->c, &fresh) == DONE)
		schemas = fresh;
	return schemas == NULL || t->dataset.p == NULL ? NULL : schema_of(schemas, t->dataset.p);
}

/* The part of the current word before the last of some characters, with that. */
static struct str
head_of(struct str word, const char *separators)
{
	size_t n = word.n;

	while (n > 0 && strchr(separators, word.p[n - 1]) == NULL)
		n--;
	return (struct str){ word.p, n };
}

static void
offer_field(
    const struct completion *t, struct str head, const struct json_value *field, const char *tail)
{
	const struct json_value *aliases = value_get(field, "aliases");

	offer_completion(t, head, arena_str(t->c->arena, value_text(field, "name")).p, tail);
	for (size_t i = 0; tail[0] != '\0' && aliases != NULL && i < json_length(aliases); i++)
		offer_completion(
		    t, head, arena_str(t->c->arena, json_text(json_at(aliases, i))).p, tail);
}

/* Names with commas between them, of fields that can be aggregated alone if so. */
static void
offer_names(const struct completion *t, bool aggregatable)
{
	const struct json_value *fields = value_get(find_completed_schema(t), "fields");
	struct str head = head_of(t->current, ",");

	for (size_t i = 0; fields != NULL && i < json_length(fields); i++) {
		const struct json_value *can = value_get(json_at(fields, i), "aggregatable");

		if (!aggregatable || (can != NULL && json_bool(can)))
			offer_field(t, head, json_at(fields, i), "");
	}
}

/* Whether a field has this name or alias. */
static bool
is_called(const struct json_value *field, struct str name)
{
	const struct json_value *aliases = value_get(field, "aliases");

	for (size_t i = 0; aliases != NULL && i < json_length(aliases); i++)
		if (str_eq(json_text(json_at(aliases, i)), name))
			return true;
	return str_eq(value_text(field, "name"), name);
}

static void
offer_values(const struct completion *t, struct str head, const struct json_value *field)
{
	static const char *const countries[] = {
#define COUNTRY(code, name) code,
#include "tbl/countries.h"
#undef COUNTRY
	};
	struct str name = value_text(field, "name"), type = value_text(field, "type");

	if (str_is(type, "boolean")) {
		offer_completion(t, head, "true", "");
		offer_completion(t, head, "false", "");
	}
	if (str_is(type, "date"))
		offer_completion(t, head, ">=now-7d", "");
	for (size_t i = 0; str_ends(name, STR("country_code")) && i < COUNT(countries); i++)
		offer_completion(t, head, countries[i], "");
}

/* A word of a query: the name of a field, or one of its values behind the colon. */
static void
offer_query(const struct completion *t)
{
	const struct json_value *fields = value_get(find_completed_schema(t), "fields");
	struct str head = head_of(t->current, "(+!-"),
		   rest = { t->current.p + head.n, t->current.n - head.n }, name;
	const char *colon = rest.n == 0 ? NULL : memchr(rest.p, ':', rest.n);

	name = (struct str){ rest.p, colon != NULL ? (size_t)(colon - rest.p) : 0 };
	for (size_t i = 0; fields != NULL && i < json_length(fields); i++) {
		if (colon == NULL)
			offer_field(t, head, json_at(fields, i), ":");
		else if (is_called(json_at(fields, i), name))
			offer_values(t, (struct str){ t->current.p, head.n + name.n + 1 },
			    json_at(fields, i));
	}
}

/* ---- the command line ---- */

static const struct option_row *
completed_row_of(const struct command *cmd, struct str word)
{
	const struct option_row *tables[] = { cmd->options, common_options };

	for (size_t t = 0; t < COUNT(tables); t++)
		for (const struct option_row *row = tables[t]; row != NULL && row->name != NULL;
		     row++)
			if ((str_starts(word, STR("--")) &&
				str_is((struct str){ word.p + 2, word.n - 2 }, row->name)) ||
			    (word.n == 2 && word.p[1] == row->letter))
				return row;
	return NULL;
}

static const struct command *
command_called(const struct completion *t, struct str word)
{
	if (t->command == NULL) {
		for (const struct command *const *cmd = client_commands(); *cmd != NULL; cmd++)
			if (str_is(word, (*cmd)->name))
				return *cmd;
		return NULL;
	}
	for (const struct command *sub = t->command->sub; sub->name != NULL; sub++)
		if (str_is(word, sub->name))
			return sub;
	return NULL;
}

static void
offer_word(const struct completion *t)
{
	static const char *const shells[] = { "bash", "zsh", "fish" };

	if (t->command->first == WORD_SHELL && t->words == 0)
		for (size_t i = 0; i < COUNT(shells); i++)
			offer_completion(t, STR(""), shells[i], "");
	if (t->command->first != WORD_DATASET)
		return;
	if (t->words == 0) {
		for (const struct dataset *d = datasets; d->name != NULL; d++)
			offer_completion(t, STR(""), d->name, "");
	} else {
		offer_query(t);
	}
}

/* Reads the words before the cursor. *value is the option whose value the current word is; NULL:
   none. False: a word is no command, and there is nothing to offer. */
static bool
read_schema_line(struct completion *t, const struct str *words, size_t n,
    const struct option_row **value, bool *ended)
{
	*value = NULL;
	for (size_t i = 0; i < n; i++) {
		struct str word = words[i];

		if (*value != NULL) {
			*value = NULL;
		} else if (t->command == NULL || t->command->sub != NULL) {
			t->command = command_called(t, word);
			if (t->command == NULL)
				return false;
		} else if (!*ended && str_is(word, "--")) {
			*ended = true;
		} else if (!*ended && word.n > 1 && word.p[0] == '-') {
			*value = completed_row_of(t->command, word);
			if (*value != NULL && (*value)->kind == FLAG)
				*value = NULL;
		} else if (t->words++ == 0) {
			t->dataset = word;
		}
	}
	return true;
}

static int
print_completions(struct client *c)
{
	struct completion t = { .c = c,
		.current = c->nwords > 1 ? c->words[c->nwords - 1] : STR("") };
	const struct option_row *value = NULL;
	bool ended = false;

	if (!read_schema_line(&t, c->words + 1, c->nwords > 1 ? c->nwords - 2 : 0, &value, &ended))
		return DONE;
	if (value != NULL) {
		if (value->kind == FIELDS || value->kind == FACETS)
			offer_names(&t, value->kind == FACETS);
	} else if (t.command == NULL || t.command->sub != NULL) {
		offer_commands(&t);
	} else if (!ended && str_starts(t.current, STR("-"))) {
		offer_options(&t, t.command->options);
		offer_options(&t, common_options);
	} else {
		offer_word(&t);
	}
	return DONE;
}

/* ---- the shells ---- */

/* bash splits words at colons (COMP_WORDBREAKS) and replaces only what is behind the last one, so
   the words are taken from the line itself, and what stands before the colon is removed from what
   is offered. */
static const char bash_code[] =
    "# surface completion for bash\n"
    "_surface()\n"
    "{\n"
    "\tlocal line=${COMP_LINE:0:COMP_POINT} words word before\n"
    "\t"
    "read -ra words <<<\"$line\"\n"
    "\t[[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "\tword=${words[${#words[@]}-1]}\n"
    "\tbefore=${word%\"${word##*[:=]}\"}\n"
    "\tCOMPREPLY=()\n"
    "\twhile IFS= read -r word; do\n"
    "\t\tCOMPREPLY+=(\"${word#\"$before\"}\")\n"
    "\t\t[[ $word == *: ]] && compopt -o nospace\n"
    "\tdone < <(surface completion words -- \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -o default -F _surface surface\n";

static const char zsh_code[] =
    "#compdef surface\n"
    "_surface()\n"
    "{\n"
    "\tlocal -a offered\n"
    "\toffered=(${(f)\"$(surface completion words -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
    "\tif (( ${#offered} == 0 )); then\n"
    "\t\t_files\n"
    "\telse\n"
    "\t\tcompadd -- ${offered:#*:}\n"
    "\t\tcompadd -S '' -- ${(M)offered:#*:}\n"
    "\tfi\n"
    "}\n"
    /* compinit's autoload runs the file inside a completion; a person's source does not. */
    "if [ \"${funcstack[1]}\" = _surface ]; then\n"
    "\t_surface \"$@\"\n"
    "else\n"
    "\tcompdef _surface surface\n"
    "fi\n";

static const char fish_code[] = "# surface completion for fish\n"
				"function __surface_words\n"
				"\tset -l offered (surface completion words -- (commandline "
				"-opc)[2..-1] (commandline -ct) 2>/dev/null)\n"
				"\tif test (count $offered) -gt 0\n"
				"\t\tprintf '%s\\n' $offered\n"
				"\telse\n"
				"\t\t__fish_complete_path (commandline -ct)\n"
				"\tend\n"
				"end\n"
				"complete -c surface -f -a '(__surface_words)'\n";

static int
run_completion(struct client *c)
{
	static const struct {
		const char *name, *code;
	} shells[] = { { "bash", bash_code }, { "zsh", zsh_code }, { "fish", fish_code } };

	if (str_is(c->words[0], "words"))
		return print_completions(c);
	for (size_t i = 0; c->nwords == 1 && i < COUNT(shells); i++)
		if (str_is(c->words[0], shells[i].name)) {
			fputs(shells[i].code, stdout);
			return DONE;
		}
	return fail(c, WRONG_USAGE, "the shells are bash, zsh and fish");
}

static const struct command completion_command = { .name = "completion",
	.arguments = "bash|zsh|fish",
	.help = "print the completion of this program for a shell",
	.run = run_completion,
	.min = 1,
	.max = WORDS_MAX,
	.first = WORD_SHELL,
	.offline = true };

COMMAND(completion_command);
