/* SPDX-License-Identifier: ISC */
/* Idempotency-Key: the database stores spaces and requests as hashes of their parts (C-085). */
#ifndef ACCESS_IDEM_H
#define ACCESS_IDEM_H

#include "base/base.h"

enum { IDEM_HASH_LEN = 32 };

/* Of the parts and of where each ends. */
void idem_hash(const struct str *parts, size_t n, unsigned char out[IDEM_HASH_LEN]);

#endif
