/* SPDX-License-Identifier: ISC */
/* Reads the dump of a backup twice. The hash of the whole file is known at its end alone, when
 * pg_restore has executed the beginning; and another user may change the file between two passes,
 * as it is often on another machine. So the first pass, dump_open, compares the hash of the whole
 * and keeps the hash of each piece:
 *
 *     first pass    | piece 0 | piece 1 | ... | last |  ----> SHA-256 of the whole
 *                        |         |             |
 *     memory           hash      hash          hash           32 bytes for each MiB
 *                        |         |             |
 *     second pass   | piece 0 | piece 1 | ... | last |  ----> pg_restore
 *
 * The second pass, dump_send, reads a piece into memory, compares its hash, and only then writes it
 * to the pipe. */
#include "config.h"

#include <openssl/sha.h>

#include "cli/archive/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* Fills the piece, or less of it at the end of the file. False with errno. */
static bool
read_piece(int fd, unsigned char piece[PIECE], size_t *n)
{
	for (*n = 0; *n < PIECE;) {
		ssize_t got = read(fd, piece + *n, PIECE - *n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		*n += (size_t)got;
	}
	return true;
}

static bool
fail(const struct dump *d, const char *why)
{
	return cli_fail(EXIT_FAILED, "%s: %s", d->path, why) == EXIT_OK;
}

bool
dump_open(struct arena *a, const char *path, struct str sha256, int64_t most, struct dump *out)
{
	static unsigned char piece[PIECE];
	const size_t room = most < 0 ? 0 : (size_t)most / PIECE + 1;
	struct sha256 sum;
	char hex[SHA256_HEX + 1];
	size_t n;
	bool good;

	*out = (struct dump){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) };
	if (out->fd < 0)
		return fail(out, strerror(errno));
	out->pieces = arena_alloc(a, room * sizeof(*out->pieces));
	sha256_begin(&sum);
	while ((good = read_piece(out->fd, piece, &n)) && n > 0 && out->n < room) {
		sha256_add(&sum, piece, n);
		SHA256(piece, n, out->pieces[out->n++]);
	}
	sha256_end(&sum, hex);
	if (!good)
		return fail(out, strerror(errno));
	return (n == 0 && str_is(sha256, hex)) || fail(out, "it is damaged");
}

bool
dump_send(const struct dump *d, int to)
{
	static unsigned char piece[PIECE];
	unsigned char hash[SHA256_HEX / 2];
	size_t n;

	if (lseek(d->fd, 0, SEEK_SET) != 0)
		return fail(d, strerror(errno));
	for (size_t i = 0; i < d->n; i++) {
		if (!read_piece(d->fd, piece, &n))
			return fail(d, strerror(errno));
		SHA256(piece, n, hash);
		if (memcmp(hash, d->pieces[i], sizeof(hash)) != 0)
			return fail(d, "somebody has changed it since its hash was compared");
		if (!fd_write(to, piece, n))
			break; /* the status of the reader has the reason */
	}
	return true;
}
