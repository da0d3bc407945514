/* SPDX-License-Identifier: ISC */
/* Checks whether a host may, by its text alone, be one of the public Internet.

   The order matters: first one spelling (lower case, UTS 46, ASCII), then the characters and
   lengths, then the question whether browsers would read it as an IPv4 address, and only then the
   rules for names. Names under wildcard DNS zones (tbl/local_names.h) encode an address in the name
   itself, such as 10-0-0-1.example.net; those with a private address are refused here. */
#include "config.h"

#include "address/idn.h"
#include "address/start_url_priv.h"

#include <arpa/inet.h>
#include <idn2.h>

enum { LABEL_MAX = 63, NAME_MAX_LEN = 253 };

static const struct str local_names[] = {
#define LOCAL_NAME(name) STR_INIT(name),
#include "tbl/local_names.h"
#undef LOCAL_NAME
};

static const struct str wildcard_zones[] = {
#define WILDCARD_ZONE(name) STR_INIT(name),
#include "tbl/local_names.h"
#undef WILDCARD_ZONE
};

enum start_url_fault
start_url_ipv6(struct arena *a, struct str text, struct str *out)
{
	char room[INET6_ADDRSTRLEN];
	unsigned char ip[16];

	/* The text contains no NUL: control characters were refused before. */
	if (text.n >= sizeof(room) || inet_pton(AF_INET6, arena_str(a, text).p, ip) != 1)
		return START_URL_IPV6_SYNTAX;
	if (!netaddr_public6(ip))
		return START_URL_NON_PUBLIC_ADDRESS;
	if (inet_ntop(AF_INET6, ip, room, sizeof(room)) == NULL)
		panic("inet_ntop"); /* UNCOVERED: there is room */
	*out = arena_printf(a, "[%s]", room);
	return START_URL_OK;
}

/* ---- labels and tokens ---- */

/* Removes from *rest the part before the next separator; false when nothing is left. */
static bool
next_part(struct str *rest, const char *separators, struct str *part)
{
	size_t n = 0;

	if (rest->p == NULL)
		return false;
	while (n < rest->n && strchr(separators, rest->p[n]) == NULL)
		n++;
	*part = (struct str){ rest->p, n };
	*rest = n == rest->n ? STR_NULL : (struct str){ rest->p + n + 1, rest->n - n - 1 };
	return true;
}

static bool
is_hex_digit(char c)
{
	return ascii_digit(c) || (c >= 'a' && c <= 'f');
}

static bool
all_chars(struct str s, bool (*is)(char c))
{
	for (size_t i = 0; i < s.n; i++)
		if (!is(s.p[i]))
			return false;
	return true;
}

/* Parses a decimal of one to three digits, at most 255; -1: anything else. */
static int
parse_octet(struct str s)
{
	int n = 0;

	if (s.n == 0 || s.n > 3 || !all_chars(s, ascii_digit))
		return -1;
	for (size_t i = 0; i < s.n; i++)
		n = n * 10 + (s.p[i] - '0');
	return n > 255 ? -1 : n;
}

bool
host_local(struct str host)
{
	for (size_t i = 0; i < COUNT(local_names); i++)
		if (str_within(host, local_names[i]))
			return true;
	return false;
}

/* ---- international names ---- */

/* True when a label begins like one in Punycode. */
static bool
has_punycode(struct str name)
{
	struct str label;

	while (next_part(&name, ".", &label))
		if (str_starts(label, STR("xn--")))
			return true;
	return false;
}

/* Converts a name to ASCII as Chromium does: UTS 46, nontransitional. */
static enum start_url_fault
idna_to_ascii(struct arena *a, struct str name, struct str *out)
{
	uint8_t *made = NULL;
	int rc = idn2_lookup_u8(
	    (const uint8_t *)arena_str(a, name).p, &made, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);

	if (rc == IDN2_OK)
		*out = arena_str(a, str_of((const char *)made));
	idn2_free(made);
	if (rc == IDN2_TOO_BIG_LABEL || rc == IDN2_TOO_BIG_DOMAIN)
		return START_URL_LABEL;
	return rc == IDN2_OK ? START_URL_OK : START_URL_IDNA;
}

/* True when decoding and encoding the name gives the same name, so that no second spelling of a
   name passes. */
static bool
punycode_is_canonical(struct arena *a, struct str name)
{
	char *decoded = NULL;
	struct str again, text;
	bool same;

	if (idn2_to_unicode_8z8z(name.p, &decoded, 0) != IDN2_OK) {
		idn2_free(decoded);
		return false;
	}
	text = arena_str(a, str_of(decoded));
	idn2_free(decoded);
	same = idna_to_ascii(a, text, &again) == START_URL_OK && str_eq(again, name);
	return same && idna_to_ascii(a, name, &again) == START_URL_OK && str_eq(again, name);
}

static enum start_url_fault
host_to_ascii(struct arena *a, struct str text, struct str *out)
{
	enum start_url_fault fault;

	*out = arena_lower(a, text);
	if (idn_is_ascii(*out) && !has_punycode(*out))
		return START_URL_OK;
	fault = idna_to_ascii(a, *out, out);
	if (fault != START_URL_OK)
		return fault;
	*out = arena_lower(a, *out);
	if (out->n == 0)
		return START_URL_EMPTY_HOST;
	*out = arena_str(a, *out);
	return has_punycode(*out) && !punycode_is_canonical(a, *out) ? START_URL_IDNA
								     : START_URL_OK;
}

