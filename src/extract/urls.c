/* SPDX-License-Identifier: ISC */
/* URLs with a scheme. The host is checked before the rest is read, so that a text of many "http://"
 * costs no more than its length. The value keeps the path as it is written; scheme and host are in
 * lower case. */
#include "config.h"

#include "address/netaddr.h"
#include "base/limits.h"
#include "extract/extract_priv.h"

/* The length of the scheme and "://" at p; 0: there is none. */
static size_t
scheme_length(struct str s)
{
	static const char *const schemes[] = { "http://", "https://", "ftp://", "ftps://", "ws://",
		"wss://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (s.n > n && str_is_nocase((struct str){ s.p, n }, schemes[i]))
			return n;
	}
	return 0;
}

/* The host between the scheme and a port, a path or the end; of "[1.2.3.4]" what the brackets
   have. */
static struct str
read_host(struct str s, size_t *used)
{
	bool bracket = s.n > 0 && s.p[0] == '[';
	struct str host = { s.p + bracket, 0 };

	while (host.n + bracket < s.n && host.n < 4 * (size_t)LONGEST_NAME) {
		char c = host.p[host.n];

		if (!ascii_alnum(c) && (unsigned char)c < 0x80 &&
		    strchr(bracket ? ".-_:" : ".-_", c) == NULL)
			break;
		host.n++;
	}
	*used = host.n + bracket;
	if (bracket) {
		if (*used < s.n && s.p[*used] == ']')
			++*used;
		else
			host.n = 0;
	}
	while (!bracket && host.n > 0 && strchr(".-_", host.p[host.n - 1]) != NULL) {
		host.n--;
		--*used;
	}
	return host;
}

/* Sets the canonical host. False: it is neither an address nor a name. */
static bool
check_host(struct run *r, struct str *host, struct find *f)
{
	struct ipnet net;
	struct str name;

	if (ipnet_parse_address(*host, &net)) {
		bool v4 = ip_is_v4(net.a);

		f->reserved = v4 ? !netaddr_public4(net.a + 12) : !netaddr_public6(net.a);
		*host = arena_printf(r->scratch, v4 ? "%.*s" : "[%.*s]",
		    (int)ipnet_text(r->scratch, &net).n, ipnet_text(r->scratch, &net).p);
		return true;
	}
	name = name_canonical(r, *host);
	f->host = name;
	*host = name;
	return name.p != NULL;
}

/* Where the rest of a URL ends: at a blank, a quote, or a bracket that it did not open; a plain one
   also at the text of a link of AsciiDoc. */
static size_t
rest_end(const struct run *r, size_t at, bool cells, bool fanged)
{
	const char *p = r->text.p;
	int round = 0, square = 0, curly = 0;
	size_t end = at;

	for (; end < r->place.to; end++) {
		char c = p[end];

		if ((unsigned char)c <= ' ' || strchr("<>\"`|^", c) != NULL || (c == ',' && cells))
			break;
		if (c == '\'' && (end + 1 == r->place.to || !ascii_alnum(p[end + 1])))
			break;
		round += (c == '(') - (c == ')');
		square += (c == '[') - (c == ']');
		curly += (c == '{') - (c == '}');
		if (round < 0 || square < 0 || curly < 0)
			break;
		if (c == '[' && !fanged &&
		    memchr(p + end, ']', r->place.to - end < 64 ? r->place.to - end : 64) != NULL &&
		    !ascii_digit(p[end + 1]) && p[end + 1] != ']')
			break;
		if ((c == ';' || c == ',') &&
		    (end + 1 == r->place.to || strncmp(p + end + 1, "http", 4) == 0 ||
			p[end + 1] == ' '))
			break;
		if (c == '\\' && (end + 1 == r->place.to || p[end + 1] == 'n' ||
				     p[end + 1] == 'r' || p[end + 1] == '"'))
			break;
	}
	return end;
}

static size_t
trim_end(const struct run *r, size_t from, size_t end, char opened)
{
	while (end > from && strchr(".,;:!?'*_\\\xe2\x80\x9d\x99", r->text.p[end - 1]) != NULL)
		end--;
	while (end > from && opened == '+' && r->text.p[end - 1] == '+')
		end--;
	return end;
}

static size_t
read_url_port(const struct run *r, size_t at)
{
	size_t end = at + 1;

	if (at >= r->place.to || r->text.p[at] != ':')
		return at;
	while (end < r->place.to && end < at + 6 && ascii_digit(r->text.p[end]))
		end++;
	return end == at + 1 ? at : end;
}

/* A user before the host: read only as far as a name may be. */
static size_t
skip_user(const struct run *r, size_t at)
{
	for (size_t i = at; i < r->place.to && i < at + 64; i++) {
		char c = r->text.p[i];

		if (c == '@')
			return i + 1;
		if (!ascii_alnum(c) && strchr("._-:%~", c) == NULL)
			break;
	}
	return at;
}

size_t
url_at(struct run *r, size_t at, struct find *f)
{
	const char *p = r->text.p;
	size_t scheme = scheme_length((struct str){ p + at, r->place.to - at }), used, host_at,
	       rest, end;
	char opened = at > r->place.from ? p[at - 1] : ' ';
	struct str host, lower;

	if (scheme == 0)
		return at;
	host_at = skip_user(r, at + scheme);
	host = read_host((struct str){ p + host_at, r->place.to - host_at }, &used);
	r->steps += used;
	if (host.n == 0 || !check_host(r, &host, f))
		return at;
	rest = read_url_port(r, host_at + used);
	end = rest;
	if (rest < r->place.to && strchr("/?#\\", p[rest]) != NULL && p[rest] != '\0')
		end = trim_end(r, rest,
		    rest_end(r, rest, r->place.row || opened == ',',
			memchr(r->text.fang + at, 1, rest - at) != NULL),
		    opened);
	r->steps += end - rest;
	*f = (struct find){
		.type = FIND_URL, .at = at, .end = end, .host = f->host, .reserved = f->reserved
	};
	if (end - at > LIM_INDICATOR)
		return end;
	lower = arena_lower(r->scratch, (struct str){ p + at, scheme });
	f->value = arena_printf(r->scratch, "%.*s%.*s%.*s%.*s%.*s", (int)lower.n, lower.p,
	    (int)(host_at - at - scheme), p + at + scheme, (int)host.n, host.p,
	    (int)(rest - host_at - used), p + host_at + used, (int)(end - rest), p + rest);
	return end;
}
