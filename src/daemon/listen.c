/* SPDX-License-Identifier: ISC */
/* Listening Unix sockets, for the master. A socket is bound under a temporary name and renamed
 * when it listens, so that a client that finds the file is never refused, and the file that a
 * crashed daemon left is replaced.
 *
 *   bind NAME.~  ->  chmod, chown  ->  listen  ->  rename NAME.~ to NAME
 *
 * getsockname therefore returns the temporary name for ever; inherited.c passes the real one on.
 * A duplicate goes to the socket store of systemd (listen_store), which keeps connections
 * waiting in the queue while the service is restarted. */
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

/* Sets mode and owner of a socket file. nginx connects as a member of the group; a master that is
   root gives the file to conf.user. */
static bool
set_permissions(const char *path)
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
bind_and_rename(int fd, const char *temporary, const char *path)
{
	struct sockaddr_un a;

	if (!local_address(&a, temporary))
		return false;
	unlink(temporary);
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && set_permissions(temporary) &&
	       listen(fd, BACKLOG) == 0 && rename(temporary, path) == 0;
}

static int
open_new_socket(const char *path, char *err, size_t room)
{
	char temporary[128];
	int fd;

	/* sun_path has room for 107 bytes: the temporary name of a long path lacks its last two
	   bytes. */
	snprintf(temporary, sizeof(temporary), "%.*s.~",
	    strlen(path) > 105 ? 105 : (int)strlen(path), path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind_and_rename(fd, temporary, path))
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
	return open_new_socket(path, err, room);
}

/* The group that the kernel would give to a new file in the directory of path. */
static gid_t
group_beside(const char *path)
{
	char folder[108];
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	return stat(folder, &st) == 0 && (st.st_mode & S_ISGID) ? st.st_gid : getegid();
}

/* Gives the file the group that a new socket would have. Where the workers run as another user,
   set_permissions has done so already. */
static bool
set_group(const char *path)
{
	gid_t gid = group_beside(path);
	struct stat st;

	if (geteuid() == 0 && conf.user[0] != '\0')
		return true;
	return stat(path, &st) == 0 && (st.st_gid == gid || chown(path, (uid_t)-1, gid) == 0);
}

/* A process may give a file only to a group that it is in, and the group of nginx is usually not
   one of them, so a socket whose group cannot be corrected is replaced by a new one. Connections
   that wait in the old socket are lost, but with the wrong group nginx could not make any. */
int
listen_repair(int fd, const char *path, char *err, size_t room)
{
	if (set_permissions(path) && set_group(path))
		return fd;
	log_event(LOGP_WARNING, "listen_replace", "path=%s why=\"%s\"", path, strerror(errno));
	listen_forget(path);
	close(fd);
	return open_new_socket(path, err, room);
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

/* Calls listen(2) again although the socket already listens: SO_PEERCRED reports to a client the
   process that called listen last, and daemon_view needs it to be the running master. */
bool
listen_adopt(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fd_cloexec(fd) &&
	       listen(fd, BACKLOG) == 0;
}

/* Sending a descriptor that the store already has is harmless: systemd compares them. systemd also
   ignores a descriptor beyond FileDescriptorStoreMax. */
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
