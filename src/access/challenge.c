/* SPDX-License-Identifier: ISC */
/* Makes and opens challenges; access/challenge.h has their kinds. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/sha.h>

#include "access/challenge.h"

enum { NONCE = 16 };

/* The payload of a challenge. The random number makes each challenge different. */
struct content {
	unsigned char nonce[NONCE];
	struct uuid person;
};

static struct seal_use
use_of(const struct challenge *c)
{
	static const char *const purposes[] = {
		[CHALLENGE_SIGN_IN] = "challenge sign_in",
		[CHALLENGE_REGISTER] = "challenge register",
		[CHALLENGE_STEP] = "challenge step",
	};
	struct seal_use use = { purposes[c->kind], STR_NULL };

	if (c->kind == CHALLENGE_REGISTER)
		use.bound = (struct str){ (const char *)c->person.b, sizeof(c->person.b) };
	return use;
}

struct str
challenge_make(struct arena *a, const struct signing_keys *keys, const struct challenge *c)
{
	struct content in = { .person = c->person };
	struct seal_use use = use_of(c);

	random_bytes(in.nonce, sizeof(in.nonce));
	return seal_token_make(a, keys, &use,
	    &(struct seal_token){ { (const char *)&in, sizeof(in) }, c->expires_at });
}

enum seal_rc
challenge_open(
    struct arena *a, const struct signing_keys *keys, struct str text, struct challenge *c)
{
	struct seal_token t = { .expires_at = c->expires_at };
	struct seal_use use = use_of(c);
	enum seal_rc rc = seal_token_open(a, keys, &use, text, &t);
	struct content out;

	if (rc != SEAL_GOOD || t.payload.n != sizeof(out))
		return rc == SEAL_OLD ? SEAL_OLD : SEAL_BAD;
	memcpy(&out, t.payload.p, sizeof(out));
	c->person = out.person;
	c->expires_at = t.expires_at;
	return SEAL_GOOD;
}

struct ts
challenge_end(struct ts now)
{
	return (struct ts){ now.us + CHALLENGE_SECONDS * SECOND_US };
}

void
challenge_digest(struct str text, unsigned char digest[CHALLENGE_DIGEST])
{
	SHA256((const unsigned char *)text.p, text.n, digest);
}
