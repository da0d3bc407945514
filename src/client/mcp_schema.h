/* SPDX-License-Identifier: ISC */
/* Schemas of openapi.json that stand alone. */
#ifndef CLIENT_MCP_SCHEMA_H
#define CLIENT_MCP_SCHEMA_H

#include "base/base.h"
#include "json/tree.h"

/* Returns v, or the schema that {"$ref": "#/components/schemas/X"} names if v is such an object.
   NULL: there is none. */
const struct json_value *ref_follow(const struct json_value *openapi, const struct json_value *v);
/* Appends a schema as JSON with each $ref replaced by what it leads to, and without examples. */
void schema_inline(struct buf *b, const struct json_value *openapi, const struct json_value *v);

#endif
