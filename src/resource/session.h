/* SPDX-License-Identifier: ISC */
/* Browser sessions and their limits, as the API and surfacectl show them.

     session_out     for clients: metadata only, nothing about hosts, processes or evidence (C-102)
     session_row     for surfacectl: with the key, the host and the lease of its dispatcher

   SESSION_COLUMNS takes the SQL text of the reason, because the two differ in one more thing:
   clients learn the reason when the session is terminal, and administrators already while it is
   closing. */
#ifndef RESOURCE_SESSION_H
#define RESOURCE_SESSION_H

#include "db/db.h"

struct session_creator {
	struct uuid uuid; /* the API key, or the console credential of a member */
	struct str kind;
};

struct session_viewport {
	int64_t width, height;
};

struct session {
	struct uuid uuid, project_uuid;
	struct session_creator creator;
	struct str state, terminal_reason, start_url, browser_profile, egress_country;
	struct session_viewport viewport;
	struct ts created_at, updated_at, last_activity_at, ready_at, expires_at,
	    close_requested_at, terminal_at;
	struct uuid replayed_from_session_uuid;

	/* For surfacectl alone: clients learn nothing about hosts (C-102). */
	struct uuid key_uuid;
	struct str host; /* the host whose dispatcher holds the session */
	int64_t epoch;   /* how often the session was started */
	struct ts lease_until;
};

/* The columns of browser_session s that session_out describes. A session that is closing has its
   reason already, which clients learn when it is terminal: reason is SQL text. */
#define SESSION_COLUMNS(reason)                                                                    \
	"s.uuid, s.project_uuid, s.key_uuid AS uuid,"                                              \
	" (SELECT k.kind FROM api_key k WHERE k.uuid = s.key_uuid) AS kind,"                       \
	" s.state, " reason " AS terminal_reason,"                                                 \
	" s.start_url, s.browser_profile, s.egress_country,"                                       \
	" s.viewport_width AS width, s.viewport_height AS height,"                                 \
	" s.created_at, s.updated_at, s.last_activity_at, s.ready_at, s.expires_at,"               \
	" s.close_requested_at, s.terminal_at, s.replayed_from_session_uuid"
/* The columns that session_row describes. */
#define SESSION_ROW_COLUMNS                                                                        \
	SESSION_COLUMNS("s.terminal_reason")                                                       \
	", s.key_uuid, s.host, s.lease_epoch AS epoch, s.lease_until"

extern const struct field session_out[];
extern const struct field session_row[]; /* with the members for surfacectl */

/* The result of session_close. */
struct session_change {
	bool moved; /* false: the session was closing or terminal already */
};

extern const struct field session_change_out[];

struct session_limits {
	int64_t organisation_sessions, caller_sessions, lifetime_seconds, idle_seconds,
	    close_seconds, queue_seconds;
};

/* The columns of session_policy, and of session_limits(), that session_limits_out describes. */
#define SESSION_LIMIT_COLUMNS                                                                      \
	"organisation_sessions, caller_sessions, lifetime_seconds, idle_seconds"
/* The columns of session_policy that session_policy_row describes. */
#define SESSION_POLICY_COLUMNS SESSION_LIMIT_COLUMNS ", close_seconds, queue_seconds"

extern const struct field session_limits_out[], session_policy_row[];

#endif
