/* SPDX-License-Identifier: ISC */
/* Successful answers. The whole answer is built in rq->out before a byte is sent, so an error can
   still replace it. */
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
	rq->file = NULL;
	rq->max_age = 0;
	/* Not buf_clear: the buffer may be a document, which other requests use too. */
	rq->out = (struct buf){ .a = rq->arena };
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

/* True when an If-None-Match header has the ETag or is "*". The comparison is weak, so W/ before a
   tag does not matter: nginx adds it when it compresses the answer. */
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

static void
write_public_document(struct public_document *d)
{
	unsigned char sha256[SHA256_DIGEST_LENGTH];

	d->write(&d->text);
	SHA256((const unsigned char *)d->text.p, d->text.n, sha256);
	hex_print(d->etag, sha256, sizeof(sha256));
}

int
reply_public(struct req *rq, struct public_document *d)
{
	(void)reply_begin(rq, 200);
	if (d->text.n == 0)
		write_public_document(d);
	rq->etag = d->etag;
	rq->max_age = rq->route->max_age;
	if (client_has(rq, d->etag))
		rq->status = 304;
	else
		rq->out = (struct buf){
			.p = d->text.p, .n = d->text.n, .room = d->text.n, .a = rq->arena
		};
	return PASS;
}

int
reply_file(struct req *rq, const struct reply_file *f)
{
	struct reply_file *own = ARENA_NEW(rq->arena, struct reply_file);

	*own = *f;
	(void)reply_begin(rq, client_has(rq, f->etag) ? 304 : 200);
	rq->etag = own->etag;
	rq->content_type = own->media;
	if (rq->status == 200)
		rq->file = own;
	return PASS;
}
