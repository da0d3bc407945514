/* SPDX-License-Identifier: ISC */
/* The names of HTTP headers in network events. The runner omits the values of secret ones before an
   event leaves it, and surfaced-dispatch again before it stores the event, because a page may have
   taken the runner over. */
#ifndef WIRE_HEADER_H
#define WIRE_HEADER_H

#include "base/base.h"

/* True for a header whose value is a credential or a cookie: evidence contains the name only. */
bool header_secret(struct str name);

#endif
