/* SPDX-License-Identifier: ISC */
/* src/core against a migrated PostgreSQL, as the role of the API. */
#include "config.h"

#include "access/audit.h"
#include "access/cursor.h"
#include "access/key.h"
#include "access/project.h"
#include "access/scope.h"
#include "base/limits.h"
#include "daemon/conf.h"
#include "db/db.h"
#include "t/unit/pg.h"
#include "t/unit/tap.h"
#include "wire/header.h"

#include <poll.h>
#include <unistd.h>

static struct arena *arena;
static struct db *db, *admin; /* of a worker; of who changes keys meanwhile */
static struct key_cache *cache;

STMT(insert_key, NULL,
    "INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes)"
    " SELECT account_uuid, uuid, 'k', $1, $2, $3::text[]::scope_name[] FROM member WHERE "
    "email = $4");
static const struct field uuid_out[] = { FIELD(struct project, uuid, 0), FIELD_END };
STMT(read_uuid, uuid_out, "SELECT uuid FROM project WHERE name = $1");

struct made {
	char secret[KEY_SECRET_LEN + 1], prefix[KEY_PREFIX_LEN + 1];
};

static struct made
make_for(const char *email, struct strs scopes)
{
	unsigned char hash[KEY_HASH_LEN];
	struct bytes sum = { hash, sizeof(hash) };
	struct made m;

	key_make(m.secret, m.prefix, hash);
	CU_ASSERT_EQUAL(db_do(admin, &insert_key, NULL, P(str_of(m.prefix)), P(sum), P(scopes),
			    P(str_of(email))),
	    DB_OK);
	return m;
}

static struct made
make(void)
{
	static const struct str scopes[] = { STR_INIT("search.view"),
		STR_INIT("search.aggregate") };

	return make_for("ann@example.org", (struct strs){ scopes, COUNT(scopes) });
}

static enum key_rc
look(const char *secret, struct key *k)
{
	return key_lookup(cache, (struct secret){ str_of(secret) }, k);
}

static bool
change(const char *fmt, const char *prefix)
{
	struct pollfd pfd = { .events = POLLIN };
	char *sql = malloc(strlen(fmt) + 64);
	const char *mark = strstr(fmt, "KEY");
	size_t head = mark != NULL ? (size_t)(mark - fmt) : strlen(fmt);
	bool ok;

	snprintf(sql, strlen(fmt) + 64, "%.*s%s%s", (int)head, fmt, mark != NULL ? prefix : "",
	    mark != NULL ? mark + 3 : "");
	ok = db_script(admin, sql) == DB_OK;
	free(sql);
	/* The server sends notifications soon after the commit, not before it. */
	pfd.fd = db_socket(db);
	if (ok && pfd.fd >= 0)
		CU_ASSERT_EQUAL(poll(&pfd, 1, 60000), 1);
	return ok;
}

static void
names_are_exact(void) /* C-009 */
{
	CU_ASSERT_EQUAL(scope_parse(STR("search.view")), SCOPE_SEARCH_VIEW);
	CU_ASSERT_EQUAL(scope_parse(STR("search.aggregate")), SCOPE_SEARCH_AGGREGATE);
	CU_ASSERT_EQUAL(scope_parse(STR("search")), SCOPE_UNSET);
	CU_ASSERT_EQUAL(scope_parse(STR("any")), SCOPE_UNSET);
	CU_ASSERT_STRING_EQUAL(scope_name(SCOPE_RULES_MANAGE), "rules.manage");
	CU_ASSERT_EQUAL(entitlement_parse(STR("browser")), ENTITLEMENT_BROWSER);
	CU_ASSERT_EQUAL(entitlement_parse(STR("any")), ENTITLEMENT_UNSET);
	CU_ASSERT_STRING_EQUAL(entitlement_name(ENTITLEMENT_ESI), "esi");
}

static void
a_key_is_found_whole(void) /* C-006, C-009 */
{
	struct made m = make();
	struct key k;

	CU_ASSERT_EQUAL_FATAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_STRING_EQUAL(k.prefix, m.prefix);
	CU_ASSERT_TRUE(k.account_active);
	CU_ASSERT_TRUE(key_has_scope(&k, SCOPE_SEARCH_VIEW) && key_has_scope(&k, SCOPE_ANY));
	CU_ASSERT_FALSE(key_has_scope(&k, SCOPE_REPORTS_VIEW) || key_has_scope(&k, SCOPE_UNSET));
	CU_ASSERT_TRUE(key_has_entitlement(&k, ENTITLEMENT_SEARCH) &&
		       key_has_entitlement(&k, ENTITLEMENT_ANY));
	CU_ASSERT_FALSE(
	    key_has_entitlement(&k, ENTITLEMENT_ESI) || key_has_entitlement(&k, ENTITLEMENT_UNSET));
	CU_ASSERT_TRUE(ts_is_null(k.valid_until));
}

