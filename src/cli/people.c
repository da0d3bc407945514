/* SPDX-License-Identifier: ISC */
/* surfacectl people: those who sign in, and the one-time links by which they join or get in again.
 *
 * A link has its token in the fragment, which browsers send to nobody: no log has it. The database has its hash alone, so
 * a link is shown once. */
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
