#!/bin/sh
# SPDX-License-Identifier: ISC
# How the engine evaluates changes: which changes raise an alert, repeat it or close it, and which notify.
. t/lib.sh
. t/helper/hooks.sh
pg_start
api_start
web_start
hooks_start

A=/projects/$P/alerting
F=/projects/$P/esi/findings
d=$(hook ok)
hooks_alert
put() { printf '%s\n' "$1" | ctl import "${2:-findings}" --project "$P" - >"$W/import.out" 2>&1 || diag "$(cat "$W/import.out")"; world_until 20 hooks_settled; }
rule() { api POST "$A/rules" "{\"name\":\"$1\",\"destination_uuids\":[\"$d\"],$2}"; field .rule.uuid; }
# alerts RULE: prints state, title, severity and count of its alerts.
alerts() { sql "SELECT string_agg(state || ' ' || title || ' ' || coalesce(severity, '-') || ' ' || raised_count, ', ' ORDER BY created_at, title) FROM alert WHERE rule_uuid = '$1'"; }
told() { hooks_got '[.[] | .body | fromjson | select(.data.rule.uuid == "'"$1"'") | .type] | join(" ")' 2>/dev/null; }

put '{"finding_key":"old","finding_type":"t","title":"Old","severity":"critical"}'
is "$(sql "SELECT count(*) FROM alert_change")" 0 "changes are not queued while the project has no rule"
high=$(rule High '"source":"finding","min_severity":"high"')
dns=$(rule Dns '"source":"finding","query":"finding_type:dangling_dns AND NOT title:test"')
done=$(rule Done '"source":"finding","query":"status:resolved"')
port=$(rule Port '"source":"service","query":"port:22 OR technologies:nginx"')
off=$(rule Off '"source":"finding","enabled":false')
is "$(alerts "$high")" "" "a new rule does not evaluate older findings (C-773)"
put '{"finding_key":"a","finding_type":"dangling_dns","title":"A","severity":"medium"}
{"finding_key":"b","finding_type":"x","title":"B","severity":"critical"}
{"finding_key":"c","finding_type":"dangling_dns","title":"A test","severity":"high"}'
is "$(alerts "$high")" "open A test high 1, open B critical 1" \
	"a rule raises alerts for findings of its severity (C-773)"
is "$(alerts "$dns")" "open A medium 1" "a rule raises alerts for findings that match its query"
is "$(alerts "$off")$(alerts "$done")" "" "a disabled rule and a rule for resolved findings raise nothing"
is "$(told "$high") | $(told "$dns")" "alert.raised alert.raised | alert.raised" \
	"a raised alert notifies the destination of its rule"

put '{"finding_key":"b","finding_type":"x","title":"B","severity":"critical","source_name":"another scanner"}'
is "$(alerts "$high")" "open A test high 1, open B critical 1" "an import without a change raises nothing"
put '{"finding_key":"b","finding_type":"x","title":"B, in words","severity":"high"}'
is "$(alerts "$high")" "open A test high 1, open B, in words high 2" \
	"a changed finding raises the same alert again (C-774)"
is "$(told "$high")" "alert.raised alert.raised" "an alert raised again does not notify (C-774)"
put '{"finding_key":"b","finding_type":"x","title":"B","severity":"critical"}'
is "$(told "$high") $(alerts "$high")" "alert.raised alert.raised alert.worsened open A test high 1, open B critical 3" \
	"an alert that becomes more severe notifies (C-774)"
api GET "$A/alerts?rule_uuid=$high"
b=$(field '.alerts[] | select(.title == "B") | .uuid')
api POST "$A/alerts/$b/acknowledge"
put '{"finding_key":"b","finding_type":"x","title":"Bb","severity":"critical"}'
is "$(alerts "$high")" "open A test high 1, acknowledged Bb critical 4" \
	"an acknowledged alert stays acknowledged when it is raised again"
put '{"finding_key":"b","finding_type":"x","title":"Bb","severity":"low"}'
is "$(alerts "$high")" "open A test high 1, closed Bb critical 4" \
	"an alert closes when its finding no longer matches (C-775)"
is "$(sql "SELECT action || ' ' || program FROM audit WHERE subject_id = '$b' ORDER BY id DESC LIMIT 1")" "alert.clear surfaced_alert" \
	"the audit names surfaced_alert as closing the alert"
put '{"finding_key":"b","finding_type":"x","title":"Bb","severity":"high"}'
is "$(alerts "$high")" "open A test high 1, closed Bb critical 4, open Bb high 1" \
	"a finding that matches again raises a new alert (C-775)"

api GET "$F?limit=100"
c=$(field '.findings[] | select(.finding_key == "c") | .uuid')
api POST "$F/$c/resolve"
world_until 20 hooks_settled
is "$(alerts "$high" | cut -d, -f1)" "closed A test high 1" "an alert closes when its finding is resolved (C-773)"
is "$(alerts "$done")" "open A test high 1" \
	"a rule for resolved findings raises an alert when one is resolved"
api POST "$F/$c/reopen"
world_until 20 hooks_settled
is "$(alerts "$done")" "closed A test high 1" \
	"the alert of a resolved finding closes when the finding is reopened"
is "$(sql "SELECT string_agg(state, ' ' ORDER BY created_at) FROM alert WHERE rule_uuid = '$high' AND title = 'A test'")" "closed open" \
	"a reopened finding raises a new alert"
