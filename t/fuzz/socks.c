/* SPDX-License-Identifier: ISC */
/* The protocols of egress: however the bytes are cut, the same is understood, nothing behind the end is taken,
   and what a browser asks for passes the rule or is refused. The first byte says who speaks. */
#include "config.h"

#include "browser/egress/egress.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

static const struct credential credential = { true, "user", "password" };

static enum socks_step
browser(struct socks *s, const uint8_t *p, size_t n, size_t piece, size_t *taken)
{
	enum socks_step step = SOCKS_MORE;

	*s = (struct socks){ 0 };
	for (*taken = 0; *taken < n && (step == SOCKS_MORE || step == SOCKS_GREETED);) {
		size_t rest = n - *taken, used, wants = socks_wants(s);

		step = socks_take(s, p + *taken, rest < piece ? rest : piece, &used);
		assert(used > 0 && wants > 0);
		assert(used >= wants || step == SOCKS_MORE || step == SOCKS_BAD);
		*taken += used;
	}
	return step;
}

static void
judge(const struct socks *s)
{
	struct arena *a = arena_new(1 << 20);
	struct target t;
	enum reason why = judge_request(a, s, &t);

	assert(why != REASON_CONNECTED || t.name[0] != '\0' || ip_public(&t.ip));
	assert(strlen(t.requested) <= SOCKS_NAME_MAX);
	arena_free(a);
}

static enum proxy_step
proxy(struct proxy *x, const uint8_t *p, size_t n, size_t piece, size_t *taken)
{
	enum proxy_step step = PROXY_MORE;

	proxy_begin(x);
	proxy_sent(x);
	for (*taken = 0; *taken < n && (step == PROXY_MORE || step == PROXY_SEND);) {
		size_t rest = n - *taken, used;

		step = proxy_take(x, p + *taken, rest < piece ? rest : piece, &used);
		assert(used > 0 && (step == PROXY_SEND) == (x->out_n > 0));
		proxy_sent(x);
		*taken += used;
	}
	return step;
}

static void
read_credential(struct str text)
{
	struct credential c;

	if (credential_parse(text, &c))
		assert(c.user[0] != '\0' && c.password[0] != '\0' && strchr(c.user, ':') == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t whole, cut;

	if (size == 0)
		return 0;
	if (data[0] % 3 == 0) {
		struct socks a, b;
		enum socks_step step = browser(&a, data + 1, size - 1, SIZE_MAX, &whole);

		assert(step == browser(&b, data + 1, size - 1, 1, &cut) && whole == cut);
		if (step == SOCKS_ASKED) {
			assert(str_eq(a.host, b.host) && a.port == b.port);
			judge(&a);
		}
	} else {
		struct proxy a = { .kind = data[0] % 3 == 1 ? PROXY_CONNECT : PROXY_SOCKS5,
			.credential = &credential,
			.to = { .family = 2 } },
			     b = a;
		enum proxy_step step = proxy(&a, data + 1, size - 1, SIZE_MAX, &whole);

		assert(step == proxy(&b, data + 1, size - 1, 1, &cut) && whole == cut);
	}
	read_credential((struct str){ (const char *)data, size });
	return 0;
}
