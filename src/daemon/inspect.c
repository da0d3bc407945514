/* SPDX-License-Identifier: ISC */
/* The view of a running daemon from another process, for surfacectl workers. No protocol is needed:
   the kernel reports the pid of the master to every process that connects to the socket of a pool
   (SO_PEERCRED), and a process that may read /proc/PID/fd finds the shared mapping among the
   descriptors of the master. */
#include "config.h"

#include "daemon/daemon_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The pid of the process that listens on path; 0, with errno, if there is none. */
static pid_t
find_master(const char *path)
{
	struct ucred peer = { 0 };
	socklen_t n = sizeof(peer);
	int fd = fd_connect(path, SOCK_STREAM | SOCK_NONBLOCK);

	if (fd < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
		peer.pid = 0;
	close(fd);
	return peer.pid;
}

static bool
is_shared_socket(int dir, const char *name)
{
	static const char wanted[] = "/memfd:" SHARED_NAME;
	char target[256];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	return n >= (ssize_t)sizeof(wanted) - 1 && memcmp(target, wanted, sizeof(wanted) - 1) == 0;
}

/* Opens the shared mapping of the process read-only; -1 if that fails. */
static int
find_shared(pid_t pid)
{
	char path[64];
	int found = -1;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir != NULL && found < 0 && (e = readdir(dir)) != NULL)
		if (is_shared_socket(dirfd(dir), e->d_name))
			found = openat(dirfd(dir), e->d_name, O_RDONLY | O_CLOEXEC);
	if (dir != NULL)
		closedir(dir);
	return found;
}

static void
count_workers(const struct shared *s, struct daemon_view *out)
{
	int64_t now = mono_us();

	out->pool_count = s->pool_count <= POOLS_MAX ? s->pool_count : 0;
	memcpy(out->pools, s->pools, sizeof(out->pools));
	for (size_t i = 0; i < SLOTS_MAX; i++) {
		const struct worker_slot *slot = &s->slots[i];
		int64_t since = atomic_load(&slot->busy_since);
		struct pool_view *p;

		if (atomic_load(&slot->pid) == 0 || slot->pool >= out->pool_count)
			continue;
		p = &out->views[slot->pool];
		p->running++;
		p->busy += since != 0;
		p->searching += atomic_load(&slot->searching) != 0;
		p->served += atomic_load(&slot->served);
		if (since != 0 && now - since > p->longest_us)
			p->longest_us = now - since;
	}
}

bool
daemon_view(const char *path, struct daemon_view *out, char *err, size_t room)
{
	struct stat st;
	struct shared *s = MAP_FAILED;
	int fd;

	memset(out, 0, sizeof(*out));
	out->master = find_master(path);
	if (out->master == 0) {
		snprintf(err, room, "%s: %s: %s", path,
		    errno == EAGAIN ? "its queue is full" : "no process listens", strerror(errno));
		return false;
	}
	if (kill(out->master, 0) != 0 && errno == ESRCH) {
		/* systemd holds the socket of a master that has ended. */
		snprintf(
		    err, room, "%s: process %d, which listened, has ended", path, (int)out->master);
		out->master = 0;
		return false;
	}
	fd = find_shared(out->master);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof(*s))
		s = mmap(NULL, sizeof(*s), PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (s == MAP_FAILED || s->magic != SHARED_MAGIC) {
		snprintf(err, room, "process %d cannot be looked into: %s", (int)out->master,
		    fd < 0 ? "not permitted, or no master of ours" : "another version");
		return false;
	}
	count_workers(s, out);
	munmap(s, sizeof(*s));
	return true;
}
