/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the users that can reach each file, and the contents of secret files. */
#include "config.h"

#include <openssl/crypto.h>

#include "access/seal.h"
#include "access/ticket.h"
#include "cli/doctor/files.h"
#include "cli/proc.h"
#include "daemon/conf.h"
#include "secret/fingerprint.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUPS_MAX = 128, READ = 4, ENTER = 1 };

static bool
has_permission(
    const struct stat *st, const struct passwd *pw, const gid_t *groups, int n, mode_t bit)
{
	if (pw->pw_uid == 0)
		return true;
	if (st->st_uid == pw->pw_uid)
		return (st->st_mode & bit << 6) == bit << 6;
	for (int i = 0; i < n; i++)
		if (groups[i] == st->st_gid)
			return (st->st_mode & bit << 3) == bit << 3;
	return (st->st_mode & bit) == bit;
}

/* The kernel's rules for another user, computed from stat: root cannot ask the kernel for the
   rights of another user without becoming that user, and access() answers for the present one. The
   first class that matches decides, as in the kernel:

     owner   the owner's bits, even if the group or others have more
     group   the group's bits, for the user's primary and further groups
     other   the last bits

   Each directory of the path must be searchable. Access control lists and security modules are not
   seen. */
bool
doctor_reach(const char *path, const struct passwd *pw, mode_t bit)
{
	gid_t groups[GROUPS_MAX];
	int n = GROUPS_MAX;
	char part[4096];
	struct stat st;

	if (getgrouplist(pw->pw_name, pw->pw_gid, groups, &n) < 0)
		n = GROUPS_MAX;
	for (const char *p = path; p != NULL; p = strchr(p + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", p == path ? 1 : (int)(p - path), path);
		if (stat(part, &st) != 0 || !has_permission(&st, pw, groups, n, ENTER))
			return false;
	}
	return stat(path, &st) == 0 && has_permission(&st, pw, groups, n, bit);
}

/* ---- secrets ---- */

struct secret_file {
	const char *check, *path, *group;
	struct advice make; /* if the file is missing or bad */
	bool (*is_good)(const char *path, char *err, size_t room);
};

/* Can the daemon read the secret file? A daemon reads it at its start or with its first request and
   then never again, so a later fault stays unnoticed until the next restart. */
static bool
is_read_by(struct doctor *d, const struct secret_file *f, const struct program *p)
{
	const char *user = d->user.p != NULL ? d->user.p : p->name, *group = f->group;
	const struct passwd *pw = getpwnam(user);
	const struct group *g;

	if (!p->wanted || pw == NULL || doctor_reach(f->path, pw, READ))
		return true;
	/* With --user the file belongs to the user's own group. */
	g = d->user.p != NULL ? getgrgid(pw->pw_gid) : NULL;
	if (g != NULL)
		group = PRINTED(d, "%s", g->gr_name);
	doctor_report(d, HEALTH_FAILED, f->check, DO_WITH(OPEN_SECRET, group, f->path, p->name),
	    "%s cannot be read by %s, as the user %s", f->path, p->name, user);
	return false;
}

/* False: a finding was added. */
static bool
check_secret(struct doctor *d, const struct secret_file *f)
{
	struct stat st;
	char err[256];

	if (stat(f->path, &st) != 0)
		doctor_report(
		    d, HEALTH_FAILED, f->check, f->make, "%s: %s", f->path, strerror(errno));
	else if (st.st_mode & S_IRWXO)
		doctor_report(d, HEALTH_FAILED, f->check, DO_WITH(CLOSE_SECRET, f->path),
		    "%s can be read by every user", f->path);
	else if (access(f->path, R_OK) == 0 && !f->is_good(f->path, err, sizeof(err)))
		doctor_report(d, HEALTH_FAILED, f->check, f->make, "%s", err);
	else
		return true;
	return false;
}

static bool
is_secret_file(const char *path, char *err, size_t room)
{
	struct cursor_secret secret;

	return cursor_secret_read(path, &secret, err, room);
}

static bool
is_keys(const char *path, char *err, size_t room)
{
	struct signing_keys keys;

	return signing_keys_read(TICKET_FILE(path), &keys, err, room);
}

static bool
is_sign_in_keys(const char *path, char *err, size_t room)
{
	struct signing_keys keys;
	bool good = signing_keys_read(SIGN_IN_FILE(path), &keys, err, room);

	OPENSSL_cleanse(&keys, sizeof(keys));
	return good;
}

static bool
is_fingerprint_key(const char *path, char *err, size_t room)
{
	struct secret_key key;
	bool good = secret_key_read(path, &key, err, room);

	OPENSSL_cleanse(&key, sizeof(key));
	return good;
}

void
doctor_secrets(struct doctor *d)
{
	const struct program *api = &d->programs[PROGRAM_API],
			     *detect = &d->programs[PROGRAM_DETECT],
			     *stream = &d->programs[PROGRAM_STREAM];
	struct secret_file secret = { .check = "secret",
		.path = api->conf.secret_file,
		.group = "surfaced",
		.make = DO_WITH(MAKE_SECRET, api->conf.secret_file),
		.is_good = is_secret_file };
	struct secret_file keys = { .check = "stream-keys",
		.path = stream->conf.stream_keys,
		.group = "surfaced-stream",
		.make = DO_WITH(MAKE_KEYS, stream->conf.stream_keys),
		.is_good = is_keys };
	struct secret_file sign_in = { .check = "sign-in-keys",
		.path = api->conf.sign_in_keys,
		.group = "surfaced",
		.make = DO_WITH(MAKE_SIGN_IN_KEYS, api->conf.sign_in_keys),
		.is_good = is_sign_in_keys };
	struct secret_file fingerprints = { .check = "fingerprint-key",
		.path = detect->conf.fingerprint_file,
		.group = "surfaced-detect",
		.make = DO_WITH(MAKE_FINGERPRINT_KEY, detect->conf.fingerprint_file),
		.is_good = is_fingerprint_key };

	if (detect->wanted && detect->good && check_secret(d, &fingerprints) &&
	    is_read_by(d, &fingerprints, detect))
		doctor_report(d, HEALTH_OK, fingerprints.check, NO_ADVICE, "%s", fingerprints.path);
	if (api->good && check_secret(d, &secret) && is_read_by(d, &secret, api))
		doctor_report(d, HEALTH_OK, secret.check, NO_ADVICE, "%s", secret.path);
	if (api->good && check_secret(d, &sign_in) && is_read_by(d, &sign_in, api))
		doctor_report(d, HEALTH_OK, sign_in.check, NO_ADVICE, "%s", sign_in.path);
	if (stream->wanted && stream->good && check_secret(d, &keys) &&
	    is_read_by(d, &keys, stream) && is_read_by(d, &keys, api))
		doctor_report(d, HEALTH_OK, keys.check, NO_ADVICE, "%s", keys.path);
}

/* A worker reads the secret once. */
void
doctor_unread_secret(struct doctor *d)
{
	const struct program *api = &d->programs[PROGRAM_API];

	if (api->good && api->pid != 0 &&
	    proc_changed_since(api->conf.secret_file, proc_oldest_child(api->pid, NULL)))
		doctor_report(d, HEALTH_WARNING, "secret", DO_WITH(RELOAD, api->name),
		    "%s changed since the workers of surfaced read it", api->conf.secret_file);
}
