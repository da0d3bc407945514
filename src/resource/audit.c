/* SPDX-License-Identifier: ISC */
/* The members of an audit line. */
#include "config.h"

#include "resource/audit.h"

const char *const audit_actions[] = {
#define ACTION(subject, verb) subject "." verb,
#include "tbl/audit_actions.h"
#undef ACTION
	NULL,
};

static const char *const actor_kinds[] = { "key", "member", "admin", "program", NULL };

static const struct field actor_out[] = {
	ONE_OF(struct audit_actor, kind, 0, actor_kinds,
	    "admin: a person who uses surfacectl or SQL."),
	FIELD(struct audit_actor, uuid, NULLABLE),
	FIELD(struct audit_actor, name, NULLABLE),
	FIELD_END_OF("AuditActor"),
};

const struct field audit_entry_out[] = {
	FIELD(struct audit_entry, uuid, 0),
	FIELD(struct audit_entry, at, 0),
	FIELD(struct audit_entry, program, 0),
	OBJECT(struct audit_entry, actor, 0, actor_out),
	ONE_OF(struct audit_entry, action, 0, audit_actions, NULL),
	FIELD(struct audit_entry, subject, 0),
	FIELD(struct audit_entry, subject_id, 0),
	FIELD(struct audit_entry, project_uuid, NULLABLE),
	OPTIONAL(struct audit_entry, before, FIELD_OBJECT, NULLABLE, 0, 0),
	OPTIONAL(struct audit_entry, after, FIELD_OBJECT, NULLABLE, 0, 0),
	FIELD(struct audit_entry, request_id, NULLABLE),
	{ .name = "address",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct audit_entry, address),
	    .help = "The network address from which the request came." },
	FIELD_END_OF("AuditEntry"),
};
