/* SPDX-License-Identifier: ISC */
/* Readable keys of records, as observations, findings and the validation of a rule show them
   (AREAS.md 13.7). */
#ifndef DETECTION_RECORD_KEY_H
#define DETECTION_RECORD_KEY_H

#include "base/base.h"

struct json_value;

/* The key of an open directory: its URL, or host:port/path, since not every listing has the URL. */
struct str rule_directory_key(struct arena *a, const struct json_value *doc);

#endif
