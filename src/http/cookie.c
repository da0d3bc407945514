/* SPDX-License-Identifier: ISC */
/* The cookie of a person's browser, and the proof that a change comes from a page of the console.
 *
 *     cookie          __Host-surfaced, which no page reads and only this host gets; SameSite=Strict
 *     X-CSRF-Token    HMAC under sign_in_keys over the sign-in; GET /auth/session answers it, which
 *                     no page of another site can read
 *     Sec-Fetch-Site, Origin    what the browser says of the page that sends the request
 *
 * A request of a key needs none of these: no other site knows the key (C-012). */
#include "config.h"

#include "base/url.h"
#include "daemon/conf.h"
#include "http/http_priv.h"
#include "http/people.h"
#include "http/stages_priv.h"

#define COOKIE_NAME "__Host-surfaced"
#define COOKIE_RULES "Path=/; Secure; HttpOnly; SameSite=Strict"

void
cookie_set(struct req *rq, const struct token *t, struct ts until)
{
	int64_t seconds = t == NULL ? 0 : (until.us - rq->now.us) / SECOND_US;

	rq->set_cookie =
	    t == NULL ? COOKIE_NAME "=; " COOKIE_RULES "; Max-Age=0"
		      : arena_printf(rq->arena, COOKIE_NAME "=%s; " COOKIE_RULES "; Max-Age=%jd",
			    t->text, (intmax_t)(seconds > 0 ? seconds : 0))
			    .p;
}

static struct seal_use
csrf_use(const struct uuid *sign_in)
{
	return (struct seal_use){ "csrf", { (const char *)sign_in->b, sizeof(sign_in->b) } };
}

struct str
csrf_token(struct req *rq, const struct uuid *sign_in)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct seal_use use = csrf_use(sign_in);
	unsigned char tag[SEAL_TAG];
	char text[TOKEN_LEN + 1];

	if (keys == NULL)
		return STR_NULL;
	seal_tag(keys, &use, STR(""), tag);
	(void)base64url_print(text, tag, sizeof(tag));
	return arena_str(rq->arena, str_of(text));
}

/* Characters of a host and a port; a message may repeat a Host header that has no others. */
static bool
is_plain_host(struct str host)
{
	for (size_t i = 0; i < host.n; i++)
		if (!ascii_alnum(host.p[i]) && strchr(".-:[]", host.p[i]) == NULL)
			return false;
	return host.n > 0 && host.n <= 255;
}

struct str
public_origin(struct req *rq)
{
	struct str authority = env_get(rq, "HTTP_HOST"), rest;

	if (conf.public_url[0] != '\0' && !url_split(str_of(conf.public_url), &authority, &rest))
		return STR("");
	if (!is_plain_host(authority))
		return STR("");
	if (str_ends(authority, STR(":443")))
		authority.n -= 4;
	return arena_printf(rq->arena, "https://%s", arena_lower(rq->arena, authority).p);
}

/* True when the browser says that another site's page, or nobody's, sends the request. */
static bool
is_foreign(struct req *rq, struct str origin)
{
	struct str site = env_get(rq, "HTTP_SEC_FETCH_SITE"), from = env_get(rq, "HTTP_ORIGIN");

	if (env_count(rq, "HTTP_SEC_FETCH_SITE") > 1 || env_count(rq, "HTTP_ORIGIN") > 1)
		return true;
	if (site.p != NULL && !str_is(site, "same-origin"))
		return true;
	return from.p != NULL && !str_eq(from, origin);
}

static bool
has_csrf_token(struct req *rq, const struct signing_keys *keys)
{
	struct seal_use use = csrf_use(&rq->sign_in->uuid);
	unsigned char tag[SEAL_TAG];
	size_t n;

	return env_count(rq, "HTTP_X_CSRF_TOKEN") == 1 &&
	       base64url_parse(env_get(rq, "HTTP_X_CSRF_TOKEN"), tag, sizeof(tag), &n) &&
	       n == sizeof(tag) && seal_tag_is(keys, &use, STR(""), tag);
}

static int
fail_csrf(struct req *rq, struct str origin)
{
	if (origin.n == 0)
		return fail(rq, ERR_CSRF_REQUIRED);
	return fail_at(rq, ERR_CSRF_REQUIRED,
	    arena_printf(rq->arena,
		"The request needs the X-CSRF-Token of GET /auth/session, and comes from a page "
		"of %.*s.",
		(int)origin.n, origin.p));
}

/* Operations that need nobody signed in have no sign-in whose token could be asked for: what the
   browser says, and the media type, which another site can send only after asking, must do. */
int
auth_csrf(struct req *rq)
{
	bool visitor = rq->route->access == ACCESS_VISITOR && rq->key == NULL;
	const struct signing_keys *keys;
	struct str origin;

	if (rq->route->method == METHOD_GET || (rq->sign_in == NULL && !visitor))
		return PASS;
	origin = public_origin(rq);
	if (is_foreign(rq, origin))
		return fail_csrf(rq, origin);
	if (visitor)
		return PASS;
	keys = signing_ring_now(rq->worker->sign_in_keys);
	if (keys == NULL)
		return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
	return has_csrf_token(rq, keys) ? PASS : fail_csrf(rq, origin);
}
