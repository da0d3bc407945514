#!/bin/sh
# SPDX-License-Identifier: ISC
# The history of records: events with their contents, filters, pages, since, coalescing, months (C-412).
. t/lib.sh
pg_start
api_start
web_start

# records DATASET: imports standard input.
records()
{
	cat >"$W/in"
	ctl import "$1" --format ndjson "$W/in" >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}
# events JQ: what the last answer has of its events, one a line.
events() { printf '%s' "$BODY" | jq -c ".events[] | $1"; }
day() { date -u -d "-$1 days" +%Y-%m-%dT00:00:00.000000Z; }
domain() { printf '{"domain":"example.org","whois":{%s},"last_seen":"%s"}\n' "$1" "$2"; }

# ---- registrations ----

domain '"registrar":"One","nameservers":["a.example.org"],"status":["ok"]' "$(day 30)" | records whois
api GET /search/whois/example.org/history
is "$STATUS $(events .)" "200 $(jq -nc --arg at "$(day 30)" '{at: $at, kind: "added", fields: ["whois.registrar", "whois.nameservers"],
	before: {}, after: {whois: {registrar: "One", nameservers: ["a.example.org"]}}, count: 1}')" "a new registration is an event with its members (C-412)"
domain '"registrar":"Two","nameservers":["a.example.org","b.example.org"],"expires_at":"2030-01-01T00:00:00Z"' "$(day 20)" | records whois
api GET /search/whois/a.b.Example.org/history
is "$STATUS $(field .domain) $(events . | head -1)" "200 example.org $(jq -nc --arg at "$(day 20)" '{at: $at, kind: "changed",
	fields: ["whois.registrar", "whois.nameservers", "whois.expires_at"], before: {whois: {registrar: "One", nameservers: ["a.example.org"]}},
	after: {whois: {registrar: "Two", nameservers: ["a.example.org", "b.example.org"], expires_at: "2030-01-01T00:00:00.000000Z"}}, count: 1}')" \
	"a change of the registrar, name servers and dates is one event, also of a name below the domain (C-412)"
domain '"registrar":"Two","nameservers":["a.example.org","b.example.org"],"expires_at":"2030-01-01T00:00:00Z","status":["ok"]' "$(day 10)" | records whois
api GET /search/whois/example.org/history
is "$(grep -o '[0-9]* changed' "$W/out") $(field '.events|length')" "1 changed 2" "a registration that was seen again without such a change has no event (C-412)"
api GET /search/whois/example.net/history
is "$STATUS $(field .error.code)" "404 not_found" "a domain without a registration has no history"
api GET /search/whois/org/history
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a name without a dot has no history"
api GET '/search/whois/example.org/history?port=80'
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "the history of a registration has no ports"

# ---- pages and filters ----

page()
{
	api GET "/search/whois/example.org/history?limit=1$1"
	printf '%s %s' "$STATUS" "$(field '[.events[].kind]|join(" ")')"
}
is "$(page '')" "200 changed" "the first page has the newest event"
api GET '/search/whois/example.org/history?limit=1'
cursor=$(field .next_cursor)
is "$(field .has_more)" true "a page before the last has more"
is "$(page "&cursor=$cursor")" "200 added" "the next page has the older event"
api GET "/search/whois/example.org/history?limit=1&cursor=$cursor"
is "$(field .has_more) $(field .next_cursor)" "false null" "the last page has no cursor"
api GET "/search/whois/example.org/history?from=$(day 100)&cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor is worth nothing with other filters"
key_other=$(key_new --scope search.view)
key=$key_other api GET "/search/whois/example.org/history?cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_search_cursor" "a cursor is worth nothing with another key"
api GET '/search/whois/example.org/history?limit=101'
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a page has at most 100 events"
is "$(page "&from=$(day 20)")" "200 changed" "from includes its moment"
is "$(page "&to=$(day 21)")" "200 added" "the parameter to leaves out later events"
is "$(page "&from=$(day 29)&to=$(day 21)")" "200 " "a time without events has an empty page"
api GET '/search/whois/example.org/history?from=yesterday'
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "from is a time"
key_other=$(key_new --scope search.aggregate)
key=$key_other api GET /search/whois/example.org/history
is "$STATUS $(field .error.code)" "403 permission_denied" "a history needs the scope search.view (C-008)"

# ---- since ----

api GET /search/whois/example.org/history
is "$(field .since)" "$(date -u -d "$(date -u -d '-365 days' +%Y-%m-01)" +%Y-%m-%dT00:00:00.000000Z)" \
	"a database that had no records has its history from the first month that is kept (C-412)"
sql "UPDATE record_history SET began = '$(day 25)'"
api GET /search/whois/example.org/history
is "$(field .since) $(field '.events|length')" "$(day 25) 2" "otherwise the history begins when changes began to be recorded (C-412)"
sql "UPDATE record_history SET began = '-infinity'"

