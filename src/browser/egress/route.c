/* SPDX-License-Identifier: ISC */
/* Routes: how a session's connections leave this host, directly or through a proxy. The message
 * names the credential as a file in egress_secrets, so that no password passes through the
 * database or a link.
 *
 * The name of that file comes from the database, so it may be neither a path nor a hidden file
 * (is_file_name), and a file that every user may read is refused. The file is read for each
 * connection: a new password works at once, and is erased from memory when the connection is
 * made. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether this is the name of a file, and not a path or a hidden file. */
static bool
is_file_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= 0x20 || s.p[i] >= 0x7f || s.p[i] == '/')
			return false;
	return s.n > 0 && s.p[0] != '.';
}

static bool
copy_route_text(struct str s, char *out, size_t room)
{
	if (s.n >= room || (s.n > 0 && memchr(s.p, '\0', s.n) != NULL))
		return false;
	if (s.n > 0)
		memcpy(out, s.p, s.n);
	out[s.n] = '\0';
	return true;
}

const char *
route_set(struct route *r, struct str kind, struct str host, int64_t port, struct str credential)
{
	size_t k = 0;

	*r = (struct route){ .port = (unsigned)port };
	while (route_kinds[k] != NULL && !str_is(kind, route_kinds[k]))
		k++;
	if (route_kinds[k] == NULL)
		return "kind";
	r->kind = (enum route_kind)k;
	if (r->kind == ROUTE_DIRECT)
		return host.n > 0 || port != 0 || credential.n > 0 ? "kind" : NULL;
	if (host.n == 0 || !copy_route_text(host, r->host, sizeof(r->host)))
		return "host";
	if (port < 1 || port > 65535)
		return "port";
	if (credential.n > 0 &&
	    (!is_file_name(credential) || !copy_route_text(credential, r->file, sizeof(r->file))))
		return "credential";
	return NULL;
}

/* Reads the file. Returns -1 and sets *why on failure; after a success, *why fits a credential that
   cannot be parsed. */
static ssize_t
read_secret(int fd, char *room, size_t n, const char **why)
{
	struct stat s;
	ssize_t got;

	*why = "it is not a file";
	if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
		return -1;
	*why = "every user may read it";
	if ((s.st_mode & S_IROTH) != 0)
		return -1;
	*why = "it is too long";
	if (s.st_size > (off_t)n)
		return -1;
	got = read(fd, room, n);
	*why = got < 0 ? strerror(errno) : "the first line must be user:password";
	return got;
}

bool
route_credential(const struct route *r, struct credential *out)
{
	char path[4608], room[2 * PROXY_WORD_MAX + 16];
	const char *why;
	bool good = false;
	ssize_t n;
	int fd;

	*out = (struct credential){ .given = false };
	if (r->file[0] == '\0')
		return true;
	snprintf(path, sizeof(path), "%s/%s", conf.egress_secrets, r->file);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	why = strerror(errno);
	if (fd >= 0) {
		n = read_secret(fd, room, sizeof(room), &why);
		close(fd);
		good = n >= 0 && credential_parse((struct str){ room, (size_t)n }, out);
		explicit_bzero(room, sizeof(room));
	}
	if (!good)
		log_event(LOGP_ERR, "credential", "file=\"%s\" why=\"%s\"", path, why);
	return good;
}
