/* SPDX-License-Identifier: ISC */
/* Addresses and networks of both families in one form (struct ipnet): 16 bytes and a prefix
 * length.
 *
 *   192.0.2.0/24     00 .. 00 ff ff c0 00 02 00     bits 96 + 24
 *   2001:db8::/32    20 01 0d b8 00 .. 00           bits 32
 *
 * Most code thus needs no branch for the family. The two families never mix, however: a short
 * IPv6 prefix such as ::/0 contains no IPv4 address although its bits would fit, and all IPv4
 * addresses sort before all IPv6 ones (ip_cmp), which is the order of documents in the index. */
#include "config.h"

#include "base/base.h"

#include <arpa/inet.h>

enum { V4_BITS = 96 }; /* the length of the prefix ::ffff: */

static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

bool
ip_is_v4(const unsigned char a[16])
{
	return memcmp(a, mapped, sizeof(mapped)) == 0;
}

void
ipnet_clear_host_bits(struct ipnet *net)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned kept = net->bits <= i * 8 ? 0 : net->bits - i * 8;

		if (kept < 8)
			net->a[i] &= (unsigned char)(0xff00U >> kept);
	}
}

/* Parses a prefix length; a sign and leading zeros are refused. */
static bool
parse_prefix_length(struct str s, unsigned most, unsigned *out)
{
	int64_t v;

	if (s.n == 0 || s.n > 3 || s.p[0] == '-' || (s.p[0] == '0' && s.n > 1) ||
	    !str_int64(s, &v) || v > most)
		return false;
	*out = (unsigned)v;
	return true;
}

bool
ipnet_parse(struct str s, struct ipnet *out)
{
	const char *slash = s.n == 0 ? NULL : memchr(s.p, '/', s.n);
	size_t n = slash == NULL ? s.n : (size_t)(slash - s.p);
	char text[INET6_ADDRSTRLEN];
	struct ipnet net = { .bits = 128 };
	unsigned bits, before = 0;

	if (n == 0 || n >= sizeof(text) || memchr(s.p, '\0', n) != NULL)
		return false;
	memcpy(text, s.p, n);
	text[n] = '\0';
	if (inet_pton(AF_INET, text, net.a + 12) == 1) {
		memcpy(net.a, mapped, sizeof(mapped));
		before = V4_BITS;
	} else if (inet_pton(AF_INET6, text, net.a) != 1) {
		return false;
	}
	if (slash != NULL) {
		if (!parse_prefix_length(
			(struct str){ slash + 1, s.n - n - 1 }, 128 - before, &bits))
			return false;
		net.bits = (uint8_t)(bits + before);
	}
	ipnet_clear_host_bits(&net);
	*out = net;
	return true;
}

size_t
ipnet_print(const struct ipnet *net, char out[IPNET_LEN + 1])
{
	bool v4 = net->bits >= V4_BITS && ip_is_v4(net->a);
	size_t n;

	if (v4)
		inet_ntop(AF_INET, net->a + 12, out, IPNET_LEN + 1);
	else
		inet_ntop(AF_INET6, net->a, out, IPNET_LEN + 1);
	n = strlen(out);
	if (net->bits < 128)
		n += (size_t)snprintf(
		    out + n, IPNET_LEN + 1 - n, "/%u", (unsigned)net->bits - (v4 ? V4_BITS : 0));
	return n;
}

struct str
ipnet_text(struct arena *a, const struct ipnet *net)
{
	char *room = arena_alloc(a, IPNET_LEN + 1);

	return (struct str){ room, ipnet_print(net, room) };
}

static bool
has_slash(struct str s)
{
	return s.n > 0 && memchr(s.p, '/', s.n) != NULL;
}

bool
ipnet_parse_address(struct str s, struct ipnet *out)
{
	return !has_slash(s) && ipnet_parse(s, out);
}

bool
ipnet_canonical_address(struct arena *a, struct str *s)
{
	struct ipnet ip;

	if (!ipnet_parse_address(*s, &ip))
		return false;
	*s = ipnet_text(a, &ip);
	return true;
}

bool
ipnet_canonical_network(struct arena *a, struct str *s)
{
	struct ipnet net;

	if (!has_slash(*s) || !ipnet_parse(*s, &net))
		return false;
	*s = ipnet_text(a, &net);
	if (net.bits == 128) /* printed as an address, without its length */
		*s = arena_printf(a, "%s/%s", s->p, ip_is_v4(net.a) ? "32" : "128");
	return true;
}

bool
ipnet_contains(const struct ipnet *net, const unsigned char a[16])
{
	struct ipnet other = { .bits = net->bits };

	if (net->bits < V4_BITS && ip_is_v4(a))
		return false;
	memcpy(other.a, a, sizeof(other.a));
	ipnet_clear_host_bits(&other);
	return memcmp(other.a, net->a, sizeof(other.a)) == 0;
}

int
ip_cmp(const unsigned char a[16], const unsigned char b[16])
{
	int family = (int)ip_is_v4(b) - (int)ip_is_v4(a);

	return family != 0 ? family : memcmp(a, b, 16);
}

bool
ip_parse_port(struct str s, int64_t *port)
{
	return str_int64(s, port) && *port >= 1 && *port <= UINT16_MAX;
}
