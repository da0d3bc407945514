/* SPDX-License-Identifier: ISC */
/* The reader of WARC and responses of HTTP/1: any bytes; it ends, and what it takes for a page has the members of one. */
#include "config.h"

#include "base/limits.h"
#include "cli/import/content.h"
#include "cli/import/warc.h"
#include "secret/secret.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena *a, *batch;
	struct source src;
	struct warc w = { .src = &src };
	struct page p;
	struct str what;
	enum warc_next next;
	size_t records = 0;
	int fd = memfd_create("warc", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		panic("no memfd");
	if (a == NULL) {
		a = arena_new((size_t)1 << 30);
		batch = arena_new((size_t)1 << 30);
	}
	w.a = a;
	source_open(&src, fd, -1);
	while ((next = warc_next(&w, &p, &what)) != WARC_END) {
		struct buf b = { .a = batch };
		struct uuid project = { { 1 } };

		records++;
		assert(next != WARC_BAD || what.n > 0);
		if (next == WARC_PAGE && page_finish(a, &p) == NULL) {
			assert(p.body.n <= LIM_SECRET_TEXT && p.url.n <= 2048);
			(void)page_write(&b, a, NULL, &project, &p);
			assert(b.n > 0 && str_utf8_bad(buf_done(&b)) == b.n);
		}
		arena_reset(batch);
	}
	/* a line that is no record is one at most, together with those around it */
	assert(records <= size + 1);
	arena_reset(a);
	source_close(&src);
	close(fd);
	return 0;
}
