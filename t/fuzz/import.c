/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/fuzz/import.h"
#include "cli/import/source.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

struct result {
	struct buf docs;
	size_t hosts, bad;
};

static void
take_host(void *arg, const struct import_host *h, struct str doc)
{
	struct result *r = arg;

	(void)h;
	buf_str(&r->docs, doc);
	buf_char(&r->docs, '\n');
	r->hosts++;
}

static void
take_bad(void *arg, uint64_t line, struct str what)
{
	struct result *r = arg;

	(void)line;
	assert(what.n > 0 && str_utf8_bad(what) == what.n);
	r->bad++;
}

static struct result
read_all(import_reader *reader, struct str text)
{
	static struct arena *arena;
	struct result r = { .hosts = 0 };
	struct source src;
	/* a window that inputs of a few lines fill */
	struct importer im = {
		.src = &src, .host = take_host, .bad = take_bad, .arg = &r, .window = 3
	};
	int fd = memfd_create("import", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || lseek(fd, 0, SEEK_SET) != 0)
		panic("no memfd");
	if (arena == NULL)
		arena = arena_new((size_t)1 << 30);
	im.arena = arena;
	source_open(&src, fd, -1);
	reader(&im);
	buf_free(&im.doc);
	arena_reset(arena);
	source_close(&src);
	close(fd);
	return r;
}

int
fuzz_reader(import_reader *reader, const uint8_t *data, size_t size)
{
	struct result first = read_all(reader, (struct str){ (const char *)data, size });
	struct result again = read_all(import_ndjson, buf_done(&first.docs));

	assert(again.bad == 0 && again.hosts == first.hosts &&
	       str_eq(buf_done(&again.docs), buf_done(&first.docs)));
	buf_free(&first.docs);
	buf_free(&again.docs);
	return 0;
}
