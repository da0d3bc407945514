/* SPDX-License-Identifier: ISC */
/* Between start_url.c, which takes a URL apart, and start_url_host.c, which judges its host. */
#ifndef ADDRESS_START_URL_PRIV_H
#define ADDRESS_START_URL_PRIV_H

#include "address/netaddr.h"
#include "address/start_url.h"

/* What stands in brackets. out: as it is written, with brackets. */
enum start_url_fault start_url_ipv6(
    struct arena *a, struct str text, struct str *out) MUST_USE;

#endif
