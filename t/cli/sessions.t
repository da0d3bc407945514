#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl sessions, routes, hosts and browser-check.
. t/lib.sh
pg_start
api_start
web_start

get() { jq -r "$1" "$W/out"; }
run() { ctl --json "$@" >"$W/out" 2>"$W/err"; }
# exits STATUS TITLE ARGUMENT...
exits() { want=$1 title=$2; shift 2; run "$@"; is "$?" "$want" "$title"; }

exits 0 "surfacectl shows the policy of sessions" sessions limits
is "$(get '.policy|tojson')" '{"organisation_sessions":20,"caller_sessions":5,"lifetime_seconds":1800,"idle_seconds":300,"close_seconds":10,"queue_seconds":1800}' \
	"the policy of sessions has its defaults"
exits 0 "surfacectl changes two values of the policy" sessions limits --lifetime 600 --caller 7
is "$(get '.policy|[.organisation_sessions,.caller_sessions,.lifetime_seconds]|tojson')" "[20,7,600]" \
	"the other value of the policy is unchanged"
exits 0 "surfacectl changes the waiting time of the queue" sessions limits --queue 60
is "$(get .policy.queue_seconds)" 60 "the policy has the new waiting time"
exits 1 "surfacectl refuses a lifetime out of bounds" sessions limits --lifetime 5
exits 2 "surfacectl exits with 2 for a value that is no number" sessions limits --idle soon
exits 2 "surfacectl exits with 2 for --max without account or key" sessions limits --max 3
exits 2 \
	"surfacectl exits with 2 for --max with account and key" sessions limits --account "$ACCOUNT" --key x --max 3
exits 3 "surfacectl exits with 3 for an unknown key" sessions limits --key sfk_none
exits 0 "surfacectl sets the limit of an account" sessions limits --account "$ACCOUNT" --max 3
is "$(get '.limit|[.name,.active,.limit,.own]|tojson')" '["Example",0,3,true]' \
	"the account shows the limit as its own"
exits 0 "surfacectl resets the limit of an account" sessions limits --account Example --max default
is "$(get '.limit|[.limit,.own]|tojson')" '[20,false]' "the account shows the limit of the policy"
u=$(session_new)
exits 0 "surfacectl shows the limit of a key" sessions limits --key "$(printf %.12s "$KEY")"
is "$(get '.limit|[.active,.limit,.own]|tojson')" '[1,7,false]' \
	"the limit of a key is shown with its active sessions"

exits 0 "surfacectl lists the sessions of an account" sessions list --account Example
is "$(get '.sessions|map([.uuid,.state])|tojson')" "[[\"$u\",\"queued\"]]" \
	"the list has the queued session of the account"
exits 0 "surfacectl closes a session by its uuid" sessions close "$u"
is "$(get '.session|[.state,.terminal_reason]|tojson')" '["closing","closed_by_manager"]' \
	"the closed session has the reason closed_by_manager"
exits 3 "surfacectl exits with 3 for an unknown session" sessions close "$(uuid_new)"
exits 2 "surfacectl exits with 2 for a malformed uuid" sessions close x
session_move "$u" end
run sessions list --account Example
is "$(get '.sessions|length')" 0 "the list of sessions leaves terminal ones out"
run sessions list --account Example --all
is "$(get '.sessions|length')" 1 "the list of sessions with --all has terminal ones"
like "$(ctl --wide sessions list --account Example --all)" '  {"width":[0-9]*,"height":[0-9]*}  ' \
	"the wide list of sessions has a column for the viewport"

exits 0 \
	"surfacectl adds a route of a country" routes add --kind socks5 --host proxy.example.net --port 1080 --credential fr-1 FR
is "$(get '.route|[.country,.kind,.host,.port,.credential,.enabled,.answered]|tojson')" '["FR","socks5","proxy.example.net",1080,"fr-1",true,true]' \
	"the new route has the values of its options"
r=$(get .route.uuid)
exits 1 \
	"surfacectl refuses the same route a second time" routes add --kind socks5 --host proxy.example.net --port 1080 FR
