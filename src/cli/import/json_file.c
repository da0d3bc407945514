/* SPDX-License-Identifier: ISC */
/* Reads a file that is one JSON value. */
#include "config.h"

#include "cli/import/json_file.h"

#include "json/json.h"
#include "json/tree.h"

enum { JSON_FILE_BYTES = 64 << 20 };

const struct json_value *
json_file_read(struct arena *a, const char *path)
{
	struct buf b = { .a = a };
	const struct json_value *v;
	struct json_fault fault = { 0 };

	if (!file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, JSON_FILE_BYTES, &b)) {
		cli_fail(EXIT_FAILED, "%s cannot be read", path);
		return NULL;
	}
	v = json_parse_with_fault(a, buf_done(&b), &fault);
	if (v == NULL)
		cli_fail(EXIT_FAILED, "%s is no JSON: byte %zu: %s", path, fault.at, fault.what);
	return v;
}

struct str
json_file_text(const struct json_value *v, const char *name)
{
	const struct json_value *m =
	    v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;

	return m == NULL ? STR_NULL : json_text(m);
}

const struct json_value *
json_file_list(const struct json_value *v, const char *name)
{
	const struct json_value *m =
	    v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;

	return m != NULL && json_type(m) == JSON_ARRAY ? m : NULL;
}
