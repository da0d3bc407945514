/* SPDX-License-Identifier: ISC */
/* Webhooks: the form of URLs that alerts may be sent to, and the signature of a delivery (Standard
   Webhooks). */
#ifndef ADDRESS_WEBHOOK_H
#define ADDRESS_WEBHOOK_H

#include "base/base.h"

/* NULL when url may be a destination: https, no user information, no fragment, a public address or
   a name that may have one, and a port in `ports` (like conf.webhook_ports) that no other protocol
   uses. Otherwise the fault, as the end of a sentence about the URL. The addresses of a name are
   checked each time a webhook is sent. */
const char *webhook_url_fault(struct str url, const char *ports);

/* Makes a secret: "whsec_" and base64 of 32 random bytes. */
enum { WEBHOOK_KEY_LEN = 32, WEBHOOK_SECRET_LEN = 50 };
void webhook_secret_make(char out[WEBHOOK_SECRET_LEN + 1]);

struct webhook {
	struct str secret, id, body;
	int64_t at; /* time of the attempt, in seconds since 1970 */
};

/* The value of webhook-signature: "v1," and base64 of HMAC-SHA256 over "id.at.body". STR_NULL: the
   secret is malformed. */
struct str webhook_sign(struct arena *a, const struct webhook *w);

#endif
