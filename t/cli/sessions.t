#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl sessions and routes.
. t/lib.sh
pg_start
api_start
web_start

get() { jq -r "$1" "$W/out"; }
run() { ctl --json "$@" >"$W/out" 2>"$W/err"; }
# exits STATUS TITLE ARGUMENT...
exits() { want=$1 title=$2; shift 2; run "$@"; is "$?" "$want" "$title"; }

exits 0 "the policy" sessions limits
is "$(get '.policy|tojson')" '{"organisation_sessions":20,"caller_sessions":5,"lifetime_seconds":1800,"idle_seconds":300,"close_seconds":10,"queue_seconds":1800}' "as it is delivered"
exits 0 "a part of it" sessions limits --lifetime 600 --caller 7
is "$(get '.policy|[.organisation_sessions,.caller_sessions,.lifetime_seconds]|tojson')" "[20,7,600]" "the rest stays"
exits 0 "how long one may wait" sessions limits --queue 60
is "$(get .policy.queue_seconds)" 60 "as said"
exits 1 "out of bounds" sessions limits --lifetime 5
exits 2 "no number" sessions limits --idle soon
exits 2 "--max of nobody" sessions limits --max 3
exits 2 "of two at once" sessions limits --account "$ACCOUNT" --key x --max 3
exits 3 "of no key" sessions limits --key sfk_none
exits 0 "an account's" sessions limits --account "$ACCOUNT" --max 3
is "$(get '.limit|[.name,.active,.limit,.own]|tojson')" '["Example",0,3,true]' "its own"
exits 0 "and no more" sessions limits --account Example --max default
is "$(get '.limit|[.limit,.own]|tojson')" '[20,false]' "the policy's"
u=$(session_new)
exits 0 "a key's" sessions limits --key "$(printf %.12s "$KEY")"
is "$(get '.limit|[.active,.limit,.own]|tojson')" '[1,7,false]' "with what it has"

exits 0 "what there is" sessions list --account Example
is "$(get '.sessions|map([.uuid,.state])|tojson')" "[[\"$u\",\"queued\"]]" "of an account"
exits 0 "closing one" sessions close "$u"
is "$(get '.session|[.state,.terminal_reason]|tojson')" '["closing","closed_by_manager"]' "as a manager"
exits 3 "one that is not there" sessions close "$(uuid_new)"
exits 2 "what is no UUID" sessions close x
session_move "$u" end
run sessions list --account Example
is "$(get '.sessions|length')" 0 "terminal ones are not listed"
run sessions list --account Example --all
is "$(get '.sessions|length')" 1 "unless all are"

exits 0 "a route" routes add --kind socks5 --host proxy.example.net --port 1080 --credential fr-1 FR
is "$(get '.route|[.country,.kind,.host,.port,.credential,.enabled,.answered]|tojson')" '["FR","socks5","proxy.example.net",1080,"fr-1",true,true]' "as said"
r=$(get .route.uuid)
exits 1 "the same again" routes add --kind socks5 --host proxy.example.net --port 1080 FR
exits 2 "a country that is none" routes add XX
exits 2 "or in small letters" routes add fr
exits 2 "a proxy without an address" routes add --kind connect FR
exits 2 "an address without a proxy" routes add --host a --port 1 FR
exits 1 "an unknown kind" routes add --kind magic --host a --port 1 FR
exits 0 "off" routes disable "$r"
api GET "/projects/$P/sessions/capabilities"
is "$(field '.capabilities.egress_countries|map(.code)|join(" ")')" "DE GB" "it is not offered"
exits 0 "on" routes enable "$r"
api GET "/projects/$P/sessions/capabilities"
is "$(field '.capabilities.egress_countries|map(.code)|join(" ")')" "DE FR GB" "it is"
exits 0 "gone" routes delete "$r"
exits 3 "twice" routes delete "$r"
run routes list
is "$(get '.routes|map(.country)|join(" ")')" "DE GB" "what is left"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$r'")" \
	"egress_route.create egress_route.change egress_route.change egress_route.delete" "the audit has it"

# What a dispatcher knows.
dispatch_start
begun() { [ "$(sql "SELECT count(*) FROM browser_host WHERE fault IS NULL")" = 1 ]; }
world_until 10 begun
exits 0 "hosts" sessions hosts
like "$(get '.hosts[0]|[.name,.slots,.held,.running,.fault]|tojson')" "^\\[\".*:$W/run\",8,0,0,null\\]\$" "with their places"
u=$(session_new)
session_at "$u" running
run sessions list --account Example
like "$(get '.sessions[0]|[.state,.host,.epoch]|tojson')" "^\\[\"running\",\".*:$W/run\",1\\]\$" "who holds a session, and in which of its lives"
like "$(get '.sessions[0].lease_until')" '^20' "and until when"
run sessions hosts
is "$(get '.hosts[0]|[.held,.running]|tojson')" "[1,1]" "a place is taken"
r=$(sql "SELECT uuid FROM egress_route WHERE country = 'GB'")
exits 2 "a probe wants a target" routes probe "$r"
exits 1 "or what is one" routes probe --target nowhere "$r"
exits 3 "and a route" routes probe --target a.net:80 "$(uuid_new)"

# The dry run of a host.
world_kill surfaced-egress
without() { [ "$(sql "SELECT count(*) FROM browser_host WHERE fault IS NOT NULL")" = 1 ]; }
world_until 10 without
check() { ctl --json browser-check --etc "$W/etc" >"$W/out" 2>"$W/err"; }
state() { get ".checks[]|select(.check == \"$1\")|.state" | sort -u | tr '\n' ' '; }
check
is "$?" 1 "a host without egress is not ready"
is "$(state egress)" "failed " "it says so"
like "$(get '.checks[]|select(.check == "egress")|.advice')" "systemctl start surfaced-egress" "and what to do"
like "$(get '.checks[]|select(.check == "host")|.detail')" "egress does not answer" "nor does the dispatcher take anything"
for good in runner evidence dispatcher routes; do
	is "$(state "$good")" "ok " "$good is well"
done
sql "UPDATE egress_route SET answered = false"
echo "# fake: missing user namespaces: sysctl user.max_user_namespaces" >>"$W/etc/surfaced-runner.conf"
world_kill surfaced-dispatch
rm -r "$W/evidence"
check
for bad in browser runner evidence dispatcher routes; do
	like "$(state "$bad")" failed "$bad is not"
done
is "$(get '.checks[]|select(.check == "browser" and .state == "failed")|.detail + " -> " + .advice')" \
	"missing user namespaces -> sysctl user.max_user_namespaces" "what the runner lacks, and what to do"
