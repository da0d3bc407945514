/* SPDX-License-Identifier: ISC */
/* Values of indicators (indicator_value.h). A value in the form of a type is taken as it is; of
   another one the spellings such as evil[.]example are undone. Nothing is judged, so "evil.zip",
   which prose does not count as a name, can be looked up. */
#include "config.h"

#include "resource/indicator_value.h"
#include "base/ascii.h"
#include "base/ipnet.h"
#include "base/url.h"
#include "record/record.h"

#include <strings.h>

static bool
is_plain_value(struct str s, const char *signs)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_letter(s.p[i]) && !ascii_digit(s.p[i]) && strchr(signs, s.p[i]) == NULL)
			return false;
	return true;
}

/* Signs that a value of a type has, where its canonical form accepts any text. */
static bool
has_shape(struct str type, struct str s)
{
	bool dot = memchr(s.p, '.', s.n) != NULL;
	struct ipnet net;

	if (str_is(type, "url"))
		return str_starts(s, STR("http://")) || str_starts(s, STR("https://")) ||
		       str_starts(s, STR("ftp://"));
	if (str_is(type, "cidr"))
		return memchr(s.p, '/', s.n) != NULL;
	if (str_is(type, "domain"))
		return dot && is_plain_value(s, "._-") && !ipnet_parse(s, &net);
	if (str_is(type, "bitcoin"))
		return is_plain_value(s, "") && s.n >= 26 && s.n <= 90 &&
		       (s.p[0] == '1' || s.p[0] == '3' || str_starts(s, STR("bc1")));
	if (str_is(type, "email"))
		return dot && is_plain_value(s, "@._%+-") && memchr(s.p, '@', s.n) != NULL;
	return true;
}

/* Undoes the spellings of tbl/defang.h, whose conditions matter in prose alone. */
static struct str
refang_value(struct arena *a, struct str text)
{
	static const struct {
		const char *spelling, *plain;
	} rows[] = {
#define DEFANG(part, spelling, plain) { spelling, plain },
#include "tbl/defang.h"
#undef DEFANG
	};
	struct buf b = { .a = a };

	for (size_t at = 0; at < text.n;) {
		size_t row = 0;

		for (; row < COUNT(rows); row++) {
			size_t n = strlen(rows[row].spelling);

			if (n > 1 && n <= text.n - at &&
			    strncasecmp(text.p + at, rows[row].spelling, n) == 0)
				break;
		}
		if (row == COUNT(rows)) {
			buf_char(&b, text.p[at++]);
		} else {
			buf_z(&b, rows[row].plain);
			at += strlen(rows[row].spelling);
		}
	}
	return buf_done(&b);
}

static size_t
meanings_of(struct arena *a, struct str text, struct indicator_value out[INDICATOR_MEANINGS])
{
	static const char *const types[] = {
#define INDICATOR_TYPE(name, form, digits, of) name,
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
	};
	size_t n = 0;

	for (size_t i = 0; i < COUNT(types) && n < INDICATOR_MEANINGS; i++) {
		struct str type = str_of(types[i]), value = text;

		if (text.n > 0 && has_shape(type, text) &&
		    record_indicator_fault(a, type, &value) == NULL)
			out[n++] = (struct indicator_value){ type, value };
	}
	return n;
}

size_t
indicator_meanings(struct arena *a, struct str text, struct indicator_value out[INDICATOR_MEANINGS])
{
	size_t n;

	text = str_trim(text);
	n = meanings_of(a, text, out);
	return n > 0 ? n : meanings_of(a, refang_value(a, text), out);
}

static struct indicator_search
search_of_host(struct arena *a, struct str url)
{
	struct str authority, rest, host, ip;

	if (!url_split(url, &authority, &rest))
		return (struct indicator_search){ STR_NULL, STR_NULL, STR_NULL };
	ip = host = url_host(authority);
	if (ipnet_canonical_address(a, &ip))
		return (struct indicator_search){ STR("hosts"), STR("ip"), ip };
	if (record_indicator_fault(a, STR("domain"), &host) != NULL)
		return (struct indicator_search){ STR_NULL, STR_NULL, STR_NULL };
	return (struct indicator_search){ STR("hosts"), STR("hostnames"), host };
}

struct indicator_search
indicator_search(struct arena *a, struct str type, struct str value)
{
	static const char HOST[] = "";
	static const struct {
		const char *type, *dataset, *field;
	} pivots[] = {
#define PIVOT(type, dataset, field) { type, dataset, field },
#include "tbl/indicator_pivots.h"
#undef PIVOT
	};

	for (size_t i = 0; i < COUNT(pivots); i++) {
		if (!str_is(type, pivots[i].type))
			continue;
		if (pivots[i].field == HOST)
			return search_of_host(a, value);
		return (struct indicator_search){ str_of(pivots[i].dataset),
			str_of(pivots[i].field), value };
	}
	return (struct indicator_search){ STR_NULL, STR_NULL, STR_NULL };
}
