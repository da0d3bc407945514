/* SPDX-License-Identifier: ISC */
/* access/ticket.c: what is sealed opens again, and nothing else does (C-109). Forged tokens are made with the
   true key, so that each is refused for the one thing that is wrong with it. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand */
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "access/ticket.h"
#include "base/limits.h"
#include "t/unit/tap.h"

#include <unistd.h>

static const struct ts now = { INT64_C(1800000000) * 1000000 };
static struct arena *a;
static struct signing_keys keys;
static struct ticket ticket;

static void
set_up(void)
{
	a = arena_new((size_t)256 << 20);
	keys.n = 2;
	for (int i = 0; i < 2; i++) {
		snprintf(keys.keys[i].kid, sizeof(keys.keys[i].kid), "key%d", i);
		random_bytes(keys.keys[i].bytes, SIGNING_KEY_LEN);
	}
	ticket = (struct ticket){ .jti = uuid_random(),
		.project = uuid_random(),
		.session = uuid_random(),
		.key = uuid_random(),
		.expires_at = { now.us + INT64_C(30000000) },
		.kind = TICKET_STREAM };
}

static const char *
open_text(const char *text, struct ts at)
{
	struct ticket out = { .kind = TICKET_STREAM };

	return ticket_open(a, &keys, (struct secret){ str_of(text) }, at, &out);
}

/* A token of any head and claims, rightly signed by key 0 or with another signature. */
static char *
forge(const char *head, const char *claims, const EVP_MD *hash)
{
	static char out[2048];
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned int mac_n = 0;
	size_t n = (size_t)snprintf(out, sizeof(out), "surfaced.stream.v1.");
	char *signed_from = out + n;

	n += base64url_print(out + n, (const unsigned char *)head, strlen(head));
	out[n++] = '.';
	n += base64url_print(out + n, (const unsigned char *)claims, strlen(claims));
	if (hash != NULL)
		HMAC(hash, keys.keys[0].bytes, SIGNING_KEY_LEN, (const unsigned char *)signed_from,
		    (size_t)(out + n - signed_from), mac, &mac_n);
	out[n++] = '.';
	n += base64url_print(out + n, mac, mac_n);
	out[n] = '\0';
	return out;
}

#define HEAD "{\"alg\":\"HS256\",\"kid\":\"key0\",\"typ\":\"JWT\"}"
#define IDS                                                                                        \
	"\"jti\":\"00000000-0000-4000-8000-000000000001\","                                        \
	"\"project\":\"00000000-0000-4000-8000-000000000002\","                                    \
	"\"session\":\"00000000-0000-4000-8000-000000000003\","                                    \
	"\"key\":\"00000000-0000-4000-8000-000000000004\"}"
#define CLAIMS(iss, aud, nbf, exp)                                                                 \
	"{\"iss\":" iss ",\"aud\":" aud ",\"iat\":1800000000,\"nbf\":" nbf ",\"exp\":" exp "," IDS

static void
test_round_trip(void)
{
	struct secret s;
	struct ticket out = { .kind = TICKET_STREAM };

	set_up();
	s = ticket_seal(a, &keys, &ticket, now);
	CU_ASSERT_TRUE(s.hidden.n <= LIM_STREAM_TICKET);
	CU_ASSERT_PTR_NULL(ticket_open(a, &keys, s, now, &out));
	CU_ASSERT_EQUAL(memcmp(&out, &ticket, sizeof(out)), 0);
	CU_ASSERT_PTR_NULL(
	    open_text(forge(HEAD, CLAIMS("\"surfaced\"", "\"stream\"", "1800000000", "1800000030"),
			  EVP_sha256()),
		now));
	arena_free(a);
}

/* A person's ticket of the evidence is the longest: with the longest name of a key it fits. */
static void
test_sign_in(void)
{
	struct secret s;
	struct ticket out = { .kind = TICKET_EVIDENCE };

	set_up();
	memset(keys.keys[0].kid, 'k', SIGNING_KID_MAX);
	ticket.kind = TICKET_EVIDENCE;
	ticket.sign_in = uuid_random();
	s = ticket_seal(a, &keys, &ticket, now);
	CU_ASSERT_TRUE(s.hidden.n <= LIM_EVIDENCE_TICKET);
	CU_ASSERT_PTR_NULL(ticket_open(a, &keys, s, now, &out));
	CU_ASSERT_EQUAL(uuid_cmp(&out.sign_in, &ticket.sign_in), 0);
	arena_free(a);
}

