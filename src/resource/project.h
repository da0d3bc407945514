/* SPDX-License-Identifier: ISC */
/* Projects, as the API and surfacectl show them. access/project.h has the project that a request
   works on.

     project_out            for clients, whose key belongs to one account: without the account
     project_with_account   for surfacectl, which sees all accounts

   The struct is named project_record, because struct project would be the other one. */
#ifndef RESOURCE_PROJECT_H
#define RESOURCE_PROJECT_H

#include "db/db.h"

struct project_record {
	struct uuid uuid, account_uuid;
	struct str name;
	struct ts created_at;
};

/* The columns of project, and of visible_projects(), that project_out describes. */
#define PROJECT_COLUMNS "uuid, name, created_at"

extern const struct field project_out[]; /* an answer of the API, whose key has the account */
extern const struct field project_with_account[]; /* PROJECT_COLUMNS and account_uuid */

#endif
