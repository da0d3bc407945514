/* SPDX-License-Identifier: ISC */
/* The status of a whois document that is the registry's answer that there is no such domain
   (tbl/words.h). The document has no other member of whois then. */
#ifndef RECORD_REGISTRATION_H
#define RECORD_REGISTRATION_H

#include "json/tree.h"

#define RECORD_NOT_REGISTERED "notRegistered"

/* Whether a document of the dataset whois is such an answer. */
bool record_not_registered(const struct json_value *document);

#endif
