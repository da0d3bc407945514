/* SPDX-License-Identifier: ISC */
/* The members of an asset: in answers of the API and in imports. */
#include "config.h"

#include "resource/asset.h"
#include "resource/origin.h"
#include "wire/values.h"

const struct field asset_out[] = {
	FIELD(struct asset, uuid, 0),
	ONE_OF(struct asset, kind, 0, asset_kinds, NULL),
	FIELD(struct asset, name, 0),
	OPTIONAL(struct asset, metadata, FIELD_OBJECT, 0, 0, 0),
	FIELD(struct asset, created_at, 0),
	FIELD(struct asset, updated_at, 0),
	FIELD(struct asset, first_seen_at, 0),
	FIELD(struct asset, last_seen_at, 0),
	ORIGIN(struct asset),
	FIELD_END_OF("Asset"),
};

const struct field asset_in[] = {
	ONE_OF(struct asset, kind, REQUIRED | OMIT_UNSET, asset_kinds, NULL),
	IMPORTED_TEXT(struct asset, name, REQUIRED, 1, IMPORTED_SHORT),
	FIELD(struct asset, metadata, OMIT_UNSET),
	IMPORTED_ORIGIN(struct asset),
	FIELD_END,
};