static void
nothing_less_is_a_key(void) /* C-003, C-006 */
{
	struct made m = make(), wrong;
	struct key k;

	CU_ASSERT_EQUAL(look("", &k), KEY_UNKNOWN);
	CU_ASSERT_EQUAL(key_lookup(cache, (struct secret){ STR_NULL }, &k), KEY_UNKNOWN);
	CU_ASSERT_EQUAL(look(m.prefix, &k), KEY_UNKNOWN);
	wrong = m;
	wrong.secret[4] = '-';
	CU_ASSERT_EQUAL(look(wrong.secret, &k), KEY_UNKNOWN);
	for (size_t i = 0; i < KEY_SECRET_LEN; i++) {
		wrong = m;
		wrong.secret[i] = wrong.secret[i] == 'A' ? 'B' : 'A';
		CU_ASSERT_EQUAL(look(wrong.secret, &k), KEY_UNKNOWN);
		wrong = m;
		wrong.secret[i] = '\0';
		CU_ASSERT_EQUAL(look(wrong.secret, &k), KEY_UNKNOWN);
	}
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
}

static void
a_change_is_seen_at_once(void) /* C-003, C-008, C-010 */
{
	struct made m = make();
	struct key k;

	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_TRUE(change("DELETE FROM account_scope WHERE scope = 'search.view'", NULL));
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_FALSE(key_has_scope(&k, SCOPE_SEARCH_VIEW));
	CU_ASSERT_TRUE(key_has_scope(&k, SCOPE_SEARCH_AGGREGATE));
	CU_ASSERT_TRUE(
	    change("INSERT INTO account_scope SELECT uuid, 'search.view' FROM account", NULL));
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_TRUE(key_has_scope(&k, SCOPE_SEARCH_VIEW));
	CU_ASSERT_TRUE(change("UPDATE account SET state = 'suspended'", NULL));
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_FALSE(k.account_active);
	CU_ASSERT_TRUE(change("UPDATE account SET state = 'active'", NULL));
	CU_ASSERT_TRUE(change("DELETE FROM entitlement", NULL));
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_FALSE(key_has_entitlement(&k, ENTITLEMENT_SEARCH));
	CU_ASSERT_TRUE(change("INSERT INTO entitlement (account_uuid, name) SELECT uuid, "
			      "'search' FROM account",
	    NULL));
	CU_ASSERT_TRUE(
	    change("UPDATE api_key SET revoked_at = now() WHERE prefix = 'KEY'", m.prefix));
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_UNKNOWN);
	CU_ASSERT_FALSE(
	    change("UPDATE api_key SET revoked_at = NULL WHERE prefix = 'KEY'", m.prefix));
}

/* An expiry sends no notification; only the clock shows it. */
static void
expiry_beats_the_cache(void)
{
	struct made m = make();
	struct key k;
	struct ts end, now;

	/* A slow machine sees it only if it is good for long enough. */
	for (int ms = 400; ms < 300000; ms *= 2) {
		char sql[200];

		snprintf(sql, sizeof(sql),
		    "UPDATE api_key SET expires_at = clock_timestamp() + interval '%d ms'"
		    " WHERE prefix = 'KEY'",
		    ms);
		CU_ASSERT_TRUE(change(sql, m.prefix));
		if (look(m.secret, &k) == KEY_FOUND)
			break;
	}
	CU_ASSERT_FALSE_FATAL(ts_is_null(k.valid_until));
	end = k.valid_until;
	do {
		now = ts_now();
		if (look(m.secret, &k) == KEY_FOUND)
			CU_ASSERT_TRUE(ts_cmp(now, end) < 0);
	} while (ts_cmp(now, end) < 0);
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_UNKNOWN);
}

