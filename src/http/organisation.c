/* SPDX-License-Identifier: ISC */
/* The account of a request. A key has one, and naming any is refused (C-011). A person names one of
 * their organisations and then acts with the console credential of that membership (C-327):
 *
 *     X-Org-UUID or org_uuid                     that one, or 404 for every other UUID
 *     none, and the person is in one only        this one
 *     none, and the path has a project           the one that owns the project
 *     none otherwise                             400 organisation_required
 *
 * Operations of the person alone (ACCESS_PERSON) and of visitors act in no organisation; the
 * console may name one there, too. */
#include "config.h"

#include "http/http_priv.h"
#include "http/stages_priv.h"

#define ORG_HEADER "HTTP_X_ORG_UUID="

/* A header counts even when its value is empty (C-011). */
static bool
is_override_header(const char *env)
{
	static const char *const names[] = { ORG_HEADER, "HTTP_X_ORGANISATION_",
		"HTTP_X_ORGANIZATION_", "HTTP_X_ACCOUNT_" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strncmp(env, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The ways in which a request names an account, in headers and parameters together. */
struct named_org {
	unsigned headers, params; /* those that a person may use */
	unsigned other;           /* in any other way */
	struct str header, param;
};

static void
read_named_org(const struct req *rq, struct named_org *out)
{
	struct account_params p;

	*out = (struct named_org){ 0 };
	for (const char *const *e = rq->env; *e != NULL; e++) {
		if (!is_override_header(*e))
			continue;
		if (strncmp(*e, ORG_HEADER, strlen(ORG_HEADER)) != 0) {
			out->other++;
			continue;
		}
		out->headers++;
		out->header = str_of(*e + strlen(ORG_HEADER));
	}
	params_account(rq->arena, rq->query_string, &p);
	out->params = p.named;
	out->param = p.org;
	out->other += p.other;
}

/* The organisation that a person names; all zero: none. False: it is named in a way that no rule
   allows. */
static bool
org_of_person(const struct named_org *named, struct uuid *out)
{
	struct uuid second;

	*out = (struct uuid){ { 0 } };
	if (named->other > 0 || named->headers > 1 || named->params > 1)
		return false;
	if (named->headers == 1 && !uuid_parse(named->header, out))
		return false;
	if (named->params == 0)
		return true;
	if (!uuid_parse(named->param, &second))
		return false;
	if (named->headers == 1)
		return uuid_cmp(out, &second) == 0;
	*out = second;
	return true;
}

static int
fail_unavailable(struct req *rq)
{
	log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
	return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
}

/* The person's credential in the organisation is that of the request. */
static int
act_with(struct req *rq, const struct key *credential)
{
	struct key *own = ARENA_NEW(rq->arena, struct key);

	*own = *credential;
	rq->key = own;
	if (own->strong_only && !rq->sign_in->strong)
		return fail_at(rq, ERR_REAUTHENTICATION_REQUIRED,
		    STR("The organisation wants a strong sign-in: a passkey, or a second "
			"method."));
	return PASS;
}

/* Several organisations and none named: the path's project decides, so that a picture in a page,
   which can send no header, has its organisation. A path whose UUID is none gets the answer of that
   stage. */
static int
org_of_project(struct req *rq, struct credential_of *of)
{
	struct key found[2];
	size_t n;

	if (rq->route->access != ACCESS_PROJECT)
		return fail(rq, ERR_ORGANISATION_REQUIRED);
	if (!uuid_parse(rq->captured[0], &of->project))
		return fail_field(rq, "project_uuid", "invalid_format", "must be a UUID");
	switch (credential_find(rq->db, of, found, &n)) {
	case KEY_FOUND:
		return act_with(rq, &found[0]);
	case KEY_UNKNOWN:
		return fail(rq, ERR_PROJECT_NOT_FOUND);
	case KEY_UNAVAILABLE:
		return fail_unavailable(rq);
	}
	panic("key_rc out of range");
}

static int
choose_organisation(struct req *rq, const struct named_org *named)
{
	static const struct uuid none;
	struct credential_of of = { .person = rq->sign_in->person_uuid };
	struct key found[2];
	size_t n;

	if (!org_of_person(named, &of.org))
		return fail(rq, ERR_INVALID_ORG_UUID);
	switch (credential_find(rq->db, &of, found, &n)) {
	case KEY_FOUND:
		return n == 1 ? act_with(rq, &found[0]) : org_of_project(rq, &of);
	case KEY_UNKNOWN:
		if (uuid_cmp(&of.org, &none) != 0)
			return fail(rq, ERR_ORGANISATION_NOT_FOUND);
		return fail_at(
		    rq, ERR_PERMISSION_DENIED, STR("You are a member of no organisation."));
	case KEY_UNAVAILABLE:
		return fail_unavailable(rq);
	}
	panic("key_rc out of range");
}

int
auth_override(struct req *rq)
{
	enum access access = rq->route->access;
	bool alone = access == ACCESS_VISITOR || access == ACCESS_PERSON;
	struct named_org named;

	if (alone && rq->key == NULL)
		return PASS;
	read_named_org(rq, &named);
	if (rq->sign_in != NULL)
		return choose_organisation(rq, &named);
	if (named.headers + named.params + named.other > 0)
		return fail(rq, ERR_API_KEY_ACCOUNT_OVERRIDE);
	return PASS;
}
