/* SPDX-License-Identifier: ISC */
/* Splits a URL of a foreign document into its parts. No part is checked; address/start_url.h checks
 * the URLs that a browser may open.
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
/* The host of an authority, without user, port and brackets. An IPv6 address
   without brackets is returned whole, since its port could not be told from its last group. */
struct str url_host(struct str authority);

#endif
