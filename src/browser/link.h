/* SPDX-License-Identifier: ISC */
/* What the programs of the browser side say to one another: a SOCK_SEQPACKET connection on a Unix
   socket, a message a packet, "name {json}", with at most one descriptor. A message is a row. */
#ifndef BROWSER_LINK_H
#define BROWSER_LINK_H

#include "daemon/ev.h"
#include "json/json.h"

#include <sys/socket.h>

enum {
	LINK_MESSAGE_MAX = 65536, /* bytes of a packet */
	LINK_QUEUE_MAX = 4096, /* messages a peer that does not read may leave waiting */
};

struct link;

/* One kind of message that an end understands. in is a zeroed struct of size bytes, decoded; it lives
   until take returns. take may free the link. */
struct link_message {
	const char *name; /* NULL: end of the table */
	const struct field *fields;
	size_t size;
	void (*take)(void *arg, struct link *l, const void *in, int fd);
	bool takes_fd; /* fd is -1, or take's own; where not, none may come */
};

struct link_side {
	const struct link_message *messages;
	/* The connection ended, or its peer broke the rules (it is logged): the owner frees the link here. */
	void (*closed)(void *arg, struct link *l);
};

/* A listening socket at path (an old one is replaced), made with mode. -1 with errno. */
int link_listen(const char *path, unsigned mode);
/* A connection to path. -1 with errno. */
int link_connect(const char *path);
/* An end of the connection fd, which it owns from now on. Never NULL. */
struct link *link_new(
    struct event_base *base, int fd, const struct link_side *side, void *arg);
/* Queued: it never blocks and never calls back. fd (-1: none) is duplicated, the caller keeps its own.
   A message that is longer than LINK_MESSAGE_MAX is our bug. */
void link_send(struct link *l, const char *name, const struct field *fields,
    const void *out, int fd);
struct ucred link_peer(const struct link *l);
/* Takes at once, for 2 s at most, what a peer has left that says no more; closed is called as ever. */
void link_take_rest(struct link *l);
void link_free(struct link *l);

#endif
