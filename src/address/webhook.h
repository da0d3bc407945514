/* SPDX-License-Identifier: ISC */
/* Webhooks: the URLs that alerts may be sent to, and the signature of a delivery. */
#ifndef ADDRESS_WEBHOOK_H
#define ADDRESS_WEBHOOK_H

#include "base/base.h"

/* NULL when url may be a destination: https, no user information or fragment, a public address or a name
   that can be one, and a port of ports (as conf.webhook_ports) where no other protocol listens; otherwise what
   is wrong with it. Addresses are checked again when it is used. */
const char *webhook_url_fault(struct str url, const char *ports);

/* "whsec_" and base64 of 32 random bytes, as Standard Webhooks has it. */
enum { WEBHOOK_KEY_LEN = 32, WEBHOOK_SECRET_LEN = 50 };
void webhook_secret_make(char out[WEBHOOK_SECRET_LEN + 1]);

struct webhook {
	struct str secret, id, body;
	int64_t at; /* seconds since 1970: of the attempt */
};

/* What webhook-signature says: "v1," and base64 of HMAC-SHA256 over id.at.body. STR_NULL: no such secret. */
struct str webhook_sign(struct arena *a, const struct webhook *w);

#endif
