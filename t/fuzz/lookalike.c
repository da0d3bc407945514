/* SPDX-License-Identifier: ISC */
/* lookalike_find(), lookalike_fold() and patterns: any bytes as a name, a label or a pattern. A match names a part of the
   name, and folding twice is folding once. */
#include "config.h"

#include "lookalike/lookalike.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static void
find(struct arena *a, struct str name)
{
	struct lookalike_index *x = lookalike_index_new(a);
	static const struct str words[] = { STR_INIT("pp"), STR_INIT("venmo"),
		STR_INIT("pay-pal") };
	struct lookalike_match *m;
	size_t n;

	lookalike_index_add(x, 0, STR("paypal.com"), (struct strs){ words, COUNT(words) });
	lookalike_index_add(x, 1, STR("metamask-wallets.io"), (struct strs){ NULL, 0 });
	lookalike_index_add(x, 2, STR("ab.de"), (struct strs){ NULL, 0 });
	n = lookalike_find(x, a, name, &m);
	assert(n <= 3);
	for (size_t i = 0; i < n; i++) {
		int sum = 0;

		assert(m[i].watched < 3 && m[i].found.n <= name.n && m[i].found.n > 0);
		assert(m[i].class < LOOKALIKE_CLASSES && m[i].registrable.n <= m[i].found.n);
		for (size_t k = 0; k < m[i].reasons.n; k++)
			sum += m[i].reasons.p[k].points;
		assert(sum == m[i].reasons.sum);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(256 << 20);
	struct str text = { (const char *)data, size > 1024 ? 1024 : size }, once;

	find(a, text);
	once = lookalike_fold(a, text);
	/* Text that is not UTF-8 has bytes which make up characters once others are gone. */
	if (str_utf8_bad(text) == text.n)
		assert(str_eq(once, lookalike_fold(a, once)));
	(void)lookalike_unicode(a, text);
	if (lookalike_pattern_sound(text))
		(void)lookalike_pattern_has(
		    text, STR("www.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example"));
	arena_free(a);
	return 0;
}
