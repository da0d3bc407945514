/* SPDX-License-Identifier: ISC */
/* The stages of authentication and authorisation: they find the key of a request and compare it
 * with the columns of the route, in the order of stages[] in request.c.
 *
 * The answers never reveal more than the contract allows, and that is what the order and the
 * codes are for: every key that is not valid gets the same 401, whatever is wrong with it
 * (C-003), and a project of another account the same 404 as one that does not exist (C-116). An
 * account override is refused after the key is known to be good, and before any right is looked
 * at. */
#include "config.h"

#include "http/http_priv.h"
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
	    STR("A valid API key is required in the X-API-Key header; the Authorization "
		"header is not "
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
	return use_key(rq, key_lookup_uuid(rq->worker->keys, t.key, key), key,
	    ERR_EVIDENCE_TICKET_INVALID);
}

/* A request has one header with one key (C-005), or one with an evidence ticket where the route
   takes it. */
int
auth_key(struct req *rq)
{
	struct str sent = env_get(rq, "HTTP_X_API_KEY");
	struct str ticket = env_get(rq, "HTTP_X_EVIDENCE_TICKET");
	struct key *key;

	if (rq->route->access == ACCESS_PUBLIC)
		return PASS;
	if (rq->route->ticket == TICKET_EVIDENCE && ticket.n > 0)
		return auth_by_ticket(rq, ticket);
	if (sent.n == 0)
		return fail_without_key(rq);
	if (env_count(rq, "HTTP_X_API_KEY") != 1)
		return fail(rq, ERR_UNAUTHORIZED);
	key = ARENA_NEW(rq->arena, struct key);
	return use_key(rq, key_lookup(rq->worker->keys, (struct secret){ sent }, key), key,
	    ERR_UNAUTHORIZED);
}

/* A header counts even when its value is empty (C-011). */
static bool
is_override_header(const char *env)
{
	static const char *const names[] = { "HTTP_X_ORG_UUID=", "HTTP_X_ORGANISATION_",
		"HTTP_X_ORGANIZATION_", "HTTP_X_ACCOUNT_" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strncmp(env, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

int
auth_override(struct req *rq)
{
	for (const char *const *e = rq->env; *e != NULL; e++)
		if (is_override_header(*e))
			return fail(rq, ERR_API_KEY_ACCOUNT_OVERRIDE);
	if (params_override(rq->arena, rq->query_string))
		return fail(rq, ERR_API_KEY_ACCOUNT_OVERRIDE);
	return PASS;
}

int
auth_account(struct req *rq)
{
	if (rq->key != NULL && !rq->key->account_active)
		return fail(rq, ERR_PERMISSION_DENIED);
	return PASS;
}

int
auth_scope(struct req *rq)
{
	enum scope need = rq->route->scope, besides = rq->route->besides;

	if (rq->key == NULL)
		return PASS;
	if (need == SCOPE_ANY || key_has_scope(rq->key, need) ||
	    (rq->key->scopes & rq->route->also) != 0) {
		if (besides == SCOPE_UNSET || key_has_scope(rq->key, besides))
			return PASS;
		need = besides;
	}
	return fail_at(rq, ERR_PERMISSION_DENIED,
	    arena_printf(rq->arena, "The API key lacks the scope %s.", scope_name(need)));
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

/* The first UUID of a project's path must be a project that the key may see. */
int
auth_project(struct req *rq)
{
	struct project project;
	enum db_rc rc;

	if (rq->route->access != ACCESS_PROJECT)
		return PASS;
	rc = project_find(rq->db, rq->key, rq->path[0], &project);
	if (rc == DB_NONE)
		return fail(rq, ERR_PROJECT_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	rq->project = project.uuid;
	return PASS;
}
