/* SPDX-License-Identifier: ISC */
/* The start_url rule (C-093, C-094): splits a URL, checks its parts in the order of the
   faults that a client should see first, and writes the canonical form. Without I/O;
   address/start_url.h has the idea. */
#include "config.h"

#include "address/start_url_priv.h"
#include "base/limits.h"

enum { SHOWN_HOST = 100 }; /* characters of a host in a message */

static const struct {
	const char *code;
	enum { SUBJECT_URL, SUBJECT_HOST } subject;
	const char *message;
} faults[START_URL_FAULTS] = {
#define START_URL_FAULT(id, code, subject, message)                                                \
	[START_URL_##id] = { code, SUBJECT_##subject, message },
#include "tbl/start_url_faults.h"
#undef START_URL_FAULT
};

const char *
start_url_fault_code(enum start_url_fault f)
{
	return faults[f].code;
}

static const int unsafe_ports[] = {
#define UNSAFE_PORT(n) n,
#include "tbl/unsafe_ports.h"
};

/* Returns the code point at *i of valid UTF-8, and moves *i behind it. */
static unsigned
next_code_point(struct str s, size_t *i)
{
	unsigned char lead = (unsigned char)s.p[*i];
	size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
	unsigned c = more == 0 ? lead : lead & (0x3fU >> more);

	for (++*i; more > 0; more--)
		c = c << 6 | ((unsigned char)s.p[(*i)++] & 0x3f);
	return c;
}

/* C0, DEL, C1, and Unicode White_Space. */
static bool
is_control_or_space(unsigned c)
{
	return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

static enum start_url_fault
text_fault(struct str url, size_t most)
{
	enum start_url_fault fault = START_URL_OK;

	if (url.n > 4 * most)
		return START_URL_TOO_LONG;
	if (str_utf8_bad(url) != url.n)
		return START_URL_INVALID_UTF8;
	if (str_chars(url) > most)
		return START_URL_TOO_LONG;
	for (size_t i = 0; i < url.n;) {
		unsigned c = next_code_point(url, &i);

		if (is_control_or_space(c))
			return START_URL_CONTROL_OR_SPACE;
		if (c == '\\')
			fault = START_URL_BACKSLASH;
	}
	return fault;
}

struct url_parts {
	bool tls, bracket;
	struct str host, port, rest; /* port without its colon; rest from the path on */
};

/* Removes the scheme from *url, which begins with the authority afterwards. */
static enum start_url_fault
split_scheme(struct str *url, struct url_parts *out)
{
	char room[8];
	struct str begin = { url->p, url->n < sizeof(room) ? url->n : sizeof(room) };
	size_t n;

	begin = str_lower_ascii(room, begin);
	out->tls = str_starts(begin, STR("https://"));
	if (!out->tls && !str_starts(begin, STR("http://")))
		return START_URL_SCHEME;
	n = out->tls ? 8 : 7;
	*url = (struct str){ url->p + n, url->n - n };
	return START_URL_OK;
}

static bool
contains_char(struct str s, char c)
{
	return s.n > 0 && memchr(s.p, c, s.n) != NULL;
}

/* "[address]" or "[address]:port" */
static enum start_url_fault
split_brackets(struct str s, struct url_parts *out)
{
	const char *end = memchr(s.p, ']', s.n);
	struct str after;

	if (end == NULL)
		return START_URL_IPV6_SYNTAX;
	out->bracket = true;
	out->host = (struct str){ s.p + 1, (size_t)(end - s.p) - 1 };
	after = (struct str){ end + 1, s.n - out->host.n - 2 };
	if (after.n > 0 && after.p[0] != ':')
		return START_URL_IPV6_SYNTAX;
	if (after.n > 0)
		out->port = (struct str){ after.p + 1, after.n - 1 };
	return START_URL_OK;
}

static enum start_url_fault
split_authority(struct str s, struct url_parts *out)
{
	const char *colon;

	if (contains_char(s, '@'))
		return START_URL_CREDENTIALS;
	if (contains_char(s, '%'))
		return START_URL_PERCENT;
	if (s.n > 0 && s.p[0] == '[')
		return split_brackets(s, out);
	colon = s.n == 0 ? NULL : memchr(s.p, ':', s.n);
	out->host = s;
	if (colon != NULL) {
		out->host.n = (size_t)(colon - s.p);
		out->port = (struct str){ colon + 1, s.n - out->host.n - 1 };
		if (contains_char(out->port, ':'))
			return START_URL_HOST_SYNTAX;
	}
	return out->host.n == 0 ? START_URL_EMPTY_HOST : START_URL_OK;
}

static enum start_url_fault
split_url(struct str url, struct url_parts *out)
{
	enum start_url_fault fault = split_scheme(&url, out);
	size_t n = 0;

	if (fault != START_URL_OK)
		return fault;
	while (n < url.n && url.p[n] != '/' && url.p[n] != '?' && url.p[n] != '#')
		n++;
	out->rest = (struct str){ url.p + n, url.n - n };
	return split_authority((struct str){ url.p, n }, out);
}

struct str
start_url_fault_message(struct arena *a, enum start_url_fault f, struct str name, struct str url)
{
	struct url_parts p = { .tls = false };

	if (faults[f].subject == SUBJECT_HOST && split_url(url, &p) == START_URL_OK)
		name = str_cut(p.host, SHOWN_HOST);
	return arena_printf(
	    a, "%.*s%s%s", (int)name.n, name.p, name.n > 0 ? " " : "", faults[f].message);
}

bool
start_url_port_blocked(int64_t port)
{
	for (size_t i = 0; i < COUNT(unsafe_ports); i++)
		if (port == unsafe_ports[i])
			return true;
	return false;
}

/* Parses the port. *out: 0 for the default port of the scheme. An empty port is the default one. */
static enum start_url_fault
parse_port(const struct url_parts *p, int *out)
{
	int n = 0;

	*out = 0;
	if (p->port.n == 0)
		return START_URL_OK;
	for (size_t i = 0; i < p->port.n; i++) {
		if (p->port.p[i] < '0' || p->port.p[i] > '9' || i == 5)
			return START_URL_PORT;
		n = n * 10 + (p->port.p[i] - '0');
	}
	if (n > 65535)
		return START_URL_PORT;
	if (start_url_port_blocked(n))
		return START_URL_PORT_BLOCKED;
	if (n != (p->tls ? 443 : 80))
		*out = n;
	return START_URL_OK;
}

/* ---- the canonical form of the URL standard ---- */

/* Characters that each part must percent-encode. Spaces and control characters were refused
   before. */

static const char path_set[] = "\"#<>?^`{}", query_set[] = "\"#<>'", fragment_set[] = "\"<>`";

static void
write_encoded(struct buf *b, struct str part, const char *set)
{
	for (size_t i = 0; i < part.n; i++) {
		unsigned char c = (unsigned char)part.p[i];

		if (c >= 0x80 || strchr(set, c) != NULL)
			buf_printf(b, "%%%02X", c);
		else
			buf_char(b, (char)c);
	}
}

/* The number of dots, "." or "%2e", that a segment consists of; 0: it has other characters. */
static int
count_dots(struct str segment)
{
	int dots = 0;

	for (size_t i = 0; i < segment.n; dots++) {
		struct str rest = { segment.p + i, segment.n - i };

		if (rest.p[0] == '.')
			i++;
		else if (str_starts(rest, STR("%2e")) || str_starts(rest, STR("%2E")))
			i += 3;
		else
			return 0;
	}
	return dots;
}

static void
drop_last_segment(struct buf *b, size_t floor)
{
	while (b->n > floor && b->p[--b->n] != '/')
		;
}

/* path: empty, or with its first slash. */
static void
write_canonical_path(struct buf *b, struct str path)
{
	size_t floor = b->n;

	for (size_t at = 0, n; at < path.n; at += n + 1) {
		struct str segment = { path.p + at + 1, path.n - at - 1 };
		const char *slash = segment.n == 0 ? NULL : memchr(segment.p, '/', segment.n);
		int dots;

		n = slash == NULL ? segment.n : (size_t)(slash - segment.p);
		segment.n = n;
		dots = count_dots(segment);
		if (dots == 2)
			drop_last_segment(b, floor);
		if ((dots != 1 && dots != 2) || slash == NULL)
			buf_char(b, '/');
		if (dots != 1 && dots != 2)
			write_encoded(b, segment, path_set);
	}
}

/* Removes from *s the part before the first of the characters, and returns that part. */
static struct str
split_before(struct str *s, const char *characters)
{
	struct str part = { s->p, 0 };

	while (part.n < s->n && strchr(characters, s->p[part.n]) == NULL)
		part.n++;
	*s = (struct str){ s->p + part.n, s->n - part.n };
	return part;
}

static void
write_rest(struct buf *b, struct str rest)
{
	struct str path = split_before(&rest, "?#"), query = split_before(&rest, "#");

	write_canonical_path(b, path.n == 0 ? STR("/") : path);
	if (query.n > 0) {
		buf_char(b, '?');
		write_encoded(b, (struct str){ query.p + 1, query.n - 1 }, query_set);
	}
	if (rest.n > 0) {
		buf_char(b, '#');
		write_encoded(b, (struct str){ rest.p + 1, rest.n - 1 }, fragment_set);
	}
}

static struct str
compose_url(struct arena *a, const struct url_parts *p, struct str host, int port)
{
	struct buf b = { .a = a };

	buf_z(&b, p->tls ? "https://" : "http://");
	buf_str(&b, host);
	if (port != 0)
		buf_printf(&b, ":%d", port);
	write_rest(&b, p->rest);
	return buf_done(&b);
}

static enum start_url_fault
check_url(struct arena *a, struct str url, size_t most, struct str *canonical)
{
	struct url_parts p = { .tls = false };
	enum start_url_fault fault = text_fault(url, most);
	struct str host;
	int port;

	if (fault == START_URL_OK)
		fault = split_url(url, &p);
	if (fault == START_URL_OK)
		fault =
		    p.bracket ? start_url_ipv6(a, p.host, &host) : start_url_host(a, p.host, &host);
	if (fault == START_URL_OK)
		fault = parse_port(&p, &port);
	if (fault != START_URL_OK)
		return fault;
	*canonical = compose_url(a, &p, host, port);
	return canonical->n > LIM_START_URL_STORED ? START_URL_TOO_LONG : START_URL_OK;
}

enum start_url_fault
start_url_check(struct arena *a, struct str url, struct str *canonical)
{
	return check_url(a, url, LIM_START_URL, canonical);
}

enum start_url_fault
start_url_check_stored(struct arena *a, struct str url, struct str *canonical)
{
	return check_url(a, url, LIM_START_URL_STORED, canonical);
}
