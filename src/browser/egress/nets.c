/* SPDX-License-Identifier: ISC */
/* Addresses in text, and lists of networks that an administrator has closed to browsers, as
   "192.0.2.0/24, 2001:db8::/32". The lists are short, so their text is parsed at each use. A
   malformed list closes everything; surfaced-egress -t reports it. */
#include "config.h"

#include "browser/egress/egress.h"

#include <arpa/inet.h>

bool
ip_parse(const char *text, struct ip *out)
{
	*out = (struct ip){ .family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET };
	return inet_pton(out->family, text, out->b) == 1;
}

void
ip_print(const struct ip *ip, char out[IP_TEXT_LEN])
{
	if (inet_ntop(ip->family, ip->b, out, IP_TEXT_LEN) == NULL)
		panic("inet_ntop failed for family %d", ip->family);
}

struct net {
	struct ip ip;
	unsigned bits;
};

/* Parses "address" or "address/bits". */
static bool
parse_net(struct str text, struct net *out)
{
	struct str length = text, part = str_until(&length, '/');
	char address[IP_TEXT_LEN];
	int64_t bits, most;

	if (part.n >= sizeof(address))
		return false;
	memcpy(address, part.p, part.n);
	address[part.n] = '\0';
	if (!ip_parse(address, &out->ip))
		return false;
	most = out->ip.family == AF_INET ? 32 : 128;
	bits = most;
	if (length.p != NULL && !str_int64(length, &bits))
		return false;
	out->bits = (unsigned)bits;
	return bits >= 0 && bits <= most;
}

/* Cuts the first network off the list. Returns false at the end of the list, whose p is NULL then.
   *bad: the network is malformed. */
static bool
cut_net(struct str *list, struct net *out, bool *bad)
{
	struct str word;

	if (list->p == NULL)
		return false;
	word = str_trim(str_until(list, ','));
	*bad = word.n == 0 || !parse_net(word, out);
	return true;
}

static bool
blocked_net_contains(const struct ip *ip, const struct net *net)
{
	unsigned bytes = net->bits / 8, rest = net->bits % 8;

	if (ip->family != net->ip.family || memcmp(ip->b, net->ip.b, bytes) != 0)
		return false;
	return rest == 0 || ((ip->b[bytes] ^ net->ip.b[bytes]) >> (8 - rest)) == 0;
}

bool
nets_good(struct str list)
{
	struct net net;
	bool bad = false;

	if (list.n == 0)
		return true;
	while (!bad && cut_net(&list, &net, &bad))
		;
	return !bad;
}

bool
nets_hold(struct str list, const struct ip *ip)
{
	struct net net;
	bool bad;

	if (list.n == 0)
		return false;
	while (cut_net(&list, &net, &bad))
		if (bad || blocked_net_contains(ip, &net))
			return true;
	return false;
}
