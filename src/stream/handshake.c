/* SPDX-License-Identifier: ISC */
/* Checks an upgrade request in this order: the path, the method, the upgrade
 * headers, the origin, and the credentials last. None of these checks uses the ticket, so a
 * request that is refused here can be repeated with the same ticket.
 *
 * The origin is what keeps a page of another site from opening a stream with the browser of its
 * visitor: the WebSocket protocol does not apply the same-origin policy. A client without an
 * Origin header is no browser, and needs the ticket like any other. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand */
#include <openssl/sha.h>

#include "stream/request.h"

enum { NONCE_LEN = 16, NONCE_TEXT = 24 };

static bool
skip_prefix(struct str *s, struct str prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	s->p += prefix.n;
	s->n -= prefix.n;
	return true;
}

static struct str
cut_segment(struct str *s)
{
	const char *slash = s->n == 0 ? NULL : memchr(s->p, '/', s->n);
	struct str out = { s->p, slash == NULL ? s->n : (size_t)(slash - s->p) };

	s->p += out.n;
	s->n -= out.n;
	return out;
}

static enum error
judge_request_target(struct str target, struct handshake *out)
{
	const char *mark = target.n == 0 ? NULL : memchr(target.p, '?', target.n);
	struct str path = { target.p, mark == NULL ? target.n : (size_t)(mark - target.p) };
	struct str project, session;

	if (!skip_prefix(&path, STR("/api/v1/projects/")))
		return ERR_NOT_FOUND;
	project = cut_segment(&path);
	if (!skip_prefix(&path, STR("/sessions/")))
		return ERR_NOT_FOUND;
	session = cut_segment(&path);
	if (!str_eq(path, STR("/stream")))
		return ERR_NOT_FOUND;
	/* The query is ?refusal=close or absent: a ticket in a URL would be logged (C-109). */
	if (mark != NULL) {
		struct str query = { mark + 1, target.n - (size_t)(mark + 1 - target.p) };

		if (!str_is(query, "refusal=close"))
			return ERR_INVALID_REQUEST;
		out->refuse_by_close = true;
	}
	if (!uuid_parse(project, &out->project) || !uuid_parse(session, &out->session))
		return ERR_INVALID_REQUEST;
	return ERR_UNSET;
}

/* Whether the nonce is the canonical base64 of 16 bytes: decoding alone would accept stray bits at
   the end. */
static bool
nonce_is_good(struct str nonce)
{
	unsigned char raw[NONCE_TEXT];
	char again[NONCE_TEXT + 1];

	if (nonce.n != NONCE_TEXT)
		return false;
	if (EVP_DecodeBlock(raw, (const unsigned char *)nonce.p, NONCE_TEXT) != NONCE_LEN + 2)
		return false;
	EVP_EncodeBlock((unsigned char *)again, raw, NONCE_LEN);
	return str_is(nonce, again);
}

static void
compute_accept(struct str nonce, char out[ACCEPT_LEN + 1])
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	unsigned char text[NONCE_TEXT + sizeof(guid) - 1], hash[SHA_DIGEST_LENGTH];

	memcpy(text, nonce.p, NONCE_TEXT);
	memcpy(text + NONCE_TEXT, guid, sizeof(guid) - 1);
	SHA1(text, sizeof(text), hash);
	EVP_EncodeBlock((unsigned char *)out, hash, sizeof(hash));
}

static enum error
judge_upgrade(const struct request *r, struct handshake *out)
{
	struct str nonce = request_header(r, "Sec-WebSocket-Key");

	if (r->minor < 1 || !request_lists(r, "Connection", "upgrade") ||
	    !request_lists(r, "Upgrade", "websocket"))
		return ERR_UPGRADE_REQUIRED;
	if (!str_is(request_header(r, "Sec-WebSocket-Version"), "13"))
		return request_count(r, "Sec-WebSocket-Version") == 1 ? ERR_UPGRADE_REQUIRED
								      : ERR_INVALID_REQUEST;
	if (!nonce_is_good(nonce) || request_count(r, "Transfer-Encoding") > 0)
		return ERR_INVALID_REQUEST;
	if (request_count(r, "Content-Length") > 0 &&
	    !str_is(request_header(r, "Content-Length"), "0"))
		return ERR_INVALID_REQUEST;
	compute_accept(nonce, out->accept);
	return ERR_UNSET;
}

/* Origins are compared as browsers write them: in lower case, without the default port of the
   scheme. */
static bool
origin_is_own(struct str origin, struct str host)
{
	return skip_prefix(&origin, STR("https://")) && host.n > 0 && str_eq(origin, host);
}

static bool
origin_allowed(struct str origin, struct str host, const char *allowed)
{
	while (*allowed != '\0') {
		struct str one = { allowed, strcspn(allowed, " \t") };

		allowed += one.n;
		allowed += strspn(allowed, " \t");
		if (str_is(one, "self") ? origin_is_own(origin, host)
					: one.n > 0 && str_eq(origin, one))
			return true;
	}
	return false;
}

static enum error
judge_origin(const struct request *r, const char *allowed)
{
	size_t n = request_count(r, "Origin");

	if (n == 0)
		return ERR_UNSET;
	if (n > 1)
		return ERR_INVALID_REQUEST;
	/* Pages without an origin send "null": that is never allowed, not even if the list contains
	   it. */
	if (str_is(request_header(r, "Origin"), "null") ||
	    !origin_allowed(request_header(r, "Origin"), request_header(r, "Host"), allowed))
		return ERR_ORIGIN_NOT_ALLOWED;
	return ERR_UNSET;
}

static bool
is_one_value(struct str s)
{
	return s.n > 0 && memchr(s.p, ',', s.n) == NULL && memchr(s.p, ' ', s.n) == NULL;
}

static enum error
judge_credentials(const struct request *r, struct handshake *out)
{
	size_t protocols = request_count(r, "Sec-WebSocket-Protocol");
	size_t keys = request_count(r, "X-API-Key");

	if (keys > 1)
		return ERR_UNAUTHORIZED;
	out->api_key.hidden = request_header(r, "X-API-Key");
	if (protocols == 0)
		return ERR_STREAM_TICKET_INVALID;
	out->subprotocol.hidden = request_header(r, "Sec-WebSocket-Protocol");
	return is_one_value(out->subprotocol.hidden) ? ERR_UNSET : ERR_INVALID_REQUEST;
}

enum error
handshake_judge(const struct request *r, const char *origins, struct handshake *out)
{
	enum error e;

	memset(out, 0, sizeof(*out));
	e = judge_request_target(r->target, out);
	if (e == ERR_UNSET && !str_is(r->method, "GET"))
		e = ERR_METHOD_NOT_ALLOWED;
	if (e == ERR_UNSET)
		e = judge_upgrade(r, out);
	if (e == ERR_UNSET)
		e = judge_origin(r, origins);
	if (e == ERR_UNSET)
		e = judge_credentials(r, out);
	return e;
}
