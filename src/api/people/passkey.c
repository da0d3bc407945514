/* SPDX-License-Identifier: ISC */
/* Operations on passkeys of people: registration, sign-in, names (C-318 to C-320, C-323, C-324).
   access/passkey.h verifies them; this file decodes the bodies and stores the results. */
#include "config.h"

#include "api/people/people.h"
#include "daemon/conf.h"

/* ---- bodies: binary members are base64url without padding ---- */

enum {
	ID_TEXT = (PASSKEY_ID_MAX * 4 + 2) / 3,
	SPKI_TEXT = (PASSKEY_SPKI_MAX * 4 + 2) / 3,
	AUTHENTICATOR_DATA_TEXT = (PASSKEY_AUTHENTICATOR_DATA_MAX * 4 + 2) / 3,
	CLIENT_DATA_TEXT = (PASSKEY_CLIENT_DATA_MAX * 4 + 2) / 3,
	SIGNATURE_TEXT = (PASSKEY_SIGNATURE_MAX * 4 + 2) / 3,
	USER_HANDLE_TEXT = (64 * 4 + 2) / 3,
};

/* Decodes a member from base64url. An absent member stays absent, and a fault is added for a
   malformed one. */
static void
decode_member(struct req *rq, struct body_faults *faults, const char *name, struct str *member)
{
	unsigned char *bytes;
	size_t n;

	if (member->p == NULL)
		return;
	bytes = arena_alloc(rq->arena, member->n + 1);
	if (!base64url_parse(*member, bytes, member->n, &n)) {
		body_fault(faults, name, "invalid_format", "must be base64url without padding");
		return;
	}
	*member = (struct str){ (const char *)bytes, n };
}

/* ---- the records ---- */

struct shown_passkey {
	struct uuid uuid;
	struct str id, name;
	bool backed_up;
	struct str rp_id;
	struct ts created_at, last_used_at;
};

static const struct field shown_passkey_out[] = {
	FIELD(struct shown_passkey, uuid, 0),
	{ .name = "id",
	    .type = FIELD_STR,
	    .offset = offsetof(struct shown_passkey, id),
	    .help = "The id of the credential, with which a browser avoids a second passkey on the "
		    "same device." },
	FIELD(struct shown_passkey, name, 0),
	{ .name = "backed_up",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct shown_passkey, backed_up),
	    .help = "Whether the passkey is synchronised to several devices, according to the "
		    "browser." },
	{ .name = "rp_id",
	    .type = FIELD_STR,
	    .offset = offsetof(struct shown_passkey, rp_id),
	    .help = "The host of public_url at the registration. The passkey works only for this "
		    "host." },
	FIELD(struct shown_passkey, created_at, 0),
	FIELD(struct shown_passkey, last_used_at, NULLABLE),
	FIELD_END_OF("Passkey"),
};

#define PASSKEY_COLUMNS                                                                            \
	"uuid, translate(encode(credential, 'base64'), E'+/=\\n', '-_') AS id, name, backed_up,"   \
	" rp_id, created_at, last_used_at"

STMT_LIST(list_passkeys, struct shown_passkey, shown_passkey_out,
    "SELECT " PASSKEY_COLUMNS " FROM passkey WHERE person_uuid = $1 ORDER BY created_at, uuid"
    " LIMIT $2");
STMT(find_passkey, shown_passkey_out,
    "SELECT " PASSKEY_COLUMNS " FROM passkey WHERE person_uuid = $1 AND uuid = $2");

struct passkey_list {
	struct list passkeys;
};

static const struct field passkey_list_out[] = {
	LIST(struct passkey_list, passkeys, 0, struct shown_passkey, shown_passkey_out, 0,
	    LIM_PASSKEYS),
	FIELD_END_OF("Passkeys"),
};

static int
list_own_passkeys(struct req *rq)
{
	struct passkey_list answer;
	enum db_rc rc = db_list(rq->db, &list_passkeys, &answer.passkeys,
	    P(rq->sign_in->person_uuid), P((int64_t)LIM_PASSKEYS));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 200, NULL, passkey_list_out, &answer);
}

