/* SPDX-License-Identifier: ISC */
/* The members of an export, and the names of its file. */
#include "config.h"

#include "base/limits.h"
#include "resource/export.h"

const char *const export_states[] = { "queued", "running", "complete", "failed", "cancelled",
	"expired", NULL };
const char *const export_formats[] = { "ndjson", "csv", NULL };
const char *const export_compressions[] = { "zstd", "gzip", "identity", NULL };
const char *const export_errors[] = { "disk_full", "too_large", "search_timeout",
	"search_upstream_failed", "invalid_search_query", "access_revoked", "attempts_failed",
	NULL };

const struct field export_out[] = {
	FIELD(struct export, uuid, 0),
	FIELD(struct export, dataset, 0),
	TEXT(struct export, query, 0, 0, LIM_QUERY),
	{ .name = "fields",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct export, fields),
	    .hi = LIM_FIELDS,
	    .size = sizeof(struct str),
	    .item = FIELD_STR,
	    .help = "The members of each record; empty: all." },
	ONE_OF(struct export, format, 0, export_formats, NULL),
	ONE_OF(struct export, compression, 0, export_compressions, NULL),
	ONE_OF(struct export, state, 0, export_states, NULL),
	{ .name = "generation",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct export, generation),
	    .lo = 1,
	    .hi = INT64_MAX,
	    .item = FIELD_INT,
	    .help = "The state of the index that is walked; null until it runs." },
	NUMBER(struct export, total, 0, 0, LIM_BUCKET_COUNT, 0),
	{ .name = "written",
	    .type = FIELD_INT,
	    .offset = offsetof(struct export, written),
	    .hi = LIM_BUCKET_COUNT,
	    .help = "Records that are safely in the file." },
	{ .name = "gone",
	    .type = FIELD_INT,
	    .offset = offsetof(struct export, gone),
	    .hi = LIM_BUCKET_COUNT,
	    .help = "Matches that were deleted before they were written." },
	{ .name = "bytes",
	    .type = FIELD_INT,
	    .offset = offsetof(struct export, bytes),
	    .hi = LIM_BUCKET_COUNT,
	    .help = "The size of the file." },
	{ .name = "sha256",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct export, sha256),
	    .lo = 64,
	    .hi = 64,
	    .help = "The hash of the file; null until it is complete." },
	FIELD(struct export, created_at, 0),
	FIELD(struct export, started_at, NULLABLE),
	FIELD(struct export, finished_at, NULLABLE),
	FIELD(struct export, expires_at, NULLABLE),
	{ .name = "error",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct export, error),
	    .values = export_errors,
	    .help = "The reason why it failed or was cancelled by the service; null otherwise." },
	FIELD_END_OF("Export"),
};

static const struct {
	const char *compression, *suffix, *media;
} compressed[] = {
	{ "zstd", ".zst", "application/zstd" },
	{ "gzip", ".gz", "application/gzip" },
};

void
export_file_name(struct uuid uuid, struct str format, struct str compression, char out[EXPORT_NAME])
{
	const char *suffix = "";

	for (size_t i = 0; i < COUNT(compressed); i++)
		if (str_is(compression, compressed[i].compression))
			suffix = compressed[i].suffix;
	snprintf(out, EXPORT_NAME, "%s.%s%s", uuid_text(&uuid).z,
	    str_is(format, "csv") ? "csv" : "ndjson", suffix);
}

const char *
export_media(struct str format, struct str compression)
{
	for (size_t i = 0; i < COUNT(compressed); i++)
		if (str_is(compression, compressed[i].compression))
			return compressed[i].media;
	return str_is(format, "csv") ? "text/csv; charset=utf-8" : "application/x-ndjson";
}