static void
without_the_store_no_key_is_good(void) /* C-018 */
{
	struct made m = make();
	struct key k;

	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
	pg_do("kill");
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_UNAVAILABLE);
	CU_ASSERT_EQUAL(look("sfk_x", &k), KEY_UNKNOWN); /* needs no store */
	pg_do("resume");
	CU_ASSERT_EQUAL(look(m.secret, &k), KEY_FOUND);
}

static enum db_rc
see(const struct key *k, const char *name, struct project *p)
{
	struct project found;

	CU_ASSERT_EQUAL(db_one(admin, &read_uuid, &found, P(str_of(name))), DB_OK);
	return project_find(db, k, found.uuid, p);
}

static void
projects_have_ceilings(void) /* C-116 */
{
	struct made ann = make();
	struct made bob = make_for("bob@example.org", (struct strs){ NULL, 0 });
	struct project p;
	struct key k;

	CU_ASSERT_EQUAL_FATAL(look(ann.secret, &k), KEY_FOUND);
	CU_ASSERT_EQUAL(see(&k, "one", &p), DB_OK);
	CU_ASSERT_TRUE(str_is(p.name, "one") && p.manager);
	CU_ASSERT_EQUAL(see(&k, "foreign", &p), DB_NONE);
	CU_ASSERT_EQUAL(project_find(db, &k, uuid_random(), &p), DB_NONE);
	CU_ASSERT_TRUE(change("UPDATE api_key SET projects = ARRAY(SELECT uuid FROM "
			      "project WHERE name = 'two')"
			      " WHERE prefix = 'KEY'",
	    ann.prefix));
	CU_ASSERT_EQUAL(see(&k, "one", &p), DB_NONE);
	CU_ASSERT_EQUAL(see(&k, "two", &p), DB_OK);
	CU_ASSERT_EQUAL_FATAL(look(bob.secret, &k), KEY_FOUND);
	CU_ASSERT_EQUAL(see(&k, "one", &p), DB_NONE);
	CU_ASSERT_EQUAL(see(&k, "two", &p), DB_OK);
	CU_ASSERT_FALSE(p.manager);
	CU_ASSERT_TRUE(
	    change("UPDATE member SET removed_at = now() WHERE email = 'bob@example.org'", NULL));
	CU_ASSERT_EQUAL(look(bob.secret, &k), KEY_UNKNOWN);
}

static void
a_key_holds_no_more_than_its_account(void) /* C-790 */
{
	CU_ASSERT_TRUE(change("DELETE FROM account_scope WHERE scope = 'rules.view'", NULL));
	CU_ASSERT_EQUAL(
	    db_script(admin, "UPDATE api_key SET scopes = '{rules.view}'"), DB_CONFLICT);
	CU_ASSERT_STRING_EQUAL(
	    db_message(admin), "the account does not allow the scope rules.view");
	CU_ASSERT_EQUAL(
	    db_script(admin, "UPDATE api_key SET projects = ARRAY(SELECT uuid FROM project"
			     " WHERE name = 'foreign')"),
	    DB_CONFLICT);
	CU_ASSERT_EQUAL(db_script(admin, "UPDATE api_key SET owner_uuid = (SELECT uuid FROM member"
					 " WHERE email = 'bob@example.org')"),
	    DB_CONFLICT);
}

static void
secrets_differ(void)
{
	unsigned char hash[KEY_HASH_LEN];
	struct made a, b;

	key_make(a.secret, a.prefix, hash);
	key_make(b.secret, b.prefix, hash);
	CU_ASSERT_STRING_NOT_EQUAL(a.secret, b.secret);
	CU_ASSERT_EQUAL(strlen(a.secret), KEY_SECRET_LEN);
	CU_ASSERT_NSTRING_EQUAL(a.secret, a.prefix, KEY_PREFIX_LEN);
}

static void
headers_of_credentials_are_secret(void)
{
	static const struct str secret[] = { STR_INIT("Cookie"), STR_INIT("set-cookie2"),
		STR_INIT("Proxy-Authorization"), STR_INIT("X-API-Key") };
	static const struct str open[] = { STR_INIT("cookies"), STR_INIT("proxy"),
		STR_INIT("x-api-keys"), STR_INIT("authorizatio"), STR_INIT("") };

	for (size_t i = 0; i < COUNT(secret); i++)
		CU_ASSERT_TRUE(header_secret(secret[i]));
	for (size_t i = 0; i < COUNT(open); i++)
		CU_ASSERT_FALSE(header_secret(open[i]));
}

