/* SPDX-License-Identifier: ISC */
/* Descriptors, Unix sockets by path, and whole files. */
#include "config.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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
fd_cloexec(int fd)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
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

int
fd_lock(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

bool
fd_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno != EINTR)
			return false;
		p += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	return true;
}

bool
file_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool
file_read(const char *path, size_t most, struct buf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char part[16384];
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0) {
		if ((size_t)n > most) {
			errno = EFBIG;
			break;
		}
		most -= (size_t)n;
		buf_add(b, part, (size_t)n);
	}
	fd_close(fd);
	return n == 0;
}
