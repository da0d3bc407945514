/* SPDX-License-Identifier: ISC */
/* src/address/webhook.c: where webhooks may go, their secrets and signatures. */
#include "config.h"

#include "address/webhook.h"
#include "base/limits.h"
#include "t/unit/tap.h"

static struct arena *arena;

static const char key[] = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/* By another program: base64(HMAC-SHA256(bytes 0 to 31, "id.at.body")). */
static void
signatures_are_those_of_the_convention(void)
{
	struct webhook w = { .secret = str_of(key),
		.id = STR("8a0c2c2e-6a1b-4f43-9d0e-3a5f5e1c7b11"),
		.body = STR("{\"type\":\"alert.raised\"}"),
		.at = 1767225600 };

	CU_ASSERT_TRUE(
	    str_is(webhook_sign(arena, &w), "v1,sfFeS4EnI3/zBJcYL4kJMCdgCA6vbmowwleeORsaFiI="));
	w.at++;
	CU_ASSERT_FALSE(
	    str_is(webhook_sign(arena, &w), "v1,sfFeS4EnI3/zBJcYL4kJMCdgCA6vbmowwleeORsaFiI="));
	w = (struct webhook){ .secret = str_of(key), .id = STR(""), .body = STR("") };
	CU_ASSERT_TRUE(
	    str_is(webhook_sign(arena, &w), "v1,K6MgMNC8rkXzd7W8BpQp3FLUW9ErRX1Mko/d/9Hp/Q4="));
}

static void
other_secrets_sign_nothing(void)
{
	static const char *const others[] = { "", "whsec_",
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
		"WHSEC_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX*BkaGxwdHh8=" };
	struct webhook w = { .id = STR("i"), .body = STR("b") };

	for (size_t i = 0; i < COUNT(others); i++) {
		w.secret = str_of(others[i]);
		CU_ASSERT_PTR_NULL(webhook_sign(arena, &w).p);
	}
}

static void
secrets_are_made_anew_and_sign(void)
{
	char a[WEBHOOK_SECRET_LEN + 1], b[WEBHOOK_SECRET_LEN + 1];
	struct webhook w = { .id = STR("i"), .body = STR("b") };

	webhook_secret_make(a);
	webhook_secret_make(b);
	CU_ASSERT_EQUAL(strlen(a), WEBHOOK_SECRET_LEN);
	CU_ASSERT_STRING_NOT_EQUAL(a, b);
	w.secret = str_of(a);
	CU_ASSERT_PTR_NOT_NULL(webhook_sign(arena, &w).p);
}

/* As conf.webhook_ports is unless an administrator sets it. */
#define PORTS "443 1024-65535"

static void
an_administrator_narrows_the_ports(void)
{
	static const struct {
		const char *url, *ports;
		bool taken;
	} rows[] = {
		{ "https://example.com", "443", true },
		{ "https://example.com:8443", "443", false },
		{ "https://example.com:8443", "443, 8000-8443", true },
		{ "https://example.com:8444", "443\t8000-8443", false },
		{ "https://example.com", "8443", false },
		{ "https://example.com", "", false },
		{ "https://example.com:8443", "https 8443", false },
		{ "https://example.com:22", "1-65535", false },
		{ "https://example.com:80", "1-65535", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_EQUAL(
		    webhook_url_fault(str_of(rows[i].url), rows[i].ports) == NULL, rows[i].taken);
}

static void
urls_are_public_or_say_why_not(void)
{
	static const struct {
		const char *url, *fault;
	} rows[] = {
		{ "https://hooks.example.com", NULL },
		{ "HTTPS://Hooks.Example.com:8443/a?b=c", NULL },
		{ "https://8.8.8.8/", NULL },
		{ "https://[2001:4860:4860::8888]:4443/", NULL },
		{ "https://[2001:4860:4860::8888]:1/", "has a port of another protocol than HTTP" },
		{ "https://example.com:443/", NULL },
		{ "https://example.com:1024/", NULL },
		{ "https://example.com:65535/", NULL },
		{ "https://example.com:22/", "has a port of another protocol than HTTP" },
		{ "https://example.com:25/", "has a port of another protocol than HTTP" },
		{ "https://example.com:6379/", "has a port of another protocol than HTTP" },
		{ "https://8.8.8.8:5432/", "has a port of another protocol than HTTP" },
		{ "https://example.com:80/", "has a port that webhooks do not go to" },
		{ "https://example.com:1023/", "has a port that webhooks do not go to" },
		{ "https://a_b.example.com?x", NULL },
		{ "", "must begin with https://" },
		{ "http://example.com", "must begin with https://" },
		{ "https://", "has no valid host name" },
		{ "https://a b.example.com",
		    "has a character that must be escaped, or a fragment" },
		{ "https://example.com/#x", "has a character that must be escaped, or a fragment" },
		{ "https://me@example.com", "must not have a user name or password" },
		{ "https://10.0.0.1", "has an address that is not public" },
		{ "https://[::1]", "has an address that is not public" },
		{ "https://[::1", "has no valid address" },
		{ "https://[::1]x", "has an address that is not public" },
		{ "https://[2001:4860::1]x", "has no valid host name" },
		{ "https://0x7f.1", "has no valid host name" },
		{ "https://localhost", "has a host name that is not public" },
		{ "https://db.internal", "has a host name that is not public" },
		{ "https://hooks.lvh.me", "has a host name that is not public" },
		{ "https://-a.example.com", "has no valid host name" },
		{ "https://a..example.com", "has no valid host name" },
		{ "https://example.com:0", "has no valid port" },
		{ "https://example.com:65536", "has no valid port" },
		{ "https://example.com:", "has no valid port" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *fault = webhook_url_fault(str_of(rows[i].url), PORTS);

		if ((fault == NULL) != (rows[i].fault == NULL) ||
		    (fault != NULL && strcmp(fault, rows[i].fault) != 0)) {
			printf("# %s: %s\n", rows[i].url, fault == NULL ? "taken" : fault);
			CU_FAIL("judged wrongly");
		}
	}
}

static void
urls_have_a_limit(void)
{
	struct buf b = { .a = arena };

	buf_z(&b, "https://example.com/");
	while (b.n < LIM_WEBHOOK_URL)
		buf_char(&b, 'a');
	CU_ASSERT_PTR_NULL(webhook_url_fault(buf_done(&b), PORTS));
	buf_char(&b, 'a');
	CU_ASSERT_STRING_EQUAL(webhook_url_fault(buf_done(&b), PORTS), "is too long");
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "signatures follow the convention", signatures_are_those_of_the_convention },
		{ "malformed secrets sign nothing", other_secrets_sign_nothing },
		{ "a new secret is random and signs", secrets_are_made_anew_and_sign },
		{ "private URLs are refused with a reason", urls_are_public_or_say_why_not },
		{ "the length of a URL is limited", urls_have_a_limit },
		{ "an administrator restricts the ports of webhooks",
		    an_administrator_narrows_the_ports },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new((size_t)1 << 20);
	rc = tap_main(tests);
	arena_free(arena);
	return rc;
}