static const struct cursor_for mine = {
	.key = { { 1 } },
	.operation = STR_INIT("search_hosts"),
	.filters = STR_INIT("port:22"),
};

static void
cursors_come_back(void)
{
	struct cursor_secret s = { .bytes = { 7 } };
	char most[CURSOR_PAYLOAD_MAX];
	struct str text, payload;

	text = cursor_seal(arena, &s, &mine, STR("203.0.113.7"));
	CU_ASSERT_TRUE(cursor_open(arena, &s, &mine, text, &payload));
	CU_ASSERT_TRUE(str_is(payload, "203.0.113.7"));
	text = cursor_seal(arena, &s, &mine, STR(""));
	CU_ASSERT_TRUE(cursor_open(arena, &s, &mine, text, &payload) && payload.n == 0);
	memset(most, 'x', sizeof(most));
	text = cursor_seal(arena, &s, &mine, (struct str){ most, sizeof(most) });
	CU_ASSERT_TRUE(text.n <= LIM_CURSOR);
	CU_ASSERT_TRUE(cursor_open(arena, &s, &mine, text, &payload) && payload.n == sizeof(most));
}

static void
cursors_are_for_one_use(void)
{
	struct cursor_secret s = { .bytes = { 7 } }, other = { .bytes = { 8 } };
	struct str text = cursor_seal(arena, &s, &mine, STR("203.0.113.7")), payload;
	struct cursor_for f = mine;
	char *bent = arena_alloc(arena, text.n + 1);

	f.key.b[15] = 1;
	CU_ASSERT_FALSE(cursor_open(arena, &s, &f, text, &payload));
	f = mine;
	f.operation = STR("search_dns");
	CU_ASSERT_FALSE(cursor_open(arena, &s, &f, text, &payload));
	f = mine;
	f.operation = STR("search_host"); /* not the same bytes split elsewhere */
	f.filters = STR("sport:22");
	CU_ASSERT_FALSE(cursor_open(arena, &s, &f, text, &payload));
	CU_ASSERT_FALSE(cursor_open(arena, &other, &mine, text, &payload));
	for (size_t i = 0; i < text.n; i++) {
		memcpy(bent, text.p, text.n);
		bent[i] = bent[i] == 'A' ? 'B' : 'A';
		CU_ASSERT_FALSE(
		    cursor_open(arena, &s, &mine, (struct str){ bent, text.n }, &payload));
		CU_ASSERT_FALSE(cursor_open(arena, &s, &mine, (struct str){ text.p, i }, &payload));
	}
}

static void
cursor_secrets_are_long(void)
{
	char path[] = "/tmp/surfaced-secret.XXXXXX", err[200];
	struct cursor_secret s, again;
	int fd = mkstemp(path);

	CU_ASSERT_EQUAL(write(fd, "0123456789abcdef0123456789abcde", 31), 31);
	CU_ASSERT_FALSE(cursor_secret_read(path, &s, err, sizeof(err)));
	CU_ASSERT_EQUAL(write(fd, "f", 1), 1);
	CU_ASSERT_TRUE(cursor_secret_read(path, &s, err, sizeof(err)));
	CU_ASSERT_TRUE(cursor_secret_read(path, &again, err, sizeof(err)));
	CU_ASSERT_EQUAL(memcmp(&s, &again, sizeof(s)), 0);
	close(fd);
	unlink(path);
	CU_ASSERT_FALSE(cursor_secret_read(path, &s, err, sizeof(err)));
}

