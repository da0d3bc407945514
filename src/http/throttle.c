/* SPDX-License-Identifier: ISC */
/* Attempts to sign in are counted in leaky buckets, which all hosts share in the database (C-314):
 *
 *     network     the client's IPv4 address, or the /64 of its IPv6 address     20 in ten minutes
 *                 the /56 of an IPv6 address, and its /48, as well              40, and 80
 *                 or in place of these one of sign_in_networks                  1000, a parameter
 *     new         the e-mail, from networks where this person has not been      10 in ten minutes
 *                 signed in within 30 days
 *     known       the e-mail, from the other networks                           10 in ten minutes
 *     step        a half-open sign-in, whose password was right                 5 codes
 *     new code, known code    the e-mail of that sign-in's person, as above     10 in ten minutes
 *     link        a one-time link                                               20 in ten minutes
 *     person      a person who is signed in                                     20 in ten minutes
 *     password    a person who sets a password                                  5 in an hour
 *     tries       a person who tries to; an e-mail, from known and from new     20, and 60 in
 *                 networks: these are never given back                          ten minutes
 *
 * An attempt spends a unit of its buckets before the hash is computed and before the handler's
 * transaction begins, so that no rollback and no hurry gives it back; success does. A guesser
 * fills "new", and the person still gets in from a known network, or by a passkey: nobody can lock
 * another person out (C-316). From a known network a person passes the network's bucket, too, which
 * a colleague may have filled. An attempt that ends in a failure of the service, such as a 503
 * because too many passwords are hashed, costs its network alone: it was not tried, but the place
 * that it wanted is scarce. "tries" bounds the hashes that people who know their passwords ask
 * for. The names of the buckets are HMACs, so the table names nobody. */
#include "config.h"

#include "access/challenge.h"
#include "daemon/conf.h"
#include "http/http_priv.h"
#include "http/people.h"
#include "http/stages_priv.h"

enum bucket {
	BUCKET_NETWORK,
	BUCKET_56,
	BUCKET_48,
	BUCKET_NAMED,
	BUCKET_KNOWN, /* each of these is followed by the bucket of new networks */
	BUCKET_NEW,
	BUCKET_KNOWN_CODE,
	BUCKET_NEW_CODE,
	BUCKET_KNOWN_TRIES,
	BUCKET_NEW_TRIES,
	BUCKET_STEP,
	BUCKET_LINK,
	BUCKET_PERSON,
	BUCKET_PASSWORD,
	BUCKET_PASSWORD_TRIES,
};

/* The answers after which a unit is not given back. */
enum { KEEP_SUCCESS = 1, KEEP_REFUSAL = 2, KEEP_FAILURE = 4, KEEP_ALL = 7 };

static const struct {
	const char *name; /* a part of the HMAC */
	int64_t size, seconds;
	unsigned keep;
} kinds[] = {
	[BUCKET_NETWORK] = { "network", 20, 600, KEEP_REFUSAL | KEEP_FAILURE },
	[BUCKET_56] = { "network", 40, 600, KEEP_REFUSAL | KEEP_FAILURE },
	[BUCKET_48] = { "network", 80, 600, KEEP_REFUSAL | KEEP_FAILURE },
	[BUCKET_NAMED] = { "named network", 0, 600, KEEP_REFUSAL | KEEP_FAILURE },
	[BUCKET_KNOWN] = { "known", 10, 600, KEEP_REFUSAL },
	[BUCKET_NEW] = { "new", 10, 600, KEEP_REFUSAL },
	[BUCKET_KNOWN_CODE] = { "known code", 10, 600, KEEP_REFUSAL },
	[BUCKET_NEW_CODE] = { "new code", 10, 600, KEEP_REFUSAL },
	[BUCKET_KNOWN_TRIES] = { "known tries", 60, 600, KEEP_ALL },
	[BUCKET_NEW_TRIES] = { "new tries", 60, 600, KEEP_ALL },
	[BUCKET_STEP] = { "step", 5, 600, KEEP_REFUSAL },
	[BUCKET_LINK] = { "link", 20, 600, KEEP_REFUSAL },
	[BUCKET_PERSON] = { "person", 20, 600, KEEP_REFUSAL },
	[BUCKET_PASSWORD] = { "password", 5, 3600, KEEP_SUCCESS },
	[BUCKET_PASSWORD_TRIES] = { "password tries", 20, 600, KEEP_ALL },
};

