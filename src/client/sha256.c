/* SPDX-License-Identifier: ISC */
/* SHA-256 (FIPS 180-4). */
#include "config.h"

#include "client/sha256.h"

enum { ROUNDS = 64, LENGTH_AT = 56 };

/* The fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

static uint32_t
rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* The message schedule of one block. */
static void
expand_schedule(uint32_t w[ROUNDS], const unsigned char block[SHA256_BLOCK])
{
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void
compress(uint32_t state[8], const unsigned char block[SHA256_BLOCK])
{
	uint32_t w[ROUNDS], v[8];

	expand_schedule(w, block);
	memcpy(v, state, sizeof(v));
	for (size_t i = 0; i < ROUNDS; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t one = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			       ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
		uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			       ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += one;
		v[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += v[i];
}

void
sha256_begin(struct sha256 *s)
{
	/* The fractional parts of the square roots of the first 8 primes. */
	static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(s->state, first, sizeof(first));
	s->total = 0;
}

void
sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n > 0) {
		size_t at = s->total % SHA256_BLOCK, part = SHA256_BLOCK - at;

		if (part > n)
			part = n;
		memcpy(s->block + at, p, part);
		s->total += part;
		p += part;
		n -= part;
		if (s->total % SHA256_BLOCK == 0)
			compress(s->state, s->block);
	}
}

/* The message ends with a one bit, zeros, and its length in bits. */
void
sha256_end(struct sha256 *s, char out[2 * SHA256_BYTES + 1])
{
	uint64_t bits = s->total * 8;
	unsigned char length[8], bytes[SHA256_BYTES];

	sha256_add(s, "\x80", 1);
	while (s->total % SHA256_BLOCK != LENGTH_AT)
		sha256_add(s, "", 1);
	for (size_t i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(s, length, sizeof(length));
	for (size_t i = 0; i < SHA256_BYTES; i++)
		bytes[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
	hex_print(out, bytes, sizeof(bytes));
}

enum { READ_BYTES = 65536 };

bool
sha256_file(const char *path, char out[2 * SHA256_BYTES + 1])
{
	unsigned char bytes[READ_BYTES];
	FILE *f = fopen(path, "rb");
	struct sha256 s;
	size_t n;
	bool good;

	if (f == NULL)
		return false;
	sha256_begin(&s);
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		sha256_add(&s, bytes, n);
	good = !ferror(f);
	fclose(f);
	sha256_end(&s, out);
	return good;
}