static void
write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	CU_ASSERT_TRUE(out != NULL && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void
cursor_secrets_rotate(void)
{
	char path[] = "/tmp/surfaced-secret.XXXXXX", text[CURSOR_SECRET_TEXT + 1], err[200];
	struct cursor_secret s[4];
	struct str payload;

	close(mkstemp(path));
	write_file(path, "0123456789abcdef0123456789abcdef");
	CU_ASSERT_TRUE(cursor_secret_read(path, &s[0], err, sizeof(err)));
	for (int i = 1; i < 4; i++) {
		cursor_secret_print(text, i == 3 ? NULL : &s[i - 1]);
		write_file(path, text);
		CU_ASSERT_TRUE(cursor_secret_read(path, &s[i], err, sizeof(err)));
	}
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			CU_ASSERT_EQUAL(cursor_open(arena, &s[k], &mine,
					    cursor_seal(arena, &s[i], &mine, STR("x")), &payload),
			    k == i || (k == i + 1 && k < 3));
	write_file(path, "cursor-key 0123456789abcdef0123456789abcdef\n");
	CU_ASSERT_FALSE(cursor_secret_read(path, s, err, sizeof(err)));
	unlink(path);
}

static void
audit_is_written_and_stands(void)
{
	struct audit a = {
		.actor = STR("key:sfk_xxxxxxxx"),
		.action = STR("session.create"),
		.subject = STR("session"),
		.subject_id = STR("1"),
		.after = { STR("{\"a\":1}") },
		.request_id = STR("r-1"),
	};

	CU_ASSERT_EQUAL(audit_write(db, &a), DB_OK); /* as surfaced_api */
	a.action = STR("nonsense");
	CU_ASSERT_EQUAL(audit_write(db, &a), DB_CONFLICT);
	CU_ASSERT_EQUAL(db_script(db, "DELETE FROM audit"), DB_DOWN);        /* no right */
	CU_ASSERT_EQUAL(db_script(admin, "DELETE FROM audit"), DB_CONFLICT); /* nor the superuser */
}

static CU_TestInfo tests[] = {
	{ "names of scopes and entitlements match exactly", names_are_exact },
	{ "a key is found by its complete secret", a_key_is_found_whole },
	{ "a part of a key is not found", nothing_less_is_a_key },
	{ "a change of a key is in force at once", a_change_is_seen_at_once },
	{ "an expired key is refused though it is cached", expiry_beats_the_cache },
	{ "no key is accepted without the key store", without_the_store_no_key_is_good },
	{ "projects have the ceilings of key and owner", projects_have_ceilings },
	{ "a key has no more scopes than its account", a_key_holds_no_more_than_its_account },
	{ "two new keys have different secrets", secrets_differ },
	{ "headers with credentials are recognised as secret", headers_of_credentials_are_secret },
	{ "a cursor opens to the values that were sealed", cursors_come_back },
	{ "a cursor opens only for its own use", cursors_are_for_one_use },
	{ "a short secret of cursors is refused", cursor_secrets_are_long },
	{ "a cursor of the secret before the last rotation opens", cursor_secrets_rotate },
	{ "an audit entry is written and cannot be deleted", audit_is_written_and_stands },
	CU_TEST_INFO_NULL,
};

static const char world[] =
    "INSERT INTO account (name) VALUES ('A'), ('B');"
    "INSERT INTO account_scope SELECT uuid, s::scope_name FROM account,"
    " unnest('{search.view,search.aggregate,rules.view}'::text[]) AS s;"
    "INSERT INTO entitlement (account_uuid, name) SELECT uuid, 'search' FROM account;"
    "INSERT INTO member (account_uuid, name, email, role, all_projects)"
    " SELECT uuid, v.name, v.email, v.role, v.all_projects FROM account, (VALUES"
    "  ('Ann', 'ann@example.org', 'owner', true), ('Bob', 'bob@example.org', 'member', "
    "false))"
    "  AS v(name, email, role, all_projects) WHERE account.name = 'A';"
    "INSERT INTO project (account_uuid, name) SELECT uuid, p FROM account, "
    "unnest('{one,two}'::text[]) AS p"
    " WHERE account.name = 'A';"
    "INSERT INTO project (account_uuid, name) SELECT uuid, 'foreign' FROM account WHERE "
    "name = 'B';"
    "INSERT INTO project_member (account_uuid, project_uuid, member_uuid)"
    " SELECT account_uuid, p.uuid, m.uuid FROM project p JOIN member m USING "
    "(account_uuid)"
    "  WHERE p.name = 'two' AND m.name = 'Bob'";

int
main(void)
{
	char err[200];
	int status;

	pg_do("start");
	pg_do("migrate");
	if (!conf_load("surfaced", NULL, err, sizeof(err)))
		panic("%s", err);
	arena = arena_new(64 * 1024 * 1024);
	admin = db_open(pg_conninfo("postgres"), "admin");
	db = db_open(pg_conninfo("surfaced_api"), "worker");
	db_use(admin, arena, 0);
	db_use(db, arena, 0);
	cache = key_cache_new(db);
	if (db_script(admin, world) != DB_OK)
		panic("%s", db_message(admin));
	status = tap_main(tests);
	key_cache_free(cache);
	db_close(db);
	db_close(admin);
	arena_free(arena);
	pg_remove();
	return status;
}
