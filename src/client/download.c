/* SPDX-License-Identifier: ISC */
/* A large file of the API. Each attempt asks for the bytes that are missing:
 *
 *   nothing has come      GET                       200, all of it
 *   n bytes have come     GET, Range: bytes=n-      206, the rest; or 200, all of it, of which n
 *                                                   bytes are skipped
 *
 * A connection that breaks after it brought bytes does not count as an attempt that failed. The
 * file of an export never changes; the SHA-256 of the whole is compared all the same. */
#include "config.h"

#include "client/api.h"
#include "client/download.h"
#include "client/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
take_downloaded(void *arg, long status, const char *bytes, size_t n)
{
	struct download *d = arg;
	/* With 200 to a range, something on the way does not know ranges. */
	size_t known = status == 200 && d->skip > 0 ? (size_t)d->skip : 0;

	if (known > n)
		known = n;
	d->skip -= (int64_t)known;
	bytes += known;
	n -= known;
	if (!fd_write(d->fd, bytes, n)) {
		d->error = errno;
		return false;
	}
	sha256_add(d->sum, bytes, n);
	d->have += (int64_t)n;
	progress_draw(&d->progress, d->have);
	return true;
}

/* Reads the beginning that an earlier run has left. A file that is too long is not one. */
static bool
read_beginning(struct download *d)
{
	struct stat st;

	d->have = 0;
	if (fstat(d->fd, &st) != 0)
		return false;
	if (!S_ISREG(st.st_mode) || d->fd == STDOUT_FILENO)
		return true;
	if (st.st_size > d->bytes)
		return ftruncate(d->fd, 0) == 0;
	d->have = st.st_size;
	return lseek(d->fd, 0, SEEK_SET) == 0 && sha256_add_file(d->sum, d->fd);
}

static void
try_rest(struct download *d, struct answer *a)
{
	struct client *c = d->c;
	struct ask ask = {
		.method = "GET",
		.path = d->path,
		.accept = "*/*",
		.one_way = true,
		.take = take_downloaded,
		.arg = d,
	};

	d->skip = d->have;
	if (d->have > 0)
		ask.header = arena_printf(c->page, "Range: bytes=%lld-", (long long)d->have).p;
	http_try(c, &ask, a);
}

/* Attempts until all bytes have come. */
static int
fetch_bytes(struct download *d)
{
	struct client *c = d->c;
	struct answer a;

	for (int tried = 1; d->have < d->bytes;) {
		int64_t before = d->have;

		arena_reset(c->page);
		try_rest(d, &a);
		if (d->error != 0)
			return fail(c, FAILED, "%s: %s", d->name, strerror(d->error));
		if (a.status >= 300 && !http_wait(c, &a))
			return api_refused(c, &a);
		if (d->have > before)
			tried = 1;
		if (a.status == 0 && !a.broken)
			return fail(c, NO_ANSWER, "%s", a.why);
		if (d->have < d->bytes && a.status < 300 &&
		    !http_again(c, tried++, a.why != NULL ? a.why : "the file ends early"))
			return fail(c, NO_ANSWER,
			    "the connection broke at %lld of %lld bytes; run the same command "
			    "again",
			    (long long)d->have, (long long)d->bytes);
	}
	return DONE;
}

/* A pipe cannot be synchronised. */
static bool
is_stored(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

enum download_end
download_run(struct download *d, int *status)
{
	char got[SHA256_TEXT + 1];

	d->sum = sha256_begin();
	if (!read_beginning(d)) {
		*status = fail(d->c, FAILED, "%s: %s", d->name, strerror(errno));
	} else {
		progress_begin(&d->progress, d->c, d->name, "MB");
		d->progress.total = d->bytes;
		*status = fetch_bytes(d);
		progress_end(&d->progress);
		if (*status == DONE && !is_stored(d->fd))
			*status = fail(d->c, FAILED, "%s: %s", d->name, strerror(errno));
	}
	sha256_end(d->sum, got);
	if (*status != DONE)
		return DOWNLOAD_FAILED;
	if (str_is(d->sha256, got))
		return DOWNLOAD_DONE;
	*status = fail(d->c, FAILED,
	    "the file came damaged: its SHA-256 is %s, not %.*s; run the same command again", got,
	    (int)d->sha256.n, d->sha256.p);
	return DOWNLOAD_DAMAGED;
}
