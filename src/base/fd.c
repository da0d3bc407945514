/* SPDX-License-Identifier: ISC */
/* Descriptors, and Unix sockets by their names. */
#include "config.h"

#include "base/daemon_priv.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void
fd_close(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
}

bool
local_address(struct sockaddr_un *out, const char *path)
{
	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((size_t)snprintf(out->sun_path, sizeof(out->sun_path), "%s", path) <
	    sizeof(out->sun_path))
		return true;
	errno = ENAMETOOLONG;
	return false;
}

int
fd_connect(const char *path, int type)
{
	struct sockaddr_un a;
	int fd;

	if (!local_address(&a, path))
		return -1;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

bool
local_listens(const char *path)
{
	int fd = fd_connect(path, SOCK_STREAM | SOCK_NONBLOCK);

	fd_close(fd);
	return fd >= 0 || errno == EAGAIN;
}
