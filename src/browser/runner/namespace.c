/* SPDX-License-Identifier: ISC */
/* The network of a browser: a user and network namespace that has only lo. Whatever a page does
 * to the browser, no packet can leave the host: there is no other interface and no route.
 *
 *   namespace of the browser     127.0.0.1:SOCKS_PORT, listening
 *         | the descriptor of the listener, by way of the runner and the dispatcher
 *   namespace of the host        surfaced-egress accepts from it
 *
 * A socket belongs to the namespace in which it was made, wherever its descriptor goes: so
 * egress can accept the browser's connections without entering the namespace. */
#include "config.h"

#include "browser/runner/spawn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256 };

static bool
write_proc_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	fd_close(fd);
	return good;
}

/* Maps the present user and group to themselves, which is all that an unprivileged process may
   map. */
static bool
map_ids(uid_t uid, gid_t gid)
{
	char map[64];

	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	if (!write_proc_file("/proc/self/setgroups", "deny") ||
	    !write_proc_file("/proc/self/uid_map", map))
		return false;
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	return write_proc_file("/proc/self/gid_map", map);
}

static bool
bring_up_loopback(void)
{
	struct ifreq lo = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good;

	if (fd < 0)
		return false;
	lo.ifr_flags = IFF_UP;
	good = ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
	close(fd);
	return good;
}

static int
listen_for_socks(void)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons(SOCKS_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 &&
	    (bind(fd, (const struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, BACKLOG) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

int
namespace_enter(char *err, size_t room)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
		snprintf(err, room,
		    "no user and network namespace: %s; allow them: sysctl "
		    "user.max_user_namespaces, kernel.unprivileged_userns_clone=1, "
		    "kernel.apparmor_restrict_unprivileged_userns=0, and of a container "
		    "the system calls unshare and clone",
		    strerror(errno));
		return -1;
	}
	if (!map_ids(uid, gid)) {
		snprintf(err, room, "users of a namespace: %s", strerror(errno));
		return -1;
	}
	fd = bring_up_loopback() ? listen_for_socks() : -1;
	if (fd < 0)
		snprintf(err, room, "lo of a network namespace: %s", strerror(errno));
	return fd;
}
