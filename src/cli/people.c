/* SPDX-License-Identifier: ISC */
/* surfacectl people: people who sign in, and the one-time links by which they join or recover
 * access.
 *
 * The token of a link is in the fragment of the URL, which browsers do not send, so no log contains
 * it. The database contains only its hash, so a link is shown once. */
#include "config.h"

#include "access/person.h"
#include "cli/setup.h"
#include "daemon/conf.h"

struct made_link {
	struct ts expires_at;
};

static const struct field made_link_out[] = { FIELD(struct made_link, expires_at, 0), FIELD_END };

STMT(make_link, made_link_out, "SELECT sign_in_link_make($1, $2, $3, $4, $5) AS expires_at");

enum db_rc
cli_link_make(struct cli *c, struct uuid member, struct uuid person, struct cli_link *out)
{
	struct made_link made;
	struct token token;
	enum db_rc rc;

	token_make(&token);
	rc = db_one(c->db, &make_link, &made, P(member), P(person),
	    P(((struct bytes){ token.hash, sizeof(token.hash) })), P(c->actor),
	    P(conf.sign_in_link_life));
	if (rc != DB_OK)
		return rc;
	*out = (struct cli_link){ .expires_at = made.expires_at };
	if (conf.public_url[0] == '\0')
		out->token = arena_str(c->arena, str_of(token.text));
	else
		out->link =
		    arena_printf(c->arena, "%s/console/#/link/%s", conf.public_url, token.text);
	return DB_OK;
}

void
cli_link_warn(const struct cli *c, const struct cli_link *link)
{
	if (c->json)
		return;
	fputs("surfacectl: send the link to the person now: it works once, and is not stored\n",
	    stderr);
	if (link->link.p == NULL)
		fputs("surfacectl: the console's page /console/#/link takes the token; set "
		      "public_url "
		      "to get a link instead\n",
		    stderr);
}

/* ---- the commands ---- */

struct person_line {
	struct uuid uuid;
	struct str name, email, proxy_identity;
	bool has_password, has_totp;
	int64_t passkeys, organisations;
	struct ts created_at, disabled_at;
};

static const struct field person_line_out[] = {
	FIELD(struct person_line, uuid, 0),
	FIELD(struct person_line, name, 0),
	FIELD(struct person_line, email, 0),
	FIELD(struct person_line, proxy_identity, NULLABLE),
	FIELD(struct person_line, has_password, 0),
	FIELD(struct person_line, has_totp, 0),
	FIELD(struct person_line, passkeys, 0),
	FIELD(struct person_line, organisations, 0),
	FIELD(struct person_line, created_at, 0),
	FIELD(struct person_line, disabled_at, NULLABLE),
	FIELD_END,
};

#define PERSON_COLUMNS                                                                             \
	"uuid, name, email, proxy_identity, password IS NOT NULL AS has_password,"                 \
	" totp_at IS NOT NULL AS has_totp,"                                                        \
	" (SELECT count(*) FROM passkey k WHERE k.person_uuid = person.uuid) AS passkeys,"         \
	" (SELECT count(*) FROM member m WHERE m.person_uuid = person.uuid"                        \
	"  AND m.removed_at IS NULL) AS organisations, created_at, disabled_at"

STMT_LIST(list_people, struct person_line, person_line_out,
    "SELECT " PERSON_COLUMNS " FROM person ORDER BY lower(email)");
STMT_LIST(find_person_line, struct person_line, person_line_out,
    "SELECT " PERSON_COLUMNS " FROM person WHERE lower(email) = lower($1)");
STMT_LIST(end_disabled, struct person_line, person_line_out,
    "SELECT " PERSON_COLUMNS " FROM person WHERE lower(email) = lower($1)"
    " AND sign_in_end_others(uuid, NULL, 'disabled') >= 0");
STMT_LIST(disable_person, struct person_line, person_line_out,
    "UPDATE person SET disabled_at = coalesce(disabled_at, now()) WHERE lower(email) = lower($1)"
    " RETURNING " PERSON_COLUMNS);
STMT_LIST(enable_person, struct person_line, person_line_out,
    "UPDATE person SET disabled_at = NULL WHERE lower(email) = lower($1)"
    " RETURNING " PERSON_COLUMNS);

STMT(bind_person, NULL, "SELECT person_bind($1, CASE WHEN $2 <> 'none' THEN $2 END)");

struct sign_in_line {
	struct uuid uuid;
	struct str methods, address, agent;
	struct ts created_at, seen_at, expires_at;
};

