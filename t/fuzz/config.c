/* SPDX-License-Identifier: ISC */
/* The configuration of surface: a value lies inside the text, has no blank at its ends and no line end; the text without a
 * name has no value of that name, and its other names keep theirs. */
#include "config.h"

#include "base/log.h"
#include "client/conf_text.h"
#include "t/fuzz/fuzz.h"

static void
check_name(struct str text, const char *name, const char *other)
{
	struct str value = config_value(text, name), kept = config_value(text, other), now;
	struct buf b = { .p = NULL };

	if (value.p != NULL && (value.p < text.p || value.p + value.n > text.p + text.n))
		panic("a value is outside the text");
	if (value.n > 0 && memchr(value.p, '\n', value.n) != NULL)
		panic("a value has a line end");
	if (value.n > 0 && str_trim(value).n != value.n)
		panic("a value has blanks at an end");
	config_without(&b, text, name);
	if (config_value(buf_done(&b), name).p != NULL)
		panic("a removed name has a value");
	now = config_value(buf_done(&b), other);
	if ((now.p == NULL) != (kept.p == NULL) || !str_eq(now, kept))
		panic("another name lost its value");
	buf_free(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };

	if (str_utf8_bad(text) < size) /* surface refuses such a file */
		return 0;
	check_name(text, "url", "cacert");
	check_name(text, "project", "url");
	return 0;
}