/* The network of the client's address with a prefix of so many bits; an IPv4 address is a network
   of its own. */
static struct str
client_network(const struct req *rq, uint8_t bits)
{
	struct ipnet net;

	if (!ipnet_parse_address(env_get(rq, "REMOTE_ADDR"), &net))
		return STR("::/0");
	if (!ip_is_v4(net.a))
		net.bits = bits;
	ipnet_clear_host_bits(&net);
	return ipnet_text(rq->arena, &net);
}

static struct throttle_bucket *
add_bucket(struct throttle *t, const struct signing_keys *keys, enum bucket kind, struct str of)
{
	struct throttle_bucket *b = &t->buckets[t->n++];

	seal_tag(keys, &(struct seal_use){ "throttle", str_of(kinds[kind].name) }, of, b->name);
	b->size = kinds[kind].size;
	b->seconds = kinds[kind].seconds;
	b->keep = kinds[kind].keep;
	return b;
}

/* Finds the network of sign_in_networks that contains the client's address. */
static bool
find_named_network(const struct req *rq, struct str *out)
{
	struct str words = str_of(conf.sign_in_networks), word;
	struct ipnet address, net;

	if (!ipnet_parse_address(env_get(rq, "REMOTE_ADDR"), &address))
		return false;
	while (str_word(&words, " \t", &word))
		if (ipnet_parse(word, &net) && ipnet_contains(&net, address.a)) {
			*out = ipnet_text(rq->arena, &net);
			return true;
		}
	return false;
}

/* The holder of an IPv6 network has 65,536 networks of 64 bits, so the larger ones count, too. */
static void
add_network_buckets(const struct req *rq, struct throttle *t, const struct signing_keys *keys)
{
	struct str network = client_network(rq, 64), site = client_network(rq, 56), named;

	if (find_named_network(rq, &named)) {
		add_bucket(t, keys, BUCKET_NAMED, named)->size = conf.sign_in_networks_attempts;
		return;
	}
	add_bucket(t, keys, BUCKET_NETWORK, network);
	if (str_eq(network, site))
		return;
	add_bucket(t, keys, BUCKET_56, site);
	add_bucket(t, keys, BUCKET_48, client_network(rq, 48));
}

/* ---- for whom a password is hashed ---- */

static uint64_t
claim_of_bucket(const struct throttle_bucket *b)
{
	uint64_t n;

	memcpy(&n, b->name, sizeof(n));
	return n;
}

static void
claim_network(struct req *rq, const struct signing_keys *keys)
{
	struct throttle t = { 0 };
	struct str named;

	if (find_named_network(rq, &named)) {
		rq->hash.network = claim_of_bucket(add_bucket(&t, keys, BUCKET_NAMED, named));
		return;
	}
	rq->hash.network = claim_of_bucket(add_bucket(&t, keys, BUCKET_48, client_network(rq, 48)));
	rq->hash.one = !rq->hash.known;
}

/* ---- the buckets of an operation ---- */

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

/* known: the bucket of the e-mail from known networks. */
static int
add_email_bucket(
    struct req *rq, const struct signing_keys *keys, struct str email, enum bucket known)
{
	struct known_network found;
	enum db_rc rc = network_find(rq->db, email, client_network(rq, 64), &found);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	rq->hash.known = found.known;
	rq->hash.person = claim_of_bucket(
	    add_bucket(&rq->throttle, keys, found.known ? known : known + 1, found.email));
	if (known == BUCKET_KNOWN)
		add_bucket(&rq->throttle, keys, found.known ? BUCKET_KNOWN_TRIES : BUCKET_NEW_TRIES,
		    found.email);
	return PASS;
}

