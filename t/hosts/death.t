#!/bin/sh
# SPDX-License-Identifier: ISC
# A machine that is lost: every process is killed at once and its network is gone. Its sessions, their evidence, its
# leases and its counts. The runners are t/helper/fake-runner.
# shellcheck disable=SC2030,SC2031 # "on" works in a subshell of its own
[ -n "${HOSTS_WORLD-}" ] || exec t/helper/hosts-world "$0" "$@"
. t/helper/hosts.sh
WORLD_CONF='stream_lease = 5'
hosts_start
on api1 host_browser_start
on api2 host_browser_start

beats()
{
	[ "$(sql "SELECT count(*) FROM browser_host WHERE fault IS NULL")" = 2 ]
}
ok "two hosts are ready for browsers" world_until 30 beats

# Sessions until each host has one that runs, and api2 one that starts.
sql "UPDATE session_policy SET caller_sessions = 100, organisation_sessions = 100"
for _n in 1 2 3 4 5 6; do
	u="${u-} $(on api1 session_new "https://example.com/?shots=2&events=3")"
done
run_all()
{
	[ "$(sql "SELECT count(*) FROM browser_session WHERE state = 'running'")" = 6 ]
}
ok "sessions that one host admits run on either host" world_until 60 run_all
# The claims are a race that one host may win six times.
if [ "$(sql "SELECT count(DISTINCT host) FROM browser_session")" = 1 ]; then
	_winner=$(sql "SELECT host FROM browser_session LIMIT 1")
	diag "all sessions are on $_winner"
fi
lost=$(sql "SELECT split_part(host, ':', 1) FROM browser_session GROUP BY host ORDER BY count(*) DESC LIMIT 1")
other=api1
[ "$lost" != api1 ] || other=api2
held()
{
	sql "SELECT count(*) FROM browser_session WHERE host LIKE '$1:%' AND state = '$2'"
}
n=$(held "$lost" running) stays=$(held "$other" running)
stored()
{
	[ "$(sql "SELECT count(*) FROM screenshot k JOIN browser_session s ON s.uuid = k.session_uuid WHERE s.host LIKE '$lost:%'")" = $((2 * n)) ]
}
ok "the evidence of the sessions is stored" world_until 20 stored
before=$(sql "SELECT md5(string_agg(k::text, '' ORDER BY k.uuid)) FROM screenshot k JOIN browser_session s ON s.uuid = k.session_uuid WHERE s.host LIKE '$lost:%'")

k=$(on api1 key_new --scope search.view)
ctl_other()
{
	on "$other" ctl "$@"
}
sql "UPDATE account SET quota = 1000"
for _n in 1 2 3; do key=$k on "$lost" api GET /search/schemas; done
on "$lost" flushed

leased()
{
	on "$other" ctl --json hosts list | jq -r ".hosts[] | select(.name | startswith(\"$lost:\")).leased"
}
leased_before=$(leased)
host_die "$lost"
on "$other" session_new "https://example.com/?shots=1" >"$W/next"
next=$(cat "$W/next")
session_runs()
{
	[ "$(sql "SELECT state || ' ' || split_part(host, ':', 1) FROM browser_session WHERE uuid = '$next'")" = "running $other" ]
}
ok "a session that is created after the loss runs on the other host" world_until 60 session_runs
ended()
{
	[ "$(held "$lost" running)" = 0 ]
}
began=$(date +%s)
ok "the running sessions of a lost host end" world_until 60 ended
took=$(($(date +%s) - began))
ok "they end when their leases have, 15 s after the last renewal, and not later than 5 s behind ($took s)" [ "$took" -le 20 ]
is "$(sql "SELECT count(*), string_agg(DISTINCT state || ' ' || terminal_reason, ',') FROM browser_session WHERE host LIKE '$lost:%'")" \
	"$n|terminal failed" "each running session of a lost host has failed, and none is lost"
is "$(held "$other" running)" "$((stays + 1))" "the sessions of the other host continue"
is "$(sql "SELECT md5(string_agg(k::text, '' ORDER BY k.uuid)) FROM screenshot k JOIN browser_session s ON s.uuid = k.session_uuid WHERE s.host LIKE '$lost:%'")" \
	"$before" "the evidence of the failed sessions is unchanged"
one=$(sql "SELECT k.session_uuid FROM screenshot k JOIN browser_session s ON s.uuid = k.session_uuid WHERE s.host LIKE '$lost:%' LIMIT 1")
shown()
{
	api GET "/projects/$P/sessions/$one/screenshots/$(sql "SELECT uuid FROM screenshot WHERE session_uuid = '$one' LIMIT 1")"
	echo "$STATUS"
}
is "$(on "$other" shown)" 200 "the other host shows a screenshot of a failed session, from the shared evidence_directory"
is "$(sql "SELECT active FROM session_organisation WHERE account_uuid = '$ACCOUNT'")" "$((stays + 1))" \
	"the failed sessions count no more against the limit of the account (C-090)"

# ---- a session that was starting when the host was lost: it is claimed again ----
# The lost host comes back with its disk alone.
_addr=11
[ "$lost" = api1 ] || _addr=12
host_back "$lost" "$_addr"
rm -f "$W/host-$lost/run"/*.pid "$W/host-$lost/run"/*.sock
on "$lost" host_start
on "$lost" host_browser_start
answered()
{
	key=$k api GET /search/schemas
	echo "$STATUS"
}
ok "surfacectl hosts list shows what a lost host has leased and not used ($leased_before units)" [ "$leased_before" -gt 0 ]
is "$(leased)" "$leased_before" "the units that a lost host has leased stay its own, since nobody knows which it used"
charge()
{
	sql "SELECT charged FROM quota_month WHERE owner_uuid = '$ACCOUNT'"
}
charged=$(charge)
is "$(on "$lost" answered)" 200 "a host that comes back with its disk answers again"
is "$(charge)" "$charged" "a host that comes back with its disk goes on with its leased units, and leases no others"
ok "a host that comes back with its disk is ready for browsers" world_until 30 beats
on "$other" world_kill surfaced-dispatch KILL
slow=$(on "$other" session_new "https://example.com/?slow=5")
begun()
{
	[ "$(sql "SELECT state || ' ' || split_part(host, ':', 1) FROM browser_session WHERE uuid = '$slow'")" = "starting $lost" ]
}
ok "a session starts on the host that came back" world_until 30 begun
host_die "$lost"
on "$other" world_dispatch_resume
again()
{
	[ "$(sql "SELECT state || ' ' || split_part(host, ':', 1) || ' ' || lease_epoch FROM browser_session WHERE uuid = '$slow'")" = "running $other 2" ]
}
ok "a session that was starting on a lost host is claimed by the other host and runs" world_until 60 again
