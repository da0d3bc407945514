/* SPDX-License-Identifier: ISC */
/* Public IP addresses, in network byte order: the blocks that the outside world routes. */
#ifndef ADDRESS_NETADDR_H
#define ADDRESS_NETADDR_H

#include "base/base.h"

bool netaddr_public4(const unsigned char a[4]);
bool netaddr_public6(const unsigned char a[16]);

#endif
