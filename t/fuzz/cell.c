/* SPDX-License-Identifier: ISC */
/* Cells and lines of documents: json_show writes one line that is safe for a terminal and that parses to a value which it
 * shows the same; a cell is safe once text_show has escaped it.
 *
 * Input: a path such as services.port, a newline, and the JSON of a document. */
#include "config.h"

#include "base/char.h"
#include "base/log.h"
#include "client/value.h"
#include "json/json.h"
#include "t/fuzz/fuzz.h"

static void
check_harmless(struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	if (str_utf8_bad(text) < text.n)
		panic("shown text is no UTF-8");
	while (p < end)
		if (char_is_harmful(char_next(&p)))
			panic("a harmful character is shown");
}

static void
check_show(struct arena *a, const struct json_value *v)
{
	struct buf once = { .a = a }, twice = { .a = a };
	const struct json_value *again;

	json_show(&once, v);
	check_harmless(buf_done(&once));
	again = json_parse(a, buf_done(&once));
	if (again == NULL)
		panic("shown JSON is no JSON");
	json_show(&twice, again);
	if (!str_eq(buf_done(&once), buf_done(&twice)))
		panic("shown JSON is another value");
}

static void
check_cell(struct arena *a, const struct json_value *v, const char *path)
{
	static const struct screen utf8 = { .utf8 = true }, ascii = { .utf8 = false };
	struct buf cell = { .a = a }, shown = { .a = a }, plain = { .a = a }, fitted = { .a = a };

	value_cell(&cell, v, path, ", ");
	text_show(&shown, &utf8, buf_done(&cell));
	check_harmless(buf_done(&shown));
	text_show(&plain, &ascii, buf_done(&cell));
	check_harmless(buf_done(&plain));
	if (text_width(buf_done(&plain)) != plain.n)
		panic("a character is not ASCII");
	text_fit(&fitted, &utf8, buf_done(&shown), 20, false);
	check_harmless(buf_done(&fitted));
	if (value_is_number(v, path) && cell.n == 0)
		panic("a number has no cell");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	struct str path, text;
	struct arena *a;
	const struct json_value *v;

	if (end == NULL)
		return 0;
	a = arena_new((size_t)1 << 30);
	path = arena_str(a, (struct str){ (const char *)data, (size_t)(end - data) });
	text = (struct str){ (const char *)end + 1, size - path.n - 1 };
	v = json_parse(a, text);
	if (v != NULL) {
		check_show(a, v);
		check_cell(a, v, path.p);
		check_cell(a, v, "");
	}
	arena_free(a);
	return 0;
}
