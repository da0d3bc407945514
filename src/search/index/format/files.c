/* SPDX-License-Identifier: ISC */
/* Atomic replacement of files, for the writer of the index. The order matters: the content is on
 * the disk before the rename makes it visible, and the directory is on the disk before the
 * caller relies on the new name. A crash at any point leaves the old file, and at worst a
 * temporary one, which the next publication removes (remove_old_files in state.c).
 *
 * A failed write keeps its errno and closes the descriptor, and every later file_write does
 * nothing. So a caller with dozens of sections writes them all and looks at the result once, in
 * file_end. */
#include "config.h"

#include "search/index/format/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void
file_begin(struct file_writer *w, const char *path)
{
	snprintf(w->path, sizeof(w->path), "%s", path);
	snprintf(w->temporary, sizeof(w->temporary), "%s.tmp", w->path);
	w->fd = open(w->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	w->error = w->fd < 0 ? errno : 0;
}

static void
close_writer(struct file_writer *w)
{
	fd_close(w->fd);
	w->fd = -1;
}

void
file_write(struct file_writer *w, const void *bytes, size_t n, uint64_t at)
{
	const char *p = bytes;

	while (w->fd >= 0 && n > 0) {
		ssize_t k = pwrite(w->fd, p, n < (1u << 30) ? n : 1u << 30, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			w->error = k < 0 ? errno : ENOSPC;
			close_writer(w);
			return;
		}
		p += k;
		n -= (size_t)k;
		at += (uint64_t)k;
	}
}

static bool
sync_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	fd_close(fd);
	return ok;
}

static bool
end_writer(struct file_writer *w, bool ok, char err[INDEX_FAULT])
{
	if (!ok) {
		snprintf(err, INDEX_FAULT, "%.200s: %s", w->path,
		    strerror(w->fd < 0 ? w->error : errno));
		unlink(w->temporary);
	}
	close_writer(w);
	return ok;
}

bool
file_end(struct file_writer *w, const char *directory, char err[INDEX_FAULT])
{
	bool ok = w->fd >= 0 && fsync(w->fd) == 0 && rename(w->temporary, w->path) == 0 &&
		  sync_directory(directory);

	return end_writer(w, ok, err);
}

void
file_abandon(struct file_writer *w)
{
	unlink(w->temporary);
	close_writer(w);
}

bool
file_end_unsynced(struct file_writer *w, char err[INDEX_FAULT])
{
	return end_writer(w, w->fd >= 0 && rename(w->temporary, w->path) == 0, err);
}

bool
file_replace(
    const char *directory, const char *path, const struct buf *content, char err[INDEX_FAULT])
{
	struct file_writer w;

	file_begin(&w, path);
	file_write(&w, content->p, content->n, 0);
	return file_end(&w, directory, err);
}
