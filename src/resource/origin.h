/* SPDX-License-Identifier: ISC */
/* The rows of field tables that imported records share: lengths, source and times. The API has no
   operation that writes these records, so their limits are those of imports. */
#ifndef RESOURCE_ORIGIN_H
#define RESOURCE_ORIGIN_H

#include "json/json.h"

enum {
	IMPORTED_TYPE = 200,
	IMPORTED_HOSTNAME = 254, /* with its final dot */
	IMPORTED_SHORT = 500,
	IMPORTED_LONG = 2048,
	IMPORTED_LONGEST = 20000,
};

/* A text of an imported record. */
#define IMPORTED_TEXT(s, m, fl, min, max) TEXT(s, m, (fl) | OMIT_UNSET | TRIM, min, max)
/* clang-format off */
#define IMPORTED_ORIGIN(s)                                                                         \
	FIELD(s, first_seen_at, OMIT_UNSET),                                                       \
	FIELD(s, last_seen_at, OMIT_UNSET),                                                        \
	IMPORTED_TEXT(s, discovery_channel, 0, 1, IMPORTED_SHORT),                                 \
	IMPORTED_TEXT(s, discovery_provider, 0, 1, IMPORTED_SHORT),                                \
	IMPORTED_TEXT(s, source_name, 0, 1, IMPORTED_SHORT),                                       \
	IMPORTED_TEXT(s, source_ref, 0, 1, IMPORTED_SHORT)
#define ORIGIN(s)                                                                                  \
	FIELD(s, discovery_channel, NULLABLE),                                                     \
	FIELD(s, discovery_provider, NULLABLE),                                                    \
	FIELD(s, source_name, NULLABLE),                                                           \
	FIELD(s, source_ref, NULLABLE)
/* clang-format on */

#endif
