/* SPDX-License-Identifier: ISC */
/* json_scan and json_parse: never a crash, and of one opinion about every text. */
#include "config.h"

#include "base/limits.h"
#include "json/json.h"
#include "json/tree.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

/* Reads all of a tree. */
static bool
visit(void *count, struct str name, struct json_value *v)
{
	int64_t n;

	assert(memchr(name.p == NULL ? "" : name.p, '\0', name.n) == NULL);
	*(size_t *)count += json_text(v).n + json_bool(v) + json_int(v, &n) + (json_num(v) > 1);
	assert(str_utf8_bad(json_text(v)) == json_text(v).n);
	json_each(v, visit, count);
	if (json_type(v) == JSON_ARRAY)
		for (size_t i = 0; i < json_length(v); i++)
			visit(count, STR_NULL, json_at(v, i));
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(256 + 128 * size + 65536);
	struct str text = { (const char *)data, size };
	struct json_fault fault;
	struct json_value *v = json_parse(a, text);
	size_t count = 0;

	if (json_scan(a, text, LIM_JSON_DEPTH, &fault)) {
		assert(v != NULL && fault.what == NULL);
		visit(&count, STR_NULL, v);
	} else {
		assert(v == NULL && fault.what != NULL && fault.at <= size);
	}
	arena_free(a);
	return 0;
}
