/* SPDX-License-Identifier: ISC */
/* The stages of authentication and authorisation: they find the key or the person of a request and
 * compare them with the columns of the route, in the order of stages[] in request.c.
 *
 * The answers never reveal more than the contract allows, and that is what the order and the
 * codes are for: every key that is not valid gets the same 401, whatever is wrong with it
 * (C-003), and a project of another account the same 404 as one that does not exist (C-116). An
 * account override is refused after the key is known to be good, and before any right is looked
 * at. */
#include "config.h"

#include "daemon/conf.h"
#include "http/http_priv.h"
#include "http/people.h"
#include "http/stages_priv.h"

/* A request without X-API-Key has no key whose state the message could disclose (C-003), so the
   message may point out that the client used another header. The web server blanks the value of
   Authorization. */
static int
fail_without_key(struct req *rq)
{
	if (env_get(rq, "HTTP_AUTHORIZATION").n == 0)
		return fail(rq, ERR_UNAUTHORIZED);
	return fail_at(rq, ERR_UNAUTHORIZED,
	    STR("Sign in, or send a valid API key in X-API-Key; the header Authorization is not "
		"read."));
}

/* Makes the key that was looked up the one of the request; unknown: the error of a key that is not
   valid. */
static int
use_key(struct req *rq, enum key_rc rc, const struct key *key, enum error unknown)
{
	switch (rc) {
	case KEY_FOUND:
		rq->key = key;
		return PASS;
	case KEY_UNKNOWN:
		return fail(rq, unknown);
	case KEY_UNAVAILABLE:
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
		return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
	}
	panic("key_rc out of range");
}

/* The path must be one of the ticket's session; the route's row says that it is a session's. */
static bool
ticket_is_of_path(const struct req *rq, const struct ticket *t)
{
	struct uuid project, session;

	return rq->ncaptured >= 2 && uuid_parse(rq->captured[0], &project) &&
	       uuid_parse(rq->captured[1], &session) && uuid_cmp(&project, &t->project) == 0 &&
	       uuid_cmp(&session, &t->session) == 0;
}

/* Opens an evidence ticket and reads its key, as the database has it now: the stages behind this
   one ask for the account, the scope, the entitlement and the project as they do for a key that was
   sent (C-219). The log line names the key by its prefix and never has the ticket (C-220). */
static int
auth_by_ticket(struct req *rq, struct str sent)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->tickets);
	struct ticket t = { .kind = TICKET_EVIDENCE };
	struct key *key = ARENA_NEW(rq->arena, struct key);
	const char *fault;

	if (keys == NULL)
		return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
	fault = env_count(rq, "HTTP_X_EVIDENCE_TICKET") != 1 ? "sent twice"
		: env_get(rq, "HTTP_X_API_KEY").n > 0
		    ? "sent with a key"
		    : ticket_open(rq->arena, keys, (struct secret){ sent }, rq->now, &t);
	if (fault == NULL && !ticket_is_of_path(rq, &t))
		fault = "another session's";
	if (fault != NULL) {
		log_event(LOGP_INFO, "ticket", "req=%s why=\"%s\"", rq->id, fault);
		return fail(rq, ERR_EVIDENCE_TICKET_INVALID);
	}
	return use_key(rq, key_lookup_uuid(rq->worker->keys, t.key, t.sign_in, key), key,
	    ERR_EVIDENCE_TICKET_INVALID);
}

/* One header with one key (C-005). */
static int
auth_by_key(struct req *rq, struct str sent)
{
	struct key *key;

	if (sent.n == 0)
		return fail_without_key(rq);
	if (env_count(rq, "HTTP_X_API_KEY") != 1)
		return fail(rq, ERR_UNAUTHORIZED);
	key = ARENA_NEW(rq->arena, struct key);
	return use_key(
	    rq, key_lookup(rq->worker->keys, (struct secret){ sent }, key), key, ERR_UNAUTHORIZED);
}

/* nginx passes the one cookie that is ours, when it was sent once and has its form
   (nginx/http.conf). A visitor's is looked at and may be worth nothing. */
static int
auth_by_cookie(struct req *rq)
{
	struct str token = env_get(rq, "SIGN_IN_TOKEN");
	bool visitor = rq->route->access == ACCESS_VISITOR;
	struct sign_in *s;

	if (token.p == NULL)
		return visitor ? PASS : fail_without_key(rq);
	s = ARENA_NEW(rq->arena, struct sign_in);
	switch (sign_in_find(rq->db, (struct secret){ token }, s)) {
	case SIGN_IN_LIVE:
		rq->sign_in = s;
		return PASS;
	case SIGN_IN_OVER:
		return visitor ? PASS : fail(rq, ERR_SESSION_EXPIRED);
	case SIGN_IN_UNKNOWN:
		return visitor ? PASS : fail_without_key(rq);
	case SIGN_IN_UNAVAILABLE:
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
		return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
	}
	panic("sign_in_rc out of range");
}

