/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/warc.h"

#include "base/limits.h"

enum { HEADER_LINES = 200, HEADER_ROOM = 65536, BLOCK_MOST = LIM_SECRET_TEXT + HEADER_ROOM };

struct header {
	struct str type, url, date;
	int64_t length; /* -1: unknown */
};

static bool
begins_record(struct str line)
{
	return str_starts(line, STR("WARC/1."));
}

static struct str
without_cr(struct str line)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

/* Passes over blank lines to the line that begins a record. *damaged: there were other lines.
   False: the input has ended. */
static bool
find_record(struct warc *w, bool *damaged)
{
	struct str line;

	*damaged = false;
	while (!w->begun) {
		switch (source_line(w->src, &line)) {
		case SOURCE_END:
			return false;
		case SOURCE_TOO_LONG:
			*damaged = true;
			break;
		case SOURCE_LINE:
			line = without_cr(line);
			w->begun = begins_record(line);
			*damaged |= !w->begun && line.n > 0;
			break;
		}
	}
	return true;
}

static void
read_header_line(struct warc *w, struct str line, struct header *h)
{
	struct str name = str_until(&line, ':');

	if (line.p == NULL)
		return;
	line = str_trim(line);
	if (str_is_nocase(name, "WARC-Type"))
		h->type = arena_lower(w->a, line);
	else if (str_is_nocase(name, "WARC-Target-URI"))
		h->url = arena_str(w->a, line);
	else if (str_is_nocase(name, "WARC-Date"))
		h->date = arena_str(w->a, line);
	else if (str_is_nocase(name, "Content-Length") &&
		 (!str_int64(line, &h->length) || h->length < 0))
		h->length = -1;
}

/* NULL, or the fault. */
static const char *
read_warc_header(struct warc *w, struct header *h)
{
	struct str line;

	*h = (struct header){ .length = -1 };
	w->begun = false;
	for (int i = 0; i < HEADER_LINES; i++) {
		switch (source_line(w->src, &line)) {
		case SOURCE_END:
			return "the archive ends within a header";
		case SOURCE_TOO_LONG:
			return "a line of the header is too long";
		case SOURCE_LINE:
			break;
		}
		line = without_cr(line);
		if (line.n == 0)
			return h->length < 0 ? "the header has no Content-Length" : NULL;
		if (begins_record(line)) {
			w->begun = true;
			return "the header does not end";
		}
		if (line.n <= HEADER_ROOM)
			read_header_line(w, line, h);
	}
	return "the header has too many lines";
}

/* Reads a block, or passes over it when out is NULL. False: the archive ends within it. */
static bool
read_block(struct warc *w, int64_t length, struct str *out)
{
	struct buf b = { .a = w->a };
	int64_t left = length;

	while (left > 0) {
		struct str part =
		    source_bytes(w->src, left < HEADER_ROOM ? (size_t)left : HEADER_ROOM);

		if (part.n == 0)
			return false;
		left -= (int64_t)part.n;
		if (out != NULL)
			buf_str(&b, part);
	}
	if (out != NULL)
		*out = buf_done(&b);
	return true;
}

static const char *
make_page(struct warc *w, const struct header *h, struct str block, struct page *out)
{
	*out = (struct page){ .url = h->url };
	/* some crawlers write <http://...> */
	if (h->url.n > 2 && h->url.p[0] == '<' && h->url.p[h->url.n - 1] == '>')
		out->url = (struct str){ h->url.p + 1, h->url.n - 2 };
	if (!ts_parse(h->date, &out->captured_at))
		return "WARC-Date is no time";
	if (str_is(h->type, "response"))
		return page_of_http(w->a, block, out);
	out->body = block;
	return NULL;
}

enum warc_next
warc_next(struct warc *w, struct page *out, struct str *what)
{
	struct header h;
	struct str block = STR("");
	const char *fault;
	bool damaged, wanted, fits;

	arena_reset(w->a);
	if (!find_record(w, &damaged)) {
		*what = STR("the archive ends with what is no record");
		return damaged ? WARC_BAD : WARC_END;
	}
	if (damaged) {
		*what = STR("before this record is something that is no record");
		return WARC_BAD; /* the record itself comes next */
	}
	fault = read_warc_header(w, &h);
	if (fault == NULL) {
		wanted = str_is(h.type, "response") || str_is(h.type, "resource");
		fits = h.length <= BLOCK_MOST;
		if (!read_block(w, h.length, wanted && fits ? &block : NULL))
			fault = "the archive ends within the record";
		else if (!wanted)
			return WARC_SKIPPED;
		else if (!fits)
			fault = "the record is longer than a body of 1048576 bytes and its header";
		else
			fault = make_page(w, &h, block, out);
	}
	*what = str_of(fault == NULL ? "" : fault);
	return fault == NULL ? WARC_PAGE : WARC_BAD;
}
