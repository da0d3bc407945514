/* SPDX-License-Identifier: ISC */
/* Documents of every dataset: the first byte chooses it. A text that is accepted is canonical once it is printed, has a
   key, and merged with itself does not change. */
#include "config.h"

#include "record/record.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static struct str
print(struct arena *a, const struct record *r)
{
	struct buf b = { .a = a };

	record_print(&b, r, NULL);
	return buf_done(&b);
}

static void
check(struct arena *a, enum dataset d, struct str text, enum record_manner manner)
{
	struct record r, again, merged;
	struct str what, once;

	if (!record_parse(a, d, text, manner, &r, &what) || !record_finish(a, &r, manner, &what)) {
		assert(what.n > 0);
		return;
	}
	once = print(a, &r);
	assert(record_key_text(a, d, record_key(a, &r)).n > 0);
	if (!record_parse(a, d, once, RECORD_STRICT, &again, &what) ||
	    !record_finish(a, &again, RECORD_STRICT, &what))
		panic("%.*s: %.*s", (int)what.n, what.p, (int)once.n, once.p);
	assert(str_eq(once, print(a, &again)));
	merged = record_merge(a, &r, &again);
	assert(str_eq(once, print(a, &merged)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena *a;

	if (a == NULL)
		a = arena_new((size_t)1 << 30);
	if (size == 0)
		return 0;
	for (int manner = RECORD_STRICT; manner <= RECORD_LENIENT; manner++) {
		check(a, (enum dataset)(data[0] % DATASETS),
		    (struct str){ (const char *)data + 1, size - 1 }, (enum record_manner)manner);
		arena_reset(a);
	}
	return 0;
}
