/* SPDX-License-Identifier: ISC */
/* Compares copies with their files, a piece at a time: a pass has time for some megabytes.
 *
 *   file   a b c d e f          the mapping of the writer
 *   copy   a b x d              c is written over x once c is verified; e and f are appended
 *          ----> turn.done
 *
 * The copy is changed in place. A worker that has it mapped, because the file was lost, sees
 * its time change and opens the file again. A process that dies in the middle leaves a copy that differs,
 * which the next one completes.
 *
 * The pages that were read of a copy leave the page cache at once: they take no memory from the files that
 * queries read, and the next turn reads the disk again and not what was read today. */
#include "config.h"

#include "search/index/format/copy.h"
#include "search/index/write/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct comparing {
	const struct mapped *file;
	struct index_turn *t;
	uint64_t verified;
	int fd;        /* the copy */
	uint64_t size; /* of the copy */
	char *piece, *other;
};

static enum copy_rc
copy_fails(const char *path, char err[INDEX_FAULT])
{
	snprintf(err, INDEX_FAULT, "%.200s: %s", path, strerror(errno));
	return COPY_FAILED;
}

/* Whether the copy has the piece. A piece that cannot be read differs. */
static bool
has_piece(const struct comparing *c, size_t n)
{
	off_t at = (off_t)c->t->done;
	bool same = pread(c->fd, c->other, n, at) == (ssize_t)n;

	same = same && memcmp(c->piece, c->other, n) == 0;
	(void)!posix_fadvise(c->fd, at, (off_t)n, POSIX_FADV_DONTNEED);
	return same;
}

/* Compares the next piece, and writes it where that is allowed. */
static enum copy_rc
compare_piece(struct comparing *c, size_t n)
{
	bool old = c->t->done < c->size;

	memcpy(c->piece, c->file->map + c->t->done, n);
	if (c->file->lost) /* the piece has zeros where the file cannot be read */
		return COPY_DIFFERS;
	if (old && has_piece(c, n))
		return COPY_SAME;
	if (old && c->t->done >= c->verified)
		return COPY_DIFFERS;
	c->t->changed |= old;
	errno = ENOSPC; /* the reason when a write is not complete */
	if (pwrite(c->fd, c->piece, n, (off_t)c->t->done) != (ssize_t)n)
		return COPY_FAILED;
	return COPY_SAME;
}

/* The length of the next piece: it is verified as a whole, or not at all. */
static size_t
next_piece(const struct comparing *c)
{
	uint64_t done = c->t->done, end = done < c->verified ? c->verified : c->file->size;

	return end - done < COPY_PIECE ? (size_t)(end - done) : COPY_PIECE;
}

static enum copy_rc
compare_pieces(struct comparing *c, uint64_t *bytes)
{
	enum copy_rc rc = COPY_SAME;

	while (rc == COPY_SAME && c->t->done < c->file->size &&
	       (*bytes > 0 || c->t->done < c->verified)) {
		size_t n = next_piece(c);

		rc = compare_piece(c, n);
		c->t->done += rc == COPY_SAME ? n : 0;
		*bytes -= *bytes < n ? *bytes : n;
	}
	return rc == COPY_SAME && c->t->done < c->file->size ? COPY_MORE : rc;
}

/* Shares the blocks of the file, where the file system can, with a copy that is missing. */
static void
share_blocks(struct comparing *c)
{
	if (c->size == 0 && ioctl(c->fd, FICLONE, c->file->fd) == 0)
		c->size = c->file->size;
}

enum copy_rc
copy_compare(const struct mapped *file, const char *path, struct index_turn *t, uint64_t verified,
    uint64_t *bytes, char err[INDEX_FAULT])
{
	struct comparing c = { .file = file, .t = t, .verified = verified };
	enum copy_rc rc = COPY_FAILED;
	struct stat st;
	char name[4096];

	copy_path(path, name, sizeof(name));
	c.fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (c.fd < 0 || fstat(c.fd, &st) < 0) {
		fd_close(c.fd);
		return copy_fails(name, err);
	}
	c.size = (uint64_t)st.st_size;
	if (c.size > file->size && ftruncate(c.fd, (off_t)file->size) < 0) {
		fd_close(c.fd);
		return copy_fails(name, err);
	}
	share_blocks(&c);
	if (t->done > c.size) /* it was cut since the last pass */
		t->done = c.size;
	c.piece = mem_alloc(COPY_PIECE);
	c.other = mem_alloc(COPY_PIECE);
	rc = compare_pieces(&c, bytes);
	if (rc == COPY_FAILED)
		(void)copy_fails(name, err);
	free(c.piece);
	free(c.other);
	fd_close(c.fd);
	return rc;
}
