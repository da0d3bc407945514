/* SPDX-License-Identifier: ISC */
/* The protocols of surfaced-egress, without sockets: the server's side of SOCKS5 for browsers (RFC
   1928), and the client's side of SOCKS5 (with RFC 1929) and HTTP CONNECT for the proxy of a route.
   Both are state machines that accept input in pieces of any size, use bounded memory, and report
   each step to the caller. */
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
	SOCKS_MORE,    /* all bytes are used, and more are needed */
	SOCKS_GREETED, /* answer with socks_method */
	SOCKS_ASKED,   /* the request is complete: command, kind, host, port */
	SOCKS_BAD,     /* answer with socks_method or socks_reply, and close */
};

struct socks {
	bool greeted;
	size_t n;
	unsigned char room[SOCKS_REQUEST_MAX];
	unsigned command, kind, port;
	struct str host;     /* inside room: the name, or an address of 4 or 16 bytes */
	unsigned char reply; /* after SOCKS_BAD: a code of RFC 1928 */
};

enum { SOCKS_METHOD_LEN = 2, SOCKS_REPLY_LEN = 10 };

/* Reads bytes up to the next step; *used is their number. s starts zeroed. Not called after
   SOCKS_ASKED or SOCKS_BAD. */
enum socks_step socks_take(
    struct socks *s, const unsigned char *p, size_t n, size_t *used) MUST_USE;
/* How many bytes the current message still needs at least. The caller reads no more than that:
   bytes behind the request belong to the target. */
size_t socks_wants(const struct socks *s);
/* The answer to a greeting: no authentication, or no acceptable method. */
void socks_method(unsigned char out[SOCKS_METHOD_LEN], bool welcome);
/* The answer to a request. The address in it is always 0.0.0.0:0: browsers learn nothing about this
   host. */
void socks_reply(unsigned char out[SOCKS_REPLY_LEN], unsigned char code);

/* ---- the proxy of a route ---- */

enum { PROXY_WORD_MAX = 255, PROXY_OUT_MAX = 1024, PROXY_HEAD_MAX = 16384 };

struct credential {
	bool given;
	char user[PROXY_WORD_MAX + 1], password[PROXY_WORD_MAX + 1];
};

/* Parses "user:password" up to the end of the first line. Returns false if either is empty, too
   long or has a control character, or if there is no colon. */
bool credential_parse(struct str text, struct credential *out) MUST_USE;

enum proxy_kind { PROXY_CONNECT, PROXY_SOCKS5 };

enum proxy_step {
	PROXY_MORE,
	PROXY_SEND,    /* send out, then call proxy_sent */
	PROXY_DONE,    /* connected; unused bytes come from the target */
	PROXY_ACCESS,  /* the credential is wrong or missing */
	PROXY_REFUSED, /* the proxy cannot reach the target */
	PROXY_BAD,     /* the peer does not speak this protocol */
};

struct proxy {
	enum proxy_kind kind;
	const struct credential *credential; /* the caller's; must outlive this struct */
	struct ip to;
	unsigned port;
	unsigned char out[PROXY_OUT_MAX];
	size_t out_n;
	/* private */
	int stage;
	size_t n, line, head;
	unsigned char room[SOCKS_REQUEST_MAX];
};

/* Fills out with the first message. The caller has set kind, credential, to and port, and zeroed
   the rest. */
void proxy_begin(struct proxy *p);
/* Wipes out after it was sent: it may contain the credential. */
void proxy_sent(struct proxy *p);
/* Reads bytes up to the next step, like socks_take. Not called after PROXY_DONE or a failure. */
enum proxy_step proxy_take(
    struct proxy *p, const unsigned char *bytes, size_t n, size_t *used) MUST_USE;

#endif