static enum db_rc
read_passkey(struct req *rq, struct uuid uuid, struct shown_passkey *out)
{
	return db_one(rq->db, &find_passkey, out, P(rq->sign_in->person_uuid), P(uuid));
}

/* ---- registration ---- */

struct registration_in {
	struct str name, id, public_key;
	int64_t algorithm;
	struct str authenticator_data, client_data;
};

static const struct field registration_in_fields[] = {
	TEXT(struct registration_in, name, REQUIRED | TRIM, 1, LIM_NAME),
	TEXT(struct registration_in, id, REQUIRED, 1, ID_TEXT),
	TEXT(struct registration_in, public_key, REQUIRED, 1, SPKI_TEXT),
	NUMBER(struct registration_in, algorithm, REQUIRED, -65536, 65535, 0),
	TEXT(struct registration_in, authenticator_data, REQUIRED, 1, AUTHENTICATOR_DATA_TEXT),
	TEXT(struct registration_in, client_data, REQUIRED, 1, CLIENT_DATA_TEXT),
	FIELD_END,
};

static int
check_registration(struct req *rq, void *body, struct body_faults *faults)
{
	struct registration_in *in = body;

	check_name(in->name, faults);
	decode_member(rq, faults, "id", &in->id);
	decode_member(rq, faults, "public_key", &in->public_key);
	decode_member(rq, faults, "authenticator_data", &in->authenticator_data);
	decode_member(rq, faults, "client_data", &in->client_data);
	return PASS;
}

/* Verifies the challenge in the client data and marks it as used. A later failure rolls that
   back. */
