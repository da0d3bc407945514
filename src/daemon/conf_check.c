/* SPDX-License-Identifier: ISC */
/* Grammars of configuration values. They accept what the programs can use, and find a typing error
   when the file is read instead of when the value is used for the first time. */
#include "config.h"

#include "daemon/conf_check.h"

/* A name, an IPv4 address, or an IPv6 address in brackets. */
static bool
is_host(struct str s)
{
	bool bracketed = s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']';
	const char *allowed = bracketed ? "0123456789abcdefABCDEF:." : NULL;

	if (bracketed)
		s = (struct str){ s.p + 1, s.n - 2 };
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool word = ascii_alnum(c) || c == '-' || c == '.' || c == '_';

		if (bracketed ? strchr(allowed, c) == NULL : !word)
			return false;
	}
	return s.n > 0;
}

static bool
is_host_and_port(struct str s, bool port_required)
{
	const char *colon = memrchr(s.p, ':', s.n);
	struct str host = s, port;
	int64_t number;

	if (colon == NULL || s.p[s.n - 1] == ']')
		return !port_required && is_host(s);
	host.n = (size_t)(colon - s.p);
	port = (struct str){ colon + 1, s.n - host.n - 1 };
	return is_host(host) && ip_parse_port(port, &number);
}

bool
conf_check_path(struct str value)
{
	return value.n == 0 || value.p[0] == '/';
}

bool
conf_check_ports(struct str value)
{
	int64_t first_port, last_port;
	struct str last;

	while (str_word(&value, " \t,", &last)) {
		struct str first = str_until(&last, '-');

		if (!ip_parse_port(first, &first_port) ||
		    !ip_parse_port(last.p == NULL ? first : last, &last_port) ||
		    first_port > last_port)
			return false;
	}
	return true;
}

bool
conf_check_origins(struct str value)
{
	static const char *const schemes[] = { "https://", "http://" };
	struct str word;

	while (str_word(&value, " \t", &word)) {
		bool good = str_is(word, "self");

		for (size_t i = 0; i < COUNT(schemes) && !good; i++)
			if (str_starts(word, str_of(schemes[i]))) {
				size_t n = strlen(schemes[i]);

				good =
				    is_host_and_port((struct str){ word.p + n, word.n - n }, false);
			}
		if (!good)
			return false;
	}
	return true;
}

bool
conf_check_networks(struct str value)
{
	struct str word;
	struct ipnet net;

	while (str_word(&value, " \t", &word))
		if (!ipnet_parse(word, &net))
			return false;
	return true;
}

bool
conf_check_url(struct str value)
{
	static const struct str scheme = STR_INIT("https://");

	if (value.n == 0)
		return true;
	if (!str_starts(value, scheme))
		return false;
	value = (struct str){ value.p + scheme.n, value.n - scheme.n };
	value = str_until(&value, '/');
	return value.n > 0 && is_host_and_port(value, false);
}

bool
conf_check_endpoint(struct str value)
{
	return value.n == 0 || is_host_and_port(value, true);
}

bool
conf_check_server(struct str value)
{
	static const struct str schemes[] = { STR_INIT("http://"), STR_INIT("https://") };

	for (size_t i = 0; i < COUNT(schemes); i++)
		if (str_starts(value, schemes[i])) {
			value = (struct str){ value.p + schemes[i].n, value.n - schemes[i].n };
			return value.n > 0 && is_host_and_port(value, false);
		}
	return value.n == 0;
}

bool
conf_check_engine(struct str value)
{
	return str_is(value, "index") || str_is(value, "clickhouse");
}

bool
conf_check_choice(struct str value)
{
	return str_is(value, "yes") || str_is(value, "no");
}

bool
conf_check_events(struct str value)
{
	return str_is(value, "all") || str_is(value, "failed") || str_is(value, "none");
}
