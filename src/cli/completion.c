/* SPDX-License-Identifier: ISC */
/* surfacectl completion: prints completion code for bash, zsh or fish from the tables of commands.
   The options come from each command's usage text, which t/house/man.t compares with the manual, so
   completion, usage and manual cannot differ.

   The printed code looks up the words before the cursor, without options, in one switch. Words that
   are no command, such as a name, are removed from the end until a case fits:

     surfacectl keys create --name x --sc      "keys create x" -> "keys create" fits: its options */
#include "config.h"

#include "cli/cli.h"

#define GLOBAL_OPTIONS "--json --wide --help"

/* The options in a usage text: "[--by key|account] NAME" contains "--by". */
static void
add_options(struct buf *b, const char *arguments)
{
	for (const char *p = arguments == NULL ? NULL : strstr(arguments, "--"); p != NULL;
	     p = strstr(p, "--")) {
		size_t n = strspn(p, "-abcdefghijklmnopqrstuvwxyz0123456789");

		buf_char(b, ' ');
		buf_str(b, (struct str){ p, n });
		p += n;
	}
}

/* The words that can follow a command: its sub-commands, or its options. */
static const char *
next_words(struct cli *c, const struct command *cmd)
{
	struct buf b = { .a = c->arena };

	if (cmd->sub == NULL) {
		buf_z(&b, GLOBAL_OPTIONS);
		add_options(&b, cmd->arguments);
	}
	for (const struct command *s = cmd->sub; s != NULL && s->name != NULL; s++)
		buf_printf(&b, "%s%s", b.n > 0 ? " " : "", s->name);
	buf_char(&b, '\0');
	return b.p;
}

/* Calls print for each command with its path, such as "keys create". */
static void
each_command(struct cli *c, const struct command *cmd, const char *path,
    void (*print)(struct cli *, const struct command *, const char *))
{
	print(c, cmd, path);
	for (const struct command *s = cmd->sub; s != NULL && s->name != NULL; s++)
		each_command(c, s, arena_printf(c->arena, "%s %s", path, s->name).p, print);
}

static void
each(struct cli *c, void (*print)(struct cli *, const struct command *, const char *))
{
	for (const struct command *const *cmd = cli_commands(); *cmd != NULL; cmd++)
		each_command(c, *cmd, (*cmd)->name, print);
}

static void
print_case(struct cli *c, const struct command *cmd, const char *path)
{
	printf("\t\"%s\") next=\"%s\" ;;\n", path, next_words(c, cmd));
}

static const char *
all_names(struct cli *c)
{
	struct buf b = { .a = c->arena };

	for (const struct command *const *cmd = cli_commands(); *cmd != NULL; cmd++)
		buf_printf(&b, "%s ", (*cmd)->name);
	buf_z(&b, "--help --version --json --wide --database");
	buf_char(&b, '\0');
	return b.p;
}

/* Prints code that sets $next to the words that can follow; it is valid in bash and zsh. */
static void
print_words(struct cli *c)
{
	puts("\tlocal at= next= word\n"
	     "\tfor word in \"$@\"; do\n"
	     "\t\tcase $word in -*) ;; *) at=\"$at${at:+ }$word\" ;; esac\n"
	     "\tdone\n"
	     "\twhile :; do\n"
	     "\tcase $at in");
	printf("\t\"\") next=\"%s\" ;;\n", all_names(c));
	each(c, print_case);
	puts("\tesac\n"
	     "\t[ -z \"$next\" ] && [ \"$at\" != \"${at% *}\" ] || break\n"
	     "\tat=${at% *}\n"
	     "\tdone");
}

static void
print_bash(struct cli *c)
{
	puts("# surfacectl completion for bash\n"
	     "_surfacectl_words()\n{");
	print_words(c);
	puts("\techo \"$next\"\n}\n"
	     "_surfacectl()\n{\n"
	     "\tlocal words=$(_surfacectl_words \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
	     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
	     "\t[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "
	     "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
	     "}\n"
	     "complete -F _surfacectl surfacectl");
}

static void
print_zsh(struct cli *c)
{
	puts("#compdef surfacectl\n"
	     "_surfacectl_words()\n{");
	print_words(c);
	puts(
	    "\techo \"$next\"\n}\n"
	    "_surfacectl()\n{\n"
	    "\tcompadd -- $(_surfacectl_words \"${(@)words[2,CURRENT-1]}\") || _files\n"
	    "}\n"
	    /* compinit's autoload runs the file inside a completion; a person's source does not. */
	    "if [ \"${funcstack[1]}\" = _surfacectl ]; then\n"
	    "\t_surfacectl \"$@\"\n"
	    "else\n"
	    "\tcompdef _surfacectl surfacectl\n"
	    "fi");
}

static void
print_fish_case(struct cli *c, const struct command *cmd, const char *path)
{
	printf("\t\tcase '%s'\n\t\t\tset next %s\n", path, next_words(c, cmd));
}

/* The same search as print_words in fish's language, which has no ${at% *}: at is a list of
   words. */
static void
print_fish(struct cli *c)
{
	puts("# surfacectl completion for fish\n"
	     "function __surfacectl_words\n"
	     "\tset -l at (string match -v -- '-*' (commandline -opc)[2..-1])\n"
	     "\tset -l token (commandline -ct)\n"
	     "\tset -l next\n"
	     "\twhile true\n"
	     "\t\tswitch \"$at\"");
	printf("\t\tcase ''\n\t\t\tset next %s\n", all_names(c));
	each(c, print_fish_case);
	puts("\t\tend\n"
	     "\t\ttest (count $next) -eq 0 -a (count $at) -gt 1; or break\n"
	     "\t\tset -e at[-1]\n"
	     "\tend\n"
	     "\tstring match -r -- '^'(string escape --style=regex -- \"$token\")'.*' $next\n"
	     "\tor __fish_complete_path \"$token\"\n"
	     "end\n"
	     "complete -c surfacectl -f -a '(__surfacectl_words)'");
}

static int
print_completion(struct cli *c, int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(struct cli *);
	} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };
	static const struct cli_option none[] = { { NULL } };
	struct cli_list words;

	if (!cli_options(c, argc, argv, none, &words, 1, 1))
		return EXIT_USAGE;
	for (size_t i = 0; i < COUNT(shells); i++)
		if (str_is(words.p[0], shells[i].name)) {
			shells[i].print(c);
			return EXIT_OK;
		}
	return cli_usage(c, "the shells are bash, zsh and fish");
}

static const struct command completion_command = { "completion", "bash|zsh|fish",
	"print the completion of this program for a shell", .run = print_completion };

COMMAND(completion_command);
