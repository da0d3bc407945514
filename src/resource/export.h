/* SPDX-License-Identifier: ISC */
/* Exports of search results, as the API and surfacectl show them, and the names of their files.
   surfaced-export writes the files, nginx sends them:

     export_directory/UUID.part             while it is written
     export_directory/UUID.ndjson.zst       when it is whole; .csv; .gz or nothing without zstd */
#ifndef RESOURCE_EXPORT_H
#define RESOURCE_EXPORT_H

#include "db/db.h"

struct export
{
	struct uuid uuid, account_uuid;
	struct str dataset, query, format, compression, state;
	struct list fields; /* struct str; none: all */
	struct json generation;
	int64_t total, written, gone, bytes;
	struct str sha256, error;
	struct ts created_at, started_at, finished_at, expires_at;
};

/* The columns of search_export that export_out describes. */
#define EXPORT_COLUMNS                                                                             \
	"uuid, dataset, query, fields, format, compression, state,"                                \
	" to_jsonb(nullif(generation, 0)) AS generation, total, written, gone, bytes,"             \
	" encode(sha256, 'hex') AS sha256, created_at, started_at, finished_at, expires_at, error"

extern const struct field export_out[];
/* NULL ends each list. */
extern const char *const export_states[], *const export_formats[], *const export_compressions[],
								       *const export_errors[];

enum { EXPORT_NAME = 60 };

/* The name of the whole file, without its directory. */
void export_file_name(
    struct uuid uuid, struct str format, struct str compression, char out[EXPORT_NAME]);
/* Its media type. */
const char *export_media(struct str format, struct str compression);

#endif
