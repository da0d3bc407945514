/* SPDX-License-Identifier: ISC */
/* Functions that the readers of registrations share. */
#ifndef CLI_IMPORT_WHOIS_H
#define CLI_IMPORT_WHOIS_H

#include "cli/import/records.h"
#include "cli/import/tool_json.h"

/* Set members of a record; STR_NULL sets nothing. */
void whois_set(struct records *rs, struct record *r, const char *name, struct str value);
/* Sets the country from a code of two letters or from a name. */
void whois_set_country(struct records *rs, struct record *r, struct str country);
/* Sets the hash of the registrant's email address; the address itself is not stored. */
void whois_set_email(struct records *rs, struct record *r, struct str email);
/* Sets the registrar's number from a text of digits. */
void whois_set_iana_id(struct records *rs, struct record *r, struct str id);

#endif
