/* SPDX-License-Identifier: ISC */
/* Names with letters beyond ASCII. DNS stores a label of such letters as an A-label: "xn--" and
   Punycode (RFC 5890).

     "www.München.de"   ->  "www.xn--mnchen-3ya.de"

   Records, keys and the index have A-labels, so a name that a person types is converted before it
   is compared. */
#ifndef ADDRESS_IDN_H
#define ADDRESS_IDN_H

#include "base/base.h"

bool idn_is_ascii(struct str s) MUST_USE;
/* Converts each label that has letters beyond ASCII as browsers do, by UTS 46 without its
   transitional rules. The other labels stay as they are, so "*" and "_dmarc" may be among them.
   False: a label has no A-label, because IDNA does not know it or it is not UTF-8; then *name is
   unchanged. */
bool idn_to_ascii(struct arena *a, struct str *name) MUST_USE;
/* The name without the dot at its end; "." stays. */
struct str name_without_dot(struct str name);

#endif
