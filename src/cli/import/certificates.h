/* SPDX-License-Identifier: ISC */
/* Functions that the readers of certificates share. */
#ifndef CLI_IMPORT_CERTIFICATES_H
#define CLI_IMPORT_CERTIFICATES_H

#include "cli/import/records.h"
#include "record/certificate.h"

/* Parses DER into an unfinished record. False: the certificate was reported as bad. trusted and
   der: see record_certificate. */
bool certificate_parse(
    struct records *rs, bool trusted, struct str *der, struct record *out, uint64_t line) MUST_USE;
/* Decodes the first certificate of a text in PEM. False: the text has none. */
bool certificate_of_pem(struct arena *a, struct str pem, struct str *der) MUST_USE;
/* Decodes base64 with padding. False: the text is not base64. */
bool certificate_of_base64(struct arena *a, struct str base64, struct str *der) MUST_USE;

/* Adds the texts of a list that are names of hosts to the names of the certificate. */
void certificate_add_names(struct records *rs, struct record *r, const struct json_value *list);

#endif
