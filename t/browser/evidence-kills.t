#!/bin/sh
# SPDX-License-Identifier: ISC
# A page sends requests at a steady rate while the dispatcher, its worker, its connection to the database and the
# database are killed, each while evidence waits because its row is locked; and the dispatcher once more as the
# session closes. Each request that the site has received is in the network events of the session once. KILLS: the
# number for each session (4: each kind once), SESSIONS: their number (1); make campaign-evidence-kills does
# 200.
# shellcheck disable=SC2089 # JSON, quotes and all
SITES='{"names": {"site.surfaced-check.net": {"A": ["93.184.216.34"]}}, "pages": {
	"site.surfaced-check.net/tick": {"body": "."},
	"site.surfaced-check.net/": {"headers": {"Content-Type": "text/html"},
		"body": "<title>Ticks</title><script>let n = 0; setInterval(() => fetch(`/tick?${performance.timeOrigin}.${n++}`), 50)</script>"}}}'
# shellcheck disable=SC2090
export SITES
[ -n "${BROWSER_WORLD-}" ] || exec t/helper/browser-world "$0" "$@"
# shellcheck disable=SC2034 # for t/lib.sh
LOG_EXPECTED='upstream prematurely closed|recv\(\) failed|killed'
. t/lib.sh
KILLS=${KILLS:-4} SESSIONS=${SESSIONS:-1}
pg_start
api_start
web_start
browser_start
sql "UPDATE session_policy SET idle_seconds = 86400, lifetime_seconds = 86400, close_seconds = 60"
S=/projects/$P/sessions

each() { jq -r 'select(.path|startswith("/tick?")).path' "$BROWSER_WORLD/access.log" | sort; }
stored() { sql "SELECT count(*) FROM network_event WHERE session_uuid = '$u'"; }
grew() { [ "$(stored)" -gt "$had" ]; }
# still COMMAND: runs the command while evidence waits for its row; evidence is stored again afterwards.
still()
{
	hold && "$@"
	_carried_out=$?
	release
	had=$(stored)
	[ "$_carried_out" -eq 0 ] && world_until 30 grew && session_is "$u" running
}
hold()
{
	rm -f "$W/holder"
	mkfifo "$W/holder"
	PGAPPNAME=holder psql -Xq <"$W/holder" >/dev/null 2>&1 &
	exec 9>"$W/holder"
	echo "BEGIN; SELECT FROM session_evidence WHERE session_uuid = '$u' FOR UPDATE;" >&9
	asked=$(each | wc -l)
	world_until 30 waits && world_until 30 asked_more
}
waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'surfaced_dispatch' AND wait_event_type = 'Lock'")" -gt 0 ]; }
asked_more() { [ "$(each | wc -l)" -gt $((asked + 20)) ]; }
release()
{
	sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holder'" >/dev/null
	exec 9>&-
}
worker_pid() { pgrep -P "$(world_pid surfaced-dispatch)" -f surfaced-dispatch; }
dispatcher_gone()
{
	world_until 30 worker_pid >/dev/null
	# A worker dies with its master, so it may be gone before kill comes to it.
	# shellcheck disable=SC2046 # pids
	kill -KILL "$(world_pid surfaced-dispatch)" $(worker_pid) 2>/dev/null
	world_until 30 world_gone surfaced-dispatch
}
dispatcher() { dispatcher_gone && world_dispatch_resume; }
worker() { world_until 30 worker_pid >/dev/null && kill -KILL "$(worker_pid)"; }
connection() { [ "$(sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'surfaced_dispatch'")" -gt 0 ]; }
postgres() { t/helper/pg kill "$W/db" && t/helper/pg resume "$W/db"; }

for _session in $(seq "$SESSIONS"); do
	session_new http://site.surfaced-check.net/ >"$W/new"
	read -r u <"$W/new"
	had=0
	ok "the requests of the page are stored" world_until 60 grew
	for round in $(seq "$KILLS"); do
		case $((round % 4)) in
		1) what=dispatcher ;;
		2) what=connection ;;
		3) what=worker ;;
		0) what=postgres ;;
		esac
		ok "$round: evidence is stored again after the kill of $what" \
			still $what || diag "$(tail -5 "$W/log/surfaced-dispatch.log")"
	done
	is "$(sql "SELECT lease_epoch FROM browser_session WHERE uuid = '$u'")" 1 \
		"the session keeps its first runner after all kills"
	api DELETE "$S/$u"
	dispatcher_gone
	world_dispatch_resume
	ok "a session ends though the dispatcher is killed at its close" \
		world_until 90 session_is "$u" terminal
	is "$(sql "SELECT terminal_reason FROM browser_session WHERE uuid = '$u'")" closed_by_creator \
		"the session ends with the reason closed_by_creator"
done
each >"$W/seen"
sql "SELECT replace(doc ->> 'url', 'http://site.surfaced-check.net', '') FROM network_event WHERE doc ->> 'url' LIKE '%/tick?%'" | sort >"$W/stored"
isnt "$(wc -l <"$W/seen")" 0 "the site has received requests of the page"
is "$(comm -23 "$W/seen" "$W/stored" | wc -l)" 0 \
	"no request that the site received is missing" || diag "$(comm -23 "$W/seen" "$W/stored" | head -40)"
is "$(sort "$W/stored" | uniq -d | wc -l)" 0 "no request is stored a second time"
is "$(sql "SELECT bool_or(network_truncated) FROM session_evidence")" f \
	"the evidence is not marked as truncated"
is "$(sql "SELECT string_agg(reason, ' ' ORDER BY created_at) FROM screenshot WHERE session_uuid = '$u' AND reason IN ('ready', 'close')")" \
	"ready close" "the screenshots of start and end are stored"
diag "$(wc -l <"$W/seen") requests, $(wc -l <"$W/stored") events"
