/* SPDX-License-Identifier: ISC */
/* Attempts to sign in are counted in leaky buckets, which all hosts share in the database (C-314):
 *
 *     network     the client's IPv4 address, or the /64 of its IPv6 address     20 in ten minutes
 *     new         the e-mail, from networks where this person has not been      10 in ten minutes
 *                 signed in within 30 days
 *     known       the e-mail, from the other networks                           10 in ten minutes
 *     step        a half-open sign-in, whose password was right                 5 codes
 *     new code, known code    the e-mail of that sign-in's person, as above     10 in ten minutes
 *
 * An attempt spends a unit of its buckets before the hash is computed and before the handler's
 * transaction begins, so that no rollback and no hurry gives it back; success does. A guesser
 * fills "new", and the person still gets in from a known network, or by a passkey: nobody can lock
 * another person out (C-316). The names of the buckets are HMACs, so the table names nobody. */
#include "config.h"

#include "access/challenge.h"
#include "http/http_priv.h"
#include "http/people.h"
#include "http/stages_priv.h"

enum { NETWORK_SIZE = 20, EMAIL_SIZE = 10, STEP_SIZE = 5, SECONDS = 600 };

/* The network of the client's address: nobody else has an address in it. */
static struct str
client_network(const struct req *rq)
{
	struct ipnet net;

	if (!ipnet_parse_address(env_get(rq, "REMOTE_ADDR"), &net))
		return STR("::/0");
	if (!ip_is_v4(net.a))
		net.bits = 64;
	ipnet_clear_host_bits(&net);
	return ipnet_text(rq->arena, &net);
}

static void
add_bucket(struct throttle *t, const struct signing_keys *keys, const char *kind, struct str of,
    int64_t size)
{
	struct throttle_bucket *b = &t->buckets[t->n++];

	seal_tag(keys, &(struct seal_use){ "throttle", str_of(kind) }, of, b->name);
	b->size = size;
}

/* A text of the body, whose row in the route's table must exist. */
static struct str
text_of_body(const struct req *rq, const char *member)
{
	const struct field *f = rq->route->body.fields;
	struct str text;

	while (strcmp(f->name, member) != 0)
		f++;
	memcpy(&text, (const char *)rq->in + f->offset, sizeof(text));
	return text;
}

/* The buckets of one kind of proof of a person. */
struct proof_buckets {
	const char *from_known, *from_new;
};

static int
add_email_bucket(struct req *rq, const struct signing_keys *keys, struct str network,
    struct str email, struct proof_buckets names)
{
	struct known_network found;
	enum db_rc rc = network_find(rq->db, email, network, &found);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	add_bucket(&rq->throttle, keys, found.known ? names.from_known : names.from_new,
	    found.email, EMAIL_SIZE);
	return PASS;
}

/* Five codes for one half-open sign-in; and as many for the person as passwords, or somebody who
   knows the password could begin again and again. A token that is none of ours has the bucket of
   the network alone, and the handler refuses it. */
static int
add_step_buckets(struct req *rq, const struct signing_keys *keys, struct str network)
{
	struct challenge c = { .kind = CHALLENGE_STEP, .expires_at = rq->now };
	struct str text = text_of_body(rq, "step");
	struct person_credentials who;
	enum db_rc rc;

	if (challenge_open(rq->arena, keys, text, &c) != SEAL_GOOD)
		return PASS;
	rc = person_find(rq->db, STR_NULL, &c.person, &who);
	if (rc == DB_NONE)
		return PASS;
	if (rc != DB_OK)
		return fail_db(rq, rc);
	add_bucket(&rq->throttle, keys, "step", text, STEP_SIZE);
	return add_email_bucket(
	    rq, keys, network, who.email, (struct proof_buckets){ "known code", "new code" });
}

static int
add_proof_buckets(struct req *rq, const struct signing_keys *keys, struct str network)
{
	switch (rq->route->throttle) {
	case THROTTLE_NOTHING:
	case THROTTLE_NETWORK:
		return PASS;
	case THROTTLE_EMAIL:
		return add_email_bucket(rq, keys, network, text_of_body(rq, "email"),
		    (struct proof_buckets){ "known", "new" });
	case THROTTLE_STEP:
		return add_step_buckets(rq, keys, network);
	}
	panic("a row's throttle is out of range");
}

/* The audit log gets one line for a bucket that fills, and the journal one for each refusal. */
static int
fail_throttled(struct req *rq, const struct throttle_full *full)
{
	struct str address = env_get(rq, "REMOTE_ADDR");
	struct buf after = { .a = rq->arena };
	char name[2 * THROTTLE_NAME + 1];
	enum db_rc rc = DB_OK;

	log_event(LOGP_NOTICE, "sign_in refused", "req=%s address=%.*s why=throttled", rq->id,
	    (int)address.n, address.p);
	if (full->note) {
		hex_print(name, rq->throttle.buckets[full->full_bucket - 1].name, THROTTLE_NAME);
		json_begin(&after, '{');
		json_member(&after, "address");
		json_write_str(&after, address);
		buf_char(&after, '}');
		rc = audit_write(rq->db, &(struct audit){ .actor = STR("public"),
					     .action = STR("sign_in.throttled"),
					     .subject = STR("sign_in"),
					     .subject_id = str_of(name),
					     .after = { buf_done(&after) },
					     .request_id = str_of(rq->id) });
	}
	rq->throttle.n = 0; /* a refused attempt has spent nothing */
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return fail_retry(rq, ERR_SIGN_IN_RATE_LIMIT_EXCEEDED, (int)full->wait);
}

static int
spend_units(struct req *rq)
{
	struct throttle_full full = { 0 };
	enum db_rc rc = throttle_spend(rq->db, rq->arena, &rq->throttle, &full);

	if (rc != DB_OK) {
		rq->throttle.n = 0;
		return fail_db(rq, rc);
	}
	return full.full_bucket == 0 ? PASS : fail_throttled(rq, &full);
}

int
throttle_admit(struct req *rq)
{
	const struct signing_keys *keys;
	struct str network;

	if (rq->route->throttle == THROTTLE_NOTHING)
		return PASS;
	keys = signing_ring_now(rq->worker->sign_in_keys);
	if (keys == NULL)
		return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
	network = client_network(rq);
	rq->throttle = (struct throttle){ .seconds = SECONDS };
	add_bucket(&rq->throttle, keys, "network", network, NETWORK_SIZE);
	if (add_proof_buckets(rq, keys, network) != PASS) {
		rq->throttle.n = 0;
		return FAILED;
	}
	return spend_units(rq);
}

/* An attempt that succeeded costs nothing, and neither does one that was not made. */
void
throttle_settle(struct req *rq)
{
	if (rq->throttle.n == 0 || (rq->status >= 300 && rq->status < 500))
		return;
	if (throttle_refund(rq->db, rq->arena, &rq->throttle) != DB_OK)
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
}

void
throttle_failure(struct req *rq)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct throttle t = { .seconds = SECONDS };
	struct throttle_full full;

	if (keys == NULL)
		return;
	add_bucket(&t, keys, "network", client_network(rq), NETWORK_SIZE);
	if (throttle_spend(rq->db, rq->arena, &t, &full) != DB_OK)
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
}
