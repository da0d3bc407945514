/* SPDX-License-Identifier: ISC */
/* Makes copies of files (copy.h). */
#include "config.h"

#include "search/index/format/copy.h"
#include "search/index/format/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static bool keeps_copies;

void
copies_keep(bool keep)
{
	keeps_copies = keep;
}

bool
copies_kept(void)
{
	return keeps_copies;
}

void
copy_path(const char *path, char *out, size_t room)
{
	int n = snprintf(out, room, "%s%s", path, COPY_SUFFIX);

	if (n < 0 || (size_t)n >= room)
		panic("index directory name too long");
}

static bool
copy_content(int from, struct file_writer *w)
{
	char *piece;
	uint64_t at = 0;
	ssize_t k;

	if (w->fd >= 0 && ioctl(w->fd, FICLONE, from) == 0)
		return true;
	piece = mem_alloc(PIECE);
	while ((k = pread(from, piece, PIECE, (off_t)at)) > 0) {
		file_write(w, piece, (size_t)k, at);
		at += (uint64_t)k;
	}
	free(piece);
	return k == 0;
}

bool
copy_exists(const char *path, uint64_t size)
{
	char name[4096];
	struct stat have;

	copy_path(path, name, sizeof(name));
	return stat(name, &have) == 0 && (uint64_t)have.st_size == size;
}

/* An incomplete copy does not have the size of the file, and the copy of another file is refused by
   its checksum when it is used. */
bool
copy_complete(const char *path, char err[INDEX_FAULT])
{
	char name[4096];
	struct file_writer w;
	struct stat st;
	int from;
	bool ok;

	copy_path(path, name, sizeof(name));
	if (!keeps_copies)
		return true;
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0 || fstat(from, &st) < 0) {
		snprintf(err, INDEX_FAULT, "%.200s: %s", path, strerror(errno));
		fd_close(from);
		return false;
	}
	if (copy_exists(path, (uint64_t)st.st_size)) {
		fd_close(from);
		return true;
	}
	file_begin(&w, name);
	ok = copy_content(from, &w);
	if (!ok) {
		snprintf(err, INDEX_FAULT, "%.200s: %s", path, strerror(errno));
		file_abandon(&w);
	}
	fd_close(from);
	return ok && file_end_unsynced(&w, err);
}
