/* SPDX-License-Identifier: ISC */
/* A WebSocket (RFC 6455). Debian's libcurl is built without its own, which was experimental in
   7.88, so libcurl makes the connection alone, with TLS, proxy and authorities as for every
   request, and src/wire/ws.h reads the frames. */
#ifndef CLIENT_SOCKET_H
#define CLIENT_SOCKET_H

#include "client/http.h"
#include "wire/ws.h"

struct socket {
	struct client *c;
	struct str subprotocol;
	void (*on_text)(
	    void *arg, struct str text); /* a whole message; the text is not checked to be JSON */
	void *arg;
	unsigned close_code; /* after socket_read */
	struct str close_reason;
	void *curl; /* the rest is private */
	struct buf message;
	struct buf early; /* bytes behind the head of the answer */
	struct ws_reader reader;
};

/* Connects and upgrades; an exit status after a message. */
int socket_open(struct socket *s, struct str path) MUST_USE;
int socket_send(struct socket *s, struct str text) MUST_USE;
/* Reads messages until the peer closes: DONE, or NO_ANSWER after a message. */
int socket_read(struct socket *s) MUST_USE;
void socket_close(struct socket *s);

#endif
