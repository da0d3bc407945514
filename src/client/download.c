/* SPDX-License-Identifier: ISC */
/* A large file of the API. Each attempt asks for the bytes that are missing:
 *
 *   the part has 0 bytes    GET                       200, all of it
 *   the part has n bytes    GET, Range: bytes=n-      206, the rest; or 200, all of it, and the part is emptied
 *
 * A connection that breaks after it brought bytes does not count as an attempt that failed. The
 * file of an export never changes; the SHA-256 of the whole is compared all the same. */
#include "config.h"

#include "client/api.h"
#include "client/download.h"
#include "client/sha256.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
take_downloaded(void *arg, long status, const char *bytes, size_t n)
{
	struct download *d = arg;

	if (d->ranged && status == 200) { /* on the way, something does not know ranges */
		d->ranged = false;
		d->have = 0;
		if (fflush(d->file) != 0 || ftruncate(fileno(d->file), 0) != 0) {
			d->error = errno;
			return false;
		}
	}
	if (fwrite(bytes, 1, n, d->file) != n) {
		d->error = errno;
		return false;
	}
	d->have += (int64_t)n;
	progress_draw(&d->progress, d->have);
	return true;
}

static bool
open_part(struct download *d)
{
	struct stat st;

	d->file = fopen(d->part, "ab");
	if (d->file == NULL || fstat(fileno(d->file), &st) != 0)
		return false;
	d->have = st.st_size;
	if (d->have <= d->bytes)
		return true;
	d->have = 0;
	return ftruncate(fileno(d->file), 0) == 0;
}

static void
try_rest(struct download *d, struct answer *a)
{
	struct client *c = d->c;
	struct ask ask = {
		.method = "GET", .path = d->path, .accept = "*/*", .take = take_downloaded, .arg = d
	};

	d->ranged = d->have > 0;
	if (d->ranged)
		ask.header = arena_printf(c->page, "Range: bytes=%lld-", (long long)d->have).p;
	http_try(c, &ask, a);
}

/* Attempts until the part has all bytes. */
static int
fill_part(struct download *d)
{
	struct client *c = d->c;
	struct answer a;

	for (int tried = 1; d->have < d->bytes;) {
		int64_t before = d->have;

		arena_reset(c->page);
		try_rest(d, &a);
		if (d->error != 0)
			return fail(c, FAILED, "%s: %s", d->part, strerror(d->error));
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

static int
check_sha256(struct download *d)
{
	char got[2 * SHA256_BYTES + 1];

	if (!sha256_file(d->part, got))
		return fail(d->c, FAILED, "%s: %s", d->part, strerror(errno));
	if (str_is(d->sha256, got))
		return DONE;
	unlink(d->part);
	return fail(d->c, FAILED,
	    "the file came damaged: its SHA-256 is %s, not %.*s; run the same command again", got,
	    (int)d->sha256.n, d->sha256.p);
}

int
download_run(struct download *d)
{
	int status;
	int error;

	if (!open_part(d)) {
		status = fail(d->c, FAILED, "%s: %s", d->part, strerror(errno));
		if (d->file != NULL)
			fclose(d->file);
		return status;
	}
	progress_begin(&d->progress, d->c, d->name, "MB");
	d->progress.total = d->bytes;
	status = fill_part(d);
	progress_end(&d->progress);
	error = fflush(d->file) == 0 && fsync(fileno(d->file)) == 0 ? 0 : errno;
	if (fclose(d->file) != 0 && error == 0)
		error = errno;
	if (error != 0 && status == DONE)
		return fail(d->c, FAILED, "%s: %s", d->part, strerror(error));
	return status == DONE ? check_sha256(d) : status;
}
