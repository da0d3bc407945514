/* SPDX-License-Identifier: ISC */
/* The members of a browser session and of the limits of sessions. */
#include "config.h"

#include "resource/session.h"
#include "wire/values.h"

static const char *const reasons[] = { "closed_by_creator", "closed_by_manager", "expired",
	"idle_timeout", "failed", "access_revoked", NULL };

static const char *const creator_kinds[] = { "key", "console", NULL };

static const struct field creator_out[] = {
	FIELD(struct session_creator, uuid, 0),
	ONE_OF(struct session_creator, kind, 0, creator_kinds,
	    "console: a person made it there, and has its evidence."),
	FIELD_END_OF("SessionCreator"),
};

static const struct field viewport_out[] = {
	FIELD(struct session_viewport, width, 0),
	FIELD(struct session_viewport, height, 0),
	FIELD_END_OF("Viewport"),
};

/* clang-format off */
#define MEMBERS                                                                                    \
	FIELD(struct session, uuid, 0),                                                            \
	FIELD(struct session, project_uuid, 0),                                                    \
	OBJECT(struct session, creator, 0, creator_out),                                           \
	ONE_OF(struct session, state, 0, session_states, NULL),                                    \
	ONE_OF(struct session, terminal_reason, NULLABLE, reasons,                                 \
	    "Null until the session is terminal."),                                                \
	FIELD(struct session, start_url, 0),                                                       \
	ONE_OF(struct session, browser_profile, 0, session_profiles, NULL),                        \
	FIELD(struct session, egress_country, 0),                                                  \
	OBJECT(struct session, viewport, 0, viewport_out),                                         \
	FIELD(struct session, created_at, 0),                                                      \
	FIELD(struct session, updated_at, 0),                                                      \
	FIELD(struct session, last_activity_at, NULLABLE),                                         \
	FIELD(struct session, ready_at, NULLABLE),                                                 \
	FIELD(struct session, expires_at, NULLABLE),                                               \
	FIELD(struct session, close_requested_at, NULLABLE),                                       \
	FIELD(struct session, terminal_at, NULLABLE),                                              \
	FIELD(struct session, replayed_from_session_uuid, NULLABLE)
/* clang-format on */

const struct field session_out[] = { MEMBERS, FIELD_END_OF("BrowserSession") };
const struct field session_row[] = {
	MEMBERS,
	FIELD(struct session, key_uuid, 0),
	FIELD(struct session, host, NULLABLE),
	FIELD(struct session, epoch, 0),
	FIELD(struct session, lease_until, NULLABLE),
	FIELD_END,
};

const struct field session_change_out[] = { FIELD(struct session_change, moved, 0), FIELD_END };

/* clang-format off */
#define LIMITS                                                                                     \
	FIELD(struct session_limits, organisation_sessions, 0),                                    \
	FIELD(struct session_limits, caller_sessions, 0),                                          \
	FIELD(struct session_limits, lifetime_seconds, 0),                                         \
	FIELD(struct session_limits, idle_seconds, 0)
/* clang-format on */

const struct field session_limits_out[] = { LIMITS, FIELD_END_OF("SessionLimits") };
const struct field session_policy_row[] = {
	LIMITS,
	FIELD(struct session_limits, close_seconds, 0),
	FIELD(struct session_limits, queue_seconds, 0),
	FIELD_END,
};
