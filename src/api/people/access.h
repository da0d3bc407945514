/* SPDX-License-Identifier: ISC */
/* Reads members and keys of an organisation (access.c), for the operations that change them
 * (member.c, key.c). */
#ifndef API_PEOPLE_ACCESS_H
#define API_PEOPLE_ACCESS_H

#include "api/api.h"

struct project_role {
	struct uuid project_uuid;
	struct str role;
};

struct access_member {
	struct uuid uuid;
	struct str name, role;
	bool all_projects;
	struct json projects;
	struct ts created_at, removed_at;
	struct json email, joined; /* only in answers to people; without text: not in the answer */
};

struct access_key {
	struct uuid uuid, owner_uuid;
	struct str name, key_prefix, state, owner_name, last_used_on;
	struct list scopes, effective_scopes, projects;
	struct ts created_at, expires_at, revoked_at;
};

extern const struct field access_member_out[], access_key_out[];
extern const char *const account_roles[], *const project_roles[];

/* Reads the record as the credential of the request may see it. */
enum db_rc access_member_read(struct req *rq, const struct uuid *member, struct access_member *out);
enum db_rc access_key_read(struct req *rq, const struct uuid *key, struct access_key *out);

#endif
