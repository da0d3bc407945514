/* SPDX-License-Identifier: ISC */
/* Listening Unix sockets. A socket is bound under a temporary name and renamed when it listens, so that
   its name never stands for something that refuses, and a stale file of a crash is replaced. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

/* nginx gets in by the group; as root the file goes to the user the workers run as. */
static bool
permit(const char *path)
{
	const struct passwd *pw;

	if (chmod(path, 0660) != 0)
		return false;
	if (geteuid() != 0 || conf.user[0] == '\0')
		return true;
	pw = getpwnam(conf.user);
	return pw != NULL && chown(path, pw->pw_uid, pw->pw_gid) == 0;
}

static bool
bind_at(int fd, const char *temporary, const char *path)
{
	struct sockaddr_un a;

	if (!local_address(&a, temporary))
		return false;
	unlink(temporary);
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && permit(temporary) &&
	       listen(fd, BACKLOG) == 0 && rename(temporary, path) == 0;
}

static int
bind_new(const char *path, char *err, size_t room)
{
	char temporary[128];
	int fd;

	/* sun_path has room for 107 bytes: a long name loses its last two. */
	snprintf(temporary, sizeof(temporary), "%.*s.~",
	    strlen(path) > 105 ? 105 : (int)strlen(path), path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind_at(fd, temporary, path))
		return fd;
	snprintf(err, room, "%s: %s", path, strerror(errno));
	if (fd >= 0) {
		unlink(temporary);
		close(fd);
	}
	return -1;
}

int
listen_open(const char *path, char *err, size_t room)
{
	if (local_listens(path)) {
		snprintf(err, room, "%s: another process listens there", path);
		return -1;
	}
	return bind_new(path, err, room);
}

/* The group that the kernel gives to a file made beside path. */
static gid_t
group_beside(const char *path)
{
	char folder[108];
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	return stat(folder, &st) == 0 && (st.st_mode & S_ISGID) ? st.st_gid : getegid();
}

/* permit() has set the group where workers run as another user. */
static bool
has_group(const char *path)
{
	gid_t gid = group_beside(path);
	struct stat st;

	if (geteuid() == 0 && conf.user[0] != '\0')
		return true;
	return stat(path, &st) == 0 &&
	       (st.st_gid == gid || chown(path, (uid_t)-1, gid) == 0);
}

/* A process may give a file only to groups of its own, and nginx's is none of them: a socket with a wrong group
   is replaced by a new one. Requests that wait in the old one are lost, but nobody could send any. */
int
listen_mend(int fd, const char *path, char *err, size_t room)
{
	if (permit(path) && has_group(path))
		return fd;
	log_event(
	    LOGP_WARNING, "listen_replace", "path=%s why=\"%s\"", path, strerror(errno));
	listen_forget(path);
	close(fd);
	return bind_new(path, err, room);
}

int
daemon_bind(const char *path, int type, unsigned mode)
{
	struct sockaddr_un a;
	int fd;

	if (!local_address(&a, path))
		return -1;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && (unlink(path) == 0 || errno == ENOENT) &&
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && chmod(path, mode) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

/* Who connects is told the process that called listen() last: it is to be this one (daemon_view). */
bool
listen_adopt(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
	       fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && listen(fd, BACKLOG) == 0;
}

/* systemd knows a descriptor that it has already, and ignores what a unit has no room for. */
bool
listen_store(int fd, const char *path)
{
	char text[160];

	snprintf(text, sizeof(text), "FDSTORE=1\nFDNAME=%s", path);
	return sd_pid_notify_with_fds(0, 0, text, &fd, 1) > 0;
}

void
listen_forget(const char *path)
{
	sd_notifyf(0, "FDSTOREREMOVE=1\nFDNAME=%s", path);
}