exits 2 "surfacectl exits with 2 for an unknown country" routes add XX
exits 2 "surfacectl exits with 2 for a country in lower case" routes add fr
exits 2 "surfacectl exits with 2 for a proxy without an address" routes add --kind connect FR
exits 2 "surfacectl exits with 2 for an address without a proxy" routes add --host a --port 1 FR
exits 1 "surfacectl refuses an unknown kind of route" routes add --kind magic --host a --port 1 FR
exits 0 "surfacectl disables a route by its uuid" routes disable "$r"
api GET "/projects/$P/sessions/capabilities"
is "$(field '.capabilities.egress_countries|map(.code)|join(" ")')" "DE GB" \
	"the capabilities omit the country of a disabled route"
exits 0 "surfacectl enables a route by its uuid" routes enable "$r"
api GET "/projects/$P/sessions/capabilities"
is "$(field '.capabilities.egress_countries|map(.code)|join(" ")')" "DE FR GB" \
	"the capabilities have the country of the enabled route"
exits 0 "surfacectl deletes a route by its uuid" routes delete "$r"
exits 3 "surfacectl exits with 3 for a deleted route" routes delete "$r"
run routes list
is "$(get '.routes|map(.country)|join(" ")')" "DE GB" "the list of routes has the remaining ones"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$r'")" \
	"egress_route.create egress_route.change egress_route.change egress_route.delete" \
	"the audit has every change of the route"

# The hosts that a dispatcher has registered.
dispatch_start
begun() { [ "$(sql "SELECT count(*) FROM browser_host WHERE fault IS NULL")" = 1 ]; }
world_until 10 begun
exits 0 "surfacectl lists the hosts of the dispatchers" hosts list
like "$(get '.hosts[0]|[.name,.slots,.held,.running,.fault]|tojson')" "^\\[\".*:$W/run\",8,0,0,null\\]\$" \
	"a host has its name, slots and no fault"
u=$(session_new)
session_at "$u" running
run sessions list --account Example
like "$(get '.sessions[0]|[.state,.host,.epoch]|tojson')" "^\\[\"running\",\".*:$W/run\",1\\]\$" \
	"a running session shows its host and lease epoch"
like "$(get '.sessions[0].lease_until')" '^20' "a running session shows the end of its lease"
run hosts list
is "$(get '.hosts[0]|[.held,.running]|tojson')" "[1,1]" "the host shows one slot as taken"
r=$(sql "SELECT uuid FROM egress_route WHERE country = 'GB'")
exits 2 "surfacectl routes probe exits with 2 without a target" routes probe "$r"
exits 1 "surfacectl routes probe refuses a target without a port" routes probe --target nowhere "$r"
exits 3 \
	"surfacectl routes probe exits with 3 for an unknown route" routes probe --target a.net:80 "$(uuid_new)"

# browser-check, the dry run of a host.
world_kill surfaced-egress
without() { [ "$(sql "SELECT count(*) FROM browser_host WHERE fault IS NOT NULL")" = 1 ]; }
world_until 10 without
check() { ctl --json browser-check --etc "$W/etc" >"$W/out" 2>"$W/err"; }
state() { get ".checks[]|select(.check == \"$1\")|.state" | sort -u | tr '\n' ' '; }
check
is "$?" 1 "browser-check exits with 1 without surfaced-egress"
is "$(state egress)" "failed " "browser-check reports that egress has failed"
like "$(get '.checks[]|select(.check == "egress")|.advice')" "systemctl start surfaced-egress" \
	"browser-check advises to start surfaced-egress"
like "$(get '.checks[]|select(.check == "host")|.detail')" "egress does not answer" \
	"browser-check shows the fault that the dispatcher reported"
for good in runner evidence dispatcher routes; do
	is "$(state "$good")" "ok " "browser-check reports no fault of $good"
done
sql "UPDATE egress_route SET answered = false"
echo "# fake: missing user namespaces: sysctl user.max_user_namespaces" >>"$W/etc/surfaced-runner.conf"
world_kill surfaced-dispatch
rm -r "$W/evidence"
check
for bad in browser runner evidence dispatcher routes; do
	like "$(state "$bad")" failed "browser-check reports a fault of $bad"
done
is "$(get '.checks[]|select(.check == "browser" and .state == "failed")|.detail + " -> " + .advice')" \
	"missing user namespaces -> sysctl user.max_user_namespaces" \
	"browser-check repeats the fault and the advice of the runner"
