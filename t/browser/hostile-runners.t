#!/bin/sh
# SPDX-License-Identifier: ISC
# Runners that somebody has taken, one after the other beside one that is good: whatever they say, the
# dispatcher goes on with its own and with those of others.
. t/lib.sh
pg_start
api_start
web_start
cp t/helper/fake-runner t/helper/hostile-runner "$W/"
world_browser_conf "$W/hostile-runner"
world_egress_start
world_dispatch_resume

logged() { [ "$(grep -c "$1" "$W/log/surfaced-dispatch.log")" -ge "${2:-1}" ]; }
# hostile WHAT: one that is taken, and comes to its end as a good one; sets u.
hostile()
{
	session_new "https://example.com/?hostile=$1" >"$W/new"
	read -r u <"$W/new"
	ok "$1: it runs, and what it says when it is good again is taken" world_until 20 has_shot "$u" ||
		diag "$(tail -n 20 "$W/log/surfaced-dispatch.log")"
}
has_shot()
{
	[ "$(sql "SELECT count(*) FROM screenshot WHERE session_uuid = '$1' AND reason = 'ready'")" -ge 1 ]
}
worker()
{
	pgrep -P "$(world_pid surfaced-dispatch)" | head -n 1
}
closed()
{
	api DELETE "/projects/$P/sessions/$1"
	ok "it closes" session_at "$1" terminal
}

session_new https://example.com/good >"$W/new"
read -r good <"$W/new"
ok "a good one runs" session_at "$good" running
pid=$(worker)

session_new "https://example.com/?hostile=reason" >"$W/new"
read -r u <"$W/new"
ok "a word that is no reason ends its connection" world_until 20 logged 'not understood.*field="reason"'
is "$(grep -c 'what=screenshot' "$W/log/surfaced-dispatch.log")" 0 "before anything else hears of it"
closed "$u"

session_new "https://example.com/?hostile=word" >"$W/new"
read -r u <"$W/new"
ok "a word that is none ends it, too" world_until 20 logged "not understood.*message=.no"
is "$(grep -c 'session=forged' "$W/log/surfaced-dispatch.log") $(grep -c '"session=forged' "$W/log/surfaced-dispatch.log")" \
	"1 0" "and is one word in the log"
closed "$u"

session_new "https://example.com/?hostile=descriptors" >"$W/new"
read -r u <"$W/new"
ok "a descriptor with a word that takes none ends it, too" \
	world_until 20 logged 'a descriptor that it does not take.*message="activity"'
is "$(find "/proc/$pid/fd" -lname '*memfd:theirs*' | wc -l)" 0 "and is kept by nobody"
closed "$u"

hostile nil
is "$(grep -c 'what=screenshot' "$W/log/surfaced-dispatch.log")" 100 "the database was asked each time, without a pause"
closed "$u"

hostile bulk
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")
ok "events of many members take no memory together ($peak kB)" [ "$peak" -lt 65536 ]
closed "$u"

hostile strangers
n=$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)
ok "connections that say nothing are few ($n)" [ "$n" -lt 90 ]
session_new https://example.com/other >"$W/new"
read -r other <"$W/new"
ok "while they are there, another session starts" session_at "$other" running
closed "$other"
closed "$u"

hostile socks
is "$(grep -c 'egress connected=' "$W/log/surfaced-dispatch.log")" 1 "the connection to egress is the first one"
closed "$u"

ok "the good one has run all the time" session_is "$good" running
closed "$good"
is "$(sql "SELECT terminal_reason FROM browser_session WHERE uuid = '$good'")" closed_by_creator "to its own end"
is "$(worker)" "$pid" "the dispatcher is the same process"
