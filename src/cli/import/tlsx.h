/* SPDX-License-Identifier: ISC */
/* The object of tlsx that describes a connection: a line of tlsx, or the member "tls" of a line of
   httpx. */
#ifndef CLI_IMPORT_TLSX_H
#define CLI_IMPORT_TLSX_H

#include "cli/import/records.h"
#include "cli/import/tool_json.h"

/* Sets tls_enabled and the members below tls of a service. */
void tlsx_set_service(
    struct records *rs, struct record_object *service, const struct json_value *o);
/* Emits the certificates of the connection, also those of its chain. seen: the time for a
   connection that has none of its own. */
void tlsx_emit_certificates(
    struct records *rs, const struct json_value *o, struct ts seen, uint64_t line);

#endif