static struct str
own_uuid(struct req *rq)
{
	return arena_uuid(rq->arena, &rq->sign_in->person_uuid);
}

/* The cookie proves the person, so no network counts. */
static void
add_password_buckets(struct req *rq, const struct signing_keys *keys)
{
	rq->hash.known = true;
	rq->hash.person =
	    claim_of_bucket(add_bucket(&rq->throttle, keys, BUCKET_PASSWORD, own_uuid(rq)));
	add_bucket(&rq->throttle, keys, BUCKET_PASSWORD_TRIES, own_uuid(rq));
}

/* Five codes for one half-open sign-in; and as many for the person as passwords, or somebody who
   knows the password could begin again and again. A token that is none of ours has the bucket of
   the network alone, and the handler refuses it. */
static int
add_step_buckets(struct req *rq, const struct signing_keys *keys)
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
	add_bucket(&rq->throttle, keys, BUCKET_STEP, text);
	return add_email_bucket(rq, keys, who.email, BUCKET_KNOWN_CODE);
}

static int
add_proof_buckets(struct req *rq, const struct signing_keys *keys)
{
	switch (rq->route->throttle) {
	case THROTTLE_NOTHING:
	case THROTTLE_PROXY:
		return PASS;
	case THROTTLE_EMAIL:
		return add_email_bucket(rq, keys, text_of_body(rq, "email"), BUCKET_KNOWN);
	case THROTTLE_STEP:
		return add_step_buckets(rq, keys);
	case THROTTLE_LINK:
		rq->hash.person = claim_of_bucket(
		    add_bucket(&rq->throttle, keys, BUCKET_LINK, text_of_body(rq, "token")));
		return PASS;
	case THROTTLE_PERSON:
		rq->hash.known = true;
		add_bucket(&rq->throttle, keys, BUCKET_PERSON, own_uuid(rq));
		return PASS;
	case THROTTLE_PASSWORD:
		add_password_buckets(rq, keys);
		return PASS;
	}
	panic("a row's throttle is out of range");
}

/* Whether the company's proxy names a person in this request: then nobody guesses. */
static bool
proxy_names_person(const struct req *rq)
{
	return rq->route->throttle == THROTTLE_PROXY && strcmp(conf.proxy_sign_in, "yes") == 0 &&
	       env_get(rq, "SIGN_IN_EMAIL").n > 0;
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

	if (rq->route->throttle == THROTTLE_NOTHING || proxy_names_person(rq))
		return PASS;
	keys = signing_ring_now(rq->worker->sign_in_keys);
	if (keys == NULL)
		return fail(rq, ERR_AUTHENTICATION_UNAVAILABLE);
	rq->throttle = (struct throttle){ 0 };
	if (add_proof_buckets(rq, keys) != PASS) {
		rq->throttle.n = 0;
		return FAILED;
	}
	claim_network(rq, keys);
	if (!rq->hash.known)
		add_network_buckets(rq, &rq->throttle, keys);
	return spend_units(rq);
}

void
throttle_settle(struct req *rq)
{
	unsigned outcome = rq->status >= 500   ? KEEP_FAILURE
			   : rq->status >= 300 ? KEEP_REFUSAL
					       : KEEP_SUCCESS;
	struct throttle back = { 0 };

	for (size_t i = 0; i < rq->throttle.n; i++)
		if ((rq->throttle.buckets[i].keep & outcome) == 0)
			back.buckets[back.n++] = rq->throttle.buckets[i];
	if (back.n > 0 && throttle_refund(rq->db, rq->arena, &back) != DB_OK)
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
}

void
throttle_failure(struct req *rq)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct throttle t = { 0 };
	struct throttle_full full;

	if (keys == NULL)
		return;
	add_network_buckets(rq, &t, keys);
	if (throttle_spend(rq->db, rq->arena, &t, &full) != DB_OK)
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
}
