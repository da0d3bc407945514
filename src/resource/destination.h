/* SPDX-License-Identifier: ISC */
/* Alert destinations, as the API and surfacectl show them. No statement reads the secret: the
   answer of the request that made it is the only one that has it.

     destination_out, destination_row          without the secret, for every read
     ..._with_secret                           for create and rotate, whose handlers put the secret into the struct

   The tables without a secret cannot print one by mistake: a member without a row is invisible. */
#ifndef RESOURCE_DESTINATION_H
#define RESOURCE_DESTINATION_H

#include "db/db.h"

struct destination {
	struct uuid uuid, project_uuid;
	struct str name, url, secret;
	bool enabled;
	struct ts created_at, updated_at;
};

/* The columns of alert_destination that destination_row describes. */
#define DESTINATION_COLUMNS "uuid, name, url, enabled, created_at, updated_at, project_uuid"

extern const struct field destination_row[];
extern const struct field destination_row_with_secret[]; /* as surfacectl prints it */
/* Answers of the API, whose path has the project. */
extern const struct field destination_out[], destination_with_secret[];

/* Parameters: project, name, url, enabled, secret. */
extern const struct stmt insert_destination;

#endif
