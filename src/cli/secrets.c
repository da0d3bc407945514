/* SPDX-License-Identifier: ISC */
/* surfacectl secret, stream-keys: the key files that sign cursors and tickets of live streams. A
   file has at most two keys, the present one first:

     before the rotation    B, A      B signs; A and B verify
     after the rotation     C, B      C signs; B and C verify; what A signed is refused

   So a rotation keeps every cursor and ticket that is younger than the previous rotation, and two
   rotations in a row end all of them, which is the remedy for a key that has become known.
   Keys are wiped from memory afterwards. */
#include "config.h"

#include <openssl/crypto.h>

#include "access/ticket.h"
#include "cli/cli.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keeps owner and mode of the replaced file; a new file can be read by the group of its daemon. */
static bool
set_mode(int fd, const char *path, const char *group)
{
	const struct group *g;
	struct stat st;

	if (stat(path, &st) == 0)
		return (geteuid() != 0 || fchown(fd, st.st_uid, st.st_gid) == 0) &&
		       fchmod(fd, st.st_mode & 0777) == 0;
	g = geteuid() == 0 ? getgrnam(group) : NULL;
	return (g == NULL || fchown(fd, 0, g->gr_gid) == 0) && fchmod(fd, 0640) == 0;
}

/* Replaces the file by rename, because a daemon may read it at any moment: it
   finds the old file or the new one, whole. fsync comes before rename, or a crash
   could leave the new name with an empty file, and every cursor would be refused.
   The mode is set while the file still has its temporary name, so that the secret
   is never readable for others. */
static int
replace_secret_file(struct cli *c, const char *path, const char *group, struct str text)
{
	const char *temporary = arena_printf(c->arena, "%s.new", path).p;
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && set_mode(fd, path, group) &&
		  write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0 &&
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
rotate_secret(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	struct cli_list words;
	struct cursor_secret old;
	char text[CURSOR_SECRET_TEXT + 1], err[512];
	bool there = access(conf.secret_file, F_OK) == 0;
	int status;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	if (there && !cursor_secret_read(conf.secret_file, &old, err, sizeof(err)))
		return cli_fail(
		    EXIT_FAILED, "%s; remove the file for a new one, which ends every cursor", err);
	cursor_secret_print(text, there ? &old : NULL);
	status = replace_secret_file(c, conf.secret_file, "surfaced", str_of(text));
	OPENSSL_cleanse(text, sizeof(text));
	OPENSSL_cleanse(&old, sizeof(old));
	return status;
}

static int
rotate_keys(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	struct cli_list words;
	struct signing_keys old = { 0 };
	struct signing_key new;
	char text[2 * SIGNING_LINE + 1], err[512];
	size_t n;
	int status;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	if (access(conf.stream_keys, F_OK) == 0 &&
	    !signing_keys_read(TICKET_FILE(conf.stream_keys), &old, err, sizeof(err)))
		return cli_fail(EXIT_FAILED, "%s; remove the file for new ones", err);
	signing_key_make(&new);
	n = signing_key_print(text, &new);
	if (old.n > 0)
		n += signing_key_print(text + n, &old.keys[0]);
	status =
	    replace_secret_file(c, conf.stream_keys, "surfaced-stream", (struct str){ text, n });
	OPENSSL_cleanse(text, sizeof(text));
	OPENSSL_cleanse(&new, sizeof(new));
	OPENSSL_cleanse(&old, sizeof(old));
	return status;
}

static const struct command secret_subs[] = {
	{ "rotate", NULL, "sign cursors with a new key; those of the key before stay valid",
	    .run = rotate_secret },
	{ NULL },
};

static const struct command secret_command = { "secret",
	.help = "change the key that signs the cursors of pages", .sub = secret_subs };

COMMAND(secret_command);

static const struct command keys_subs[] = {
	{ "rotate", NULL, "sign tickets with a new key; those of the key before stay valid",
	    .run = rotate_keys },
	{ NULL },
};

static const struct command stream_keys_command = { "stream-keys",
	.help = "change the key that signs the tickets of live streams", .sub = keys_subs };

COMMAND(stream_keys_command);
