/* Parameters of surfaced-egress. See tbl/params.h. */
PARAM(dispatch_user, text, IN_EGRESS,
	"", 0, 64,
	"user of surfaced-dispatch, which may command surfaced-egress; empty: root and its own user only")
PARAM(egress_closed, text, IN_EGRESS,
	"", 0, 4000,
	"comma-separated networks that browsers may not reach, in addition to non-public ones")
PARAM(egress_connect, ms, IN_EGRESS,
	15000, 100, 120000,
	"how long a connection for a browser may take to open, including lookup and proxy")
PARAM(egress_connections, number, IN_EGRESS,
	256, 1, 10000,
	"connections a browser session may have at once; more wait")
PARAM(egress_dns, text, IN_EGRESS,
	"", 0, 1000,
	"comma-separated resolvers for the names browsers ask for; empty: /etc/resolv.conf")
PARAM(egress_drain, seconds, IN_EGRESS,
	600, 0, 86400,
	"how long open connections of browsers continue in the old process after a reload")
PARAM(egress_grace, seconds, IN_EGRESS,
	30, 1, 3600,
	"how long browser sessions keep their network while surfaced-dispatch is away")
PARAM(egress_idle, seconds, IN_EGRESS,
	900, 1, 86400,
	"a connection of a browser that is idle for so long is closed")
PARAM(egress_secrets, path, IN_EGRESS,
	SYSCONFDIR "/egress", 1, 4000,
	"directory of files with user:password, for the proxies of routes")
PARAM(egress_sessions, number, IN_EGRESS,
	256, 1, 10000,
	"browser sessions that surfaced-egress serves at once")
