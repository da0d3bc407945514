/* Parameters of surfaced-dispatch. See tbl/params.h. */
PARAM(browser_sessions, number, IN_DISPATCH,
	8, 0, 10000,
	"browser sessions this host runs at once")
PARAM(evidence_reserve, bytes, IN_DISPATCH,
	1073741824, 0, 1099511627776,
	"no session is started while the evidence's file system has less free than this")
PARAM(route_probe, ms, IN_DISPATCH,
	60000, 1000, 86400000,
	"how often each route is probed")
PARAM(runner, path, IN_DISPATCH,
	SBINDIR "/surfaced-runner", 1, 4000,
	"program that surfaced-dispatch starts for each session if no service manager does")
PARAM(runner_conf, path, IN_DISPATCH,
	SYSCONFDIR "/surfaced-runner.conf", 1, 4000,
	"configuration file of the runners that surfaced-dispatch starts")
PARAM(runner_start, ms, IN_DISPATCH,
	60000, 100, 600000,
	"how long a browser may take to its first page before it is started again")
PARAM(runner_user, text, IN_DISPATCH,
	"", 0, 64,
	"user of runners that a service manager starts, which may connect; empty: root and its own only")
