/* SPDX-License-Identifier: ISC */
/* surface configure: asks for the URL and the key, stores them, and makes one request with them.
 *
 * The key is read from the terminal without echo, or from standard input; it is never an argument. */
#include "config.h"

#include "client/api.h"
#include "client/file.h"
#include "client/value.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, CONFIG_MAX = 65536 };

/* Reads a line; a terminal shows the prompt, and what is typed only if echo. */
static bool
ask_line(const struct client *c, const char *prompt, bool echo, struct str *out)
{
	char line[LINE_BYTES];
	struct termios before, quiet;
	bool terminal = tcgetattr(STDIN_FILENO, &before) == 0, got;

	if (terminal) {
		fprintf(stderr, "%s: ", prompt);
		quiet = before;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		if (!echo)
			(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	}
	got = fgets(line, sizeof(line), stdin) != NULL;
	if (terminal && !echo) {
		(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
		fputc('\n', stderr);
	}
	if (!got || str_utf8_bad(str_of(line)) < strlen(line))
		return false;
	*out = arena_str(c->arena, str_trim(str_of(line)));
	return out->n > 0;
}

/* Appends the lines of the configuration but for those that set a name. */
static void
keep_others(struct buf *b, struct str text, const char *name)
{
	struct str line;

	while (str_line(&text, &line)) {
		const char *equals = line.n > 0 ? memchr(line.p, '=', line.n) : NULL;

		if (equals != NULL &&
		    str_is(str_trim((struct str){ line.p, (size_t)(equals - line.p) }), name))
			continue;
		buf_str(b, line);
		buf_char(b, '\n');
	}
}

static int
store_config(struct client *c, const char *path, struct str url)
{
	struct buf old = { .a = c->arena }, kept = { .a = c->arena }, b = { .a = c->arena };

	if (!file_read(path, CONFIG_MAX, &old) && errno != ENOENT)
		return fail(c, FAILED, "%s: %s", path, strerror(errno));
	if (str_utf8_bad(buf_done(&old)) < old.n)
		return fail(c, FAILED, "%s is no text in UTF-8", path);
	keep_others(&kept, buf_done(&old), "url");
	if (option_given(c, "cacert"))
		keep_others(&b, buf_done(&kept), "cacert");
	else
		buf_str(&b, buf_done(&kept));
	buf_printf(&b, "url = %s\n", url.p);
	if (option_given(c, "cacert"))
		buf_printf(&b, "cacert = %s\n", option(c, "cacert").p);
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
	if (!str_starts(url, STR("https://")))
		return fail(c, WRONG_USAGE,
		    "%s does not begin with https://: a key is not sent in the clear", url.p);
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
