/* SPDX-License-Identifier: ISC */
/* Signs people in by a company's proxy. In one location, nginx asks the proxy for the e-mail
   address of the person (auth_request) and passes it as SIGN_IN_EMAIL. Clients cannot send this
   parameter, because the parameters of their headers begin with HTTP_. The result is an ordinary
   sign-in, with all its rules such as X-CSRF-Token (C-322).

   The proxy has verified the e-mail, and this service has not verified the one that a person typed
   when they joined. So the first sign-in by the proxy removes the person's other ways to sign in
   (person_proxy_bind in sql/functions/proof.sql). */
#include "config.h"

#include "api/people/people.h"
#include "daemon/conf.h"

struct proxy_in {
	char unused;
};

static const struct field proxy_in_fields[] = { FIELD_END };

struct proxy_person {
	struct uuid uuid;
};

static const struct field proxy_person_out[] = {
	FIELD(struct proxy_person, uuid, NULLABLE),
	FIELD_END,
};

STMT(find_proxy_person, proxy_person_out,
    "SELECT uuid FROM person_of_proxy($1, $2) AS uuid WHERE uuid IS NOT NULL");

bool
proxy_names_people(void)
{
	return strcmp(conf.proxy_sign_in, "yes") == 0;
}

static int
sign_in_by_proxy(struct req *rq)
{
	static const struct str methods[] = { STR_INIT("proxy") };
	struct str email = env_get(rq, "SIGN_IN_EMAIL");
	static const struct uuid nobody;
	struct proxy_person found;
	enum db_rc rc;

	if (!proxy_names_people() || email.n == 0)
		return sign_in_refuse(rq, "no_proxy");
	if (!email_valid(email))
		return sign_in_refuse(rq, "proxy_email");
	rc = db_one(rq->db, &find_proxy_person, &found, P(email),
	    P(rq->sign_in == NULL ? nobody : rq->sign_in->person_uuid));
	if (rc == DB_NONE)
		return sign_in_refuse(rq, "proxy_unknown");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return sign_in_complete(rq, &(struct proved){ .person = found.uuid,
					.methods = { methods, COUNT(methods) },
					.strong = strcmp(conf.proxy_sign_in_strong, "yes") == 0 });
}

static const enum error proxy_errors[] = { ERR_SIGN_IN_FAILED, ERR_UNSET };

static const struct route sign_in_proxy_routes[] = {
	{
	    ROUTE(POST, "/auth/sign-in/proxy", sign_in_by_proxy),
	    COLUMNS_OF_VISITOR,
	    BODY(struct proxy_in, proxy_in_fields, BODY_CONFIGURED),
	    .throttle = THROTTLE_PROXY,
	    .status = 201,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = proxy_errors,
	    .summary = "Sign in as the company's proxy says",
	    .description =
		"For people whom the company's proxy has authenticated (auth_request of "
		"nginx), if proxy_sign_in is set. The person must have joined an organisation "
		"before. The first such sign-in of a person ends their other sign-ins and removes "
		"their password, passkeys and one-time codes, unless the browser is signed in as "
		"this person.",
	    .example = JSON({}),
	},
	ROUTE_END,
};

ROUTES(306, sign_in_proxy);
