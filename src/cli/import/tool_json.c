/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/tool_json.h"

#include <math.h>

const struct json_value *
tool_get(const struct json_value *o, const char *name)
{
	return o == NULL || json_type(o) != JSON_OBJECT ? NULL : json_get(o, name);
}

size_t
tool_items(const struct json_value *v)
{
	return v == NULL || json_type(v) != JSON_ARRAY ? 0 : json_length(v);
}

const struct json_value *
tool_item(const struct json_value *v, size_t i)
{
	return i < tool_items(v) ? json_at(v, i) : NULL;
}

struct str
tool_text(const struct json_value *v)
{
	struct str s = v == NULL || json_type(v) != JSON_STRING ? STR("") : str_trim(json_text(v));

	return s.n > 0 ? s : STR_NULL;
}

bool
tool_has(const struct json_value *v, const char *word)
{
	if (v == NULL)
		return false;
	if (json_type(v) == JSON_STRING)
		return str_is(json_text(v), word);
	for (size_t i = 0; i < tool_items(v); i++)
		if (str_is(tool_text(tool_item(v, i)), word))
			return true;
	return false;
}

/* A double holds microseconds of this century exactly enough: its last bit is a quarter of one. */
struct ts
tool_seconds(const struct json_value *v)
{
	struct ts t = TS_NULL;
	double us;

	if (v == NULL || json_type(v) != JSON_NUMBER)
		return TS_NULL;
	us = json_num(v) * (double)SECOND_US;
	if (us >= (double)TS_OLDEST_US && us <= (double)TS_NEWEST_US)
		t.us = llround(us);
	return ts_is_printable(t) ? t : TS_NULL;
}
