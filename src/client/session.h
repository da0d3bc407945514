/* SPDX-License-Identifier: ISC */
/* Browser sessions: their project and their paths. */
#ifndef CLIENT_SESSION_H
#define CLIENT_SESSION_H

#include "client/client.h"

#define PROJECT_OPTION                                                                             \
	{                                                                                          \
		"project", 0, TEXT, "UUID", "the project; needed if the key sees several", 0, 0    \
	}

/* The project of --project, of the settings, or the only one that the key sees; an exit status
   after a message. */
int session_project(struct client *c);
/* "/projects/PROJECT/sessions", a session if its text has a pointer, and the rest. */
struct str session_path(struct client *c, struct str session, const char *rest);
/* Stores every screenshot of the session words[0] in the folder as UUID.jpg or UUID.png. An image
   that is there already is not asked for again. sums gets a line of SHA256SUMS for each; NULL: the
   paths are printed. An exit status. */
int session_store_images(struct client *c, const char *folder, struct buf *sums);
/* Appends the bytes of an answer to a struct buf: a function for ask.take. */
bool session_keep_bytes(void *arg, long status, const char *bytes, size_t n);

#endif
