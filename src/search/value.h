/* SPDX-License-Identifier: ISC */
/* Typed values, and the rules by which two of them are equal or ordered. The parser makes them of
 * the words of a query, match.c of a record in memory. A dictionary of the index keeps its terms in
 * an order of its own (index: terms.h), but sorts buckets as value_cmp does. */
#ifndef SEARCH_VALUE_H
#define SEARCH_VALUE_H

#include "base/base.h"

enum value_type {
	VALUE_KEYWORD,
	VALUE_TEXT,
	VALUE_DNS,
	VALUE_IP,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_BOOLEAN,
	VALUE_DATE,
};

/* An address or a network of either family. An IPv4 address is stored as ::ffff:a.b.c.d. bits: the length of the prefix
   of these 128 bits; 128 for one address. */
struct ipnet {
	unsigned char a[16];
	uint8_t bits;
};

/* Parses an address or a CIDR in strict notation. Host bits are cleared. */
bool ipnet_parse(struct str s, struct ipnet *out) MUST_USE;
#define IPNET_LEN 49
/* Prints "1.2.3.4" or "2001:db8::/32"; returns the length. */
size_t ipnet_print(const struct ipnet *net, char out[IPNET_LEN + 1]);
/* Whether the network contains the address. An IPv6 network such as ::/0 contains no IPv4 address. */
bool ipnet_contains(const struct ipnet *net, const unsigned char a[16]);
/* Compares addresses: every IPv4 address is before every IPv6 address, and each family is ordered by value. */
int ip_cmp(const unsigned char a[16], const unsigned char b[16]);

/* A typed value. Strings in MATCH and WILDCARD are folded by text_fold; strings in EXACT are as the user typed them. A
   DNS name is always in lower case and without the trailing dot. */
struct value {
	enum value_type type;
	union {
		struct str s;    /* KEYWORD, TEXT, DNS */
		int64_t i;       /* INTEGER */
		double n;        /* NUMBER */
		bool b;          /* BOOLEAN */
		struct ts ts;    /* DATE */
		struct ipnet ip; /* IP */
	};
};

/* Compares two values of the same type; strings by bytes, false before true. */
int value_cmp(const struct value *a, const struct value *b);

#endif
