/* SPDX-License-Identifier: ISC */
/* Reports that are texts: Markdown or plain. The command line gives the members that a text does
   not have. */
#include "config.h"

#include "cli/report/builder.h"

#include <openssl/sha.h>

enum { TITLE = 500, PUBLISHER = 200, LANGUAGE = 35, TEXT_BYTES = 8 * 1024 * 1024 };

/* True for a line of "=" or "-", which makes the line before it a heading. */
static bool
is_underline(struct str line)
{
	if (line.n < 3)
		return false;
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != line.p[0])
			return false;
	return line.p[0] == '=' || line.p[0] == '-';
}

/* "# Title" and "= Title" (AsciiDoc), or a line with an underline; STR_NULL: the text has no
   heading. */
static struct str
first_heading(struct str text)
{
	struct str line, before = STR_NULL;

	while (str_line(&text, &line)) {
		size_t marks = 0;

		line = str_trim(line);
		if (before.n > 0 && is_underline(line))
			return before;
		while (
		    marks < line.n && marks < 6 && (line.p[marks] == '#' || line.p[marks] == '='))
			marks++;
		if (marks > 0 && marks < line.n && line.p[marks] == ' ')
			return str_trim((struct str){ line.p + marks, line.n - marks });
		before = line;
	}
	return STR_NULL;
}

/* A copy in valid UTF-8 without NUL: each byte that is neither becomes "?". */
static struct str
clean(struct arena *a, struct str text)
{
	struct str out = arena_str(a, text), rest = out;
	char *p = (char *)(uintptr_t)out.p;
	size_t bad;

	for (size_t i = 0; i < out.n; i++)
		if (p[i] == '\0')
			p[i] = ' ';
	while ((bad = str_utf8_bad(rest)) < rest.n) {
		p[rest.p - out.p + (ptrdiff_t)bad] = '?';
		rest = (struct str){ rest.p + bad + 1, rest.n - bad - 1 };
	}
	return out;
}

/* The identity of a text is its URL, which does not change when the text is corrected; a text
   without a URL is identified by its bytes. */
static struct str
identity(struct report_reading *r)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	char hex[2 * SHA256_DIGEST_LENGTH + 1];

	if (r->options.url.p != NULL)
		return r->options.url;
	SHA256((const unsigned char *)r->text.p, r->text.n, hash);
	hex_print(hex, hash, sizeof(hash));
	return arena_str(r->a, str_of(hex));
}

void
report_read_prose(struct report_reading *r, const char *source_kind, struct str text)
{
	struct report_builder b;

	builder_begin(&b, r, source_kind);
	b.d.source_ref = identity(r);
	b.d.text = str_cut_bytes(clean(r->a, text), TEXT_BYTES);
	b.d.title = r->file;
	builder_text(&b.d.title, first_heading(b.d.text), TITLE);
	builder_text(&b.d.title, r->options.title, TITLE);
	builder_text(&b.d.publisher, r->options.publisher, PUBLISHER);
	builder_text(&b.d.language, r->options.language, LANGUAGE);
	builder_url(&b, r->options.url);
	b.d.published_at = r->options.published_at;
	if (r->options.tlp.p != NULL)
		builder_tlp(&b, r->options.tlp);
	builder_end(&b);
}

void
report_read_text(struct report_reading *r)
{
	report_read_prose(r, "text", r->text);
}
