/* SPDX-License-Identifier: ISC */
/* Shared by the operations of browser sessions: session.c, session_create.c, capabilities.c,
   ticket.c, and of their evidence: screenshot.c, network.c. Three circles of keys: the key that
   created a session sees everything of it; a key with browser.sessions.manage sees the metadata of
   every session of the project; any other key does not learn that the session exists (C-100,
   C-101). */
#ifndef API_SESSIONS_SESSION_PRIV_H
#define API_SESSIONS_SESSION_PRIV_H

#include "api/api.h"
#include "resource/session.h"

/* Reads a session; DB_NONE also when this key may not see the session. */
enum db_rc session_find(struct req *rq, struct uuid uuid, struct session *out) MUST_USE;
/* Reads the session of the path and fails unless this key created it. */
int session_own_only(struct req *rq, struct session *out);
/* The same, and records once an hour that the key has seen evidence of the session: every operation
   on evidence begins so. */
int session_evidence(struct req *rq, struct session *out);
bool session_is_terminal(const struct session *s);
bool session_is_own(const struct req *rq, const struct session *s);

/* A country with an egress route that works now. */
struct egress_country {
	struct str code, name;
};

/* Lists the countries, ordered by code. */
enum db_rc egress_countries(struct req *rq, struct list *out) MUST_USE;

#define SESSIONS PROJECT "/sessions"
#define SESSION SESSIONS "/{session_uuid}"
#define SESSION_ROW(need)                                                                          \
	.scope = (need), .access = ACCESS_PROJECT, .area = AREA_SERVICE,                           \
	.entitlement = ENTITLEMENT_BROWSER, .tag = "Browser sessions"

/* The columns of operations on evidence, which only the creator of the session may see (C-100). */
#define EVIDENCE_ROW                                                                               \
	SESSION_ROW(SCOPE_BROWSER_SESSIONS_VIEW), .meter = METER_QUOTA, .ticket = TICKET_EVIDENCE

#endif
