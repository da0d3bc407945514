/* SPDX-License-Identifier: ISC */
/* Computes the codes of RFC 6238, and makes the URI that transfers a secret to an app. */
#include "config.h"

#include <openssl/crypto.h>
#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/hmac.h>

#include "access/totp.h"

enum { HASH = 20, MODULUS = 1000000 };

void
totp_code(struct secret secret, int64_t step, char out[TOTP_DIGITS + 1])
{
	unsigned char counter[8], hash[HASH];
	unsigned int n;
	uint32_t number;
	size_t at;

	for (size_t i = 0; i < sizeof(counter); i++)
		counter[i] = (unsigned char)((uint64_t)step >> (56 - 8 * i));
	if (HMAC(EVP_sha1(), secret.hidden.p, (int)secret.hidden.n, counter, sizeof(counter), hash,
		&n) == NULL)
		panic("HMAC failed"); /* UNCOVERED: malloc fails */
	at = hash[HASH - 1] & 0x0f;
	number = (uint32_t)(hash[at] & 0x7f) << 24 | (uint32_t)hash[at + 1] << 16 |
		 (uint32_t)hash[at + 2] << 8 | hash[at + 3];
	snprintf(out, TOTP_DIGITS + 1, "%06u", number % MODULUS);
	OPENSSL_cleanse(hash, sizeof(hash));
}

/* All three codes are computed and compared, so that the time does not show which one matched. */
int64_t
totp_find(struct secret secret, struct str code, struct ts now, int64_t last)
{
	int64_t present = now.us / SECOND_US / TOTP_STEP, found = -1;
	char made[TOTP_DIGITS + 1];

	if (code.n != TOTP_DIGITS)
		return -1;
	for (int64_t step = present - 1; step <= present + 1; step++) {
		totp_code(secret, step, made);
		if (CRYPTO_memcmp(made, code.p, TOTP_DIGITS) == 0 && step > last && found < 0)
			found = step;
	}
	OPENSSL_cleanse(made, sizeof(made));
	return found;
}

void
totp_base32(struct secret secret, char out[TOTP_BASE32 + 1])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	const unsigned char *p = (const unsigned char *)secret.hidden.p;
	uint32_t bits = 0;
	size_t have = 0, n = 0;

	if (secret.hidden.n != TOTP_SECRET)
		panic("a secret of %zu bytes", secret.hidden.n); /* UNCOVERED: ends the process */
	for (size_t i = 0; i < TOTP_SECRET; i++) {
		bits = bits << 8 | p[i];
		for (have += 8; have >= 5; have -= 5)
			out[n++] = digits[bits >> (have - 5) & 0x1f];
	}
	out[n] = '\0';
}

/* Writes all characters but unreserved ones as %XX, because apps differ in what they accept. */
static void
add_label(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (ascii_digit((char)c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c != '\0' && strchr("-._~", c) != NULL))
			buf_char(b, (char)c);
		else
			buf_printf(b, "%%%02X", c);
	}
}

struct secret
totp_uri(struct arena *a, struct secret secret, struct str issuer, struct str account)
{
	char base32[TOTP_BASE32 + 1];
	struct buf b = { .a = a };

	totp_base32(secret, base32);
	buf_str(&b, STR("otpauth://totp/"));
	add_label(&b, issuer);
	buf_char(&b, ':');
	add_label(&b, account);
	buf_printf(&b, "?secret=%s&issuer=", base32);
	add_label(&b, issuer);
	return (struct secret){ { b.p, b.n } };
}
