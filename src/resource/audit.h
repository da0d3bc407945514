/* SPDX-License-Identifier: ISC */
/* The audit log as the API and surfacectl show it: the line, and the list of actions. */
#ifndef RESOURCE_AUDIT_H
#define RESOURCE_AUDIT_H

#include "db/db.h"

struct audit_actor {
	struct str kind;  /* key, member, admin or program */
	struct uuid uuid; /* the key's or member's; all zero: neither */
	struct str name;
};

struct audit_entry {
	struct uuid uuid, project_uuid;
	struct ts at;
	struct audit_actor actor;
	struct str program, action, subject, subject_id, request_id, address;
	struct json before, after;
};

/* The columns of the type audit_answer that audit_entry_out describes. */
#define AUDIT_COLUMNS                                                                              \
	"uuid, at, program, actor_kind, actor_uuid, actor_name, action, subject, subject_id,"      \
	" project_uuid, before, after, request_id, address"

extern const struct field audit_entry_out[];
extern const char *const audit_actions[]; /* NULL ends the list */

#endif
