/* SPDX-License-Identifier: ISC */
/* What the service knows and every program shares: API keys, project visibility, cursors, audit. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "db/db.h"

/* ---- scopes and entitlements: 0 is "not said", so that a route that forgot its column is found ---- */

enum scope {
	SCOPE_UNSET,
	SCOPE_ANY, /* a valid key is enough */
#define SCOPE(id, name, help) SCOPE_##id,
#include "tbl/scopes.h"
#undef SCOPE
	SCOPE_COUNT,
};

enum entitlement {
	ENTITLEMENT_UNSET,
	ENTITLEMENT_ANY, /* none is needed */
#define ENTITLEMENT(id, name, help) ENTITLEMENT_##id,
#include "tbl/entitlements.h"
#undef ENTITLEMENT
	ENTITLEMENT_COUNT,
};

const char *scope_name(enum scope s);    /* "search.view"; SCOPE_ANY: "any" */
enum scope scope_parse(struct str name); /* SCOPE_UNSET: there is no such scope */
const char *entitlement_name(enum entitlement e);
enum entitlement entitlement_parse(struct str name);

/* What records may be, as the database has it; NULL ends each. The least severe and the default first. */
extern const char *const severities[],
    *const alert_sources[], *const asset_kinds[], *const session_states[],
						      *const session_profiles[],
							  *const shot_reasons[],
							      *const net_kinds[];

/* ---- API keys ---- */

/* A complete key as a client sends it. Nothing prints one. */
struct secret {
	struct str hidden;
};

/* sfk_ + 8 characters of prefix + _ + 43 characters of URL-safe base64 (256 random bits). The prefix
   "sfk_xxxxxxxx" is what logs and people see. */
enum { KEY_PREFIX_LEN = 12, KEY_SECRET_LEN = 56, KEY_HASH_LEN = 32 };

struct key {
	struct uuid uuid, owner,
	    account;            /* owner: the membership that holds it, for ever */
	struct uuid group_uuid; /* of accounts that share a quota; all zero: none */
	char prefix[KEY_PREFIX_LEN + 1];
	uint64_t
	    scopes; /* bits 1 << enum scope: stored and allowed by the account now (C-010) */
	uint64_t
	    entitlements;    /* bits 1 << enum entitlement: of the account, not expired */
	bool account_active; /* C-008 */
	struct ts
	    valid_until; /* when the key or one of its entitlements expires; TS_NULL: never */
};

enum key_rc {
	KEY_FOUND,
	KEY_UNKNOWN, /* malformed, unknown, expired or revoked: nobody is told which (C-003) */
	KEY_UNAVAILABLE, /* the key store cannot be asked: authentication_unavailable (C-018) */
};

/* One worker's memory of keys it has read. An entry lives for conf.key_cache at most, and all go when
   the database tells of a change or the connection is lost. db must outlive it. */
struct key_cache;
struct key_cache *key_cache_new(struct db *db);
void key_cache_free(struct key_cache *c);

/* Call db_use first: the look-up obeys its deadline. */
enum key_rc key_lookup(
    struct key_cache *c, struct secret secret, struct key *out) MUST_USE;
bool key_has_scope(const struct key *k, enum scope s);
bool key_has_entitlement(const struct key *k, enum entitlement e);

/* A new secret in out, for the one time it is shown; with its prefix and the hash that is stored. */
void key_make(char out[KEY_SECRET_LEN + 1], char prefix[KEY_PREFIX_LEN + 1],
    unsigned char hash[KEY_HASH_LEN]);

/* ---- projects ---- */

struct project {
	struct uuid uuid, account;
	struct str name;
	bool manager; /* the key's owner manages it */
};

/* DB_NONE when the project does not exist, is another account's, or is outside the ceiling of the
   key or of its owner: one answer, 404 (C-116). */
enum db_rc project_find(struct db *db, const struct key *k, struct uuid project,
    struct project *out) MUST_USE;

/* ---- cursors: opaque to the client, signed, good for one key, operation and set of filters ---- */

enum { CURSOR_PAYLOAD_MAX = 360 };

enum { CURSOR_KEY_LEN = 32 };

/* bytes signs. A cursor that before signed is accepted too. */
struct cursor_secret {
	unsigned char bytes[CURSOR_KEY_LEN], before[CURSOR_KEY_LEN];
	bool has_before;
};

/* Of conf.secret_file: the lines that cursor_secret_print makes, or at least 32 random bytes of any kind, from
   which the key is derived. False with a reason otherwise. */
bool cursor_secret_read(
    const char *path, struct cursor_secret *out, char *err, size_t room) MUST_USE;
/* The text of a secret file with a new key, and old's as the one before; old: NULL where there is none. */
enum { CURSOR_SECRET_TEXT = 2 * (11 + 2 * CURSOR_KEY_LEN + 1) };
void cursor_secret_print(
    char out[CURSOR_SECRET_TEXT + 1], const struct cursor_secret *old);

struct cursor_for {
	struct uuid key;
	struct str operation;
	struct str
	    filters; /* everything that selects and orders: query, dataset, limit is not one */
};

/* Text of at most LIM_CURSOR characters. payload: where the next page begins, CURSOR_PAYLOAD_MAX
   bytes at most. */
struct str cursor_seal(struct arena *a, const struct cursor_secret *s,
    const struct cursor_for *f, struct str payload);
