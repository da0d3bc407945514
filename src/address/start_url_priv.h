/* SPDX-License-Identifier: ISC */
/* Shared by start_url.c, which splits a URL, and start_url_host.c, which checks its host. */
#ifndef ADDRESS_START_URL_PRIV_H
#define ADDRESS_START_URL_PRIV_H

#include "address/netaddr.h"
#include "address/start_url.h"

/* Checks the text between brackets. out: the canonical address, with brackets. */
enum start_url_fault start_url_ipv6(struct arena *a, struct str text, struct str *out) MUST_USE;

#endif
