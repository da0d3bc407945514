/* SPDX-License-Identifier: ISC */
/* Readable keys of records, for observations, findings and the validation of rules (C-823). */
#ifndef DETECTION_RECORD_KEY_H
#define DETECTION_RECORD_KEY_H

#include "base/base.h"

struct json_value;

/* Returns the key of a DNS record: "host/TYPE/" and the beginning of the answer's SHA-256, or of a
   record without an answer its rcode. */
struct str rule_dns_key(
    struct arena *a, struct str host, struct str type, struct str answer, struct str rcode);
/* Returns the key of an open directory: its URL, or host:port/path for a listing without a URL. */
struct str rule_directory_key(struct arena *a, const struct json_value *doc);

#endif
