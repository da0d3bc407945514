/* SPDX-License-Identifier: ISC */
/* One-time codes by time (RFC 6238): HMAC-SHA-1, six digits, steps of 30 seconds, as the apps of
   telephones make them. The functions are pure. */
#ifndef ACCESS_TOTP_H
#define ACCESS_TOTP_H

#include "access/key.h"

enum {
	TOTP_SECRET = 20, /* bytes: as many as SHA-1 has (RFC 4226, R6) */
	TOTP_BASE32 = 32, /* their characters */
	TOTP_DIGITS = 6,
	TOTP_STEP = 30, /* seconds */
};

/* The code of a step. */
void totp_code(struct secret secret, int64_t step, char out[TOTP_DIGITS + 1]);
/* The step whose code this is: that of the time, or the one before or behind it, but none up to
   last, since a code counts once. -1: there is none. */
int64_t totp_find(struct secret secret, struct str code, struct ts now, int64_t last) MUST_USE;
/* Writes the secret in base32 (RFC 4648), without padding. */
void totp_base32(struct secret secret, char out[TOTP_BASE32 + 1]);
/* otpauth://totp/ISSUER:ACCOUNT?secret=...: the text of the QR code. */
struct secret totp_uri(
    struct arena *a, struct secret secret, struct str issuer, struct str account);

#endif
