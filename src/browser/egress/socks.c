/* SPDX-License-Identifier: ISC */
/* The server's side of SOCKS5 for browsers (RFC 1928): a greeting without authentication, and
 * one request. Input is refused at the first byte that makes it invalid.
 *
 *   greeting   5 | n | n methods                        its length is known after 2 bytes
 *   request    5 | command | 0 | kind | host | port     its length is known after 5 bytes
 *
 * socks_wants returns how many bytes are certain to belong to the message, so that the caller
 * reads no byte behind it: those belong to the target. */
#include "config.h"

#include "browser/egress/proto.h"

enum {
	VERSION = 5,
	NO_AUTHENTICATION = 0,
	NO_METHOD = 0xff,
	GENERAL_FAILURE = 1,
	UNKNOWN_ADDRESS_KIND = 8,
};

/* The length of the message, as far as the bytes that have arrived determine it. */
static size_t
greeting_length(const struct socks *s)
{
	return s->n < 2 ? 2 : 2 + (size_t)s->room[1];
}

static size_t
request_length(const struct socks *s)
{
	if (s->n < 5)
		return 5;
	switch (s->room[3]) {
	case SOCKS_IPV4:
		return 10;
	case SOCKS_IPV6:
		return 22;
	default:
		return 7 + (size_t)s->room[4];
	}
}

static size_t
message_length(const struct socks *s)
{
	return s->greeted ? request_length(s) : greeting_length(s);
}

static enum socks_step
refuse_with(struct socks *s, unsigned char reply)
{
	s->reply = reply;
	return SOCKS_BAD;
}

static enum socks_step
judge_greeting(struct socks *s)
{
	if (memchr(s->room + 2, NO_AUTHENTICATION, s->room[1]) == NULL)
		return refuse_with(s, NO_METHOD);
	s->greeted = true;
	s->n = 0;
	return SOCKS_GREETED;
}

static enum socks_step
parse_socks_request(struct socks *s)
{
	bool name = s->room[3] == SOCKS_NAME;
	size_t at = name ? 5 : 4;

	s->command = s->room[1];
	s->kind = s->room[3];
	s->host = (struct str){ (const char *)s->room + at, s->n - at - 2 };
	s->port = (unsigned)s->room[s->n - 2] << 8 | s->room[s->n - 1];
	if (s->room[2] != 0 || s->host.n == 0)
		return refuse_with(s, GENERAL_FAILURE);
	return SOCKS_ASKED;
}

/* Whether the message is already invalid, although incomplete; sets the reply. */
static bool
is_hopeless(struct socks *s)
{
	s->reply = s->greeted ? GENERAL_FAILURE : NO_METHOD;
	if (s->n >= 1 && s->room[0] != VERSION)
		return true;
	if (!s->greeted || s->n < 4)
		return false;
	s->reply = UNKNOWN_ADDRESS_KIND;
	return s->room[3] != SOCKS_IPV4 && s->room[3] != SOCKS_NAME && s->room[3] != SOCKS_IPV6;
}

enum socks_step
socks_take(struct socks *s, const unsigned char *p, size_t n, size_t *used)
{
	for (*used = 0; *used < n;) {
		s->room[s->n++] = p[(*used)++];
		if (is_hopeless(s))
			return SOCKS_BAD;
		if (s->n == message_length(s))
			return s->greeted ? parse_socks_request(s) : judge_greeting(s);
	}
	return SOCKS_MORE;
}

size_t
socks_wants(const struct socks *s)
{
	return message_length(s) - s->n;
}

void
socks_method(unsigned char out[SOCKS_METHOD_LEN], bool welcome)
{
	out[0] = VERSION;
	out[1] = welcome ? NO_AUTHENTICATION : NO_METHOD;
}

void
socks_reply(unsigned char out[SOCKS_REPLY_LEN], unsigned char code)
{
	memset(out, 0, SOCKS_REPLY_LEN);
	out[0] = VERSION;
	out[1] = code;
	out[3] = SOCKS_IPV4;
}
