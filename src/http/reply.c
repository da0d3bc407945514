/* SPDX-License-Identifier: ISC */
/* Successful answers. The whole answer is built in rq->out before a byte is sent, so an error can still replace it. */
#include "config.h"

#include "http/http_priv.h"

#include <openssl/sha.h>

struct buf *
reply_begin(struct req *rq, int status)
{
	rq->status = status;
	rq->error = ERR_UNSET;
	rq->content_type = "application/json";
	rq->etag = NULL;
	rq->max_age = 0;
	rq->out.a = rq->arena;
	buf_clear(&rq->out);
	return &rq->out;
}

int
reply(struct req *rq, int status, const char *wrapper, const struct field *out, const void *in)
{
	struct buf *b = reply_begin(rq, status);

	if (wrapper != NULL) {
		buf_char(b, '{');
		json_write_str(b, str_of(wrapper));
		buf_char(b, ':');
	}
	json_write(b, out, in);
	if (wrapper != NULL)
		buf_char(b, '}');
	return PASS;
}

/* True when an If-None-Match header has the ETag or is "*". The comparison is weak, so W/ before a tag does not
   matter: nginx adds it when it compresses the answer. */
static bool
client_has(const struct req *rq, const char *etag)
{
	struct str tag = arena_printf(rq->arena, "\"%s\"", etag);

	for (const char *const *e = rq->env; *e != NULL; e++) {
		struct str sent = str_of(*e);

		if (!str_starts(sent, STR("HTTP_IF_NONE_MATCH=")))
			continue;
		if (memmem(sent.p, sent.n, tag.p, tag.n) != NULL || str_ends(sent, STR("=*")))
			return true;
	}
	return false;
}

int
reply_public(struct req *rq)
{
	unsigned char sha256[SHA256_DIGEST_LENGTH];
	char *etag = arena_alloc(rq->arena, 2 * sizeof(sha256) + 1);

	SHA256((const unsigned char *)rq->out.p, rq->out.n, sha256);
	hex_print(etag, sha256, sizeof(sha256));
	rq->etag = etag;
	rq->max_age = rq->route->max_age;
	if (!client_has(rq, etag))
		return PASS;
	rq->status = 304;
	buf_clear(&rq->out);
	return PASS;
}
