/* SPDX-License-Identifier: ISC */
/* The fields of the datasets, from GET /search/schemas. They are kept for a day in
   ~/.cache/surfaced/schemas.json, so that completion needs no request while somebody types. */
#ifndef CLIENT_SCHEMA_H
#define CLIENT_SCHEMA_H

#include "client/client.h"

/* Asks the API and keeps the answer; an exit status. */
int schema_get(struct client *c, struct json_value **out);
/* The kept answer, or NULL: there is none, or it is older than a day. */
const struct json_value *schema_kept(struct client *c);
/* The schema of a dataset; NULL: the key may not read it. */
const struct json_value *schema_of(const struct json_value *schemas, const char *dataset);

#endif
