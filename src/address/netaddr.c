/* SPDX-License-Identifier: ISC */
/* The rule of address/netaddr.h as tables, so that a reader can compare them with IANA's
   special-purpose registries. */
#include "config.h"

#include "address/netaddr.h"

struct net {
	unsigned char a[16];
	unsigned bits;
};

/* IPv4 that is not public: special use, shared, loopback, link-local, documentation, multicast,
   reserved, and 168.63.129.16, at which one cloud serves its guests. */
static const struct net closed4[] = {
	{ { 0 }, 8 },
	{ { 10 }, 8 },
	{ { 100, 64 }, 10 },
	{ { 127 }, 8 },
	{ { 169, 254 }, 16 },
	{ { 172, 16 }, 12 },
	{ { 192, 0, 0 }, 24 },
	{ { 192, 0, 2 }, 24 },
	{ { 192, 88, 99 }, 24 },
	{ { 192, 168 }, 16 },
	{ { 198, 18 }, 15 },
	{ { 198, 51, 100 }, 24 },
	{ { 203, 0, 113 }, 24 },
	{ { 224 }, 3 },
	{ { 168, 63, 129, 16 }, 32 },
};

/* Global unicast, 2000::/3, less protocol assignments (with Teredo and ORCHID), documentation, and
   6to4. Mapped, NAT64, loopback, link-local and unique local addresses are outside 2000::/3
   already. */
static const struct net open6 = { { 0x20 }, 3 };
static const struct net closed6[] = {
	{ { 0x20, 0x01 }, 23 },
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 },
	{ { 0x20, 0x02 }, 16 },
	{ { 0x3f, 0xff }, 20 },
};

static bool
net_contains(const unsigned char *a, const struct net *n)
{
	unsigned bytes = n->bits / 8, rest = n->bits % 8;

	if (memcmp(a, n->a, bytes) != 0)
		return false;
	return rest == 0 || ((a[bytes] ^ n->a[bytes]) >> (8 - rest)) == 0;
}

bool
netaddr_public4(const unsigned char a[4])
{
	for (size_t i = 0; i < COUNT(closed4); i++)
		if (net_contains(a, &closed4[i]))
			return false;
	return true;
}

bool
netaddr_public6(const unsigned char a[16])
{
	if (!net_contains(a, &open6))
		return false;
	for (size_t i = 0; i < COUNT(closed6); i++)
		if (net_contains(a, &closed6[i]))
			return false;
	return true;
}
