/* SPDX-License-Identifier: ISC */
/* json_decode with every kind of field: what it accepts, it writes and accepts again. */
#include "config.h"

#include "base/limits.h"
#include "json/json.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

struct part {
	struct str name;
	int64_t limit;
};

struct record {
	struct uuid id;
	struct str text, kind;
	struct ts at, now;
	int64_t port, free;
	double ratio;
	bool on;
	struct json raw;
	struct list parts, words, numbers;
	struct part one;
};

static const char *const kinds[] = { "red", "blue", NULL };

static const struct field part_fields[] = {
	TEXT(struct part, name, REQUIRED | TRIM | LOWER | BYTES_TOO, 1, 8),
	NUMBER(struct part, limit, 0, 1, 100, 25),
	FIELD_END,
};

static const struct field record_fields[] = {
	FIELD(struct record, id, NULLABLE),
	TEXT(struct record, text, NULLABLE, 0, 16),
	{ .name = "kind",
	    .type = FIELD_STR,
	    .flags = OMIT_UNSET,
	    .offset = offsetof(struct record, kind),
	    .values = kinds },
	FIELD(struct record, at, NULLABLE),
	FIELD(struct record, now, DEFAULT_NOW),
	NUMBER(struct record, port, 0, 0, 65535, 1),
	FIELD(struct record, free, 0),
	FIELD(struct record, ratio, 0),
	FIELD(struct record, on, 0),
	FIELD(struct record, raw, NULLABLE),
	LIST(struct record, parts, 0, struct part, part_fields, 0, 8),
	LIST_OF(struct record, words, OMIT_UNSET, struct str, 0, 8),
	LIST_OF(struct record, numbers, NULLABLE, double, 0, 8),
	OBJECT(struct record, one, OMIT_UNSET, part_fields),
	FIELD_END,
};

/* one has a number, so it is always written, and refused without its name. */
static bool
writable(const struct record *r)
{
	return r->one.name.p != NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1024 * size + (1 << 20));
	struct str text = { (const char *)data, size };
	struct record r = { .on = false }, again = r;
	struct json_fault fault;
	struct buf b = { .a = a }, c = { .a = a };
	struct decoded how;

	switch (json_decode(a, text, record_fields, (struct ts){ 1 }, &r, &how)) {
	case JSON_REFUSED:
		abort(); /* json-c takes what the scan passes */
	case JSON_INVALID:
		assert(how.fault.what != NULL && how.fault.at <= size);
		assert(!json_scan(a, text, LIM_JSON_DEPTH, &fault));
		break;
	case JSON_FIELDS:
		assert(how.nerrors > 0 && how.nerrors <= 64 && how.errors != NULL);
		for (size_t i = 0; i < how.nerrors; i++)
			json_write_str(&b, how.errors[i].field);
		break;
	case JSON_OK:
		if (!writable(&r))
			break;
		json_write(&b, record_fields, &r);
		assert(json_scan(a, buf_done(&b), 64, &fault));
		assert(
		    json_decode(a, buf_done(&b), record_fields, TS_NULL, &again, &how) == JSON_OK);
		json_write(&c, record_fields, &again);
		assert(str_eq(buf_done(&b), buf_done(&c)));
		break;
	}
	arena_free(a);
	return 0;
}