/* Every single character matters. */
static void
test_changes(void)
{
	struct secret s;
	struct ticket out = { .kind = TICKET_STREAM };
	char text[LIM_STREAM_TICKET + 1];

	set_up();
	s = ticket_seal(a, &keys, &ticket, now);
	for (size_t i = 0; i < s.hidden.n; i++) {
		memcpy(text, s.hidden.p, s.hidden.n);
		text[i] = text[i] == 'A' ? 'Q' : 'A';
		CU_ASSERT_PTR_NOT_NULL(
		    ticket_open(a, &keys, (struct secret){ { text, s.hidden.n } }, now, &out));
		CU_ASSERT_PTR_NOT_NULL(
		    ticket_open(a, &keys, (struct secret){ { s.hidden.p, i } }, now, &out));
	}
	arena_free(a);
}

static void
test_forged(void)
{
	static const char good[] = CLAIMS("\"surfaced\"", "\"stream\"", "1800000000", "1800000030");
	static const struct {
		const char *head, *claims, *why;
	} rows[] = {
		{ "{\"alg\":\"none\",\"kid\":\"key0\"}", good, "its algorithm" },
		{ "{\"alg\":\"HS512\",\"kid\":\"key0\"}", good, "its algorithm" },
		{ "{\"alg\":\"RS256\",\"kid\":\"key0\"}", good, "its algorithm" },
		{ "{\"alg\":\"hs256\",\"kid\":\"key0\"}", good, "its algorithm" },
		{ "{\"alg\":\"HS256\",\"kid\":\"key2\"}", good, "unknown key" },
		{ "{\"alg\":\"HS256\",\"kid\":\"\"}", good, "its head" },
		{ "{\"alg\":\"HS256\"}", good, "its head" },
		{ "{\"kid\":\"key0\"}", good, "its head" },
		{ "{\"alg\":\"HS256\",\"kid\":\"key0\",\"crit\":[\"x\"]}", good, "its head" },
		{ "{\"alg\":\"HS256\",\"alg\":\"HS256\",\"kid\":\"key0\"}", good, "its head" },
		{ "{\"alg\":\"HS256\",\"kid\":\"key1\"}", good, "its signature" },
		{ HEAD, CLAIMS("\"x\"", "\"stream\"", "1800000000", "1800000030"), "not ours" },
		{ HEAD, CLAIMS("\"surfaced\"", "\"api\"", "1800000000", "1800000030"), "not ours" },
		{ HEAD, CLAIMS("\"surfaced\"", "[\"stream\"]", "1800000000", "1800000030"),
		    "its claims" },
		{ HEAD, CLAIMS("\"surfaced\"", "\"stream\"", "1799999970", "1800000000"),
		    "expired" },
		{ HEAD, CLAIMS("\"surfaced\"", "\"stream\"", "1800000000", "1800000061"),
		    "not of this time" },
		{ HEAD, CLAIMS("\"surfaced\"", "\"stream\"", "1800000006", "1800000030"),
		    "not of this time" },
		{ HEAD, CLAIMS("\"surfaced\"", "\"stream\"", "1800000000", "9999999999999"),
		    "not of this time" },
		{ HEAD, CLAIMS("\"surfaced\"", "\"stream\"", "1800000000", "\"1800000030\""),
		    "its claims" },
		{ HEAD, "{\"iss\":\"surfaced\",\"aud\":\"stream\"," IDS, "its claims" },
		{ HEAD, "{}", "its claims" },
		{ HEAD, "[]", "its claims" },
		{ "{", good, "its head" },
	};

	set_up();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *why = open_text(forge(rows[i].head, rows[i].claims, EVP_sha256()), now);

		bool right = why != NULL && strcmp(why, rows[i].why) == 0;

		if (!right)
			printf("# %s %s: %s\n", rows[i].head, rows[i].claims,
			    why == NULL ? "taken" : why);
		CU_ASSERT_TRUE(right);
	}
	CU_ASSERT_PTR_NOT_NULL(open_text(forge(HEAD, good, EVP_sha512()), now));
	CU_ASSERT_PTR_NOT_NULL(open_text(forge(HEAD, good, NULL), now));
	for (size_t i = 0; i < 3; i++)
		CU_ASSERT_PTR_NOT_NULL(open_text(((const char *const[]){ "", "surfaced.stream.v1.",
						     "surfaced.stream.v1..." })[i],
		    now));
	arena_free(a);
}

