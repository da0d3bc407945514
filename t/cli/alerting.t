#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl rules, destinations, alerts and deliveries.
. t/lib.sh
pg_start

get() { jq -r "$1" "$W/out"; }
run() { ctl --json "$@" >"$W/out" 2>"$W/err"; }
# exits STATUS TITLE ARGUMENT...
exits() { want=$1 title=$2; shift 2; run "$@"; is "$?" "$want" "$title"; }
says() { is "$(sed -n 1p "$W/err")" "surfacectl: $1" "$1"; }

exits 0 "a destination" destinations create --project "$P" --url https://hooks.example.com/in "On call"
like "$(get .destination.secret)" '^whsec_[A-Za-z0-9+/]{43}=$' "with its secret"
d=$(get .destination.uuid)
exits 0 "it" destinations show "$d"
is "$(get '.destination|[.name,.url,.enabled,.secret]|tojson')" '["On call","https://hooks.example.com/in",true,null]' "without"
exits 0 "another secret" destinations rotate "$d"
is "$(sql "SELECT secret FROM alert_destination")" "$(get .destination.secret)" "is the one that signs"
exits 2 "no URL that is public" destinations create --project "$P" --url https://127.0.0.1/ x
says "--url has an address that is not public"
exits 2 "nor one of http" destinations create --project "$P" --url http://hooks.example.com/ x
says "--url must begin with https://"
exits 2 "nor none" destinations create --project "$P" x
exits 1 "a name of blanks" destinations create --project "$P" --url https://hooks.example.com/in " "
exits 3 "of no project" destinations create --project "$(uuid_new)" --url https://hooks.example.com/in x
exits 0 "off" destinations disable "$d"
is "$(get .destination.enabled)" false "so"
exits 0 "on" destinations enable "$d"
exits 0 "the list" destinations list --project "$P"
is "$(get '.destinations|map(.name)|tojson')" '["On call"]' "of them"

exits 0 "a rule" rules create --project "$P" --source finding --severity high --query 'NOT title:test' --destination "$d" High
is "$(get '.rule|[.name,.source,.min_severity,.query,.enabled,.destination_uuids]|tojson')" "[\"High\",\"finding\",\"high\",\"NOT title:test\",true,[\"$d\"]]" "as said"
r=$(get .rule.uuid)
exits 0 "of services" rules create --project "$P" --source service New
is "$(get '.rule|[.min_severity,.query]|tojson')" '[null,""]' "all of them"
exits 2 "no source" rules create --project "$P" x
says "--source is finding or service"
exits 2 "a severity of services" rules create --project "$P" --source service --severity low x
exits 1 "an unknown severity" rules create --project "$P" --source finding --severity bad x
says "x: --severity is info, low, medium, high or critical"
exits 2 "a wrong query" rules create --project "$P" --source finding --query 'a AND port:22' x
like "$(cat "$W/err")" "^surfacectl: --query, character 7: " "with its place"
exits 2 "what is no UUID" rules create --project "$P" --source finding --destination x x
exits 3 "nobody's destination" rules create --project "$P" --source finding --destination "$(uuid_new)" x
says "the project does not have such a --destination"
exits 2 "of no project" rules list
exits 0 "off" rules disable "$r"
exits 0 "on" rules enable "$r"
exits 0 "it" rules show "$r"
is "$(get .rule.enabled)" true "so"

a=$(sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, severity) VALUES ('$P', '$r', 'finding', '$(uuid_new)', 'T', 'high') RETURNING uuid")
exits 0 "the inbox" alerts list --project "$P"
is "$(get '.alerts|map([.uuid,.state,.severity,.title])|tojson')" "[[\"$a\",\"open\",\"high\",\"T\"]]" "as it stands"
sql "UPDATE alert SET state = 'closed', closed_at = now()"
run alerts list --project "$P" --rule "$r"
is "$(get '.alerts|length')" 0 "closed ones are not listed"
run alerts list --project "$P" --all
is "$(get '.alerts|length')" 1 "unless all are"

exits 0 "a test" destinations test "$d"
v=$(get .test.delivery_uuid)
exits 3 "of none" destinations test "$(uuid_new)"
exits 0 "is a delivery" deliveries list --project "$P" --state pending --destination "$d"
is "$(get '.deliveries|map([.uuid,.kind,.alert_uuid,.attempts])|tojson')" "[[\"$v\",\"test\",null,0]]" "to come"
sql "UPDATE alert_delivery SET state = 'failed', attempts = 2; INSERT INTO alert_attempt VALUES
	('$v', 1, now(), now(), 500, 'no'), ('$v', 2, now(), NULL, NULL, NULL)"
exits 0 "one that failed" deliveries show "$v"
is "$(get '.delivery.history|map([.number,.http_status_code,.failure,.ended_at != null])|tojson')" '[[1,500,"no",true],[2,null,null,false]]' "with its history"
like "$(ctl deliveries show "$v" | tail -1)" "^2  " "in words as well"
exits 0 "again" deliveries retry "$v"
is "$(get .delivery.state) $(sql "SELECT attempts - spent FROM alert_delivery")" "pending 0" "with its attempts anew"
sql "UPDATE alert_delivery SET state = 'delivered', delivered_at = now()"
exits 1 "one that was made" deliveries retry "$v"
exits 3 "one that is not there" deliveries retry "$(uuid_new)"

exits 0 "gone" destinations delete "$d"
exits 3 "twice" destinations delete "$d"
exits 0 "a rule" rules show "$r"
is "$(get '.rule.destination_uuids|tojson')" "[]" "no longer names it"
exits 0 "gone" rules delete "$r"
exits 3 "so" rules show "$r"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$d' AND actor LIKE 'os:%'")" \
	"alert_destination.create alert_destination.rotate_secret alert_destination.change alert_destination.change alert_destination.change" "the audit has it"
is "$(sql "SELECT count(*) FROM audit WHERE after::text LIKE '%whsec%' OR before::text LIKE '%whsec%'")" 0 "but no secret"
