/* SPDX-License-Identifier: ISC */
/* ch_rows_next: whatever a server sends, no read outside of the answer, and never more values than it has bytes. The first
   byte chooses the columns. */
#include "config.h"

#include "search/clickhouse/decode.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static size_t
values_of(const struct ch_value *v, char type, struct str answer)
{
	size_t n = 1;

	if (type == 's')
		assert(v->s.p >= answer.p && v->s.n <= (size_t)(answer.p + answer.n - v->s.p));
	for (size_t i = 0; (type == 'S' || type == 'T' || type == 'Q') && i < v->length; i++) {
		n++;
		if (type != 'Q' && v->items[i].set)
			assert(v->items[i].s.n <= answer.n);
	}
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "q", "w", "bsw", "sq", "ss", "sQT", "sTT", "sssS",
		"wq", "ws", "qw", "sqb", "qqb" };
	struct arena *a = arena_new((size_t)256 << 20);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows r = { .a = a };
	struct str answer;
	const char *columns;
	size_t n = 0;

	if (size > 0) {
		answer = (struct str){ (const char *)data + 1, size - 1 };
		columns = types[data[0] % COUNT(types)];
		r.rest = answer;
		while (ch_rows_next(&r, columns, v))
			for (size_t i = 0; columns[i] != '\0'; i++)
				n += values_of(&v[i], columns[i], answer);
		assert(n <= 5 * size);
		assert(r.bad || r.rest.n == 0);
	}
	arena_free(a);
	return 0;
}
