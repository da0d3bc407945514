/* SPDX-License-Identifier: ISC */
/* The members of an alert destination, and the statement that creates one. */
#include "config.h"

#include "resource/destination.h"

/* clang-format off */
#define MEMBERS                                                                                    \
	FIELD(struct destination, uuid, 0),                                                        \
	FIELD(struct destination, name, 0),                                                        \
	FIELD(struct destination, url, 0),                                                         \
	FIELD(struct destination, enabled, 0),                                                     \
	FIELD(struct destination, created_at, 0),                                                  \
	FIELD(struct destination, updated_at, 0)
#define PROJECT_UUID FIELD(struct destination, project_uuid, 0)
#define SECRET FIELD(struct destination, secret, 0)
/* clang-format on */

const struct field destination_row[] = { MEMBERS, PROJECT_UUID, FIELD_END };
const struct field destination_row_with_secret[] = { MEMBERS, PROJECT_UUID, SECRET, FIELD_END };
const struct field destination_out[] = { MEMBERS, FIELD_END_OF("AlertDestination") };
const struct field destination_with_secret[] = { MEMBERS, SECRET,
	FIELD_END_OF("AlertDestinationWithSecret") };

STMT_SHARED(insert_destination, struct destination, destination_row,
    "INSERT INTO alert_destination (project_uuid, name, url, enabled, secret)"
    " VALUES ($1, $2, $3, $4, $5) RETURNING " DESTINATION_COLUMNS);
