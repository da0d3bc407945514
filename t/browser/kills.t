#!/bin/sh
# SPDX-License-Identifier: ISC
# Each process of a browser session is killed with -9, with real browsers, and the result is checked. KILLS: how often
# each (1); make campaign-browser-kills does it 50 times. ONLY: names of the functions below, instead of all.
# shellcheck disable=SC2089 # JSON, quotes and all
SITES='{"names": {"site.surfaced-check.net": {"A": ["93.184.216.34"]}}, "pages": {
	"site.surfaced-check.net/": {"headers": {"Content-Type": "text/html"}, "body": "<title>One</title><h1>One</h1>"},
	"site.surfaced-check.net/two": {"headers": {"Content-Type": "text/html"}, "body": "<title>Two</title><h1>Two</h1>"},
	"site.surfaced-check.net/three": {"headers": {"Content-Type": "text/html"}, "body": "<title>Three</title><h1>Three</h1>"}}}'
# shellcheck disable=SC2090
export SITES
[ -n "${BROWSER_WORLD-}" ] || exec t/helper/browser-world "$0" "$@"
# shellcheck disable=SC2034 # for t/lib.sh
LOG_EXPECTED='upstream prematurely closed|recv\(\) failed|killed'
. t/lib.sh
KILLS=${KILLS:-1}
export PG_CONNECTIONS=100
pg_start
api_start
stream_start
web_start
browser_start
sql "UPDATE session_policy SET caller_sessions = 10000, organisation_sessions = 10000"
S=/projects/$P/sessions
SITE=http://site.surfaced-check.net
export W KEY P PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1

row() { sql "SELECT $1 FROM browser_session WHERE uuid = '${2:-$u}'"; }
# runner_of SESSION: the pid of its runner that the dispatcher logged last, if it lives.
runner_of()
{
	_p=$(sed -nE "s/.*(started|adopted) session=$1 .* pid=([0-9]+) .*/\2/p" "$W/log/surfaced-dispatch.log" | tail -1)
	! kill -0 "$_p" 2>/dev/null || echo "$_p"
}
# below PID: the process and all its descendants.
below()
{
	for _q in $(pgrep -P "$1"); do (below "$_q"); done
	echo "$1"
}
# of_kind PID WORD: the descendants whose command line has the word.
of_kind() { for _q in $(below "$1"); do tr '\0' ' ' 2>/dev/null <"/proc/$_q/cmdline" | grep -q -- "$2" && echo "$_q"; done; }
alive() { for _q in $1; do [ ! -d "/proc/$_q" ] || grep -q '^State:.Z' "/proc/$_q/status" 2>/dev/null || return 0; done; return 1; }
dead() { ! alive "$1"; }

has_shot() { [ "$(sql "SELECT count(*) > 0 FROM screenshot WHERE session_uuid = '$u'")" = t ]; }
# fresh: starts a session with evidence; sets u, pid and family.
fresh()
{
	session_new "$SITE/" >"$W/new"
	read -r u <"$W/new"
	session_at "$u" running && world_until 30 has_shot || return 1
	pid=$(runner_of "$u")
	family=$(below "$pid")
}
# The evidence of the session can be read.
evidence()
{
	api GET "$S/$u/screenshots"
	[ "$STATUS" = 200 ] || return 1
	api GET "$S/$u/screenshots/$(field '.screenshots[-1].uuid')"
	[ "$STATUS" = 200 ] && file -b "$W/body" | grep -q 1280
}
over() { session_at "$u" terminal && [ "$(row terminal_reason)" = "$1" ] && evidence && world_until 30 dead "$family"; }
closes() { api DELETE "$S/$u" && over closed_by_creator; }
seen() { api GET "$S/$u/network-events?limit=100" && printf %s "$BODY" | jq -e "[.network_events[]|select($1)]|length > 0" >/dev/null; }
# killed NAME: kill -9 of the master and the workers of a daemon at once, until none is left. A worker that the master
# has forked in that moment ends by itself.
killed()
{
	# shellcheck disable=SC2046 # a list
	kill -KILL $(processes "$1")
	world_until 30 none_of "$1"
}
processes() { pgrep -f -- "-c $W/etc/$1.conf"; }
none_of() { [ -z "$(processes "$1")" ]; }
lease() { row lease_until; }
renewed() { [ "$(lease)" != "$before" ]; }

# A lease is fifteen seconds. On a slow machine the killed process may be away for most of it; then the round is repeated.
leaves() { _left=$(date +%s); }
is_back() { _away=$(($(date +%s) - _left)); }

