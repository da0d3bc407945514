/* SPDX-License-Identifier: ISC */
/* Secrets that were masked in the texts of services. No document has them; whoever stores a
 * document may note that they were there (secret/fingerprint.h), as long as the record is in
 * memory. */
#ifndef RECORD_MASKED_H
#define RECORD_MASKED_H

#include "record/record.h"
#include "secret/secret.h"

struct record_secret {
	const char *member; /* a name such as "banner", "http.body" */
	struct secret secret;
};

/* Sets a text of a service without its secrets, cut to so many bytes. A secret is thus never cut in
   two. */
void record_set_masked(struct arena *a, struct record_object *service, const char *member,
    struct str text, size_t most);
/* The secrets that were masked in a service since it was parsed. */
size_t record_secrets(const struct record_object *service, const struct record_secret **out);

#endif
