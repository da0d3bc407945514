/* SPDX-License-Identifier: ISC */
/* The users of ClickHouse and their rights (rights.h). */
#include "config.h"

#include "search/clickhouse/rights.h"

/* Release 18 has neither grants nor single rights: a profile is read-only or not, and a user has
   databases. */
static const char users_18[] = "<!-- /etc/clickhouse-server/users.d/surfaced.xml on each server. "
			       "Put the SHA-256 of each user's password, in\n"
			       "     hexadecimal digits, in place of its name in capitals, and the "
			       "addresses of the machines that may be the user. -->\n"
			       "<yandex>\n"
			       "\t<profiles>\n"
			       "\t\t<surfaced_read><readonly>2</readonly></surfaced_read>\n"
			       "\t\t<surfaced_write></surfaced_write>\n"
			       "\t</profiles>\n"
			       "\t<users>\n";

static const struct {
	const char *name, *profile, *use;
} users[] = {
	{ "surfaced_search", "surfaced_read", "surfaced, surfaced-export" },
	{ "surfaced_index", "surfaced_write", "surfaced-index, surfacectl" },
	{ "surfaced_shard", "surfaced_write",
	    "the servers among themselves: the user of remote_servers" },
};

/* The query condition cache of some builds of release 26 remembers ranges that a skipping index has
   left out as ranges in which no row passes another condition, so later counts are too small. */
static const char settings_26[] = " SETTINGS readonly = 2, use_query_condition_cache = 0";

/* Rights of release 26. The rights on system tables are granted for servers whose configuration
   requires them. */
static const char *const grants[] = {
	"SELECT ON surfaced.* TO surfaced_search",
	"SELECT ON system.clusters TO surfaced_search",
	"SELECT ON system.parts TO surfaced_search",
	"SELECT, INSERT, CREATE TABLE, DROP TABLE, OPTIMIZE ON surfaced.* TO surfaced_index",
	"SELECT ON system.clusters TO surfaced_index",
	"SELECT ON system.macros TO surfaced_index",
	"SELECT ON system.merges TO surfaced_index",
	"SELECT ON system.processes TO surfaced_index",
	"SELECT ON system.tables TO surfaced_index",
	"CREATE TEMPORARY TABLE, REMOTE ON *.* TO surfaced_index",
	"SELECT, INSERT ON surfaced.* TO surfaced_shard",
	"SELECT ON system.parts TO surfaced_shard",
	"SELECT ON system.processes TO surfaced_shard",
};

static struct str
capitals_of(const char *name, char room[64])
{
	size_t n = 0;

	for (; name[n] != '\0' && n < 63; n++)
		room[n] = name[n] >= 'a' && name[n] <= 'z' ? (char)(name[n] - 'a' + 'A') : name[n];
	return (struct str){ room, n };
}

static void
print_users_18(struct buf *b)
{
	char room[64];

	buf_z(b, users_18);
	/* A statement that one shard sends to another begins in the database default, which has
	   none of these tables. */
	for (size_t i = 0; i < COUNT(users); i++) {
		buf_printf(b,
		    "\t\t<%s><!-- %s -->\n"
		    "\t\t\t<password_sha256_hex>",
		    users[i].name, users[i].use);
		buf_str(b, capitals_of(users[i].name, room));
		buf_printf(b,
		    "</password_sha256_hex>\n"
		    "\t\t\t<networks><ip>::/0</ip></networks>\n"
		    "\t\t\t<profile>%s</profile><quota>default</quota>\n"
		    "\t\t\t<allow_databases><database>surfaced</database>"
		    "<database>default</database></allow_databases>\n"
		    "\t\t</%s>\n",
		    users[i].profile, users[i].name);
	}
	buf_z(b, "\t</users>\n</yandex>\n");
}

static void
print_users_26(struct buf *b)
{
	char room[64];

	for (size_t i = 0; i < COUNT(users); i++) {
		buf_printf(b,
		    "-- %s\nCREATE USER IF NOT EXISTS %s IDENTIFIED WITH sha256_hash BY '",
		    users[i].use, users[i].name);
		buf_str(b, capitals_of(users[i].name, room));
		buf_printf(
		    b, "'%s;\n", strcmp(users[i].profile, "surfaced_read") == 0 ? settings_26 : "");
	}
	for (size_t i = 0; i < COUNT(grants); i++)
		buf_printf(b, "GRANT %s;\n", grants[i]);
}

void
ch_print_users(struct buf *b, unsigned version)
{
	if (version == 18)
		print_users_18(b);
	else
		print_users_26(b);
}

bool
ch_may_write(struct ch_cluster *c, bool *may)
{
	struct str answer, line;
	int64_t version = 0, readonly = 0, granted = 1;

	if (!ch_cluster_printf(c, &answer,
		"SELECT toUInt32(splitByChar('.', version())[1]), toInt64(value) FROM "
		"system.settings WHERE name = 'readonly' FORMAT TabSeparated"))
		return false;
	if (!str_line(&answer, &line) || !ch_take_number(&line, &version) ||
	    !ch_take_number(&line, &readonly)) {
		snprintf(c->message, sizeof(c->message), "system.settings has a bad row");
		return false;
	}
	if (version > 18 &&
	    (!ch_cluster_printf(c, &answer,
		 "CHECK GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE, OPTIMIZE ON *") ||
		!str_line(&answer, &line) || !ch_take_number(&line, &granted)))
		return false;
	*may = readonly == 0 && granted != 0;
	if (!*may)
		snprintf(c->message, sizeof(c->message),
		    "the user %s has no right to write: clickhouse_user of surfaced-index must be "
		    "a user that may, see surfaced -D clickhouse=%d-users",
		    c->server.user, version > 18 ? 26 : 18);
	return true;
}
