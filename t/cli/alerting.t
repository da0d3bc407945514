#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl alert-rules, destinations, alerts and deliveries.
. t/lib.sh
pg_start

get() { jq -r "$1" "$W/out"; }
run() { ctl --json "$@" >"$W/out" 2>"$W/err"; }
# exits STATUS TITLE ARGUMENT...
exits() { want=$1 title=$2; shift 2; run "$@"; is "$?" "$want" "$title"; }
says() { is "$(sed -n 1p "$W/err")" "surfacectl: $1" "surfacectl prints: $1"; }

exits 0 \
	"surfacectl creates a destination of a project" destinations create --project "$P" --url https://hooks.example.com/in "On call"
like "$(get .destination.secret)" '^whsec_[A-Za-z0-9+/]{43}=$' \
	"the new destination is shown with its secret"
d=$(get .destination.uuid)
exits 0 "surfacectl shows a destination by its uuid" destinations show "$d"
is "$(get '.destination|[.name,.url,.enabled,.secret]|tojson')" '["On call","https://hooks.example.com/in",true,null]' \
	"the destination is shown without its secret"
exits 0 "surfacectl rotates the secret of a destination" destinations rotate "$d"
is "$(sql "SELECT secret FROM alert_destination")" "$(get .destination.secret)" \
	"the database has the rotated secret of the destination"
exits 2 \
	"surfacectl refuses a URL with a private address" destinations create --project "$P" --url https://127.0.0.1/ x
says "--url has an address that is not public"
exits 2 \
	"surfacectl refuses a URL with http" destinations create --project "$P" --url http://hooks.example.com/ x
says "--url must begin with https://"
exits 2 "surfacectl exits with 2 for a destination without a URL" destinations create --project "$P" x
exits 1 \
	"surfacectl refuses a destination with a blank name" destinations create --project "$P" --url https://hooks.example.com/in " "
exits 3 \
	"surfacectl exits with 3 for an unknown project" destinations create --project "$(uuid_new)" --url https://hooks.example.com/in x
exits 0 "surfacectl disables a destination by its uuid" destinations disable "$d"
is "$(get .destination.enabled)" false "the destination is disabled in the answer"
exits 0 "surfacectl enables a destination by its uuid" destinations enable "$d"
exits 0 "surfacectl lists the destinations of a project" destinations list --project "$P"
is "$(get '.destinations|map(.name)|tojson')" '["On call"]' "the list has the destination of the project"

exits 0 \
	"surfacectl creates a rule of findings" alert-rules create --project "$P" --source finding --severity high --query 'NOT title:test' --destination "$d" High
is "$(get '.rule|[.name,.source,.min_severity,.query,.enabled,.destination_uuids]|tojson')" "[\"High\",\"finding\",\"high\",\"NOT title:test\",true,[\"$d\"]]" \
	"the new rule has the values of its options"
r=$(get .rule.uuid)
exits 0 "surfacectl creates a rule of services" alert-rules create --project "$P" --source service New
is "$(get '.rule|[.min_severity,.query]|tojson')" '[null,""]' \
	"the rule of services has neither severity nor query"
exits 2 "surfacectl exits with 2 for a rule without a source" alert-rules create --project "$P" x
says "--source is finding or service"
exits 2 \
	"surfacectl refuses a severity of services" alert-rules create --project "$P" --source service --severity low x
exits 1 \
	"surfacectl refuses an unknown severity of a rule" alert-rules create --project "$P" --source finding --severity bad x
says "x: --severity is info, low, medium, high or critical"
exits 2 \
	"surfacectl refuses a query with an unknown field" alert-rules create --project "$P" --source finding --query 'a AND port:22' x
like "$(cat "$W/err")" "^surfacectl: --query, character 7: " \
	"the refusal of a query has the position of the fault"
exits 2 \
	"surfacectl exits with 2 for a malformed uuid" alert-rules create --project "$P" --source finding --destination x x
exits 3 \
	"surfacectl exits with 3 for an unknown destination" alert-rules create --project "$P" --source finding --destination "$(uuid_new)" x
