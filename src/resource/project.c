/* SPDX-License-Identifier: ISC */
/* The members of a project. */
#include "config.h"

#include "resource/project.h"

/* clang-format off */
#define MEMBERS                                                                                    \
	FIELD(struct project_record, uuid, 0),                                                     \
	FIELD(struct project_record, name, 0),                                                     \
	FIELD(struct project_record, created_at, 0)
/* clang-format on */

const struct field project_out[] = { MEMBERS, FIELD_END_OF("Project") };
const struct field project_with_account[] = { MEMBERS,
	FIELD(struct project_record, account_uuid, 0), FIELD_END };
