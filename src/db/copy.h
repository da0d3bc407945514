/* SPDX-License-Identifier: ISC */
/* COPY ... FROM STDIN and TO STDOUT, in constant memory. Between begin and end the connection
 * belongs to the COPY: no other statement may run on it. */
#ifndef DB_COPY_H
#define DB_COPY_H

#include "db/db.h"

enum db_rc db_copy_in_begin(struct db *db, const char *sql) MUST_USE;
enum db_rc db_copy_in(struct db *db, struct str lines) MUST_USE;
enum db_rc db_copy_in_end(struct db *db, int64_t *rows) MUST_USE;
enum db_rc db_copy_out_begin(struct db *db, const char *sql) MUST_USE;
/* DB_NONE at the end. line has no newline and is valid until the next call. Lines are in COPY's
   text format in both directions: tabs and backslashes are escaped. */
enum db_rc db_copy_out(struct db *db, struct str *line) MUST_USE;

#endif
