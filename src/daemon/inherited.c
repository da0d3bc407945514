/* SPDX-License-Identifier: ISC */
/* What a master hands to its next self over an exec: listening sockets, the shared mapping and the name
   it was started by, listed in one environment variable. A service manager's sockets (LISTEN_FDS) come in
   by the same door: its own, or those that an earlier master put into its store (listen_store). */
#include "config.h"

#include "daemon/daemon_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define VARIABLE "DAEMON_HERITAGE"

static bool
sock_path(int fd, char out[108])
{
	struct sockaddr_un a = { 0 };
	socklen_t n = sizeof(a);
	int listening = 0;
	socklen_t m = sizeof(listening);

	if (getsockname(fd, (struct sockaddr *)&a, &n) != 0 || a.sun_family != AF_UNIX)
		return false;
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &m) != 0 || !listening)
		return false;
	snprintf(out, 108, "%.107s", a.sun_path);
	return out[0] == '/';
}

static void
add(struct inherited *h, int fd, bool lent, const char *path)
{
	if (h->count == COUNT(h->socks) || !listen_adopt(fd)) {
		close(fd);
		return;
	}
	h->socks[h->count].fd = fd;
	h->socks[h->count].lent = lent;
	snprintf(h->socks[h->count].path, sizeof(h->socks[h->count].path), "%s", path);
	h->count++;
}

/* A stored socket has its file's path for a name; without the file nobody could connect to it, and the store
   is not to hand it out again beside the one that takes its place. */
static bool
stored_path(const char *name, char out[108])
{
	struct stat st;

	snprintf(out, 108, "%.107s", name);
	if (lstat(out, &st) == 0 && S_ISSOCK(st.st_mode))
		return true;
	listen_forget(out);
	return false;
}

static void
take_systemd(struct inherited *h)
{
	char **names = NULL, path[108];
	int n = sd_listen_fds_with_names(1, &names);

	for (int i = 0; i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		bool stored = names[i][0] == '/'; /* our own; others are lent */

		if (stored ? stored_path(names[i], path) : sock_path(fd, path))
			add(h, fd, !stored, path);
		else
			close(fd);
		free(names[i]);
	}
	free(names);
}

/* A number and the space behind it. */
static bool
take_number(char **at, int *out)
{
	size_t n = strcspn(*at, " ");
	int64_t i;

	if ((*at)[n] == '\0' || !str_int64((struct str){ *at, n }, &i) || i < 0 ||
	    i > INT32_MAX)
		return false;
	*out = (int)i;
	*at += n + 1;
	return true;
}

/* "PID SHARED EXE" and lines of "FD LENT PATH": the path of the file, which is not what the socket was bound
   to (listen_open renames it). */
static void
take_own(struct inherited *h, char *text)
{
	char *line = strsep(&text, "\n");
	int pid, fd, lent;

	if (!take_number(&line, &pid) || pid != getpid() || !take_number(&line, &fd))
		return;
	h->shared = fd;
	snprintf(h->exe, sizeof(h->exe), "%s", line);
	while ((line = strsep(&text, "\n")) != NULL)
		if (take_number(&line, &fd) && take_number(&line, &lent))
			add(h, fd, lent, line);
}

static void
find_exe(struct inherited *h)
{
	ssize_t n = readlink("/proc/self/exe", h->exe, sizeof(h->exe) - 1);

	if (n < 0)
		panic("readlink /proc/self/exe: %s", strerror(errno));
	h->exe[n] = '\0';
}

void
inherited_take(struct inherited *h)
{
	const char *value = getenv(VARIABLE);
	char *text;

	h->shared = -1;
	h->count = 0;
	h->exe[0] = '\0';
	if (value != NULL && (text = strdup(value)) != NULL) {
		take_own(h, text);
		free(text);
	}
	unsetenv(VARIABLE);
	take_systemd(h);
	if (h->exe[0] == '\0')
		find_exe(h);
}

bool
inherited_pause(void)
{
	const char *value = getenv(VARIABLE);
	struct timespec second = { .tv_sec = 1 };
	sigset_t set;
	int sig;

	if (value == NULL || strtol(value, NULL, 10) != getpid())
		return false;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sig = sigtimedwait(&set, NULL, &second); /* blocked by the former self */
	return sig != SIGTERM && sig != SIGINT;
}

bool
inherited_give(const struct inherited *h)
{
	struct buf b = { 0 };
	bool ok;

	buf_printf(&b, "%d %d %s", (int)getpid(), h->shared, h->exe);
	ok = fcntl(h->shared, F_SETFD, 0) == 0;
	for (size_t i = 0; i < h->count; i++) {
		buf_printf(
		    &b, "\n%d %d %s", h->socks[i].fd, h->socks[i].lent, h->socks[i].path);
		ok = ok && fcntl(h->socks[i].fd, F_SETFD, 0) == 0;
	}
	buf_char(&b, '\0');
	ok = ok && setenv(VARIABLE, b.p, 1) == 0;
	buf_free(&b);
	return ok;
}

int
inherited_sock(struct inherited *h, const char *path, bool *lent)
{
	for (size_t i = 0; i < h->count; i++)
		if (strcmp(h->socks[i].path, path) == 0) {
			int fd = h->socks[i].fd;

			*lent = h->socks[i].lent;
			h->socks[i] = h->socks[--h->count];
			return fd;
		}
	return -1;
}
