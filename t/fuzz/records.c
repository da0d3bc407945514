/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/fuzz/records.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

static bool
take_record(void *arg, struct record *r, struct str der)
{
	struct arena *a = arg;
	struct buf once = { .a = a }, twice = { .a = a };
	struct record again;
	struct str what;

	(void)der;
	record_print(&once, r, NULL);
	if (!record_parse(a, r->dataset, buf_done(&once), RECORD_STRICT, &again, &what) ||
	    !record_finish(a, &again, RECORD_STRICT, &what))
		panic("%.*s: %.*s", (int)what.n, what.p, (int)once.n, once.p);
	record_print(&twice, &again, NULL);
	assert(str_eq(buf_done(&once), buf_done(&twice)));
	assert(record_key(a, r).n <= 600);
	return true;
}

static void
take_bad(void *arg, uint64_t line, struct str what)
{
	(void)arg;
	(void)line;
	assert(what.n > 0);
}

int
fuzz_records(records_reader *reader, enum dataset d, const uint8_t *data, size_t size)
{
	static struct arena *a;
	struct source src;
	struct records rs = {
		.dataset = d,
		.src = &src,
		.seen = TS_NULL,
		.take = take_record,
		.bad = take_bad,
		.also = (1u << DATASETS) - 1,
		.window = 3, /* which inputs of a few lines fill */
		.options = { .type = STR_INIT("PTR"),
		    .authorities = true,
		    .log = STR_INIT("log"),
		    .start = { true, 7 },
		    .chains = true,
		    .url = STR_INIT("http://192.0.2.7:8080/pub"),
		    .port = STR_INIT("53/udp") },
	};
	int fd = memfd_create("records", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		panic("no memfd");
	if (a == NULL)
		a = arena_new((size_t)1 << 30);
	rs.a = rs.arg = a;
	source_open(&src, fd, -1);
	reader(&rs);
	arena_reset(a);
	source_close(&src);
	close(fd);
	return 0;
}