# ---- at most 32 events of a day ----

many='' at=$(date -u -d '-5 days' +%Y-%m-%d)
for n in $(seq 10 41); do
	domain "\"registrar\":\"R$n\"" "${at}T10:$n:00Z" | sed 's/example.org/many.example.org/' | records whois
done
api GET '/search/whois/many.example.org/history?limit=100'
is "$(field '.events|length') $(field '[.events[].kind]|unique|join(" ")')" "32 added changed" "32 events of a day are kept as they are"
for n in 42 43; do
	domain "\"registrar\":\"R$n\"" "${at}T10:$n:00Z" | sed 's/example.org/many.example.org/' | records whois
	api GET '/search/whois/many.example.org/history?limit=100'
	many="$many $(field '.events|length') $(field '[.events[]|select(.kind=="coalesced")]|length') $(events .count | head -1) $(events .at | head -1)"
done
is "$many" " 32 1 2 \"${at}T10:42:00.000000Z\" 32 1 3 \"${at}T10:43:00.000000Z\"" \
	"the 33rd change of a day makes the last event a coalesced one with the count 2, the 34th makes it 3 (C-412)"
is "$(events '[.fields, .before, .after, .count]' | sed -n '1p;2p')" "$(printf '%s\n' '[[],{},{},3]' \
	'[["whois.registrar"],{"whois":{"registrar":"R39"}},{"whois":{"registrar":"R40"}},1]')" "a coalesced event has its count alone"
domain '"registrar":"R50"' "$(date -u -d '-4 days' +%Y-%m-%dT00:00:00Z)" | sed 's/example.org/many.example.org/' | records whois
api GET '/search/whois/many.example.org/history?limit=100'
is "$(field '.events|length')" 33 "the next day of UTC has events of its own (C-412)"

# ---- months ----

