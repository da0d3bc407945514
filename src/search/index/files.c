/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "search/index/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum file_rc
file_read(const char *path, struct buf *out, char err[INDEX_FAULT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char chunk[65536];
	ssize_t n;

	if (fd < 0) {
		snprintf(err, INDEX_FAULT, "%s: %s", path, strerror(errno));
		return errno == ENOENT ? FILE_MISSING : FILE_FAILED;
	}
	buf_add(out, "", 0);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(out, chunk, (size_t)n);
	if (n < 0)
		snprintf(err, INDEX_FAULT, "%s: %s", path, strerror(errno));
	close(fd);
	return n < 0 ? FILE_FAILED : FILE_OK;
}

void
file_begin(struct file_writer *w, const char *path)
{
	snprintf(w->path, sizeof(w->path), "%s", path);
	snprintf(w->temporary, sizeof(w->temporary), "%s.tmp", w->path);
	w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void
failed(struct file_writer *w)
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
			failed(w);
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

bool
file_end(struct file_writer *w, const char *directory, char err[INDEX_FAULT])
{
	bool ok = w->fd >= 0 && fsync(w->fd) == 0 && rename(w->temporary, w->path) == 0 &&
		  sync_directory(directory);

	if (!ok) {
		snprintf(err, INDEX_FAULT, "%.200s: %s", w->path, strerror(errno));
		unlink(w->temporary);
	}
	failed(w);
	return ok;
}

bool
file_replace(const char *directory, const char *path, const struct buf *content,
    char err[INDEX_FAULT])
{
	struct file_writer w;

	file_begin(&w, path);
	file_write(&w, content->p, content->n, 0);
	return file_end(&w, directory, err);
}
