/* SPDX-License-Identifier: ISC */
/* Passkeys: the first byte of an input chooses the part that the rest is. No client data, authenticator data or
   key makes a verdict of "good" without a signature. */
#include "config.h"

#include "access/passkey.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static const struct passkey_site site = { STR_INIT("https://a.example"), STR_INIT("a.example"),
	STR_INIT("AbCdEfGhIjKlMnOpQrStUv") };

/* As they are when everything else is right, so that the fuzzer reaches the last check. */
#define CLIENT_DATA                                                                                \
	"{\"type\":\"webauthn.get\",\"challenge\":\"AbCdEfGhIjKlMnOpQrStUv\",\"origin\":\"https:/" \
	"/a.example\"}"
#define RP_HASH                                                                                    \
	"\xb8\xe7\x45\x33\x71\xa0\x24\xda\xae\x06\xf3\x16\x44\x92\xc0\xaf\xcd\xe1\x34\xc7\x74\x7c" \
	"\x15\x5b"                                                                                 \
	"\x3d\x83\xc2\x0d\xe3\x41\xe8\x55"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t algorithms[] = { -8, -7, -257 };
	struct passkey_assertion in = { STR_INIT(CLIENT_DATA), STR_INIT(RP_HASH "\x05\0\0\0\1"),
		STR_INIT("signature") };
	struct passkey_registration new = { STR_INIT(CLIENT_DATA), STR_INIT(RP_HASH),
		STR_INIT("id"), STR_INIT("key"), -8 };
	struct passkey_state state = { STR_INIT("key"), -8, 0, false };
	struct str input, challenge;
	struct arena *a;

	if (size == 0 || size > 8192)
		return 0;
	a = arena_new(1 << 20);
	input = (struct str){ (const char *)data + 1, size - 1 };
	state.algorithm = new.algorithm = algorithms[data[0] % 3];
	switch (data[0] / 3 % 5) {
	case 0:
		in.client_data = new.client_data = input;
		break;
	case 1:
		in.authenticator_data = new.authenticator_data = input;
		break;
	case 2:
		state.spki = new.public_key = input;
		break;
	case 3:
		in.signature = input;
		break;
	case 4:
		new.authenticator_data = input;
		new.id = (struct str){ input.p, input.n / 2 };
		break;
	}
	if (passkey_challenge(a, in.client_data, &challenge) == NULL)
		assert(challenge.n > 0);
	assert(passkey_register(a, &site, &new, &state) != NULL);
	assert(passkey_verify(a, &site, &in, &state) != NULL);
	arena_free(a);
	return 0;
}
