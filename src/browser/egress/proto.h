/* SPDX-License-Identifier: ISC */
/* The protocols of surfaced-egress without a socket: what a browser says (SOCKS5, RFC 1928), and what is said
   to the proxy of a route (SOCKS5 with RFC 1929, HTTP CONNECT). Fed any number of bytes, bounded, pure. */
#ifndef BROWSER_EGRESS_PROTO_H
#define BROWSER_EGRESS_PROTO_H

#include "base/base.h"

struct ip {
	int family; /* AF_INET, AF_INET6 */
	unsigned char b[16];
};

/* ---- the browser: a greeting, then one request ---- */

enum {
	SOCKS_NAME_MAX = 255,
	SOCKS_REQUEST_MAX = 7 + SOCKS_NAME_MAX,
	SOCKS_CONNECT = 1, /* the command */
};

/* How a host is written. */
enum { SOCKS_IPV4 = 1, SOCKS_NAME = 3, SOCKS_IPV6 = 4 };

enum socks_step {
	SOCKS_MORE,    /* all bytes are taken, and more are needed */
	SOCKS_GREETED, /* answer with socks_method */
	SOCKS_ASKED,   /* the request is there: command, kind, host, port */
	SOCKS_BAD,     /* answer with socks_method or socks_reply, and close */
};

struct socks {
	bool greeted;
	size_t n;
	unsigned char room[SOCKS_REQUEST_MAX];
	unsigned command, kind, port;
	struct str host;     /* in room: the name, 4 or 16 bytes */
	unsigned char reply; /* of SOCKS_BAD: a code of RFC 1928 */
};

enum { SOCKS_METHOD_LEN = 2, SOCKS_REPLY_LEN = 10 };

/* Takes bytes up to the next step; *used says how many. s begins zeroed. Not after SOCKS_ASKED or _BAD. */
enum socks_step socks_take(
    struct socks *s, const unsigned char *p, size_t n, size_t *used) MUST_USE;
/* How many bytes more the message needs at least: nothing behind the request is to be read. */
size_t socks_wants(const struct socks *s);
/* Without authentication, or: no method fits. */
void socks_method(unsigned char out[SOCKS_METHOD_LEN], bool welcome);
/* The address in it is 0.0.0.0:0: a browser learns nothing of this host. */
void socks_reply(unsigned char out[SOCKS_REPLY_LEN], unsigned char code);

/* ---- the proxy of a route ---- */

enum { PROXY_WORD_MAX = 255, PROXY_OUT_MAX = 1024, PROXY_HEAD_MAX = 16384 };

struct credential {
	bool given;
	char user[PROXY_WORD_MAX + 1], password[PROXY_WORD_MAX + 1];
};

/* "user:password", to the end of the first line. False: too long, no colon, empty, a control character. */
bool credential_parse(struct str text, struct credential *out) MUST_USE;

enum proxy_kind { PROXY_CONNECT, PROXY_SOCKS5 };

enum proxy_step {
	PROXY_MORE,
	PROXY_SEND,    /* out holds what is to be sent */
	PROXY_DONE,    /* connected; bytes that were not used are the other end's */
	PROXY_ACCESS,  /* the credential is wrong, or missing */
	PROXY_REFUSED, /* it does not get there */
	PROXY_BAD,     /* this is no such proxy */
};

struct proxy {
	enum proxy_kind kind;
	const struct credential *credential; /* the caller's; lives as long */
	struct ip to;
	unsigned port;
	unsigned char out[PROXY_OUT_MAX];
	size_t out_n;
	/* private */
	int stage;
	size_t n, line, head;
	unsigned char room[SOCKS_REQUEST_MAX];
};

/* kind, credential, to and port are set, the rest is zeroed: out gets what is to be sent first. */
void proxy_begin(struct proxy *p);
/* out has gone, and is forgotten: it may have held the credential. */
void proxy_sent(struct proxy *p);
/* As socks_take. Not after PROXY_DONE or a failure. */
enum proxy_step proxy_take(
    struct proxy *p, const unsigned char *bytes, size_t n, size_t *used) MUST_USE;

#endif
