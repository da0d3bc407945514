/* SPDX-License-Identifier: ISC */
/* The hash of Idempotency-Key. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */

#include "access/idem.h"

static void
digest_bytes(EVP_MD_CTX *ctx, const void *p, size_t n)
{
	if (n > 0 && EVP_DigestUpdate(ctx, p, n) != 1)
		panic("SHA-256 failed"); /* UNCOVERED: malloc fails */
}

void
idem_hash(const struct str *parts, size_t n, unsigned char out[IDEM_HASH_LEN])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (ctx == NULL || EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1)
		panic("SHA-256 failed"); /* UNCOVERED: malloc fails */
	for (size_t i = 0; i < n; i++) {
		uint64_t length = parts[i].n;

		digest_bytes(ctx, &length, sizeof(length));
		digest_bytes(ctx, parts[i].p, parts[i].n);
	}
	if (EVP_DigestFinal_ex(ctx, out, NULL) != 1)
		panic("SHA-256 failed"); /* UNCOVERED: malloc fails */
	EVP_MD_CTX_free(ctx);
}
