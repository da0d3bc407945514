/* SPDX-License-Identifier: ISC */
/* Distinguishes public IP addresses from all others: the one rule for addresses that a browser, a
   webhook or a probe may be sent to. Addresses are in network byte order. */
#ifndef ADDRESS_NETADDR_H
#define ADDRESS_NETADDR_H

#include "base/base.h"

/* IPv4: everything is public but the blocks of a list. */
bool netaddr_public4(const unsigned char a[4]);
/* IPv6: only global unicast is public, less the blocks of a list. */
bool netaddr_public6(const unsigned char a[16]);

#endif
