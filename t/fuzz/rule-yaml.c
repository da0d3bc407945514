/* SPDX-License-Identifier: ISC */
/* yaml_read and rule_file_read: any bytes are refused with a reason or become a rule, which is the same rule after it was
   printed and read again. */
#include "config.h"

#include "cli/rule/rule_file.h"
#include "json/tree.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static struct str
json_of(struct arena *a, const struct rule_file *r)
{
	struct buf b = { .a = a };

	rule_file_json(&b, r, STR_NULL);
	return buf_done(&b);
}

static void
check_round_trip(struct arena *a, const struct rule_file *r)
{
	struct buf printed = { .a = a };
	struct yaml_fault fault;
	struct tree **documents;
	struct rule_file again;
	size_t n;

	rule_file_print(a, &printed, r);
	assert(printed.n > YAML_BYTES || yaml_read(a, buf_done(&printed), &documents, &n, &fault));
	if (printed.n > YAML_BYTES)
		return;
	assert(n == 1);
	assert(rule_file_read(a, documents[0], &again, &fault));
	assert(str_eq(json_of(a, r), json_of(a, &again)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)1 << 30), *scratch = arena_new((size_t)1 << 28);
	struct str text = { (const char *)data, size };
	struct yaml_fault fault = { 0, STR_NULL };
	struct tree **documents;
	size_t n, samples = 0;

	if (!yaml_read(a, text, &documents, &n, &fault))
		assert(fault.line > 0 && fault.what.n > 0);
	for (size_t i = 0; i < n; i++) {
		struct rule_file r;

		if (!rule_file_read(a, documents[i], &r, &fault)) {
			assert(fault.line > 0 && fault.what.n > 0);
			continue;
		}
		assert(json_parse(a, json_of(a, &r)) != NULL);
		check_round_trip(a, &r);
		if (!rule_file_check(a, scratch, &r, RULE_OF_CATALOGUE, &samples, &fault))
			assert(fault.what.n > 0);
	}
	arena_free(scratch);
	arena_free(a);
	return 0;
}
