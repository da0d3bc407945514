/* SPDX-License-Identifier: ISC */
/* surfacectl setup: the first account, its owner and its first key, for an administrator who has
 * just installed the package. The command may run any number of times: it creates what is missing
 * and reports what is there.
 *
 *   account        found by its name, or created with every scope
 *      |
 *   entitlements   those of --entitlement; without the option, all for an account that has none
 *      |
 *   owner          found by the address, or created with a link to join; another owner is refused,
 *      |           because the address may be mistyped
 *      |
 *   key            a key of the owner that works, or a new one with every scope that the account allows
 *
 * All steps are one transaction, so a run that fails leaves the database as it was and shows no
 * key. A lock lets another run wait for the end of this one; both would create the same account
 * otherwise, and one of them would fail. The key is printed after the commit: a key that was shown
 * works. */
#include "config.h"

#include "cli/nginx.h"
#include "cli/setup.h"
#include "daemon/conf.h"

#include <unistd.h>

enum { STEPS = 4 };

struct step {
	struct str step, state, detail;
};

static const struct field step_out[] = {
	FIELD(struct step, step, 0),
	FIELD(struct step, state, 0),
	FIELD(struct step, detail, 0),
	FIELD_END,
};

struct setup {
	struct str name, email, person, nginx;
	struct cli_list given; /* --entitlement */
	struct step done[STEPS];
	size_t ndone;
	struct account account;

	/* members of the output */
	struct uuid account_uuid, owner_uuid, key_uuid;
	struct str prefix, key; /* key: unset, unless it is new */
	struct str link, token; /* one is set for a new owner: the way into the console */
	struct ts link_expires_at;
	struct list steps, next;
};

static const struct field setup_out[] = {
	LIST(struct setup, steps, 0, struct step, step_out, 0, 0),
	FIELD(struct setup, account_uuid, 0),
	FIELD(struct setup, owner_uuid, 0),
	FIELD(struct setup, key_uuid, 0),
	FIELD(struct setup, prefix, 0),
	FIELD(struct setup, key, NULLABLE),
	FIELD(struct setup, link, OMIT_UNSET),
	FIELD(struct setup, token, OMIT_UNSET),
	FIELD(struct setup, link_expires_at, OMIT_UNSET),
	LIST_OF(struct setup, next, 0, struct str, 0, 0),
	FIELD_END,
};

struct found_account {
	struct uuid uuid;
};

static const struct field found_account_out[] = { FIELD(struct found_account, uuid, 0), FIELD_END };

struct found_owner {
	struct uuid uuid;
	struct str email, role;
	bool given; /* the member has the address of --email */
};

static const struct field found_owner_out[] = {
	FIELD(struct found_owner, uuid, 0),
	FIELD(struct found_owner, email, 0),
	FIELD(struct found_owner, role, 0),
	FIELD(struct found_owner, given, 0),
	FIELD_END,
};

struct found_key {
	struct uuid uuid;
	struct str prefix;
};

static const struct field found_key_out[] = {
	FIELD(struct found_key, uuid, 0),
	FIELD(struct found_key, prefix, 0),
	FIELD_END,
};

STMT(lock_setup, NULL, "SELECT pg_advisory_xact_lock(hashtextextended('surfacectl setup', 0))");

STMT(setup_account, found_account_out, "SELECT uuid FROM account WHERE name = $1");

/* An entitlement that has expired is granted again, without an end. */
STMT(setup_entitlements, NULL,
    "INSERT INTO entitlement (account_uuid, name)"
    " SELECT DISTINCT $1::uuid, e FROM unnest($2::text[]) AS e"
    " ON CONFLICT (account_uuid, name) DO UPDATE SET expires_at = NULL"
    "  WHERE entitlement.expires_at <= now()");

/* The member with the address, or else the first owner. */
STMT(setup_owner, found_owner_out,
    "SELECT uuid, email, role, lower(email) = lower($2) AS given FROM member"
    " WHERE account_uuid = $1 AND removed_at IS NULL"
    "  AND (lower(email) = lower($2) OR role = 'owner')"
    " ORDER BY lower(email) = lower($2) DESC, created_at, uuid LIMIT 1");

STMT(setup_key, found_key_out,
    "SELECT uuid, prefix FROM api_key WHERE account_uuid = $1 AND owner_uuid = $2 AND kind = 'key'"
    " AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"
    " ORDER BY created_at, uuid LIMIT 1");

/* ---- the steps ---- */

static void
note_step(struct setup *s, struct str step, bool created, struct str detail)
{
	s->done[s->ndone++] =
	    (struct step){ step, created ? STR("created") : STR("exists"), detail };
}

static int
reread_account(struct cli *c, struct setup *s)
{
	enum db_rc rc = db_one(c->db, &show_account, &s->account, P(s->account_uuid));

	return rc == DB_OK ? EXIT_OK : cli_fail_db(c, rc, s->name.p);
}