/* A key decides alone, whatever else was sent, and so does an evidence ticket where the route takes
   it; the cookie is looked at without them (C-310). */
int
auth_who(struct req *rq)
{
	struct str sent = env_get(rq, "HTTP_X_API_KEY");
	struct str ticket = env_get(rq, "HTTP_X_EVIDENCE_TICKET");

	if (rq->route->access == ACCESS_PUBLIC)
		return PASS;
	if (rq->route->ticket == TICKET_EVIDENCE && ticket.n > 0)
		return auth_by_ticket(rq, ticket);
	return sent.p != NULL ? auth_by_key(rq, sent) : auth_by_cookie(rq);
}

int
auth_account(struct req *rq)
{
	if (rq->key != NULL && !rq->key->account_active)
		return fail(rq, ERR_PERMISSION_DENIED);
	return PASS;
}

/* The scope that the route wants and these bits lack; SCOPE_UNSET: none. */
static enum scope
missing_scope(const struct route *r, uint64_t scopes)
{
	const struct key has = { .scopes = scopes };

	if (r->scope != SCOPE_ANY && !key_has_scope(&has, r->scope) && (scopes & r->also) == 0)
		return r->scope;
	if (r->besides != SCOPE_UNSET && !key_has_scope(&has, r->besides))
		return r->besides;
	return SCOPE_UNSET;
}

static int
fail_scope(struct req *rq, enum scope need)
{
	if (need == SCOPE_OWNER)
		return fail_at(rq, ERR_PERMISSION_DENIED,
		    rq->sign_in != NULL ? STR("Only owners of the organisation may do this.")
					: STR("Only people who are signed in may do this."));
	if (need == SCOPE_MEMBER)
		return fail_at(
		    rq, ERR_PERMISSION_DENIED, STR("Only people who are signed in may do this."));
	return fail_at(rq, ERR_PERMISSION_DENIED,
	    arena_printf(rq->arena,
		rq->sign_in != NULL ? "Your role does not have the scope %s."
				    : "The API key lacks the scope %s.",
		scope_name(need)));
}

/* Operations of people alone have no scope: a key is refused for being one (C-329). A person may
   have a scope in the projects that they manage; whether this is one, auth_project finds out. */
int
auth_scope(struct req *rq)
{
	const struct route *r = rq->route;
	uint64_t scopes;
	enum scope lacks;

	if (r->access == ACCESS_VISITOR || r->access == ACCESS_PERSON)
		return rq->key == NULL ? PASS : fail_scope(rq, SCOPE_MEMBER);
	if (rq->key == NULL)
		return PASS;
	scopes = rq->key->scopes | (r->access == ACCESS_PROJECT ? rq->key->managed : 0);
	lacks = missing_scope(r, scopes);
	return lacks == SCOPE_UNSET ? PASS : fail_scope(rq, lacks);
}

int
auth_recent_sign_in(struct req *rq)
{
	int64_t age = rq->now.us - rq->sign_in->authenticated_at.us;

	if (age <= conf.sign_in_recent * SECOND_US)
		return PASS;
	return fail(rq, ERR_REAUTHENTICATION_REQUIRED);
}

int
auth_recent(struct req *rq)
{
	return rq->route->recent ? auth_recent_sign_in(rq) : PASS;
}

/* Search answers 503, every other operation 403 (C-017). */
int
auth_entitlement(struct req *rq)
{
	enum entitlement need = rq->route->entitlement;

	if (rq->key == NULL || need == ENTITLEMENT_ANY || key_has_entitlement(rq->key, need))
		return PASS;
	if (rq->area != AREA_SEARCH)
		return fail(rq, ERR_ENTITLEMENT_REQUIRED);
	if (need == ENTITLEMENT_SEARCH)
		return fail(rq, ERR_SEARCH_NOT_ENABLED);
	return fail_at(rq, ERR_SEARCH_NOT_ENABLED,
	    arena_printf(
		rq->arena, "The organisation lacks the entitlement %s.", entitlement_name(need)));
}

/* Adds the scopes that a person has in a project that they manage to this request's credential, so
   that handlers see them, too. A key's owner never does this for the key (C-117). */
static void
widen_to_project(struct req *rq, const struct project *p)
{
	struct key *own;

	if (!p->manager || rq->key->managed == 0)
		return;
	own = ARENA_NEW(rq->arena, struct key);
	*own = *rq->key;
	own->scopes |= own->managed;
	rq->key = own;
}

/* The first UUID of a project's path must be a project that the key may see. */
int
auth_project(struct req *rq)
{
	struct project project;
	enum scope lacks;
	enum db_rc rc;

	if (rq->route->access != ACCESS_PROJECT)
		return PASS;
	rc = project_find(rq->db, rq->key, rq->path[0], &project);
	if (rc == DB_NONE)
		return fail(rq, ERR_PROJECT_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	rq->project = project.uuid;
	widen_to_project(rq, &project);
	lacks = missing_scope(rq->route, rq->key->scopes);
	return lacks == SCOPE_UNSET ? PASS : fail_scope(rq, lacks);
}
