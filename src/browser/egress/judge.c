/* SPDX-License-Identifier: ISC */
/* Checks what a browser asks for, before any look-up: the command, the port, and the spelling of
 * the host. Names follow the rules of start_url, so that nothing looks like a name here and like
 * an address elsewhere: 0177.1, 2130706433 and 127.1 are all 127.0.0.1 for some programs.
 *
 *   literal address   checked here
 *   name              its spelling here, its addresses in resolve.c before the first is used
 *   the peer          compared with the checked address after connecting, in dial.c */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

bool
ip_public(const struct ip *ip)
{
	bool public = ip->family == AF_INET ? netaddr_public4(ip->b) : netaddr_public6(ip->b);

	return public && !nets_hold(str_of(conf.egress_closed), ip);
}

static enum reason
judge_ip(const struct ip *ip)
{
	return ip_public(ip) ? REASON_CONNECTED : REASON_ADDRESS;
}

/* Copies the host for messages, with '?' for anything unprintable. Returns whether the copy is
   identical. */
static bool
copy_printable(struct str host, char out[SOCKS_NAME_MAX + 1])
{
	size_t n = host.n < SOCKS_NAME_MAX ? host.n : SOCKS_NAME_MAX;
	bool plain = host.n > 0 && n == host.n;

	for (size_t i = 0; i < n; i++) {
		bool good = host.p[i] > 0x20 && host.p[i] < 0x7f && host.p[i] != '"';

		out[i] = good ? host.p[i] : '?';
		plain = plain && good;
	}
	out[n] = '\0';
	return plain;
}

/* An IPv6 address, with or without the brackets of a URL. */
static enum reason
judge_ipv6(struct target *t)
{
	char text[IP_TEXT_LEN];
	size_t n = strlen(t->requested);
	bool brackets = n > 2 && t->requested[0] == '[' && t->requested[n - 1] == ']';

	n -= brackets ? 2 : 0;
	if (n >= sizeof(text))
		return REASON_NAME;
	memcpy(text, t->requested + brackets, n);
	text[n] = '\0';
	return ip_parse(text, &t->ip) ? judge_ip(&t->ip) : REASON_NAME;
}

static enum reason
judge_name(struct arena *scratch, struct target *t)
{
	struct str name;
	enum start_url_fault fault = start_url_host(scratch, str_of(t->requested), &name);

	if (fault == START_URL_NON_PUBLIC_ADDRESS)
		return REASON_ADDRESS;
	if (fault != START_URL_OK || name.n > SOCKS_NAME_MAX)
		return REASON_NAME;
	memcpy(t->name, name.p, name.n);
	t->name[name.n] = '\0';
	if (!ip_parse(t->name, &t->ip))
		return REASON_CONNECTED;
	t->name[0] = '\0'; /* an address, in the one spelling that is accepted */
	return judge_ip(&t->ip);
}

enum reason
judge_host(struct arena *scratch, struct str host, unsigned port, struct target *out)
{
	*out = (struct target){ .port = port };
	if (!copy_printable(host, out->requested))
		return REASON_NAME;
	if (start_url_port_blocked(port))
		return REASON_PORT;
	if (strchr(out->requested, ':') != NULL)
		return judge_ipv6(out);
	return judge_name(scratch, out);
}

enum reason
judge_request(struct arena *scratch, const struct socks *s, struct target *out)
{
	bool name = s->kind == SOCKS_NAME;
	enum reason why;

	*out = (struct target){ .port = s->port,
		.ip.family = s->kind == SOCKS_IPV4 ? AF_INET : AF_INET6 };
	if (name) {
		why = judge_host(scratch, s->host, s->port, out);
	} else {
		memcpy(out->ip.b, s->host.p, s->host.n);
		ip_print(&out->ip, out->requested);
		why = start_url_port_blocked(s->port) ? REASON_PORT : judge_ip(&out->ip);
	}
	return s->command == SOCKS_CONNECT ? why : REASON_COMMAND;
}

const struct outcome outcomes[REASON_COUNT] = {
#define EGRESS_REASON(id, name, event, reply, help) [REASON_##id] = { name, EVENT_##event, reply },
#include "tbl/egress_reasons.h"
#undef EGRESS_REASON
};

const char *const event_names[EVENT_COUNT] = {
	[EVENT_connected] = "connected",
	[EVENT_denied] = "denied",
	[EVENT_failed] = "failed",
};
