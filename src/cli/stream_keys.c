/* SPDX-License-Identifier: ISC */
/* surfacectl stream-keys: the keys of stream tickets. A new one takes its place before the last one, whose
   tickets go on until they have run out; the one before that goes. */
#include "config.h"

#include <openssl/crypto.h>

#include "cli/cli.h"
#include "core/ticket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the file was, or for the group to read. */
static bool
permit(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return fchmod(fd, 0640) == 0;
	return (geteuid() != 0 || fchown(fd, st.st_uid, st.st_gid) == 0) &&
	       fchmod(fd, st.st_mode & 0777) == 0;
}

static bool
write_file(int fd, const char *line, const struct ticket_keys *old)
{
	char hex[2 * TICKET_KEY_LEN + 1];
	bool ok = dprintf(fd, "%s", line) > 0;

	if (old->n > 0) {
		hex_print(hex, old->keys[0].bytes, TICKET_KEY_LEN);
		ok = ok && dprintf(fd, "%s:%s\n", old->keys[0].kid, hex) > 0;
		OPENSSL_cleanse(hex, sizeof(hex));
	}
	return ok && fsync(fd) == 0;
}

/* Whole under its name, or not at all: programs look at any moment. */
static int
replace(struct cli *c, const char *line, const struct ticket_keys *old)
{
	const char *path = conf.stream_keys,
		   *temporary = arena_printf(c->arena, "%s.new", path).p;
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && permit(fd, path) && write_file(fd, line, old) &&
		  rename(temporary, path) == 0;
	int why = errno;

	if (fd >= 0)
		close(fd);
	if (ok)
		return EXIT_OK;
	unlink(temporary);
	return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(why));
}

static int
rotate(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	struct cli_list words;
	struct ticket_keys old = { 0 };
	char line[TICKET_LINE + 1], err[512];
	int status;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	if (access(conf.stream_keys, F_OK) == 0 &&
	    !ticket_keys_read(conf.stream_keys, &old, err, sizeof(err)))
		return cli_fail(EXIT_FAILED, "%s", err);
	ticket_key_make(line);
	status = replace(c, line, &old);
	OPENSSL_cleanse(line, sizeof(line));
	OPENSSL_cleanse(&old, sizeof(old));
	return status;
}

static const struct command subs[] = {
	{ "rotate", NULL, "a new key signs; the one before it verifies on",
	    .run = rotate },
	{ NULL },
};

const struct command stream_keys_command = { "stream-keys",
	.help = "what signs the tickets of live streams", .sub = subs };
