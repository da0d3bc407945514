/* SPDX-License-Identifier: ISC */
/* The state that a master passes through an exec: listening sockets, the shared mapping, and the
 * path of the program. The descriptors stay open; one environment variable has their numbers:
 *
 *   DAEMON_HERITAGE = PID MAPPING PROGRAM
 *                     FD LENT PATH          (one line per socket)
 *
 * PID guards against a child that inherits the variable without the descriptors. PATH is written
 * down because getsockname does not know it: listen_open binds a temporary name and renames the
 * file.
 *
 * Sockets of the service manager (LISTEN_FDS) join the same list. A name that begins with a slash
 * was given by listen_store, so the socket is a duplicate of one that an earlier master opened;
 * every other socket belongs to a .socket unit and is lent. */
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
socket_path(int fd, char out[108])
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
add_socket(struct inherited *h, int fd, bool lent, const char *path)
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

/* Copies the name of a stored socket, which is the path of its file. If the file is gone, no client
   can connect to the socket: false, and the store drops the socket, so that it does not return at
   the next start together with the socket that replaces it. */
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
add_systemd_sockets(struct inherited *h)
{
	char **names = NULL, path[108];
	int n = sd_listen_fds_with_names(1, &names);

	for (int i = 0; i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		bool stored = names[i][0] == '/';

		if (stored ? stored_path(names[i], path) : socket_path(fd, path))
			add_socket(h, fd, !stored, path);
		else
			close(fd);
		free(names[i]);
	}
	free(names);
}

/* Parses a number and the space after it, and advances *at. */
static bool
parse_inherited_number(char **at, int *out)
{
	size_t n = strcspn(*at, " ");
	int64_t i;

	if ((*at)[n] == '\0' || !str_int64((struct str){ *at, n }, &i) || i < 0 || i > INT32_MAX)
		return false;
	*out = (int)i;
	*at += n + 1;
	return true;
}

/* Parses the variable, whose format is at the top of this file. */
static void
parse_variable(struct inherited *h, char *text)
{
	char *line = strsep(&text, "\n");
	int pid, fd, lent;

	if (!parse_inherited_number(&line, &pid) || pid != getpid() ||
	    !parse_inherited_number(&line, &fd))
		return;
	h->shared = fd;
	snprintf(h->exe, sizeof(h->exe), "%s", line);
	while ((line = strsep(&text, "\n")) != NULL)
		if (parse_inherited_number(&line, &fd) && parse_inherited_number(&line, &lent))
			add_socket(h, fd, lent, line);
}

static void
find_program(struct inherited *h)
{
	ssize_t n = readlink("/proc/self/exe", h->exe, sizeof(h->exe) - 1);

	if (n < 0)
		panic("readlink /proc/self/exe: %s", strerror(errno));
	h->exe[n] = '\0';
}

void
inherited_read(struct inherited *h)
{
	const char *value = getenv(VARIABLE);
	char *text;

	h->shared = -1;
	h->count = 0;
	h->exe[0] = '\0';
	if (value != NULL && (text = strdup(value)) != NULL) {
		parse_variable(h, text);
		free(text);
	}
	unsetenv(VARIABLE);
	add_systemd_sockets(h);
	if (h->exe[0] == '\0')
		find_program(h);
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
	/* The signals are blocked: the mask of the old master survived the exec. */
	sig = sigtimedwait(&set, NULL, &second);
	return sig != SIGTERM && sig != SIGINT;
}

bool
inherited_write(const struct inherited *h)
{
	struct buf b = { 0 };
	bool ok;

	buf_printf(&b, "%d %d %s", (int)getpid(), h->shared, h->exe);
	ok = fcntl(h->shared, F_SETFD, 0) == 0;
	for (size_t i = 0; i < h->count; i++) {
		buf_printf(&b, "\n%d %d %s", h->socks[i].fd, h->socks[i].lent, h->socks[i].path);
		ok = ok && fcntl(h->socks[i].fd, F_SETFD, 0) == 0;
	}
	buf_char(&b, '\0');
	ok = ok && setenv(VARIABLE, b.p, 1) == 0;
	buf_free(&b);
	return ok;
}

int
inherited_socket(struct inherited *h, const char *path, bool *lent)
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