months() { sql "SELECT count(*) || ' ' || min(c.relname) || ' ' || max(c.relname) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
	WHERE i.inhparent = 'record_event'::regclass"; }
m() { date -u -d "$(date -u +%Y-%m-15) $1" +record_event_%Y%m; }
oldest=record_event_$(date -u -d '-365 days' +%Y%m)
is "$(months)" "$(($(sql "SELECT 12 * (extract(year FROM now()) - left(right('$oldest', 6), 4)::int) + extract(month FROM now()) - right('$oldest', 2)::int") + 3)) $oldest $(m '+2 months')" \
	"the history has a partition for each month from 365 days ago to the month after next"
sql "DROP TABLE $(m '+0 months')"
domain '"registrar":"R60"' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" | records whois
api GET '/search/whois/example.org/history?limit=1'
is "$(events .after.whois.registrar)" '"R60"' "an import makes the month that it needs"
domain '"registrar":"R61"' 2099-01-01T00:00:00Z | records whois
api GET '/search/whois/example.org/history?limit=1'
is "$(events .after.whois.registrar) $(events '.at < "2099"')" '"R61" true' "an event in the future has the time of the import"
printf '{"domain":"old.example.org","whois":{"registrar":"One"},"last_seen":"2001-01-01T00:00:00Z"}' | records whois
api GET /search/whois/old.example.org/history
is "$STATUS $(field '.events|length')" "200 0" "an event from before the months that are kept is left out, and the record is stored"
sql "DROP TABLE $(m '+2 months')"
echo "history_days = 20" >>"$W/etc/surfaced-alert.conf"
alert_start
kept() { [ "$(months | cut -d' ' -f2-)" = "record_event_$(date -u -d '-20 days' +%Y%m) $(m '+2 months')" ]; }
ok "surfaced-alert makes the months to come and drops those that ended history_days ago" world_until 30 kept
ok "surfaced-alert logs the months that it dropped" world_until 30 grep -q 'pruned what=history months=' "$W/log/surfaced-alert.log"
api GET '/search/whois/example.org/history?limit=100'
is "$(field .since)" "$(date -u -d '-20 days' +%Y-%m-01T00:00:00.000000Z)" "since tells that earlier months are gone (C-412)"

# ---- months that somebody else uses ----

# busy LOCK: record_event_keep is called while another transaction has a lock on the history; sets WAITED to its result.
busy()
{
	mkfifo "$W/busy"
	psql -qAtX -h "$W/db" -d surfaced <"$W/busy" >"$W/busy.out" 2>&1 &
	_busy=$!
	exec 4>"$W/busy"
	echo "BEGIN; LOCK TABLE record_event IN $1 MODE; SELECT 'locked';" >&4
	world_until 30 grep -q locked "$W/busy.out" || diag "no lock"
	WAITED=$(sql "SELECT record_event_keep(365, 100)")
	exec 4>&-
	wait "$_busy"
	rm "$W/busy"
}
world_kill surfaced-alert
sql "DROP TABLE $(m '+2 months')"
sql "CREATE TABLE record_event_200001 PARTITION OF record_event FOR VALUES FROM ('2000-01-01 00:00Z') TO ('2000-02-01 00:00Z')"
busy 'ACCESS SHARE'
is "$WAITED $(months | cut -d' ' -f2-)" "0 record_event_200001 $(m '+2 months')" \
	"months are made while a month that is due cannot be dropped, because somebody reads the history"
is "$(sql "SELECT oldest = date_trunc('month', now() - interval '365 days', 'UTC') FROM record_history")" t \
	"the first month that is kept is stored while a month cannot be dropped"
is "$(sql "SELECT record_event_keep(365, 100)")" 1 "a later call drops the month"

# ---- hosts ----

echo "history_days = 365" >>"$W/etc/surfaced-alert.conf"
sql "SELECT record_event_keep(365, 100)" >/dev/null
host() { printf '{"ip":"192.0.2.1","asn":64500,"services":[%s],"last_seen":"%s"}\n' "$1" "$2"; }
web() { printf '{"port":80,"product":"nginx","http":{"title":"%s"}}' "$1"; }
# import SERVICES DAY [OPTION ...]: imports the host as it was seen that many days ago.
import()
{
	host "$1" "$(day "$2")" >"$W/in"
	shift 2
	ctl import hosts --format ndjson "$@" "$W/in" >"$W/out" 2>"$W/err" || diag "$(cat "$W/err")"
}
history() { api GET "/search/hosts/192.0.2.1/history$1"; }

import "$(web Old),{\"port\":22,\"product\":\"openssh\"}" 40
history ''
is "$STATUS $(field .ip) $(events .)" "200 192.0.2.1 $(jq -nc --arg at "$(day 40)" \
	'{at: $at, kind: "host_added", service: null, fields: [], before: {}, after: {}, count: 1}')" "a new host is one event (C-412)"
import "$(web New),{\"port\":53,\"transport\":\"udp\",\"product\":\"bind\"}" 30 --replace-ports 1-1024,53/udp
history "?from=$(day 30)"
is "$(events .)" "$(jq -nc --arg at "$(day 30)" --arg was "$(day 40)" '
	{at: $at, kind: "service_changed", service: {port: 80, transport: "tcp"}, fields: ["http.title"],
		before: {http: {title: "Old"}}, after: {http: {title: "New"}}, count: 1},
	{at: $at, kind: "service_added", service: {port: 53, transport: "udp"}, fields: ["product"], before: {}, after: {product: "bind"}, count: 1},
	{at: $at, kind: "service_gone", service: {port: 22, transport: "tcp"}, fields: ["product", "first_seen", "last_seen"],
		before: {product: "openssh", first_seen: $was, last_seen: $was}, after: {}, count: 1}')" \
	"a changed title, a new service and one that a full scan no longer shows are these events (C-412, C-407)"
n=$(sql "SELECT count(*) FROM record_event")
import "$(web New),{\"port\":53,\"transport\":\"udp\",\"product\":\"bind\"}" 30
import "$(web New)" 20
is "$(sql "SELECT count(*) FROM record_event") $(grep -o '[0-9]* changed' "$W/out")" "$n 1 changed" \
	"the same file again, and a later last_seen alone, are no event (C-412)"
sed 's/64500/64501/' "$W/in" >"$W/in2"
ctl import hosts --format ndjson --seen "$(day 20)" "$W/in2" >/dev/null 2>&1
history '?limit=1'
is "$(events '[.kind, .fields, .before, .after]')" '["host_changed",["asn"],{"asn":64500},{"asn":64501}]' "a changed member of the host is an event (C-412)"
history '?port=22'
is "$(field '[.events[].kind]|join(" ")')" "service_gone" "port selects the events of services on a port"
history '?port=53&from=2020-01-01T00:00:00Z'
is "$(field '[.events[].kind]|join(" ")')" "service_added" "port and from select together"
for bad in port=0 port=65536 port=x to=2026 type=a; do
	history "?$bad"
	is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a history refuses the parameter $bad"
done
api GET /search/hosts/192.0.2.9/history
is "$STATUS $(field .error.code)" "404 not_found" "an address without a host has no history"
api GET /search/hosts/example.org/history
is "$STATUS $(field .error.code)" "400 invalid_search_parameter" "a name has no history of a host"

import "$(web New),{\"port\":22,\"product\":\"openssh\"}" 10
api GET /search/hosts/::ffff:192.0.2.1/history/services
is "$STATUS $(printf '%s' "$BODY" | jq -c '[.ip, has("since")], .services[]')" "200 $(jq -nc --arg a "$(day 10)" --arg b "$(day 20)" --arg c "$(day 30)" --arg d "$(day 40)" '
	["192.0.2.1", true], {port: 22, transport: "tcp", first_seen: $d, last_seen: $d}, {port: 22, transport: "tcp", first_seen: $a, last_seen: $a},
	{port: 53, transport: "udp", first_seen: $c, last_seen: $c}, {port: 80, transport: "tcp", first_seen: $d, last_seen: $a}')" \
	"the times of services have a range for each time that a service was there (C-883)"
ctl expire hosts --unseen "$(day 15)" >"$W/out" 2>&1
history '?limit=1'
is "$(events '[.kind, .service.port]')" '["service_gone",53]' "a service that expires is an event (C-407)"
ctl expire hosts --unseen "$(day 5)" >"$W/out" 2>&1
history '?limit=3'
is "$STATUS $(events '[.kind, .service.port]' | tr '\n' ' ')" '200 ["service_gone",80] ["service_gone",22] ["host_gone",null] ' \
	"a host that expires has an event, as each of its services has, and keeps its history (C-407)"
api GET /search/hosts/192.0.2.1/history/services
is "$STATUS $(field '.services|length')" "200 4" "a host that is gone keeps the times of its services (C-883)"
printf '{"ip":"192.0.2.1","services":[%s]}\n' "$(web Again)" | records hosts
history '?limit=1'
is "$(events .kind)" '"host_added"' "a host that comes again is a new one (C-883)"

# ---- many events at once ----

# Of 60 services that a scan no longer shows, 40 are seen on one day by the times of the services that replace them.
jq -nc --arg at "$(day 9)" '{ip: "192.0.2.60", last_seen: $at, services: [range(1; 61) | {port: .}]}' | records hosts
jq -nc --arg at "$(day 8)" --arg at2 "$(day 7)" '{ip: "192.0.2.60", last_seen: $at2,
	services: [range(1; 61) | {port: ., product: "x", last_seen: (if . % 3 > 0 then $at else $at2 end)}]}' | records hosts