static const struct field sign_in_line_out[] = {
	FIELD(struct sign_in_line, uuid, 0),
	FIELD(struct sign_in_line, methods, 0),
	FIELD(struct sign_in_line, address, 0),
	FIELD(struct sign_in_line, created_at, 0),
	FIELD(struct sign_in_line, seen_at, 0),
	FIELD(struct sign_in_line, expires_at, 0),
	FIELD(struct sign_in_line, agent, 0),
	FIELD_END,
};

/* Both parts of the statement see the rows as they were before it, so the list contains the
   sign-ins that were ended. */
STMT_LIST(list_person_sign_ins, struct sign_in_line, sign_in_line_out,
    "WITH theirs AS (SELECT i.* FROM sign_in i JOIN person p ON p.uuid = i.person_uuid"
    "  WHERE lower(p.email) = lower($1) AND i.ended_at IS NULL AND i.expires_at > now()),"
    " ended AS (UPDATE sign_in SET ended_at = now(), end_reason = 'ended'"
    "  WHERE $2 AND uuid IN (SELECT uuid FROM theirs) RETURNING uuid)"
    " SELECT uuid, array_to_string(methods, '+') AS methods, host(address) AS address, created_at,"
    " seen_at, expires_at, agent FROM theirs"
    " WHERE (SELECT count(*) FROM ended) >= 0 ORDER BY seen_at DESC");

struct recovery {
	struct uuid uuid;
	struct str email, link, token;
	struct ts link_expires_at;
};

static const struct field recovery_out[] = {
	FIELD(struct recovery, uuid, 0),
	FIELD(struct recovery, email, 0),
	FIELD(struct recovery, link, OMIT_UNSET),
	FIELD(struct recovery, token, OMIT_UNSET),
	FIELD(struct recovery, link_expires_at, 0),
	FIELD_END,
};

/* Printing the link changes nothing. Using the link sets a new password, and removes the other
   methods and all sign-ins. */
static int
recover_person(struct cli *c, int argc, char **argv)
{
	static const struct uuid none;
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct person_line p;
	struct cli_link link;
	struct recovery out;
	enum db_rc rc;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	rc = db_one(c->db, &find_person_line, &p, P(words.p[0]));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "nobody has the e-mail %s", words.p[0].p);
	if (rc == DB_OK)
		rc = cli_link_make(c, none, p.uuid, &link);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	out = (struct recovery){ p.uuid, p.email, link.link, link.token, link.expires_at };
	status = cli_print(c, "person", recovery_out, &out);
	cli_link_warn(c, &link);
	return status;
}

static int
bind_one(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct person_line p;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 2, 2))
		return EXIT_USAGE;
	rc = db_do(c->db, &bind_person, NULL, P(words.p[0]), P(words.p[1]));
	if (rc == DB_OK)
		rc = db_one(c->db, &find_person_line, &p, P(words.p[0]));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "nobody has the e-mail %s", words.p[0].p);
	return rc == DB_OK ? cli_print(c, "person", person_line_out, &p)
			   : cli_fail_db(c, rc, words.p[0].p);
}

/* Nobody signs in between the two statements: sign_in_begin waits for the row of the person. */
static int
disable_one(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct person_line p;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	rc = db_begin(c->db);
	if (rc == DB_OK)
		rc = db_one(c->db, &disable_person, &p, P(words.p[0]));
	if (rc == DB_OK)
		rc = db_one(c->db, &end_disabled, &p, P(words.p[0]));
	if (rc == DB_OK)
		rc = db_commit(c->db);
	db_rollback(c->db);
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "nobody has the e-mail %s", words.p[0].p);
	return rc == DB_OK ? cli_print(c, "person", person_line_out, &p)
			   : cli_fail_db(c, rc, words.p[0].p);
}

static const struct command people_subs[] = {
	{ "list", NULL, "everybody who can sign in", .st = &list_people, .lists = "people",
	    .narrow = "name email has_password has_totp passkeys organisations disabled_at" },
	{ "recover", "EMAIL", "a one-time link to a new password; its use ends every sign-in",
	    .run = recover_person },
	{ "disable", "EMAIL", "the person is signed out everywhere, and signs in no more",
	    .run = disable_one },
	{ "enable", "EMAIL", "the person may sign in again", .st = &enable_person,
	    .prints = "person", .words = 1 },
	{ "bind", "EMAIL IDENTITY|none",
	    "the e-mail by which the company's proxy knows the person; none: their own, once more",
	    .run = bind_one },
	{ "sign-ins", "EMAIL [--end]", "where the person is signed in; --end signs them out",
	    .st = &list_person_sign_ins, .lists = "sign_ins", .words = 1, .flag = "end" },
	{ NULL },
};

static const struct command people_command = { "people", .help = "people who sign in",
	.sub = people_subs };

COMMAND(people_command);