static int
use_challenge(struct req *rq, struct str client_data, struct challenge *c, struct str *text)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	enum db_rc rc;

	if (keys == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	c->expires_at = rq->now;
	if (passkey_challenge(rq->arena, client_data, text) != NULL ||
	    challenge_open(rq->arena, keys, *text, c) != SEAL_GOOD)
		return fail(rq, ERR_INVALID_CHALLENGE);
	rc = proof_use(rq, *text, c);
	if (rc == DB_NONE)
		return fail(rq, ERR_INVALID_CHALLENGE);
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

struct passkey_made {
	struct str outcome;
	struct uuid uuid;
};

static const struct field passkey_made_out[] = {
	FIELD(struct passkey_made, outcome, 0),
	FIELD(struct passkey_made, uuid, NULLABLE),
	FIELD_END,
};

STMT(add_passkey, passkey_made_out,
    "SELECT outcome, uuid FROM passkey_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");

static struct bytes
passkey_bytes(struct str s)
{
	return (struct bytes){ (const unsigned char *)s.p, s.n };
}

static int
store_passkey(struct req *rq, struct str rp_id, const struct passkey_state *state)
{
	const struct registration_in *in = rq->in;
	struct passkey_made made;
	struct shown_passkey shown;
	enum db_rc rc = db_one(rq->db, &add_passkey, &made, P(rq->sign_in->person_uuid),
	    P(rq->sign_in->uuid), P(in->name), P(passkey_bytes(in->id)),
	    P(passkey_bytes(state->spki)), P(state->algorithm), P(state->sign_count),
	    P(state->backed_up), P(rp_id), P((int64_t)LIM_PASSKEYS));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (str_is(made.outcome, "over"))
		return fail(rq, ERR_SESSION_EXPIRED);
	if (str_is(made.outcome, "full"))
		return fail(rq, ERR_PASSKEY_LIMIT_EXCEEDED);
	if (!str_is(made.outcome, "made"))
		return fail_field(rq, "id", "duplicate", "belongs to a registered passkey");
	rc = read_passkey(rq, made.uuid, &shown);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply_created(rq, &shown.uuid, &shown);
}

static int
register_passkey(struct req *rq)
{
	const struct registration_in *in = rq->in;
	struct challenge c = { .kind = CHALLENGE_REGISTER, .person = rq->sign_in->person_uuid };
	struct passkey_registration sent = { in->client_data, in->authenticator_data, in->id,
		in->public_key, in->algorithm };
	const struct passkey_fault *fault;
	struct passkey_state state;
	struct passkey_site site;

	if (!passkey_site(rq, &site))
		return fail(rq, ERR_PASSKEY_NOT_OFFERED);
	if (use_challenge(rq, in->client_data, &c, &site.challenge) != PASS)
		return FAILED;
	fault = passkey_register(rq->arena, &site, &sent, &state);
	if (fault != NULL)
		return fail_field(rq, fault->member, "invalid_format", fault->why);
	return store_passkey(rq, site.rp_id, &state);
}

/* ---- sign-in ---- */

struct assertion_in {
	struct str id, authenticator_data, client_data, signature, user_handle;
};

static const struct field assertion_in_fields[] = {
	TEXT(struct assertion_in, id, REQUIRED, 1, ID_TEXT),
	TEXT(struct assertion_in, authenticator_data, REQUIRED, 1, AUTHENTICATOR_DATA_TEXT),
	TEXT(struct assertion_in, client_data, REQUIRED, 1, CLIENT_DATA_TEXT),
	TEXT(struct assertion_in, signature, REQUIRED, 1, SIGNATURE_TEXT),
	TEXT(struct assertion_in, user_handle, 0, 1, USER_HANDLE_TEXT),
	FIELD_END,
};

static int
check_assertion(struct req *rq, void *body, struct body_faults *faults)
{
	struct assertion_in *in = body;

	decode_member(rq, faults, "id", &in->id);
	decode_member(rq, faults, "authenticator_data", &in->authenticator_data);
	decode_member(rq, faults, "client_data", &in->client_data);
	decode_member(rq, faults, "signature", &in->signature);
	decode_member(rq, faults, "user_handle", &in->user_handle);
	return PASS;
}

struct stored_passkey {
	struct uuid uuid, person_uuid;
	struct str spki;
	int64_t algorithm, sign_count;
	struct str rp_id;
};

static const struct field stored_passkey_out[] = {
	FIELD(struct stored_passkey, uuid, 0),
	FIELD(struct stored_passkey, person_uuid, 0),
	FIELD(struct stored_passkey, spki, 0),
	FIELD(struct stored_passkey, algorithm, 0),
	FIELD(struct stored_passkey, sign_count, 0),
	FIELD(struct stored_passkey, rp_id, 0),
	FIELD_END,
};

STMT(find_credential, stored_passkey_out,
    "SELECT uuid, person_uuid, spki, algorithm, sign_count, rp_id FROM passkey_find($1)"
    " WHERE uuid IS NOT NULL");
STMT(note_passkey, NULL, "SELECT passkey_used($1, $2, $3)");

/* Charges a failed attempt to the network only, so that nobody can block a person by failed
   sign-ins with passkeys (C-316). */
static int
refuse_passkey(struct req *rq, const char *why)
{
	rq->afterwards = throttle_failure;
	return sign_in_refuse(rq, why);
}

/* Writes the audit line of a passkey whose counter did not increase, after the rollback of the
   request. */
static void
note_copied_passkey(struct req *rq)
{
	const struct assertion_in *in = rq->in;
	struct stored_passkey stored;
	enum db_rc rc = db_one(rq->db, &find_credential, &stored, P(passkey_bytes(in->id)));

	if (rc == DB_OK)
		rc = audit_write(rq->db,
		    &(struct audit){ .actor = STR("public"),
			.action = STR("passkey.copied"),
			.subject = STR("passkey"),
			.subject_id = arena_str(rq->arena, str_of(uuid_text(&stored.uuid).z)),
			.request_id = str_of(rq->id) });
	if (rc != DB_OK)
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
	throttle_failure(rq);
}

/* Whether the user handle is the person's UUID. A browser may leave the handle out. */
static bool
is_handle_of(struct str handle, const struct uuid *person)
{
	return handle.p == NULL ||
	       str_eq(handle, (struct str){ (const char *)person->b, sizeof(person->b) });
}

static int
verify_passkey(struct req *rq, const struct passkey_site *site, struct stored_passkey *stored)
{
	const struct assertion_in *in = rq->in;
	struct passkey_assertion sent = { in->client_data, in->authenticator_data, in->signature };
	struct passkey_state state = { stored->spki, stored->algorithm, stored->sign_count, false };
	const struct passkey_fault *fault;
	enum db_rc rc;

	if (!str_eq(stored->rp_id, site->rp_id) ||
	    !is_handle_of(in->user_handle, &stored->person_uuid))
		return refuse_passkey(rq, "passkey");
	fault = passkey_verify(rq->arena, site, &sent, &state);
	if (fault != NULL)
		(void)refuse_passkey(rq, "passkey");
	if (fault == &passkey_copied)
		rq->afterwards = note_copied_passkey;
	if (fault != NULL)
		return FAILED;
	rc = db_do(
	    rq->db, &note_passkey, NULL, P(stored->uuid), P(state.sign_count), P(state.backed_up));
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
sign_in_by_passkey(struct req *rq)
{
	static const struct str by_passkey[] = { STR_INIT("passkey") };
	const struct assertion_in *in = rq->in;
	struct challenge c = { .kind = CHALLENGE_SIGN_IN };
	struct stored_passkey stored;
	struct passkey_site site;
	enum db_rc rc;

	if (!passkey_site(rq, &site))
		return fail(rq, ERR_PASSKEY_NOT_OFFERED);
	if (use_challenge(rq, in->client_data, &c, &site.challenge) != PASS)
		return FAILED;
	rc = db_one(rq->db, &find_credential, &stored, P(passkey_bytes(in->id)));
	if (rc == DB_NONE)
		return refuse_passkey(rq, "passkey");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (verify_passkey(rq, &site, &stored) != PASS)
		return FAILED;
	return sign_in_complete(rq, &(struct proved){ .person = stored.person_uuid,
					.methods = { by_passkey, COUNT(by_passkey) },
					.strong = true });
}

/* ---- names and deletion ---- */

struct rename_in {
	struct str name;
};

static const struct field rename_in_fields[] = {
	TEXT(struct rename_in, name, REQUIRED | TRIM, 1, LIM_NAME),
	FIELD_END,
};

struct passkey_outcome {
	bool found;
};

static const struct field passkey_outcome_out[] = {
	FIELD(struct passkey_outcome, found, 0),
	FIELD_END,
};

STMT(rename_passkey, passkey_outcome_out, "SELECT passkey_rename($1, $2, $3) AS found");

struct removal {
	struct str outcome;
};

static const struct field removal_out[] = { FIELD(struct removal, outcome, 0), FIELD_END };

STMT(remove_passkey, removal_out, "SELECT passkey_remove($1, $2, $3, $4) AS outcome");

static int
rename_own_passkey(struct req *rq)
{
	const struct rename_in *in = rq->in;
	struct passkey_outcome row;
	struct shown_passkey shown;
	enum db_rc rc;

	if (!name_visible(in->name))
		return fail_field(rq, "name", "invalid_format", "must be visible characters");
	rc = db_one(rq->db, &rename_passkey, &row, P(rq->sign_in->person_uuid), P(rq->path[0]),
	    P(in->name));
	if (rc == DB_OK)
		rc = read_passkey(rq, rq->path[0], &shown);
	return reply_found(rq, rc, ERR_PASSKEY_NOT_FOUND, &shown);
}

static int
remove_own_passkey(struct req *rq)
{
	struct shown_passkey shown;
	struct removal row;
	enum db_rc rc = read_passkey(rq, rq->path[0], &shown);

	if (rc == DB_OK)
		rc = db_one(rq->db, &remove_passkey, &row, P(rq->sign_in->person_uuid),
		    P(rq->path[0]), P(rq->sign_in->uuid), P(passkey_rp_id()));
	if (rc == DB_OK && str_is(row.outcome, "last"))
		return fail(rq, ERR_LAST_SIGN_IN_METHOD);
	if (rc == DB_OK && str_is(row.outcome, "none"))
		rc = DB_NONE;
	return reply_found(rq, rc, ERR_PASSKEY_NOT_FOUND, &shown);
}

static const enum error register_errors[] = { ERR_INVALID_CHALLENGE, ERR_PASSKEY_LIMIT_EXCEEDED,
	ERR_PASSKEY_NOT_OFFERED, ERR_UNSET };
static const enum error assertion_errors[] = { ERR_INVALID_CHALLENGE, ERR_SIGN_IN_FAILED,
	ERR_PASSKEY_NOT_OFFERED, ERR_UNSET };
static const enum error rename_errors[] = { ERR_PASSKEY_NOT_FOUND, ERR_UNSET };
static const enum error remove_errors[] = { ERR_PASSKEY_NOT_FOUND, ERR_LAST_SIGN_IN_METHOD,
	ERR_UNSET };

static const struct route passkey_routes[] = {
	{
	    ROUTE(POST, "/auth/sign-in/passkey", sign_in_by_passkey),
	    COLUMNS_OF_VISITOR,
	    BODY_CHECKED(
		struct assertion_in, assertion_in_fields, BODY_CONFIGURED, check_assertion),
	    .status = 201,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = assertion_errors,
	    .summary = "Sign in with a passkey",
	    .description = "The members of the browser's answer to navigator.credentials.get, in "
			   "base64url without padding. A passkey is enough, also for a person with "
			   "TOTP.",
	    .example = JSON({
		    "id" : "AAAAAAAAAAAAAAAAAAAAAA",
		    "authenticator_data" : "AAAA",
		    "client_data" : "e30",
		    "signature" : "AAAA"
	    }),
	},
	{
	    ROUTE(GET, "/auth/passkeys", list_own_passkeys),
	    COLUMNS_OF_PERSON,
	    .out = passkey_list_out,
	    .result = "The passkeys.",
	    .summary = "List one's passkeys",
	    .description = "All passkeys of the person, oldest first.",
	},
	{
	    ROUTE(POST, "/auth/passkeys", register_passkey),
	    COLUMNS_OF_PERSON,
	    .recent = true,
	    BODY_CHECKED(struct registration_in, registration_in_fields, BODY_CONFIGURED,
		check_registration),
	    .status = 201,
	    .out = shown_passkey_out,
	    .result = "The passkey.",
	    .wrapper = "passkey",
	    .errors = register_errors,
	    .summary = "Register a passkey",
	    .description =
		"The members of the browser's answer to navigator.credentials.create, with "
		"attestation none: public_key is what getPublicKey() returns. Ed25519, P-256, and "
		"RSA keys of 2048 to 4096 bits are taken.",
	    .example = JSON({
		    "name" : "Laptop",
		    "id" : "AAAAAAAAAAAAAAAAAAAAAA",
		    "public_key" : "AAAA",
		    "algorithm" : -7,
		    "authenticator_data" : "AAAA",
		    "client_data" : "e30"
	    }),
	},
	{
	    ROUTE(PUT, "/auth/passkeys/{passkey_uuid}", rename_own_passkey),
	    COLUMNS_OF_PERSON,
	    BODY(struct rename_in, rename_in_fields, BODY_CONFIGURED),
	    .out = shown_passkey_out,
	    .result = "The passkey.",
	    .wrapper = "passkey",
	    .errors = rename_errors,
	    .summary = "Rename a passkey",
	    .description = "Only the person sees the name.",
	    .example = JSON({ "name" : "Laptop" }),
	},
	{
	    ROUTE(DELETE, "/auth/passkeys/{passkey_uuid}", remove_own_passkey),
	    COLUMNS_OF_PERSON,
	    .recent = true,
	    .out = shown_passkey_out,
	    .result = "The passkey.",
	    .wrapper = "passkey",
	    .errors = remove_errors,
	    .summary = "Remove a passkey",
	    .description = "Every other sign-in of the person ends.",
	},
	ROUTE_END,
};

ROUTES(304, passkey);
