/* SPDX-License-Identifier: ISC */
/* Parses the head of an HTTP/1 request (RFC 9112) for surfaced-stream. Everything that parsers
 * are known to disagree about is refused: bare line feeds, folded lines, blanks before a colon.
 * A request that nginx and this parser read differently could carry a second request past the
 * checks of nginx. nginx has parsed the request before, but nothing here relies on that. The
 * strings of struct request point into the text of the caller. */
#include "config.h"

#include "stream/request.h"

#include <strings.h>

static bool
is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static size_t
token_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && is_token(s.p[n]))
		n++;
	return n;
}

static bool
is_header_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str
trim_header_blanks(struct str s)
{
	while (s.n > 0 && is_header_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_header_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Cuts the first line and its CRLF off text. Returns false when no CRLF has arrived yet. */
static bool
cut_line(struct str *text, struct str *line)
{
	const char *end = text->n == 0 ? NULL : memmem(text->p, text->n, "\r\n", 2);

	if (end == NULL)
		return false;
	*line = (struct str){ text->p, (size_t)(end - text->p) };
	text->p += line->n + 2;
	text->n -= line->n + 2;
	return true;
}

static bool
parse_request_line(struct str line, struct request *out)
{
	static const struct str version = STR_INIT(" HTTP/1.");
	size_t n = token_length(line);

	if (n == 0 || n == line.n || line.p[n] != ' ')
		return false;
	out->method = (struct str){ line.p, n };
	line.p += n + 1;
	line.n -= n + 1;
	for (n = 0; n < line.n && line.p[n] > ' ' && line.p[n] < 0x7f; n++)
		;
	out->target = (struct str){ line.p, n };
	line.p += n;
	line.n -= n;
	if (n == 0 || !str_starts(line, version) || line.n != version.n + 1)
		return false;
	out->minor = line.p[version.n] - '0';
	return out->minor == 0 || out->minor == 1;
}

static bool
parse_header(struct str line, struct request *out)
{
	size_t n = token_length(line);
	struct header *h = &out->headers[out->n];

	if (n == 0 || n == line.n || line.p[n] != ':' || out->n == REQUEST_HEADERS)
		return false;
	h->name = (struct str){ line.p, n };
	h->value = trim_header_blanks((struct str){ line.p + n + 1, line.n - n - 1 });
	for (size_t i = 0; i < h->value.n; i++) {
		unsigned char c = (unsigned char)h->value.p[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	out->n++;
	return true;
}

/* Whether there is a CR or LF alone: other parsers take either for the end of a line. */
static bool
has_bare_end(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' && (i == 0 || text.p[i - 1] != '\r'))
			return true;
		if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] != '\n')
			return true;
	}
	return false;
}

enum request_rc
request_parse(struct str text, struct request *out, size_t *used)
{
	struct str rest = text, line;
	bool first = true;

	out->n = 0;
	*used = 0;
	if (has_bare_end(text))
		return REQUEST_BAD;
	while (cut_line(&rest, &line)) {
		if (line.n == 0 && !first) {
			*used = text.n - rest.n;
			return REQUEST_WHOLE;
		}
		if (!(first ? parse_request_line(line, out) : parse_header(line, out)))
			return REQUEST_BAD;
		first = false;
	}
	return text.n >= REQUEST_MAX ? REQUEST_BAD : REQUEST_MORE;
}

size_t
request_count(const struct request *r, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += str_is_nocase(r->headers[i].name, name);
	return n;
}

struct str
request_header(const struct request *r, const char *name)
{
	if (request_count(r, name) == 1)
		for (size_t i = 0; i < r->n; i++)
			if (str_is_nocase(r->headers[i].name, name))
				return r->headers[i].value;
	return STR_NULL;
}

static bool
header_list_has(struct str list, const char *member)
{
	while (list.n > 0) {
		const char *comma = memchr(list.p, ',', list.n);
		size_t n = comma == NULL ? list.n : (size_t)(comma - list.p);

		if (str_is_nocase(trim_header_blanks((struct str){ list.p, n }), member))
			return true;
		n += comma != NULL;
		list.p += n;
		list.n -= n;
	}
	return false;
}

bool
request_lists(const struct request *r, const char *name, const char *member)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_is_nocase(r->headers[i].name, name) &&
		    header_list_has(r->headers[i].value, member))
			return true;
	return false;
}
