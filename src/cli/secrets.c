/* SPDX-License-Identifier: ISC */
/* surfacectl secret, stream-keys, sign-in-keys: the key files that sign cursors, tickets of live
   streams, and the tokens of sign-ins. A file has at most two keys, the present one first:

     before the rotation    B, A      B signs; A and B verify
     after the rotation     C, B      C signs; B and C verify; what A signed is refused

   So a rotation keeps every cursor and ticket that is younger than the previous rotation, and two
   rotations in a row end all of them, which is the remedy for a key that has become known.
   The file of sign_in_keys also seals secrets that the database keeps. An older key stays in it as
   long as a secret needs it, which is until its person signs in.
   Keys are wiped from memory afterwards. */
#include "config.h"

#include <openssl/crypto.h>

#include "access/seal.h"
#include "access/ticket.h"
#include "cli/secrets.h"
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
	bool ok = fd >= 0 && set_mode(fd, path, group) && fd_write(fd, text.p, text.n) &&
		  fsync(fd) == 0 && rename(temporary, path) == 0;
	int why = errno;

	fd_close(fd);
	if (ok)
		return EXIT_OK;
	unlink(temporary);
	return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(why));
}

struct rotated {
	struct str file, next;
};

static const struct field rotated_out[] = {
	FIELD(struct rotated, file, 0),
	FIELD(struct rotated, next, 0),
	FIELD_END,
};

/* The same file belongs to all hosts. */
static int
print_next(struct cli *c, const char *file, const char *next)
{
	if (c->json)
		return cli_print(
		    c, "rotated", rotated_out, &(struct rotated){ str_of(file), str_of(next) });
	printf("%s is new; copy it to the other hosts, then on each host: %s\n", file, next);
	return EXIT_OK;
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
	return status == EXIT_OK ? print_next(c, conf.secret_file, "systemctl reload surfaced")
				 : status;
}

/* Puts a new key before the keys of the file that are kept: the present one, and those that
   `needed` lists. */
static int
rotate_signing_keys(
    struct cli *c, const struct signing_file *f, const char *group, const struct list *needed)
{
	struct signing_keys old = { 0 };
	struct signing_key new;
	char text[SIGNING_KEYS * SIGNING_LINE + 1], err[512];
	size_t n, lines = 1;
	int status;

	if (access(f->path, F_OK) == 0 && !signing_keys_read(f, &old, err, sizeof(err)))
		return cli_fail(EXIT_FAILED, "%s; remove the file for new ones", err);
	signing_key_make(&new);
	n = signing_key_print(text, &new);
	for (size_t i = 0; i < old.n && lines <= f->most; i++)
		if (i == 0 || sealed_with(needed, old.keys[i].kid) != NULL)
			if (++lines <= f->most)
				n += signing_key_print(text + n, &old.keys[i]);
	status = lines <= f->most
		     ? replace_secret_file(c, f->path, group, (struct str){ text, n })
		     : cli_fail(EXIT_FAILED,
			   "%s: one more key is too many, and secrets need the older ones: see "
			   "surfacectl sign-in-keys list",
			   f->path);
	OPENSSL_cleanse(text, sizeof(text));
	OPENSSL_cleanse(&new, sizeof(new));
	OPENSSL_cleanse(&old, sizeof(old));
	return status;
}

static int
rotate_stream_keys(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	static const struct list nothing;
	struct cli_list words;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	return rotate_signing_keys(c, TICKET_FILE(conf.stream_keys), "surfaced-stream", &nothing);
}

/* ---- the keys of people ---- */

static const struct field sealed_secrets_out[] = {
	FIELD(struct sealed_secrets, kid, 0),
	FIELD(struct sealed_secrets, secrets, 0),
	FIELD_END,
};

STMT_LIST(list_sealed_secrets, struct sealed_secrets, sealed_secrets_out,
    "SELECT convert_from(rtrim(substr(sealed, 2, 16), '\\x00'::bytea), 'UTF8') AS kid,"
    " count(*) AS secrets FROM (SELECT totp AS sealed FROM person WHERE totp IS NOT NULL"
    "  UNION ALL SELECT totp_new FROM person WHERE totp_new IS NOT NULL"
    "   AND totp_new_at > now() - interval '10 min') AS s GROUP BY 1 ORDER BY 1");

enum db_rc
sealed_list(struct cli *c, struct list *out)
{
	return db_rows(c->db, &list_sealed_secrets, out, DB_NO_ARGS);
}

const struct sealed_secrets *
sealed_with(const struct list *sealed, const char *kid)
{
	const struct sealed_secrets *all = sealed->items;

	for (size_t i = 0; i < sealed->n; i++)
		if (str_is(all[i].kid, kid))
			return &all[i];
	return NULL;
}

static int
rotate_sign_in_keys(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	struct cli_list words;
	struct list sealed;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	rc = sealed_list(c, &sealed);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "sign-in-keys rotate");
	return rotate_signing_keys(c, SIGN_IN_FILE(conf.sign_in_keys), "surfaced", &sealed);
}

struct sign_in_key {
	struct str kid;
	bool signs;
	int64_t secrets;
};

static const struct field sign_in_key_out[] = {
	FIELD(struct sign_in_key, kid, 0),
	FIELD(struct sign_in_key, signs, 0),
	FIELD(struct sign_in_key, secrets, 0),
	FIELD_END,
};

static int
list_sign_in_keys(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	struct sign_in_key lines[SIGNING_KEYS];
	struct cli_list words;
	struct signing_keys keys;
	struct list sealed;
	char err[512];
	enum db_rc rc;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	if (!signing_keys_read(SIGN_IN_FILE(conf.sign_in_keys), &keys, err, sizeof(err)))
		return cli_fail(EXIT_FAILED, "%s", err);
	rc = sealed_list(c, &sealed);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "sign-in-keys list");
	for (size_t i = 0; i < keys.n; i++) {
		const struct sealed_secrets *s = sealed_with(&sealed, keys.keys[i].kid);

		lines[i] = (struct sign_in_key){ arena_str(c->arena, str_of(keys.keys[i].kid)),
			i == 0, s == NULL ? 0 : s->secrets };
	}
	OPENSSL_cleanse(keys.keys, sizeof(keys.keys));
	return cli_print_list(
	    c, "sign_in_keys", sign_in_key_out, (struct list){ lines, keys.n }, sizeof(lines[0]));
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
	    .run = rotate_stream_keys },
	{ NULL },
};

static const struct command stream_keys_command = { "stream-keys",
	.help = "change the key that signs the tickets of live streams", .sub = keys_subs };

COMMAND(stream_keys_command);

static const struct command sign_in_keys_subs[] = {
	{ "list", NULL, "each key, and how many secrets of one-time codes it has sealed",
	    .run = list_sign_in_keys },
	{ "rotate", NULL, "sign and seal with a new key; older ones stay while a secret needs them",
	    .run = rotate_sign_in_keys },
	{ NULL },
};

static const struct command sign_in_keys_command = { "sign-in-keys",
	.help = "change the key that signs and seals for people", .sub = sign_in_keys_subs };

COMMAND(sign_in_keys_command);