static int
set_up_account(struct cli *c, struct setup *s)
{
	struct cli_list all = { (struct str[]){ STR("all") }, 1 };
	struct account_wanted w = { .name = s->name };
	struct found_account f;
	enum db_rc rc = db_one(c->db, &setup_account, &f, P(s->name));
	bool create = rc == DB_NONE;
	int status;

	if (create && !cli_scopes(c, all, &w.scopes))
		return EXIT_USAGE;
	if (create)
		rc = account_insert(c->db, &w, &f.uuid);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s->name.p);
	s->account_uuid = f.uuid;
	note_step(s, STR("account"), create, s->name);
	status = reread_account(c, s);
	if (status != EXIT_OK)
		return status;
	if (!str_is(s->account.state, "active"))
		return cli_fail(EXIT_FAILED,
		    "%s is suspended, and its keys are refused: surfacectl accounts activate "
		    "\"%s\"",
		    s->name.p, s->name.p);
	if (s->account.scopes.n == 0)
		return cli_fail(EXIT_FAILED,
		    "%s allows its keys no scope: surfacectl accounts allow \"%s\" all", s->name.p,
		    s->name.p);
	return EXIT_OK;
}

static struct str
join_names(struct arena *a, struct list names)
{
	const struct str *name = names.items;
	struct buf b = { .a = a };

	for (size_t i = 0; i < names.n; i++) {
		buf_z(&b, i > 0 ? ", " : "");
		buf_str(&b, name[i]);
	}
	return buf_done(&b);
}

static int
set_up_entitlements(struct cli *c, struct setup *s)
{
	struct str all[ENTITLEMENT_COUNT];
	struct strs wanted = { s->given.p, s->given.n };
	int64_t changed = 0;
	enum db_rc rc;
	int status;

	if (wanted.n == 0 && s->account.entitlements.n == 0) {
		for (unsigned e = ENTITLEMENT_ANY + 1; e < ENTITLEMENT_COUNT; e++)
			all[wanted.n++] = str_of(entitlement_name((enum entitlement)e));
		wanted.p = all;
	}
	rc = db_do(c->db, &setup_entitlements, &changed, P(s->account_uuid), P(wanted));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s->name.p);
	status = reread_account(c, s);
	if (status == EXIT_OK)
		note_step(s, STR("entitlements"), changed > 0,
		    join_names(c->arena, s->account.entitlements));
	return status;
}

static int
insert_owner(struct cli *c, struct setup *s)
{
	static const struct uuid none;
	struct cli_link link;
	struct member m;
	enum db_rc rc = db_one(c->db, &insert_member, &m, P(s->account_uuid),
	    P(s->person.p == NULL ? s->email : s->person), P(s->email), P(STR("owner")), P(true));

	if (rc == DB_OK)
		rc = cli_link_make(c, m.uuid, none, &link);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s->email.p);
	s->owner_uuid = m.uuid;
	s->link = link.link;
	s->token = link.token;
	s->link_expires_at = link.expires_at;
	note_step(s, STR("owner"), true, m.email);
	return EXIT_OK;
}

static int
set_up_owner(struct cli *c, struct setup *s)
{
	struct found_owner f;
	enum db_rc rc = db_one(c->db, &setup_owner, &f, P(s->account_uuid), P(s->email));

	if (rc == DB_NONE)
		return insert_owner(c, s);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s->email.p);
	if (!f.given)
		return cli_fail(EXIT_FAILED,
		    "%s has the owner %.*s and not %s: give the owner's address, or add another"
		    " owner with surfacectl members create",
		    s->name.p, (int)f.email.n, f.email.p, s->email.p);
	if (!str_is(f.role, "owner"))
		return cli_fail(EXIT_FAILED,
		    "%s is a member of %s and not an owner: give the address of an owner",
		    s->email.p, s->name.p);
	s->owner_uuid = f.uuid;
	note_step(s, STR("owner"), false, f.email);
	return EXIT_OK;
}

static int
insert_first_key(struct cli *c, struct setup *s)
{
	char owner[UUID_LEN + 1];
	struct key_wanted w = { .name = STR("first"), .expires = TS_NULL };
	struct key_line k;
	enum db_rc rc;

	uuid_print(&s->owner_uuid, owner);
	w.owner = str_of(owner);
	w.scopes = (struct strs){ s->account.scopes.items, s->account.scopes.n };
	rc = key_insert(c, s->account_uuid, &w, &k);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, w.name.p);
	s->key_uuid = k.uuid;
	s->prefix = k.prefix;
	s->key = k.key;
	note_step(s, STR("key"), true, k.prefix);
	return EXIT_OK;
}

static int
set_up_key(struct cli *c, struct setup *s)
{
	struct found_key f;
	enum db_rc rc = db_one(c->db, &setup_key, &f, P(s->account_uuid), P(s->owner_uuid));

	if (rc == DB_NONE)
		return insert_first_key(c, s);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s->name.p);
	s->key_uuid = f.uuid;
	s->prefix = f.prefix;
	note_step(s, STR("key"), false, f.prefix);
	return EXIT_OK;
}

