/* SPDX-License-Identifier: ISC */
/* surface configure: asks for the URL and the key, stores them, and makes one request with them.
 *
 * The key is read from the terminal without echo, or from standard input; it is never an
 * argument. */
#include "config.h"

#include "client/api.h"
#include "client/conf_text.h"
#include "client/file.h"
#include "client/value.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_BYTES = 4096 };

static volatile sig_atomic_t prompt_signal;

static void
on_prompt_signal(int signal)
{
	prompt_signal = signal;
}

/* Reads a line that the terminal does not show. A signal ends the program only after the terminal
   shows again what is typed: the handler interrupts the reading, and the signal is sent again
   afterwards. */
static bool
read_hidden(char *line, int room)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	struct sigaction note_it = { .sa_handler = on_prompt_signal }, old[COUNT(signals)];
	struct termios before, quiet;
	bool got;

	if (tcgetattr(STDIN_FILENO, &before) != 0)
		return fgets(line, room, stdin) != NULL;
	for (size_t i = 0; i < COUNT(signals); i++)
		sigaction(signals[i], &note_it, &old[i]);
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	got = prompt_signal == 0 && fgets(line, room, stdin) != NULL;
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fputc('\n', stderr);
	for (size_t i = 0; i < COUNT(signals); i++)
		sigaction(signals[i], &old[i], NULL);
	if (prompt_signal != 0)
		raise(prompt_signal);
	return got;
}

/* Reads a line; a terminal shows the prompt, and what is typed only if echo. */
static bool
ask_line(const struct client *c, const char *prompt, bool echo, struct str *out)
{
	char line[LINE_BYTES];

	if (isatty(STDIN_FILENO))
		fprintf(stderr, "%s: ", prompt);
	if (!(echo ? fgets(line, sizeof(line), stdin) != NULL : read_hidden(line, sizeof(line))) ||
	    str_utf8_bad(str_of(line)) < strlen(line))
		return false;
	*out = arena_str(c->arena, str_trim(str_of(line)));
	return out->n > 0;
}

static int
store_config(struct client *c, const char *path, struct str url)
{
	struct buf old = { .a = c->arena }, kept = { .a = c->arena }, b = { .a = c->arena };

	int status = settings_config(c, path, &old);
	char cacert[PATH_MAX]; /* absolute: later runs begin in other folders */

	if (status != DONE)
		return status;
	if (option_given(c, "cacert") && realpath(option(c, "cacert").p, cacert) == NULL)
		return fail(c, FAILED, "%s: %s", option(c, "cacert").p, strerror(errno));
	config_without(&kept, buf_done(&old), "url");
	if (option_given(c, "cacert"))
		config_without(&b, buf_done(&kept), "cacert");
	else
		buf_str(&b, buf_done(&kept));
	buf_printf(&b, "url = %s\n", url.p);
	if (option_given(c, "cacert"))
		buf_printf(&b, "cacert = %s\n", cacert);
	if (!file_folder(path) || !file_replace(path, buf_done(&b)))
		return fail(c, FAILED, "%s: %s", path, strerror(errno));
	return DONE;
}

static int
run_configure(struct client *c)
{
	const char *config = settings_file(c, "config"), *key_file = settings_file(c, "key");
	struct str url = option(c, "url"), key;
	struct json_value *answer;
	int status;

	if (config == NULL)
		return fail(c, FAILED, "there is no folder for the settings: HOME is not set");
	if (url.p == NULL && !ask_line(c, "URL of the API", true, &url))
		return fail(c, WRONG_USAGE, "no URL was given");
	status = settings_https(c, url);
	if (status != DONE)
		return status;
	if (!ask_line(c, "API key (not shown)", false, &key) || !str_graphic(key))
		return fail(c, WRONG_USAGE, "no API key was given: it is one word");
	status = store_config(c, config, url);
	if (status != DONE)
		return status;
	if (!file_replace(key_file, key))
		return fail(c, FAILED, "%s: %s", key_file, strerror(errno));
	note(c, "stored %s and %s", config, key_file);
	status = settings_read(c);
	if (status == DONE)
		status = api_get(c, STR("/usage?window=7d"), &answer);
	if (status != DONE)
		return status;
	key = value_text(value_get(value_get(answer, "api_usage"), "api_key"), "name");
	note(c, "the API knows the key as \"%.*s\"", (int)key.n, key.p);
	return DONE;
}

static const struct command configure_command = { .name = "configure",
	.help = "ask for the URL and the key of the API, and store them",
	.run = run_configure,
	.offline = true };

COMMAND(configure_command);
