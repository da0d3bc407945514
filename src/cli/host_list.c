/* SPDX-License-Identifier: ISC */
/* surfacectl hosts: lists the hosts that share this database, with their browser sessions, leased
 * quota and index, and forgets one.
 *
 * A program writes its rows under host_name() (daemon/host.h), which is machine:run_directory;
 * surfaced-index writes machine:index_directory, and only the first 32 bytes of the machine's name.
 * A machine that has two installations therefore shows the index of both with each. */
#include "config.h"

#include "cli/cli.h"

struct host {
	struct str name;
	struct ts seen_at;            /* the last row of surfaced-meter or surfaced-dispatch */
	int64_t slots, held, running; /* browser sessions; no slots: no dispatcher */
	int64_t leased;               /* units of quota that are leased and not used */
	struct str fault;
	struct ts started_at, counted_to, index_at;
};

static const struct field host_out[] = {
	FIELD(struct host, name, 0),
	FIELD(struct host, seen_at, 0),
	FIELD(struct host, slots, 0),
	FIELD(struct host, held, 0),
	FIELD(struct host, running, 0),
	FIELD(struct host, leased, 0),
	FIELD(struct host, fault, NULLABLE),
	FIELD(struct host, started_at, NULLABLE),
	FIELD(struct host, counted_to, NULLABLE),
	FIELD(struct host, index_at, NULLABLE),
	FIELD_END,
};

struct silent_row {
	bool silent;
};

static const struct field silent_out[] = { FIELD(struct silent_row, silent, 0), FIELD_END };

struct removed_host {
	struct str removed;
};

static const struct field removed_host_out[] = { FIELD(struct removed_host, removed, 0),
	FIELD_END };

STMT_LIST(list_hosts, struct host, host_out,
    "SELECT n.name, greatest(b.heartbeat_at, m.last_seen) AS seen_at,"
    " coalesce(b.slots, 0) AS slots, s.held, s.running, q.leased, b.fault, b.started_at,"
    " m.flushed_through AS counted_to, f.index_at"
    " FROM (SELECT name FROM browser_host"
    "  UNION SELECT host FROM meter_host WHERE closed_at IS NULL) n"
    " LEFT JOIN browser_host b ON b.name = n.name"
    " LEFT JOIN meter_host m ON m.host = n.name AND m.closed_at IS NULL"
    " CROSS JOIN LATERAL (SELECT count(*) AS held,"
    "  count(*) FILTER (WHERE s.state = 'running') AS running FROM browser_session s"
    "  WHERE s.host = n.name AND s.state <> 'terminal' AND s.lease_until IS NOT NULL) s"
    " CROSS JOIN LATERAL (SELECT coalesce(sum(greatest("
    "   l.granted - l.surrendered - (l.taken - l.given_back), 0)), 0)::bigint AS leased"
    "  FROM quota_lease l WHERE l.incarnation = m.incarnation AND l.month ="
    "   extract(year FROM now() AT TIME ZONE 'UTC') * 12"
    "   + extract(month FROM now() AT TIME ZONE 'UTC') - 1) q"
    " CROSS JOIN LATERAL (SELECT min(f.at) AS index_at FROM search_feed f"
    "  WHERE left(f.engine, strpos(f.engine, ':') - 1) = left(split_part(n.name, ':', 1), 32)) f"
    " ORDER BY n.name");

/* Whether a host is silent: its programs write at least every few seconds. */
STMT_LIST(host_is_silent, struct silent_row, silent_out,
    "SELECT max(seen) < now() - interval '30 seconds' AS silent"
    " FROM (SELECT heartbeat_at AS seen FROM browser_host WHERE name = $1"
    "  UNION ALL SELECT last_seen FROM meter_host WHERE host = $1 AND closed_at IS NULL) AS s"
    " HAVING count(*) > 0");

STMT_LIST(remove_host, struct removed_host, removed_host_out,
    "SELECT $1 AS removed FROM host_remove($1)");

static const struct command subs[] = {
	{ "list", NULL, "sessions, leased quota, index and last sign of life of each host",
	    .st = &list_hosts, .lists = "hosts" },
	{ "remove", "NAME", "forget a host that no longer exists", .first = &host_is_silent,
	    .refused =
		"it wrote to the database in the last 30 seconds: systemctl stop surfaced.target "
		"on that machine first",
	    .st = &remove_host, .prints = "host", .words = 1 },
	{ NULL },
};

static const struct command hosts_command = { "hosts", .help = "the hosts that share this database",
	.sub = subs };

COMMAND(hosts_command);
