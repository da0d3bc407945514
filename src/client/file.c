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

bool
file_replace(const char *path, struct str text)
{
	size_t n = strlen(path);
	char *temporary = mem_alloc(n + sizeof(".XXXXXX"));
	bool good;
	int fd, saved;

	snprintf(temporary, n + sizeof(".XXXXXX"), "%s.XXXXXX", path);
	fd = mkstemp(temporary);
	good = fd >= 0 && fd_write(fd, text.p, text.n) && fsync(fd) == 0;
	fd_close(fd);
	good = good && rename(temporary, path) == 0;
	saved = errno;
	if (!good && fd >= 0)
		unlink(temporary);
	free(temporary);
	errno = saved;
	return good;
}