runner_killed() { fresh && kill -KILL "$pid" && over failed; }
browser_killed() { fresh && kill -KILL "$(of_kind "$pid" '^[^ ]*headless-shell --headless')" && over failed; }
renderer_killed()
{
	# shellcheck disable=SC2046 # a list
	fresh && kill -KILL $(of_kind "$pid" '--type=renderer') && world_until 30 seen '.kind == "crash"' &&
		world_until 30 has_renderer && session_is "$u" running && world_until 30 loaded_again &&
		kill -KILL $(of_kind "$pid" '--type=renderer') && over failed
}
has_renderer() { [ -n "$(of_kind "$pid" '--type=renderer')" ]; }
loaded_again() { api GET "$S/$u/network-events?limit=100" && [ "$(field "[.network_events[]|select(.url == \"$SITE/\" and .status == 200)]|length")" -ge 2 ]; }
dispatcher_killed()
{
	fresh && leaves && killed surfaced-dispatch && ! dead "$pid" && before=$(lease) && world_dispatch_resume && is_back &&
		world_until 30 renewed && session_is "$u" running && [ "$(row lease_epoch)" = 1 ] &&
		[ "$(runner_of "$u")" = "$pid" ] && closes
}
dispatcher_worker_killed()
{
	fresh && before=$(lease) && kill -KILL "$(pgrep -P "$(world_pid surfaced-dispatch)")" &&
		world_until 30 renewed && [ "$(runner_of "$u")" = "$pid" ] && closes
}
# The dispatcher returns too late: the runners have ended themselves.
dispatcher_late()
{
	fresh && killed surfaced-dispatch && world_until 30 dead "$family" && session_is "$u" running &&
		world_dispatch_resume && over failed
}
egress_killed()
{
	fresh && killed surfaced-egress && t/helper/tell-runner "$W/run" "$u" 1 nav url="$SITE/two" &&
		world_until 30 seen '(.url|endswith("/two")) and .failure != null' && session_is "$u" running &&
		_connections=$(egress_connections) && world_egress_start && world_until 30 egress_connected &&
		t/helper/tell-runner "$W/run" "$u" 1 nav url="$SITE/three" &&
		world_until 30 seen '(.url|endswith("/three")) and .status == 200' && closes
}
# How often the dispatcher has connected to surfaced-egress. From then on pages load, at the first attempt.
egress_connections() { grep -c 'egress connected=yes' "$W/log/surfaced-dispatch.log" || :; }
egress_connected() { [ "$(egress_connections)" -gt "$_connections" ]; }
postgres_killed()
{
	fresh && before=$(lease) && leaves && t/helper/pg kill "$W/db" && ! dead "$pid" && t/helper/pg resume "$W/db" && is_back &&
		world_until 30 renewed && session_is "$u" running && [ "$(runner_of "$u")" = "$pid" ] && world_until 30 answers && closes
}
answers() { api GET "$S/$u" && [ "$STATUS" = 200 ]; }
postgres_late()
{
	fresh && t/helper/pg kill "$W/db" && world_until 30 dead "$family" && t/helper/pg resume "$W/db" &&
		world_until 30 answers && over failed
}
worker_killed()
{
	_k=$(uuid_new)
	(api POST "$S" "{\"start_url\":\"$SITE/\"}" -H "Idempotency-Key: $_k") >/dev/null 2>&1 &
	kill -KILL $(pgrep -P "$(world_pid surfaced)") 2>/dev/null
	wait $!
	world_until 30 created && u=$(field .session.uuid) && [ "$(sql "SELECT count(*) FROM browser_session WHERE created_at > now() - interval '10 minutes' AND state <> 'terminal'")" = 1 ] &&
		session_at "$u" running && world_until 30 has_shot && pid=$(runner_of "$u") && family=$(below "$pid") && closes
}
created() { api POST "$S" "{\"start_url\":\"$SITE/\"}" -H "Idempotency-Key: $_k" && [ "$STATUS" = 202 ]; }

# The viewer's proxy is killed: the session continues, and another ticket works within the lease.
stream_killed()
{
	fresh && python3 - "$u" "$(pgrep -P "$(world_pid surfaced-stream)")" <<-'END' && session_is "$u" running && closes
		import signal, sys
		from streams import *
		session, proxy = sys.argv[1], int(sys.argv[2])
		first = Client(session, ticket(session))
		os.kill(proxy, signal.SIGKILL)
		if first.closed() != 1006:
		    sys.exit("the stream did not end with its proxy")
		sys.exit(again(session).bye() != 1000)
	END
}

# line FUNCTION TITLE
line()
{
	case " ${ONLY:-$1} " in
	*" $1 "*) ;;
	*) return 0 ;;
	esac
	_good=0 _began=$(date +%s)
	_round=0 _slow=0
	while [ "$_round" -lt "$KILLS" ]; do
		_round=$((_round + 1)) _away=0
		if "$1"; then
			_good=$((_good + 1))
		else
			[ "$_away" -lt 10 ] || [ "$_slow" -ge 9 ] || _round=$((_round - 1)) _slow=$((_slow + 1))
			diag "$1, round $_round: $u is $(row "state || ' ' || coalesce(terminal_reason, '-') || ' ' || lease_epoch")"
			tail -4 "$W/log/surfaced-dispatch.log" | sed 's/^/#   /'
			for _n in surfaced-egress surfaced-dispatch; do
				world_running "$_n" || case $_n in *egress) world_egress_start ;; *) world_dispatch_resume ;; esac
			done
			t/helper/pg resume "$W/db" 2>/dev/null || :
			api DELETE "$S/$u"
		fi
	done
	is "$_good" "$KILLS" "$2"
	diag "$((($(date +%s) - _began))) s"
}
line worker_killed "a killed worker leaves no half session and its Idempotency-Key works again"
line stream_killed "a session survives surfaced-stream and a new ticket works within the lease"
line dispatcher_killed "runners survive the dispatcher and the next one adopts them"
line dispatcher_worker_killed "runners survive the worker of the dispatcher"
line dispatcher_late "runners end themselves if the dispatcher stays away, and their sessions fail"
line runner_killed "a killed runner fails its session, its browser exits and its evidence stays"
line browser_killed "a killed browser fails its session and its evidence stays"
line renderer_killed "a killed renderer reloads the page once, then fails the session"
line egress_killed "pages fail without surfaced-egress and load when it is back"
line postgres_killed "runners survive a restart of PostgreSQL"
line postgres_late "sessions fail if PostgreSQL stays away longer than the leases"
is "$(sql "SELECT count(*) FROM browser_session WHERE state <> 'terminal'")" 0 \
	"every session of this test has ended"
is "$(sql "SELECT sum(active) FROM session_caller")" 0 "the counters of the keys are 0 in the end"
is "$(world_runners)" "" "no runner is left in the end"
