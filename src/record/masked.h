/* SPDX-License-Identifier: ISC */
/* Secrets that were masked in the texts of services. Documents do not contain them. While a record
   is in memory, the code that stores its document can store fingerprints of the secrets
   (secret/fingerprint.h). */
#ifndef RECORD_MASKED_H
#define RECORD_MASKED_H

#include "record/record.h"
#include "secret/secret.h"

struct record_secret {
	const char *member; /* a name such as "banner", "http.body" */
	struct secret secret;
};

/* Sets a text of a service without its secrets. The text is cut to so many bytes after the secrets
   were removed, so no secret is cut in two and overlooked. */
void record_set_masked(struct arena *a, struct record_object *service, const char *member,
    struct str text, size_t most);
/* The secrets that were masked in a service since it was parsed. */
size_t record_secrets(const struct record_object *service, const struct record_secret **out);

#endif
