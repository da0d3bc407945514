/* SPDX-License-Identifier: ISC */
#ifndef T_UNIT_PG_H
#define T_UNIT_PG_H

#include <stddef.h>

/* A private PostgreSQL through t/helper/pg, which runs from the top of the sources. Each ends the
   program with "Bail out!" when it cannot. */
void pg_do(const char *what); /* start, stop, kill, resume, migrate */
/* "host=... dbname=surfaced user=...", static until the next call. */
const char *pg_conninfo(const char *user);
const char *pg_dir(void);
/* Stops it and removes its folder. */
void pg_remove(void);

#endif