is "$(sql "SELECT date_trunc('day', at, 'UTC') = '$(day 8)', count(*), sum(coalesce((what::json ->> 'count')::int, 1)), count(*) FILTER (WHERE kind = 10)
	FROM record_event WHERE dataset = 1 AND key = '\x04c000023c' AND kind <> 1 GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" "f|20|20|0 t|32|40|1 " \
	"of 60 changed services, each day has its own, and the day of 40 has a coalesced event with the count 9 (C-412)"
jq -nc --arg at "$(day 8)" '{ip: "192.0.2.60", last_seen: $at, services: [range(101; 181) | {port: ., last_seen: $at}]}' | records hosts
is "$(sql "SELECT count(*), max((what::json ->> 'count')::int) FROM record_event WHERE dataset = 1 AND key = '\x04c000023c'
	AND at >= '$(day 8)' AND at < '$(day 7)'")" "32|89" "80 more services of that day are counted by the coalesced event (C-412)"

# ---- two imports at once ----

seq 1 3000 | jq -c "{ip: \"10.0.\(. / 250 | floor).\(. % 250)\", last_seen: \"$(day 3)\"}" >"$W/many"
for os in One Two; do
	jq -c ". + {os: \"$os\"}" "$W/many" >"$W/many-$os"
done
ctl import hosts --format ndjson "$W/many" >/dev/null 2>&1
ctl import hosts --format ndjson "$W/many-One" >"$W/one" 2>&1 &
ctl import hosts --format ndjson "$W/many-Two" >"$W/two" 2>&1
wait $!
# Whatever the order, each change is an event, and the last event of a host has what is stored.
is "$(sql "SELECT count(*) FROM record_event WHERE dataset = 1 AND kind = 1 AND key >= '\x040a' AND key < '\x040b'")" 3000 \
	"each host has one event of its addition"
is "$(sql "SELECT count(*) FROM record r WHERE dataset = 1 AND key >= '\x040a' AND key < '\x040b' AND doc::json ->> 'os' IS DISTINCT FROM
	(SELECT what::json #>> '{after,os}' FROM record_event e WHERE e.dataset = 1 AND e.key = r.key AND kind = 2 ORDER BY at DESC, seq DESC LIMIT 1)")" 0 \
	"the last event of each host is the one that made it what it is"
is "$(sql "SELECT count(*) FROM (SELECT what::json #>> '{before,os}' AS was, lag(what::json #>> '{after,os}') OVER (PARTITION BY key ORDER BY seq) AS had
	FROM record_event WHERE dataset = 1 AND kind = 2) AS e WHERE was IS DISTINCT FROM had")" 0 "each event begins where the one before ended"
