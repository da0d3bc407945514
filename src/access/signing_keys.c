/* SPDX-License-Identifier: ISC */
/* Reads and writes files of secret keys; access/signing_keys.h has their form. */
#include "config.h"

#include <openssl/crypto.h>

#include "access/signing_keys.h"

#include <errno.h>
#include <sys/stat.h>

static bool
parse_signing_key(struct str line, struct signing_key *out)
{
	const char *colon = line.n == 0 ? NULL : memchr(line.p, ':', line.n);
	size_t kid = colon == NULL ? 0 : (size_t)(colon - line.p);

	if (kid == 0 || kid > SIGNING_KID_MAX || line.n != kid + 1 + 2 * SIGNING_KEY_LEN)
		return false;
	for (size_t i = 0; i < kid; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789", line.p[i]) == NULL)
			return false;
	memcpy(out->kid, line.p, kid);
	out->kid[kid] = '\0';
	return hex_parse(
	    (struct str){ colon + 1, 2 * SIGNING_KEY_LEN }, out->bytes, SIGNING_KEY_LEN);
}

const struct signing_key *
signing_key_find(const struct signing_keys *keys, struct str kid)
{
	for (size_t i = 0; i < keys->n; i++)
		if (str_is(kid, keys->keys[i].kid))
			return &keys->keys[i];
	return NULL;
}

/* Parses a file of keys. Returns NULL, or what is wrong with the file. */
static const char *
parse_signing_keys(struct str text, size_t most, struct signing_keys *out)
{
	struct str line;

	out->n = 0;
	while (str_line(&text, &line)) {
		struct signing_key key;

		if (out->n == most)
			return "holds more keys than it may";
		if (!parse_signing_key(line, &key))
			return "a line is no kid:64 hexadecimal digits";
		if (signing_key_find(out, str_of(key.kid)) != NULL)
			return "two keys have one kid";
		out->keys[out->n++] = key;
		OPENSSL_cleanse(&key, sizeof(key));
	}
	return out->n > 0 ? NULL : "holds no key";
}

bool
signing_keys_read(const struct signing_file *f, struct signing_keys *out, char *err, size_t room)
{
	char text[SIGNING_KEYS * SIGNING_LINE + 1];
	FILE *in = fopen(f->path, "re");
	const char *fault;
	size_t n;

	if (in == NULL) {
		snprintf(err, room, "%s: %s", f->path, strerror(errno));
		return false;
	}
	n = fread(text, 1, sizeof(text), in);
	fault = ferror(in)             ? strerror(errno)
		: n > sizeof(text) - 1 ? "is too long"
				       : parse_signing_keys((struct str){ text, n }, f->most, out);
	fclose(in);
	OPENSSL_cleanse(text, sizeof(text));
	if (fault != NULL)
		snprintf(err, room, "%s: %s", f->path, fault);
	return fault == NULL;
}

void
signing_key_make(struct signing_key *out)
{
	unsigned char kid[SIGNING_KID_MAX / 2];

	random_bytes(kid, sizeof(kid));
	random_bytes(out->bytes, sizeof(out->bytes));
	hex_print(out->kid, kid, sizeof(kid));
}

size_t
signing_key_print(char out[SIGNING_LINE + 1], const struct signing_key *key)
{
	size_t n = strlen(key->kid);

	memcpy(out, key->kid, n);
	out[n++] = ':';
	hex_print(out + n, key->bytes, sizeof(key->bytes));
	n += 2 * sizeof(key->bytes);
	out[n++] = '\n';
	out[n] = '\0';
	return n;
}

struct signing_ring {
	struct signing_file file;
	struct stat seen; /* the state of the file when it was read; st_ino 0: not read yet */
	struct signing_keys keys;
};

struct signing_ring *
signing_ring_new(const struct signing_file *f)
{
	struct signing_ring *r = mem_zero(sizeof(*r));

	r->file = *f;
	return r;
}

void
signing_ring_free(struct signing_ring *r)
{
	OPENSSL_cleanse(r, sizeof(*r));
	free(r);
}

const struct signing_keys *
signing_ring_keys(struct signing_ring *r, char *err, size_t room)
{
	struct stat now;

	if (stat(r->file.path, &now) != 0) {
		snprintf(err, room, "%s: %s", r->file.path, strerror(errno));
		return NULL;
	}
	if (r->seen.st_ino != 0 && file_same(&r->seen, &now))
		return &r->keys;
	r->seen.st_ino = 0;
	if (!signing_keys_read(&r->file, &r->keys, err, room))
		return NULL;
	r->seen = now;
	return &r->keys;
}

const struct signing_keys *
signing_ring_now(struct signing_ring *r)
{
	char err[256];
	const struct signing_keys *keys = signing_ring_keys(r, err, sizeof(err));

	if (keys == NULL)
		log_event(LOGP_ERR, r->file.parameter, "why=\"%s\"", err);
	return keys;
}
