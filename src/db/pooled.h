/* SPDX-License-Identifier: ISC */
/* The other end of a connection: its host and process, and whether a pooler stands between. */
#ifndef DB_POOLED_H
#define DB_POOLED_H

#include "db/db.h"

/* The host of a conninfo that is not a socket of this machine; NULL: there is none. */
const char *db_remote_host(struct arena *a, const char *conninfo);
/* The process of the server, when it runs on this machine; 0: not known. */
int db_server_pid(const struct db *db);

/* In the message of a connection that is refused because its statements run in several sessions:
   prepared statements, LISTEN, advisory locks and settings belong to one. */
#define DB_POOLED "PgBouncer must pool sessions and not transactions"

#endif
