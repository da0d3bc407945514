/* SPDX-License-Identifier: ISC */
/* Passkeys (WebAuthn level 3, sections 7.1 and 7.2) without CBOR. The browser sends the public key
   as SPKI. With attestation "none" nobody certifies that key, which is acceptable because the
   person who registers it is signed in. All conditions of a sign-in are verified here.

     registration   client data | authenticator data: rpIdHash, flags, counter, credential id | SPKI
     assertion      client data | authenticator data: rpIdHash, flags, counter | signature

     signature over authenticator data | SHA-256(client data)

   The functions are pure. They return NULL on success, else a fault with constant texts for the
   log and for the field of an answer. */
#ifndef ACCESS_PASSKEY_H
#define ACCESS_PASSKEY_H

#include "json/json.h"

enum {
	PASSKEY_ID_MIN = 16,
	PASSKEY_ID_MAX = 1023,
	PASSKEY_SPKI_MAX = 1200,
	PASSKEY_CLIENT_DATA_MAX = 4096,
	PASSKEY_AUTHENTICATOR_DATA_MAX = 1536,
	PASSKEY_SIGNATURE_MAX = 1024,
	PASSKEY_USER_HANDLE = 16, /* the bytes of a person's UUID */
};

/* COSE algorithms, in the order in which they are offered: Ed25519, ES256, RS256. */
#define PASSKEY_ALGORITHMS                                                                         \
	{                                                                                          \
		-8, -7, -257                                                                       \
	}

/* The site on which people sign in. */
struct passkey_site {
	struct str origin;    /* public_url: https://HOST[:PORT] without a path */
	struct str rp_id;     /* HOST */
	struct str challenge; /* base64url, as passkey_challenge read it from the client data */
};

struct passkey_registration {
	struct str client_data, authenticator_data, id, public_key;
	int64_t algorithm;
};

struct passkey_assertion {
	struct str client_data, authenticator_data, signature;
};

/* A passkey as it is stored. A registration and each assertion set the counter and backed_up. */
struct passkey_state {
	struct str spki;
	int64_t algorithm, sign_count;
	bool backed_up;
};

/* member: the faulty member of the body. */
struct passkey_fault {
	const char *member, *why;
};

/* Reads the challenge from client data that are not verified yet. */
const struct passkey_fault *passkey_challenge(
    struct arena *a, struct str client_data, struct str *challenge) MUST_USE;
/* The fault of a counter that did not increase: the passkey may have been copied. */
extern const struct passkey_fault passkey_copied;
const struct passkey_fault *passkey_register(struct arena *a, const struct passkey_site *site,
    const struct passkey_registration *in, struct passkey_state *out) MUST_USE;
/* Verifies an assertion. *state is the stored state, and after success the new one. */
const struct passkey_fault *passkey_verify(struct arena *a, const struct passkey_site *site,
    const struct passkey_assertion *in, struct passkey_state *state) MUST_USE;
/* Whether spki is the canonical DER of a sound key of the algorithm. */
bool passkey_key_good(struct str spki, int64_t algorithm) MUST_USE;

#endif
