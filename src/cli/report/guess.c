/* SPDX-License-Identifier: ISC */
/* Guesses the format of a report (guess.h):
 *
 *   begins with { or [    [ and the name of a text    text: Markdown, where a bracket begins a link
 *                         a sign of STIX or MISP      that format
 *                         otherwise                   our own documents
 *   a sign of PDF         pdf
 *   a sign of HTML        html, unless the name is that of a text, which may show HTML
 *   the name of HTML      html
 *   empty                 our own documents, unless the name is that of a text
 *   otherwise             text */
#include "config.h"

#include "cli/report/guess.h"

#include "cli/report/convert.h"

static const struct report_format formats[] = {
#define REPORT_FORMAT(name, reader, sign, describes, help)                                         \
	{ #name, sign, help, report_read_##reader, describes },
#include "tbl/report_formats.h"
#undef REPORT_FORMAT
};

const struct report_format *
report_format_find(struct str name)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (str_is(name, formats[i].name))
			return &formats[i];
	return NULL;
}

const struct report_format *
report_format_next(const struct report_format *f)
{
	f = f == NULL ? formats : f + 1;
	return f == formats + COUNT(formats) ? NULL : f;
}

/* Whether a name, without the ending of a compressed file, ends with the ending of a format. */
static bool
has_ending(struct str name, const char *const endings[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(endings[i]);

		if (name.n > n && str_is_nocase((struct str){ name.p + name.n - n, n }, endings[i]))
			return true;
	}
	return false;
}

/* The signs of formats that are JSON begin with a quote. */
static const struct report_format *
find_sign(struct str head, bool json)
{
	for (size_t i = 0; i < COUNT(formats); i++) {
		const char *sign = formats[i].sign;

		if (*sign != '\0' && (*sign == '"') == json && head.n > 0 &&
		    memmem(head.p, head.n, sign, strlen(sign)) != NULL)
			return &formats[i];
	}
	return NULL;
}

const struct report_format *
report_format_guess(struct str name, struct str head)
{
	static const char *const texts[] = { ".md", ".markdown", ".txt", ".text", ".adoc",
		".asciidoc" };
	static const char *const htmls[] = { ".html", ".htm", ".xhtml" };
	const struct report_format *text = report_format_find(STR("text")), *f;
	bool is_text = has_ending(name, texts, COUNT(texts));
	size_t i = str_starts(head, STR("\xef\xbb\xbf")) ? 3 : 0;
	char first;

	while (i < head.n && ascii_space(head.p[i]))
		i++;
	if (i == head.n)
		return is_text ? text : NULL;
	first = head.p[i];
	f = find_sign(head, first == '{' || first == '[');
	if (first == '{' || first == '[')
		return is_text && first == '[' ? text : f;
	if (f != NULL && (!is_text || !str_is(STR("html"), f->name)))
		return f;
	if (is_text)
		return text;
	if (has_ending(name, htmls, COUNT(htmls)))
		return report_format_find(STR("html"));
	return text;
}
