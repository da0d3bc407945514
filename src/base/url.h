/* SPDX-License-Identifier: ISC */
/* The parts of a URL that somebody else wrote, without a check of any of them; address/start_url.h
 * checks the URLs that a browser may open.
 *
 *     http://user@www.a.org:8443/x?y
 *
 *     authority   user@www.a.org:8443
 *     host        www.a.org
 *     rest        /x?y */
#ifndef BASE_URL_H
#define BASE_URL_H

#include "base/str.h"

/* Splits a URL, or a text without a scheme such as "www.a.org:8443/x". False: the text has no
   scheme. */
bool url_split(struct str url, struct str *authority, struct str *rest);
/* The host of an authority, without user, port and brackets. An IPv6 address may also stand without
   brackets; it has no port then. */
struct str url_host(struct str authority);

#endif
