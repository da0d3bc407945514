/* SPDX-License-Identifier: ISC */
/* Functions that the readers of registrations share. */
#ifndef CLI_IMPORT_WHOIS_H
#define CLI_IMPORT_WHOIS_H

#include "cli/import/records.h"

/* The member of an object; NULL when o is NULL, no object, or has no such member. */
const struct json_value *whois_get(const struct json_value *o, const char *name);
/* The text without blanks around it; STR_NULL when v is NULL, no text, or empty. Registries write "" for a value that
   they redact (RFC 9537). */
struct str whois_text(const struct json_value *v);
/* Parses a time in any form that registries write: RFC 3339, "2026-01-31 12:00:00 UTC", a date. */
bool whois_time(struct str s, struct ts *out) MUST_USE;

/* Set members of a record; STR_NULL sets nothing. */
void whois_set(struct records *rs, struct record *r, const char *name, struct str value);
/* A code of two letters, or the name of a country. */
void whois_set_country(struct records *rs, struct record *r, struct str country);
/* The hash of an address of the registrant; the address itself is not stored. */
void whois_set_email(struct records *rs, struct record *r, struct str email);
/* Digits. */
void whois_set_iana_id(struct records *rs, struct record *r, struct str id);

#endif
