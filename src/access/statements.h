/* SPDX-License-Identifier: ISC */
/* The statements of this directory, for -D sql. */
#ifndef ACCESS_STATEMENTS_H
#define ACCESS_STATEMENTS_H

#include "db/db.h"

extern const struct stmt *const core_audit_stmts[];
extern const struct stmt *const core_key_stmts[];
extern const struct stmt *const core_project_stmts[];

#endif