/* ---- addresses ---- */

/* Browsers read a name whose last label is a number as an IPv4 address, in whatever spelling. */
static bool
ends_in_number(struct str name)
{
	struct str rest = name, last = name;

	while (next_part(&rest, ".", &last))
		;
	if (str_starts(last, STR("0x")))
		return all_chars((struct str){ last.p + 2, last.n - 2 }, is_hex_digit);
	return all_chars(last, ascii_digit);
}

static enum start_url_fault
ipv4_fault(struct str name)
{
	unsigned char ip[4];
	struct str part;
	size_t n = 0;

	for (; next_part(&name, ".", &part); n++) {
		int value = parse_octet(part);

		if (n == 4 || value < 0 || (part.n > 1 && part.p[0] == '0'))
			return START_URL_IPV4_NOT_CANONICAL;
		ip[n] = (unsigned char)value;
	}
	if (n != 4)
		return START_URL_IPV4_NOT_CANONICAL;
	return netaddr_public4(ip) ? START_URL_OK : START_URL_NON_PUBLIC_ADDRESS;
}

/* Looks for an address that is not public: four octets in a row, or eight hexadecimal digits,
   between dots and dashes. */
static bool
embeds_private_ipv4(struct str name)
{
	unsigned char ip[4] = { 0 };
	struct str token;
	int numbers = 0;

	while (next_part(&name, ".-", &token)) {
		int value = parse_octet(token);

		if (token.n == 8 && all_chars(token, is_hex_digit)) {
			unsigned long n = strtoul(token.p, NULL, 16);
			unsigned char b[4] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16),
				(unsigned char)(n >> 8), (unsigned char)n };

			if (!netaddr_public4(b))
				return true;
		}
		memmove(ip, ip + 1, 3);
		ip[3] = (unsigned char)value;
		numbers = value < 0 ? 0 : numbers + 1;
		if (numbers >= 4 && !netaddr_public4(ip))
			return true;
	}
	return false;
}

/* Looks for any IPv6 address; wildcard zones write its colons as dashes: "--1",
   "2a00-1450-0-0-0-0-0-1". */
static bool
embeds_ipv6(struct str name)
{
	struct str label, group;

	while (next_part(&name, ".", &label)) {
		size_t groups = 0;

		for (size_t i = 0; i + 1 < label.n; i++)
			if (label.p[i] == '-' && label.p[i + 1] == '-')
				return true;
		while (next_part(&label, "-", &group)) {
			bool good = group.n > 0 && group.n <= 4 && all_chars(group, is_hex_digit);

			groups = good ? groups + 1 : 0;
			if (groups == 8)
				return true;
		}
	}
	return false;
}

static enum start_url_fault
wildcard_fault(struct str name)
{
	for (size_t i = 0; i < COUNT(wildcard_zones); i++) {
		struct str below = name;

		if (!str_within(name, wildcard_zones[i]))
			continue;
		below.n -= wildcard_zones[i].n;
		if (embeds_private_ipv4(below))
			return START_URL_EMBEDDED_PRIVATE_IP;
		return embeds_ipv6(below) ? START_URL_EMBEDDED_IPV6 : START_URL_OK;
	}
	return START_URL_OK;
}

/* ---- names ---- */

static bool
is_host_char(char c)
{
	return ascii_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
}

static enum start_url_fault
length_fault(struct str name)
{
	struct str label;

	if (name.n > NAME_MAX_LEN)
		return START_URL_LABEL;
	while (next_part(&name, ".", &label))
		if (label.n == 0 || label.n > LABEL_MAX)
			return START_URL_LABEL;
	return START_URL_OK;
}

static bool
has_outer_dash(struct str name)
{
	struct str label;

	while (next_part(&name, ".", &label))
		if (label.p[0] == '-' || label.p[label.n - 1] == '-')
			return true;
	return false;
}

static enum start_url_fault
public_name_fault(struct arena *a, struct str name)
{
	enum start_url_fault fault;

	if (host_local(name))
		return START_URL_LOCAL_NAME;
	if (memchr(name.p, '.', name.n) == NULL)
		return START_URL_SINGLE_LABEL;
	fault = wildcard_fault(name);
	if (fault == START_URL_OK && has_outer_dash(name))
		return START_URL_LABEL; /* resolvers disagree about such names */
	if (fault == START_URL_OK && !host_delegated(a, name))
		return START_URL_TOP_LEVEL;
	return fault;
}

enum start_url_fault
start_url_host(struct arena *a, struct str text, struct str *out)
{
	enum start_url_fault fault = host_to_ascii(a, text, out);

	if (fault != START_URL_OK)
		return fault;
	if (!all_chars(*out, is_host_char))
		return START_URL_HOST_CHAR;
	if (str_is(*out, "."))
		return START_URL_HOST_SYNTAX;
	if (out->p[out->n - 1] == '.')
		out->n--;
	fault = length_fault(*out);
	if (fault != START_URL_OK)
		return fault;
	return ends_in_number(*out) ? ipv4_fault(*out) : public_name_fault(a, *out);
}
