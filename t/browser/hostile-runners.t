#!/bin/sh
# SPDX-License-Identifier: ISC
# Compromised runners, one after another beside a good one: whatever they send, the dispatcher keeps serving its own
# sessions and those of others.
. t/lib.sh
pg_start
api_start
web_start
install -m 755 t/helper/fake-runner t/helper/hostile-runner "$W/"
world_browser_conf "$W/hostile-runner"
world_egress_start
world_dispatch_resume

logged() { [ "$(grep -c "$1" "$W/log/surfaced-dispatch.log")" -ge "${2:-1}" ]; }
# hostile WHAT: a compromised runner that ends like a good one; sets u.
hostile()
{
	session_new "https://example.com/?hostile=$1" >"$W/new"
	read -r u <"$W/new"
	ok "$1: the hostile session runs and its late screenshot is stored" world_until 20 has_shot "$u" ||
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
	ok "the session of a hostile runner closes" session_at "$1" terminal
}

session_new https://example.com/good >"$W/new"
read -r good <"$W/new"
ok "a good session runs beside hostile ones" session_at "$good" running
pid=$(worker)

session_new "https://example.com/?hostile=reason" >"$W/new"
read -r u <"$W/new"
ok "a screenshot with an unknown reason closes the connection" \
	world_until 20 logged 'not understood.*field="reason"'
is "$(grep -c 'what=screenshot' "$W/log/surfaced-dispatch.log")" 0 \
	"a screenshot with an unknown reason is not stored"
closed "$u"

session_new "https://example.com/?hostile=word" >"$W/new"
read -r u <"$W/new"
ok "an unknown message closes the connection" world_until 20 logged "not understood.*message=.no"
is "$(grep -c 'session=forged' "$W/log/surfaced-dispatch.log") $(grep -c '"session=forged' "$W/log/surfaced-dispatch.log")" \
	"1 0" "an unknown message is logged as one quoted word"
closed "$u"

session_new "https://example.com/?hostile=descriptors" >"$W/new"
read -r u <"$W/new"
ok "an unexpected descriptor closes the connection" \
	world_until 20 logged 'a descriptor that it does not take.*message="activity"'
is "$(find "/proc/$pid/fd" -lname '*memfd:theirs*' | wc -l)" 0 \
	"an unexpected descriptor is closed by the dispatcher"
closed "$u"

hostile nil
is "$(grep -c 'what=screenshot' "$W/log/surfaced-dispatch.log")" 100 \
	"each bad screenshot is refused by the database without a pause"
closed "$u"

hostile bulk
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")
ok "events of many members take little memory together ($peak kB)" [ "$peak" -lt 65536 ]
closed "$u"

hostile strangers
n=$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)
ok "the dispatcher keeps few silent connections ($n)" [ "$n" -lt 90 ]
session_new https://example.com/other >"$W/new"
read -r other <"$W/new"
ok "another session starts beside silent connections" session_at "$other" running
closed "$other"
closed "$u"

hostile socks
is "$(grep -c 'egress connected=' "$W/log/surfaced-dispatch.log")" 1 \
	"the dispatcher keeps its first connection to egress"
closed "$u"

ok "the good session has run all the time" session_is "$good" running
closed "$good"
is "$(sql "SELECT terminal_reason FROM browser_session WHERE uuid = '$good'")" closed_by_creator \
	"the good session ends as closed by its creator"
is "$(worker)" "$pid" "the dispatcher is still the same process"
