/* SPDX-License-Identifier: ISC */
/* Between openapi.c and openapi_schemas.c. */
#ifndef API_OPENAPI_PRIV_H
#define API_OPENAPI_PRIV_H

#include "api/api.h"

struct openapi_schema {
	const char *name, *text; /* NULL ends the list */
};

extern const struct openapi_schema openapi_schemas[];

/* The JSON Schema of a stored document of the dataset. */
void openapi_document(struct buf *b, enum dataset d);

#endif
