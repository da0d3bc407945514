/* SPDX-License-Identifier: ISC */
/* The buffered answer: nothing is sent before the whole of it stands. */
#include "config.h"

#include "http/http_priv.h"

struct buf *
reply_begin(struct req *rq, int status)
{
	rq->status = status;
	rq->error = ERR_UNSET;
	rq->content_type = "application/json";
	rq->etag = NULL;
	rq->out.a = rq->arena;
	buf_clear(&rq->out);
	return &rq->out;
}

int
reply(struct req *rq, int status, const char *wrapper, const struct field *out,
    const void *in)
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
