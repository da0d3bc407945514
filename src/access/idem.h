/* SPDX-License-Identifier: ISC */
/* Idempotency-Key: the database stores two hashes, so that their parts need no columns: the space
   in which a key counts (client and operation), and the request (C-085). */
#ifndef ACCESS_IDEM_H
#define ACCESS_IDEM_H

#include "base/base.h"

enum { IDEM_HASH_LEN = 32 };

/* SHA-256 over the parts, each with its length: "a","bc" differs from "ab","c". */
void idem_hash(const struct str *parts, size_t n, unsigned char out[IDEM_HASH_LEN]);

#endif
