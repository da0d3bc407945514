/* SPDX-License-Identifier: ISC */
/* Time-based one-time codes (RFC 6238): HMAC-SHA-1, six digits, steps of 30 seconds, which all
   authenticator apps support. The functions are pure. */
#ifndef ACCESS_TOTP_H
#define ACCESS_TOTP_H

#include "access/key.h"

enum {
	TOTP_SECRET = 20, /* bytes: the length of SHA-1 (RFC 4226, R6) */
	TOTP_BASE32 = 32, /* characters of a secret in base32 */
	TOTP_DIGITS = 6,
	TOTP_STEP = 30, /* seconds */
};

/* Writes the code of a step. */
void totp_code(struct secret secret, int64_t step, char out[TOTP_DIGITS + 1]);
/* Returns the step to which the code belongs: the present one, the one before it or the one after
   it. Steps up to `last` do not count, because a code can be used once. -1: the code is wrong. */
int64_t totp_find(struct secret secret, struct str code, struct ts now, int64_t last) MUST_USE;
/* Writes the secret in base32 (RFC 4648), without padding. */
void totp_base32(struct secret secret, char out[TOTP_BASE32 + 1]);
/* Returns the text of the QR code: otpauth://totp/ISSUER:ACCOUNT?secret=... */
struct secret totp_uri(
    struct arena *a, struct secret secret, struct str issuer, struct str account);

#endif
