/* SPDX-License-Identifier: ISC */
/* Signs and verifies cursors, and reads their secret file; access/cursor.h has the format. */
#include "config.h"

#include <openssl/crypto.h>
#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "access/cursor.h"
#include "base/limits.h"

#include <errno.h>

enum { VERSION = 1, MAC_LEN = 16, HEAD_LEN = 1 + MAC_LEN, SECRET_MIN = 32, SECRET_MAX = 4096 };

#define LINE_START "cursor-key "

/* Parses a line of cursor_secret_print. */
static bool
parse_key_line(struct str line, unsigned char key[CURSOR_KEY_LEN])
{
	size_t n = sizeof(LINE_START) - 1;

	return str_starts(line, STR(LINE_START)) && line.n == n + 2 * CURSOR_KEY_LEN &&
	       hex_parse((struct str){ line.p + n, line.n - n }, key, CURSOR_KEY_LEN);
}

/* Parses one or two lines: the signing key, then the previous key. Returns false when a line is
   malformed. */
static bool
parse_cursor_keys(struct str text, struct cursor_secret *out)
{
	struct str line;

	if (!str_line(&text, &line) || !parse_key_line(line, out->bytes))
		return false;
	out->has_before = str_line(&text, &line);
	return !out->has_before || (parse_key_line(line, out->before) && text.n == 0);
}

/* Derives the key from a file of random bytes, so that the file can serve other uses with other
   keys. */
static void
derive_key(const unsigned char *bytes, size_t n, struct cursor_secret *out)
{
	unsigned int made;

	if (HMAC(EVP_sha256(), bytes, (int)n, (const unsigned char *)"cursor", 6, out->bytes,
		&made) == NULL)
		panic("HMAC failed"); /* UNCOVERED: malloc fails */
}

static size_t
print_key(char *at, const unsigned char key[CURSOR_KEY_LEN])
{
	size_t n = sizeof(LINE_START) - 1;

	memcpy(at, LINE_START, n);
	hex_print(at + n, key, CURSOR_KEY_LEN);
	at[n + 2 * CURSOR_KEY_LEN] = '\n';
	return n + 2 * CURSOR_KEY_LEN + 1;
}

void
cursor_secret_print(char out[CURSOR_SECRET_TEXT + 1], const struct cursor_secret *old)
{
	unsigned char key[CURSOR_KEY_LEN];
	size_t n;

	random_bytes(key, sizeof(key));
	n = print_key(out, key);
	if (old != NULL)
		n += print_key(out + n, old->bytes);
	out[n] = '\0';
	OPENSSL_cleanse(key, sizeof(key));
}

bool
cursor_secret_read(const char *path, struct cursor_secret *out, char *err, size_t room)
{
	unsigned char bytes[SECRET_MAX + 1];
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
	if (n < SECRET_MIN || n > SECRET_MAX) {
		snprintf(
		    err, room, "%s: must hold %d to %d random bytes", path, SECRET_MIN, SECRET_MAX);
		return false;
	}
	*out = (struct cursor_secret){ .has_before = false };
	if (!str_starts((struct str){ (const char *)bytes, n }, STR(LINE_START)))
		derive_key(bytes, n, out);
	else if (!parse_cursor_keys((struct str){ (const char *)bytes, n }, out))
		failed = true;
	OPENSSL_cleanse(bytes, sizeof(bytes));
	if (failed)
		snprintf(err, room, "%s: a line is not \"cursor-key\" and %d digits", path,
		    2 * CURSOR_KEY_LEN);
	return !failed;
}

static void
add_with_length(struct buf *b, struct str s)
{
	uint64_t n = s.n;

	buf_add(b, &n, sizeof(n)); /* so that "a","bc" differs from "ab","c" */
	buf_str(b, s);
}

static void
sign_payload(struct arena *a, const unsigned char key[CURSOR_KEY_LEN], const struct cursor_for *f,
    struct str payload, unsigned char mac[SHA256_DIGEST_LENGTH])
{
	struct buf b = { .a = a };
	unsigned int n;

	buf_char(&b, VERSION);
	buf_add(&b, f->key.b, sizeof(f->key.b));
	add_with_length(&b, f->operation);
	add_with_length(&b, f->filters);
	add_with_length(&b, payload);
	if (HMAC(EVP_sha256(), key, CURSOR_KEY_LEN, (const unsigned char *)b.p, b.n, mac, &n) ==
	    NULL)
		panic("HMAC failed"); /* UNCOVERED: malloc fails */
}

struct str
cursor_seal(
    struct arena *a, const struct cursor_secret *s, const struct cursor_for *f, struct str payload)
{
	unsigned char raw[HEAD_LEN + CURSOR_PAYLOAD_MAX], mac[SHA256_DIGEST_LENGTH];
	size_t n = HEAD_LEN + payload.n;
	struct str text;
	char *room;

	if (payload.n > CURSOR_PAYLOAD_MAX)
		panic(
		    "a cursor's payload of %zu bytes", payload.n); /* UNCOVERED: ends the process */
	sign_payload(a, s->bytes, f, payload, mac);
	raw[0] = VERSION;
	memcpy(raw + 1, mac, MAC_LEN);
	if (payload.n > 0)
		memcpy(raw + HEAD_LEN, payload.p, payload.n);
	room = arena_alloc(a, 4 * ((n + 2) / 3) + 1);
	text = (struct str){ room, base64url_print(room, raw, n) };
	if ((int64_t)text.n > LIM_CURSOR)
		panic("a cursor of %zu characters", text.n); /* UNCOVERED: ends the process */
	return text;
}

bool
cursor_open(struct arena *a, const struct cursor_secret *s, const struct cursor_for *f,
    struct str text, struct str *payload)
{
	unsigned char raw[HEAD_LEN + CURSOR_PAYLOAD_MAX], mac[SHA256_DIGEST_LENGTH];
	struct str found;
	size_t n;

	if ((int64_t)text.n > LIM_CURSOR || !base64url_parse(text, raw, sizeof(raw), &n))
		return false;
	if (n < HEAD_LEN || raw[0] != VERSION)
		return false;
	found = arena_str(a, (struct str){ (const char *)raw + HEAD_LEN, n - HEAD_LEN });
	*payload = found;
	sign_payload(a, s->bytes, f, found, mac);
	if (CRYPTO_memcmp(raw + 1, mac, MAC_LEN) == 0)
		return true;
	if (!s->has_before)
		return false;
	sign_payload(a, s->before, f, found, mac);
	return CRYPTO_memcmp(raw + 1, mac, MAC_LEN) == 0;
}