says "the project does not have such a --destination"
exits 2 "surfacectl exits with 2 for rules without a project" alert-rules list
exits 0 "surfacectl disables a rule by its uuid" alert-rules disable "$r"
exits 0 "surfacectl enables a rule by its uuid" alert-rules enable "$r"
exits 0 "surfacectl shows a rule by its uuid" alert-rules show "$r"
is "$(get .rule.enabled)" true "the rule is enabled in the answer"

a=$(sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, severity) VALUES ('$P', '$r', 'finding', '$(uuid_new)', 'T', 'high') RETURNING uuid")
exits 0 "surfacectl lists the alerts of a project" alerts list --project "$P"
is "$(get '.alerts|map([.uuid,.state,.severity,.title])|tojson')" "[[\"$a\",\"open\",\"high\",\"T\"]]" \
	"the list has the open alert with severity and title"
sql "UPDATE alert SET state = 'closed', closed_at = now()"
run alerts list --project "$P" --rule "$r"
is "$(get '.alerts|length')" 0 "the list of alerts leaves closed ones out"
run alerts list --project "$P" --all
is "$(get '.alerts|length')" 1 "the list of alerts with --all has closed ones"

exits 0 "surfacectl sends a test to a destination" destinations test "$d"
v=$(get .test.delivery_uuid)
exits 3 "surfacectl exits with 3 for a test of an unknown destination" destinations test "$(uuid_new)"
exits 0 \
	"surfacectl lists the deliveries of a destination" deliveries list --project "$P" --state pending --destination "$d"
is "$(get '.deliveries|map([.uuid,.kind,.alert_uuid,.attempts])|tojson')" "[[\"$v\",\"test\",null,0]]" \
	"the list has the pending delivery of the test"
sql "UPDATE alert_delivery SET state = 'failed', attempts = 2; INSERT INTO alert_attempt VALUES
	('$v', 1, now(), now(), 500, 'no'), ('$v', 2, now(), NULL, NULL, NULL)"
exits 0 "surfacectl shows a failed delivery by its uuid" deliveries show "$v"
is "$(get '.delivery.history|map([.number,.http_status_code,.failure,.ended_at != null])|tojson')" '[[1,500,"no",true],[2,null,null,false]]' \
	"the failed delivery is shown with its attempts"
like "$(ctl deliveries show "$v" | tail -1)" "^2  " "the failed delivery is shown as a table too"
exits 0 "surfacectl retries a failed delivery by its uuid" deliveries retry "$v"
is "$(get .delivery.state) $(sql "SELECT attempts - spent FROM alert_delivery")" "pending 0" \
	"a retried delivery is pending and has all its attempts again"
sql "UPDATE alert_delivery SET state = 'delivered', delivered_at = now()"
exits 1 "surfacectl refuses to retry a delivered notification" deliveries retry "$v"
exits 3 "surfacectl exits with 3 for an unknown delivery" deliveries retry "$(uuid_new)"

exits 0 "surfacectl deletes a destination by its uuid" destinations delete "$d"
exits 3 "surfacectl exits with 3 for a deleted destination" destinations delete "$d"
exits 0 "surfacectl shows a rule whose destination was deleted" alert-rules show "$r"
is "$(get '.rule.destination_uuids|tojson')" "[]" "the rule no longer names the deleted destination"
exits 0 "surfacectl deletes a rule by its uuid" alert-rules delete "$r"
exits 3 "surfacectl exits with 3 for a deleted rule" alert-rules show "$r"
like "$(ctl audit --action alert_rule.delete)" "os:[^ ]+ +alert_rule.delete +$r +.*deleted_at" \
	"surfacectl audit finds the deletion of a rule by its action"
is "$(ctl audit | awk 'length > 240' | wc -l)" 0 "no line of surfacectl audit has whole records"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject_id = '$d' AND actor LIKE 'os:%'")" \
	"alert_destination.create alert_destination.rotate_secret alert_destination.change alert_destination.change alert_destination.delete" \
	"the audit has every change of the destination"
is "$(sql "SELECT count(*) FROM audit WHERE after::text LIKE '%whsec%' OR before::text LIKE '%whsec%'")" 0 \
	"the audit contains no secret of a destination"