static int (*const steps[STEPS])(struct cli *c, struct setup *s) = { set_up_account,
	set_up_entitlements, set_up_owner, set_up_key };

/* A database that is not there or has no tables yet: setup-postgresql has not run. */
static int
fail_to_begin(struct cli *c, enum db_rc rc)
{
	int status = cli_fail_db(c, rc, "setup");

	if (rc == DB_DOWN && access(SETUP, X_OK) == 0)
		cli_fail(EXIT_FAILED, "to prepare the database, as root: " SETUP);
	return status;
}

static int
run_steps(struct cli *c, struct setup *s)
{
	enum db_rc rc = db_begin(c->db);
	int status = EXIT_OK;

	if (rc == DB_OK)
		rc = db_run(c->db, &lock_setup, NULL, DB_NO_ARGS);
	if (rc != DB_OK)
		return fail_to_begin(c, rc);
	for (size_t i = 0; i < STEPS && status == EXIT_OK; i++)
		status = steps[i](c, s);
	if (status != EXIT_OK)
		return status;
	rc = db_commit(c->db);
	return rc == DB_OK ? EXIT_OK : cli_fail_db(c, rc, "setup");
}

/* ---- the output ---- */

/* public_url, or the name of nginx's site. */
static struct str
find_site_url(struct cli *c, const struct setup *s)
{
	struct nginx *n;

	if (conf.public_url[0] != '\0')
		return str_of(conf.public_url);
	n = ARENA_NEW(c->arena, struct nginx);
	nginx_look(c->arena, s->nginx.p, n);
	if (n->site.p == NULL)
		return STR("https://YOUR-NAME");
	return arena_printf(c->arena, "https://%.*s", (int)n->site.n, n->site.p);
}

static void
find_next_commands(struct cli *c, struct setup *s)
{
	struct str *next = ARENA_ARRAY(c->arena, 2, struct str), url = find_site_url(c, s);

	next[0] = STR("surfacectl doctor");
	next[1] = arena_printf(c->arena,
	    "curl -H \"X-API-Key: KEY\" %.*s/api/v1/search/hosts/count", (int)url.n, url.p);
	s->next = (struct list){ next, 2 };
	s->steps = (struct list){ s->done, s->ndone };
}

/* A new owner has a link; members link makes another one. */
static void
print_way_in(const struct setup *s)
{
	char owner[UUID_LEN + 1];

	uuid_print(&s->owner_uuid, owner);
	if (s->link.p != NULL)
		printf("The link that lets %.*s into the console, once: %.*s\n", (int)s->email.n,
		    s->email.p, (int)s->link.n, s->link.p);
	else if (s->token.p != NULL)
		printf("To let %.*s into the console: set public_url in surfaced.conf, then "
		       "surfacectl members link %s\n",
		    (int)s->email.n, s->email.p, owner);
}

static int
print_setup(const struct cli *c, const struct setup *s)
{
	const struct str *next = s->next.items;

	if (c->json)
		return cli_print(c, "setup", setup_out, s);
	cli_print_list(c, "steps", step_out, s->steps, sizeof(struct step));
	if (s->key.p != NULL)
		printf("\nThe new API key: %.*s\n", (int)s->key.n, s->key.p);
	else
		printf("\nThe secret of the key cannot be shown again. To replace the key: "
		       "surfacectl keys rotate %.*s\n",
		    (int)s->prefix.n, s->prefix.p);
	print_way_in(s);
	puts("Next, with the key in place of KEY:");
	for (size_t i = 0; i < s->next.n; i++)
		printf("  %.*s\n", (int)next[i].n, next[i].p);
	if (s->key.p != NULL)
		key_warn_once(c);
	return EXIT_OK;
}

static int
run_setup(struct cli *c, int argc, char **argv)
{
	struct setup s = { .link_expires_at = TS_NULL };
	const struct cli_option options[] = {
		{ "account", .text = &s.name },
		{ "email", .text = &s.email },
		{ "name", .text = &s.person },
		{ "entitlement", .list = &s.given },
		{ "nginx", .text = &s.nginx },
		{ NULL },
	};
	struct cli_list words;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (s.name.n == 0)
		return cli_usage(c, "--account is missing: the name of your organisation");
	if (s.email.n == 0)
		return cli_usage(c, "--email is missing: the address of the account's owner");
	if (!cli_entitlements(c, s.given))
		return EXIT_USAGE;
	status = run_steps(c, &s);
	db_rollback(c->db);
	if (status != EXIT_OK)
		return status;
	find_next_commands(c, &s);
	return print_setup(c, &s);
}

static const struct command setup_command = { "setup",
	"--account NAME --email ADDRESS [--name PERSON] [--entitlement NAME]... [--nginx FILE]",
	"create the first account, its owner and a key with every scope; only what is missing",
	.run = run_setup };

COMMAND(setup_command);
