/* SPDX-License-Identifier: ISC */
/* Files of the customer: written whole or not at all. */
#include "config.h"

#include "client/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool
file_folder(const char *path)
{
	char *copy = mem_text(path);
	bool good = true;

	for (char *p = strchr(copy + 1, '/'); good && p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		good = mkdir(copy, 0700) == 0 || errno == EEXIST;
		*p = '/';
	}
	free(copy);
	return good;
}

static bool
write_file_bytes(int fd, struct str text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text = (struct str){ text.p + n, text.n - (size_t)n };
	}
	return true;
}

bool
file_replace(const char *path, struct str text)
{
	size_t n = strlen(path);
	char *temporary = mem_alloc(n + sizeof(".XXXXXX"));
	bool good;
	int fd, saved;

	snprintf(temporary, n + sizeof(".XXXXXX"), "%s.XXXXXX", path);
	fd = mkstemp(temporary);
	good = fd >= 0 && write_file_bytes(fd, text) && fsync(fd) == 0;
	saved = errno;
	fd_close(fd);
	errno = saved;
	good = good && rename(temporary, path) == 0;
	saved = errno;
	if (!good && fd >= 0)
		unlink(temporary);
	free(temporary);
	errno = saved;
	return good;
}
