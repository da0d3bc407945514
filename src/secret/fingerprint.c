/* SPDX-License-Identifier: ISC */
#include "config.h"

#include <openssl/crypto.h>
#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "secret/fingerprint.h"

#include "base/encode.h"

#include <errno.h>

enum { FILE_LEAST = 32, FILE_MOST = 4096, FINGERPRINT = 16 };

/* HMAC-SHA-256 of the texts, joined by NUL bytes. */
static void
mac_of(const unsigned char key[32], const struct str *texts, size_t n, unsigned char out[32])
{
	struct buf b = { 0 };
	unsigned int length;

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(&b, '\0');
		buf_str(&b, texts[i]);
	}
	if (HMAC(EVP_sha256(), key, 32, (const unsigned char *)buf_done(&b).p, b.n, out, &length) ==
	    NULL)
		panic("HMAC failed");
	OPENSSL_cleanse(b.p, b.n);
	buf_free(&b);
}

bool
secret_key_read(const char *path, struct secret_key *out, char *err, size_t room)
{
	const struct str about[] = { STR("key") };
	unsigned char bytes[FILE_MOST + 1], id[32];
	FILE *in = fopen(path, "re");
	size_t n;
	bool failed;

	if (in == NULL) {
		snprintf(err, room, "%s: %s", path, strerror(errno));
		return false;
	}
	n = fread(bytes, 1, sizeof(bytes), in);
	failed = ferror(in) != 0;
	if (failed)
		snprintf(err, room, "%s: %s", path, strerror(errno));
	fclose(in);
	if (failed)
		return false;
	if (n < FILE_LEAST || n > FILE_MOST) {
		snprintf(
		    err, room, "%s: must hold %d to %d random bytes", path, FILE_LEAST, FILE_MOST);
		return false;
	}
	SHA256(bytes, n, out->bytes);
	OPENSSL_cleanse(bytes, sizeof(bytes));
	mac_of(out->bytes, about, 1, id);
	hex_print(out->id, id, SECRET_KEY_ID / 2);
	return true;
}

static void
add_pad(const struct secret_key *k, struct str place, unsigned char mac[32])
{
	const struct str texts[] = { STR("place"), place };
	unsigned char pad[32];

	mac_of(k->bytes, texts, COUNT(texts), pad);
	for (size_t i = 0; i < sizeof(pad); i++)
		mac[i] ^= pad[i];
}

struct str
secret_note(struct arena *a, const struct secret_key *k, struct str type, struct str secret,
    struct str place)
{
	const struct str texts[] = { STR("secret"), type, secret };
	char *hex = arena_alloc(a, 2 * SECRET_NOTE + 1);
	unsigned char mac[SECRET_NOTE];

	mac_of(k->bytes, texts, COUNT(texts), mac);
	add_pad(k, place, mac);
	hex_print(hex, mac, sizeof(mac));
	return (struct str){ hex, 2 * SECRET_NOTE };
}

struct str
secret_fingerprint(struct arena *a, const struct secret_key *k, const struct uuid *project,
    struct str note, struct str place)
{
	unsigned char mac[SECRET_NOTE], fingerprint[32];
	char *hex = arena_alloc(a, 2 * FINGERPRINT + 1);
	struct str texts[3] = { STR("project"), STR_NULL, { (const char *)mac, sizeof(mac) } };

	if (!hex_parse(note, mac, sizeof(mac)))
		return STR_NULL;
	add_pad(k, place, mac);
	texts[1] = str_of(uuid_text(project).z);
	mac_of(k->bytes, texts, COUNT(texts), fingerprint);
	hex_print(hex, fingerprint, FINGERPRINT);
	return (struct str){ hex, 2 * FINGERPRINT };
}