/* False for anything that cursor_seal did not make for the same key, operation and filters. */
bool cursor_open(struct arena *a, const struct cursor_secret *s,
    const struct cursor_for *f, struct str text, struct str *payload) MUST_USE;

/* ---- webhooks: where alerts may be sent, and with what secret they are signed ---- */

/* NULL when url may be a destination: https, no user information or fragment, a public address or a name
   that can be one, and a port of ports (as conf.webhook_ports) where no other protocol listens; otherwise what
   is wrong with it. Addresses are checked again when it is used. */
const char *webhook_url_fault(struct str url, const char *ports);

/* "whsec_" and base64 of 32 random bytes, as Standard Webhooks has it. */
enum { WEBHOOK_KEY_LEN = 32, WEBHOOK_SECRET_LEN = 50 };
void webhook_secret_make(char out[WEBHOOK_SECRET_LEN + 1]);

struct webhook {
	struct str secret, id, body;
	int64_t at; /* seconds since 1970: of the attempt */
};

/* What webhook-signature says: "v1," and base64 of HMAC-SHA256 over id.at.body. STR_NULL: no such secret. */
struct str webhook_sign(struct arena *a, const struct webhook *w);

/* ---- addresses: what the outside world has (BROWSER.md, Egress); in network order ---- */

bool netaddr_public4(const unsigned char a[4]);
bool netaddr_public6(const unsigned char a[16]);

/* ---- start_url: where a browser may be sent, judged by its text alone, without DNS ---- */

enum start_url_fault {
	START_URL_OK,
#define START_URL_FAULT(id, code, subject, message) START_URL_##id,
#include "tbl/start_url_faults.h"
#undef START_URL_FAULT
	START_URL_FAULTS,
};

const char *start_url_fault_code(enum start_url_fault f); /* of a field error */
/* For people, in the arena: "must begin with http:// or https://", with a name for the URL before it unless
   name is empty; or "192.168.1.1 is not public; ...", which shows the host of the URL and needs no name. */
struct str start_url_fault_message(
    struct arena *a, enum start_url_fault f, struct str name, struct str url);

/* Strict wherever parsers disagree (C-093, C-094). canonical: what every parser reads alike, in the arena;
   checked again it is itself. */
enum start_url_fault start_url_check(
    struct arena *a, struct str url, struct str *canonical) MUST_USE;
/* The same for a URL that is in its canonical form, which may be longer than the one that was sent. */
enum start_url_fault start_url_check_stored(
    struct arena *a, struct str url, struct str *canonical) MUST_USE;
/* Its host alone, a name or an IPv4 address: valid UTF-8, not empty. out: as it is looked up, in lower-case
   ASCII without a dot at its end. */
enum start_url_fault start_url_host(
    struct arena *a, struct str text, struct str *out) MUST_USE;
/* Whether the last label of a name, in lower-case ASCII, is a top-level domain of the public Internet. */
bool host_delegated(struct arena *a, struct str host);
/* The name that was registered for host, one label below a public suffix; NULL: there is none. */
struct str host_registrable(struct arena *a, struct str host);
/* One of tbl/local_names.h, or below it. */
bool host_local(struct str host);
/* A port that Chromium does not open, because another protocol listens there. */
bool start_url_port_blocked(int64_t port);

/* ---- evidence: an image is a file of evidence_directory, named by its SHA-256 ---- */

enum { EVIDENCE_HASH_LEN = 32 };

struct evidence_path {
	char outer[4000], inner[4000], file[4096]; /* two folders, one in the other */
};

/* False: evidence_directory's name is too long. */
bool evidence_path(
    const unsigned char sha256[EVIDENCE_HASH_LEN], struct evidence_path *out) MUST_USE;

/* A header whose value is a credential or a cookie: evidence has its name alone. */
bool header_secret(struct str name);

/* ---- hosts ---- */

/* "machine:run_directory": what is restored elsewhere is another one. Static. */
struct str host_name(void);

/* ---- countries: ISO 3166-1 ---- */

const char *country_name(struct str code); /* "GB"; NULL: there is none */

/* ---- Idempotency-Key: spaces and requests are stored as hashes of their parts ---- */

enum { IDEM_HASH_LEN = 32 };

/* Of the parts and of where each ends. */
void idem_hash(const struct str *parts, size_t n, unsigned char out[IDEM_HASH_LEN]);

/* ---- audit: who did what; the database keeps it insert-only ---- */

struct audit {
	struct str actor;          /* "key:sfk_xxxxxxxx" or "os:root" */
	struct str action;         /* "key.create" */
	struct str subject;        /* a kind: "account", "tag" */
	struct str subject_id;     /* its uuid or slug */
	struct uuid account;       /* all zero: none */
	struct json before, after; /* without text: none */
	struct str request_id;     /* without text: none */
};

/* Tells the triggers that write lines of their own for whom this transaction acts. */
enum db_rc audit_as(struct db *db, struct str actor, struct str request_id) MUST_USE;
/* In the caller's transaction, so that no change stands without its line. */
enum db_rc audit_write(struct db *db, const struct audit *a) MUST_USE;

/* ---- what this directory asks of the database: for -D sql ---- */

extern const struct stmt *const core_audit_stmts[];
extern const struct stmt *const core_key_stmts[];
extern const struct stmt *const core_project_stmts[];

#endif
