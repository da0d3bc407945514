/* SPDX-License-Identifier: ISC */
/* Addresses and networks of both families in one form. */
#ifndef BASE_IPNET_H
#define BASE_IPNET_H

#include "base/memory.h"

/* An address or a network of either family. An IPv4 address is stored as ::ffff:a.b.c.d. bits: the
   length of the prefix of these 128 bits; 128 for one address. */
struct ipnet {
	unsigned char a[16];
	uint8_t bits;
};

/* Clears the host bits: those behind the prefix. */
void ipnet_clear_host_bits(struct ipnet *net);
/* Parses an address or a CIDR in strict notation. Host bits are cleared. */
bool ipnet_parse(struct str s, struct ipnet *out) MUST_USE;
/* Parses an address without a prefix length. */
bool ipnet_parse_address(struct str s, struct ipnet *out) MUST_USE;
/* Parses a port: 1 to 65535. */
bool ip_parse_port(struct str s, int64_t *port) MUST_USE;
#define IPNET_LEN 49
/* Prints "1.2.3.4" or "2001:db8::/32"; returns the length. */
size_t ipnet_print(const struct ipnet *net, char out[IPNET_LEN + 1]);
/* Prints the same text into an arena. */
struct str ipnet_text(struct arena *a, const struct ipnet *net);
/* Replace the text of an address, or of a network with its prefix length, by the canonical text
   that records and hosts store. False: the text is not an address or a network. */
bool ipnet_canonical_address(struct arena *a, struct str *s) MUST_USE;
bool ipnet_canonical_network(struct arena *a, struct str *s) MUST_USE;
/* Whether the network contains the address. An IPv6 network such as ::/0 contains no IPv4
   address. */
bool ipnet_contains(const struct ipnet *net, const unsigned char a[16]);
/* Whether an address is an IPv4 address, ::ffff:a.b.c.d. */
bool ip_is_v4(const unsigned char a[16]);
/* Compares addresses: every IPv4 address is before every IPv6 address, and each family is ordered
   by value. */
int ip_cmp(const unsigned char a[16], const unsigned char b[16]);

#endif