/* Writes the line of a new key. */
static void
make_line(char out[SIGNING_LINE + 1])
{
	struct signing_key key;

	signing_key_make(&key);
	signing_key_print(out, &key);
}

static void
write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(text, out);
	fclose(out);
}

static void
test_rotation(void)
{
	char path[] = "/tmp/t.XXXXXX", err[256], text[3 * SIGNING_LINE + 1] = "";
	char line[SIGNING_LINE + 1];
	struct signing_ring *r;
	const struct signing_keys *ring;
	struct ticket out = { .kind = TICKET_STREAM };
	struct secret s;

	set_up();
	CU_ASSERT_TRUE(close(mkstemp(path)) == 0);
	r = signing_ring_new(TICKET_FILE(path));
	CU_ASSERT_PTR_NULL(signing_ring_keys(r, err, sizeof(err)));
	make_line(line);
	write_file(path, line);
	ring = signing_ring_keys(r, err, sizeof(err));
	CU_ASSERT_PTR_NOT_NULL_FATAL(ring);
	s = ticket_seal(a, ring, &ticket, now);
	make_line(text);
	snprintf(text + strlen(text), SIGNING_LINE + 1, "%s", line);
	write_file(path, text);
	ring = signing_ring_keys(r, err, sizeof(err));
	CU_ASSERT_TRUE_FATAL(ring != NULL && ring->n == 2);
	CU_ASSERT_PTR_NULL(ticket_open(a, ring, s, now, &out));
	make_line(line);
	snprintf(text + strlen(text), SIGNING_LINE + 1, "%s", line);
	write_file(path, text);
	CU_ASSERT_PTR_NULL(signing_ring_keys(r, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "more keys than it may"));
	write_file(path, line);
	ring = signing_ring_keys(r, err, sizeof(err));
	CU_ASSERT_PTR_NOT_NULL_FATAL(ring);
	CU_ASSERT_STRING_EQUAL(ticket_open(a, ring, s, now, &out), "unknown key");
	unlink(path);
	CU_ASSERT_PTR_NULL(signing_ring_keys(r, err, sizeof(err)));
	signing_ring_free(r);
	arena_free(a);
}

static void
test_files(void)
{
#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "holds no key" },
		{ "\n", "no kid" },
		{ "a:" KEY "\na:" KEY "\n", "one kid" },
		{ "a:" KEY "0\n", "no kid" },
		{ "A:" KEY "\n", "no kid" },
		{ ":" KEY "\n", "no kid" },
		{ "abcdefghijklmnopq:" KEY "\n", "no kid" },
		{ "a:0123456789ABCDEF" KEY "\n", "no kid" },
		{ "a:" KEY "\n\n", "no kid" },
	};
	char path[] = "/tmp/t.XXXXXX", err[256];
	struct signing_keys out;

	CU_ASSERT_TRUE(close(mkstemp(path)) == 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		write_file(path, rows[i].text);
		CU_ASSERT_FALSE(signing_keys_read(TICKET_FILE(path), &out, err, sizeof(err)));
		CU_ASSERT_PTR_NOT_NULL(strstr(err, rows[i].why));
	}
	write_file(path, "a1:" KEY "\nb2:" KEY);
	CU_ASSERT_TRUE(signing_keys_read(TICKET_FILE(path), &out, err, sizeof(err)));
	CU_ASSERT_EQUAL(out.n, 2);
	CU_ASSERT_EQUAL(out.keys[1].bytes[1], 0x23);
	unlink(path);
}

static CU_TestInfo tests[] = {
	{ "a sealed ticket opens again", test_round_trip },
	{ "a ticket names the sign-in of its person, and fits with the longest name of a key",
	    test_sign_in },
	{ "a ticket with any character changed is refused", test_changes },
	{ "a signed ticket with wrong claims is refused", test_forged },
	{ "two keys are read again when their file changes", test_rotation },
	{ "a malformed file of keys is refused", test_files },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
