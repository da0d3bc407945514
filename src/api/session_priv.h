/* SPDX-License-Identifier: ISC */
/* Between the files of browser sessions: session.c, session_create.c, capabilities.c. */
#ifndef API_SESSION_PRIV_H
#define API_SESSION_PRIV_H

#include "api/api.h"

struct session_creator {
	struct uuid uuid; /* the API key */
};

struct session_viewport {
	int64_t width, height;
};

struct session_moved {
	bool moved;
};

struct session {
	struct uuid uuid, project_uuid;
	struct session_creator creator;
	struct str state, terminal_reason, start_url, browser_profile, egress_country;
	struct session_viewport viewport;
	struct ts created_at, updated_at, last_activity_at, ready_at, expires_at,
	    close_requested_at, terminal_at;
	struct uuid replayed_from_session_uuid;
};

extern const struct field session_out[];

/* DB_NONE also for one that this key may not see. */
enum db_rc session_find(struct req *rq, struct uuid uuid, struct session *out) MUST_USE;
/* PASS for the key that created the session of the path: its evidence is nobody else's (C-100, C-101). */
int session_own_only(struct req *rq, struct session *out);
bool session_is_terminal(const struct session *s);
bool session_is_own(const struct req *rq, const struct session *s);

/* The countries that can be had now, as structs of this, by their codes. */
struct egress_country {
	struct str code, name;
};

enum db_rc egress_countries(struct req *rq, struct list *out) MUST_USE;

#define SESSIONS PROJECT "/sessions"
#define SESSION SESSIONS "/{session_uuid}"
#define SESSION_ROW(need)                                                                \
	.scope = (need), .access = ACCESS_PROJECT, .area = AREA_SERVICE,                 \
	.entitlement = ENTITLEMENT_BROWSER, .tag = "Browser sessions"

/* Of what its creator alone may see (C-100). */
#define EVIDENCE_ROW SESSION_ROW(SCOPE_BROWSER_SESSIONS_VIEW), .meter = METER_QUOTA

#endif
