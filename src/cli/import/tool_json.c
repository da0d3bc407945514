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
tool_number(const struct json_value *o, const char *name, int64_t *out)
{
	const struct json_value *v = tool_get(o, name);

	if (v != NULL && json_type(v) == JSON_STRING)
		return str_int64(json_text(v), out);
	return v != NULL && json_type(v) == JSON_NUMBER && json_int(v, out);
}

const struct json_value *
tool_list(const struct json_value *o, const char *name)
{
	const struct json_value *v = tool_get(o, name);

	return tool_items(v) > 0 ? v : NULL;
}

bool
tool_true(const struct json_value *o, const char *name)
{
	const struct json_value *v = tool_get(o, name);
	int64_t n;

	if (v != NULL && json_type(v) == JSON_BOOL)
		return json_bool(v);
	return str_is_nocase(tool_text(v), "true") || (tool_number(o, name, &n) && n == 1);
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

/* Rewrites the text as RFC 3339: a T between date and time, and an offset with a colon.

     2026-01-31 12:00:00 UTC             2026-01-31T12:00:00Z
     2026-01-31 12:00:00.000 UTC         2026-01-31T12:00:00.000Z
     2026-01-31T12:00:00-0700            2026-01-31T12:00:00-07:00
     2026-01-31t12:00:00-0700            2026-01-31T12:00:00-07:00
     2026-01-31 12:00:00.5 +0000 UTC     2026-01-31T12:00:00.5+00:00
     2026-01-31 12:00:00                 2026-01-31T12:00:00Z          no offset is taken for UTC */
static bool
parse_other_time(struct str s, struct ts *out)
{
	char text[64];
	struct str rest;
	size_t n = 19;

	if (s.n < 19 || s.n > 48 || strchr(" Tt", s.p[10]) == NULL)
		return false;
	while (n < s.n && (s.p[n] == '.' || ascii_digit(s.p[n])))
		n++;
	rest = str_trim((struct str){ s.p + n, s.n - n });
	memcpy(text, s.p, n);
	text[10] = 'T';
	if (rest.n == 0 || str_is_nocase(rest, "UTC") || str_is_nocase(rest, "GMT") || str_is_nocase(rest, "Z"))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "Z");
	else if (rest.n == 5 || (rest.n > 5 && rest.p[5] == ' '))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.3s:%.2s", rest.p, rest.p + 3);
	return ts_parse((struct str){ text, n }, out);
}

bool
tool_time(struct str s, struct ts *out)
{
	if (!ts_parse(s, out) && !ts_parse_date(s, out) && !parse_other_time(s, out))
		return false;
	return out->us != TS_OLDEST_US;
}

struct ts
tool_member_time(const struct json_value *o, const char *name)
{
	struct str text = tool_text(tool_get(o, name));
	struct ts t;

	return text.p != NULL && tool_time(text, &t) ? t : TS_NULL;
}