api POST "$F/$c/resolve"
world_until 20 hooks_settled
put '{"finding_key":"c","finding_type":"dangling_dns","title":"A test","severity":"high","last_seen_at":"'"$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)"'"}'
is "$(sql "SELECT string_agg(state, ' ' ORDER BY created_at) FROM alert WHERE rule_uuid = '$high' AND title = 'A test'")" "closed closed open" \
	"a resolved finding that is seen again raises a new alert"

put '{"service_key":"s1","asset_kind":"host","asset_name":"192.0.2.1","port":22,"protocol":"ssh","product":"OpenSSH","endpoint":"192.0.2.1:22"}
{"service_key":"s2","asset_kind":"host","asset_name":"192.0.2.1","port":80,"technologies":["PHP"]}' services
is "$(alerts "$port")" "open ssh OpenSSH at 192.0.2.1:22 - 1" \
	"a service raises an alert with its endpoint as title"
put '{"service_key":"s2","asset_kind":"host","asset_name":"192.0.2.1","port":80,"technologies":["PHP","nginx"]}' services
is "$(alerts "$port")" "open ssh OpenSSH at 192.0.2.1:22 - 1, open service at s2 - 1" \
	"a changed service that now matches raises an alert"
is "$(hooks_got '[.[] | .body | fromjson | select(.data.rule.uuid == "'"$port"'") | .data.service.asset_name] | join(" ")')" "192.0.2.1 192.0.2.1" \
	"the notification of a service names its asset"

sql "UPDATE account SET state = 'suspended'"
put '{"finding_key":"z","finding_type":"x","title":"Z","severity":"critical"}'
sql "UPDATE account SET state = 'active'"
is "$(alerts "$high" | grep -c Z)" 0 "a suspended organisation raises no alerts (C-796)"
before=$(sql "SELECT count(*) FROM alert")
sql "BEGIN; INSERT INTO finding (project_uuid, finding_key, finding_type, title, severity, first_seen_at, last_seen_at)
	VALUES ('$P', 'never', 'x', 'Never', 'critical', now(), now()); ROLLBACK"
is "$(sql "SELECT count(*) FROM alert_change") $(sql "SELECT count(*) FROM alert")" "0 $before" \
	"a transaction that is rolled back queues no change"
sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'surfaced_alert'" >"$W/out"
put '{"finding_key":"y","finding_type":"x","title":"Y","severity":"critical"}'
is "$(alerts "$high" | grep -c 'open Y critical 1')" 1 \
	"a change survives the loss of the engine's connection"

# A change whose evaluation fails is kept and does not delay the others.
sql "REVOKE EXECUTE ON FUNCTION alert_judge FROM surfaced_alert"
refused() { grep -q 'what=evaluate why="permission denied' "$W/log/surfaced-alert.log"; }
hooks_import 11 11
ok "the log has the reason why a change cannot be evaluated" world_until 20 refused
is "$(sql "SELECT count(*) FROM alert_change")" 1 "a change that cannot be evaluated stays in the queue"
sql "GRANT EXECUTE ON FUNCTION alert_judge TO surfaced_alert"
ok "the queue empties when the evaluation works again" world_until 20 hooks_settled
is "$(alerts "$high" | grep -c 'open Finding 11 high 1')" 1 "the change that failed before raises its alert"
sql "ALTER TABLE alert ADD CONSTRAINT poison CHECK (title <> 'Finding 25')"
hooks_import 20 30
rest() { [ "$(sql "SELECT count(*) FROM alert WHERE rule_uuid = '$high' AND title ~ '^Finding [23].\$'")" = 10 ]; }
ok "the other changes are evaluated despite one that fails" world_until 30 rest
waits() { [ "$(sql "SELECT count(*) FROM alert_change WHERE due_at > now() + interval '30 seconds'")" = 1 ]; }
ok "a change that fails is deferred by at least thirty seconds" world_until 20 waits
sql "ALTER TABLE alert DROP CONSTRAINT poison; UPDATE alert_change SET due_at = now()"
ok "the deferred change leaves the queue when it is due" world_until 20 hooks_settled
is "$(alerts "$high" | grep -c 'open Finding 25 high 1')" 1 \
	"the deferred change raises its alert when it is evaluated"

# The database stops while a webhook is being sent; the receiver answers meanwhile.
sql "UPDATE alert_rule SET enabled = false"
slow=$(hook slow)
touch "$H/slow"
hooks_rule "$slow" >"$W/rule"
hooks_alert_kill TERM
hooks_alert
hooks_import 1 1
asked() { [ "$(hooks_got 'map(select(.kind == "slow")) | length')" = 1 ]; }
ok "the receiver has received the webhook" world_until 20 asked
world_pg_stop
rm "$H/slow"
without() { grep -q 'database what=' "$W/log/surfaced-alert.log"; }
ok "the engine logs that it has no database" world_until 20 without
"$TOP/t/helper/pg" resume "$W/db"
ok "the deliveries are settled after the database is back" world_until 30 hooks_settled
is "$(sql "SELECT d.state || ' ' || attempts FROM alert_delivery d WHERE destination_uuid = '$slow'") $(hooks_got 'map(select(.kind == "slow")) | length')" \
	"delivered 1 1" "the webhook is delivered once in spite of the outage"
hooks_import 2 2
ok "the next delivery is settled after the outage" world_until 20 hooks_settled
is "$(sql "SELECT count(*) FROM alert_delivery WHERE destination_uuid = '$slow' AND state = 'delivered'")" 2 \
	"the next webhook is delivered after the outage"
is "$(hooks_got 'map(select(.signed | not)) | length')" 0 "every webhook of this test is signed"
