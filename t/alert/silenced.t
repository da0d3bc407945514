#!/bin/sh
# SPDX-License-Identifier: ISC
# C-083: a silence suppresses notifications at the time they would be sent, and changes nothing else.
. t/lib.sh
. t/helper/hooks.sh
pg_start
api_start
web_start
hooks_start

A=/projects/$P/alerting
ok=$(hook ok) fail=$(hook fail)
rule=$(hooks_rule "$ok")
hooks_alert "webhook_attempts = 1000"
# silence FROM TO [RULE]: offsets from now; prints the UUID.
silence()
{
	sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at)
		VALUES ('$P', '${3:-$rule}', 'x', now() + '$1', now() + '$2') RETURNING uuid"
}
states() { sql "SELECT string_agg(n || ' ' || state, ', ' ORDER BY state) FROM (SELECT count(*) AS n, state FROM alert_delivery GROUP BY state) AS s"; }
import() { hooks_import "$@"; world_until 30 hooks_settled; }

one=$(silence '-1 minute' '1 hour') two=$(silence '-1 minute' '2 hours')
import 1 3
is "$(states)" "3 silenced" "a silence suppresses the notifications of its rule (C-083)"
is "$(sql "SELECT count(*) FROM alert WHERE state = 'open' AND rule_uuid = '$rule'")" 3 \
	"a silence suppresses neither evaluation nor the inbox (C-083)"
is "$(cat "$H/got" 2>/dev/null)" "" "no webhook is sent during a silence (C-083)"
is "$(sql "SELECT DISTINCT attempts || ' ' || (last_attempt_at IS NULL) FROM alert_delivery")" "0 true" \
	"a silenced delivery has no attempts"
api DELETE "$A/silences/$one"
import 4 4
is "$(states)" "4 silenced" "the second silence still applies after the first is cancelled (C-083)"
api DELETE "$A/silences/$two"
silence '1 hour' '2 hours' >/dev/null
silence '-2 hours' '-1 second' >/dev/null
import 5 5
is "$(states)" "1 delivered, 4 silenced" "a pending and an expired silence suppress nothing (C-083)"
is "$(hooks_got 'map(.body | fromjson | .data.alert.title) | join(" ")')" "Finding 5" \
	"silenced notifications are not sent after the silence"
d=$(sql "SELECT uuid FROM alert_delivery WHERE state = 'silenced' ORDER BY created_at LIMIT 1")
api POST "$A/deliveries/$d/retry"
is "$STATUS $(field '.delivery.uuid')" "200 $d" "a silenced delivery can be retried by a client (C-788)"
world_until 30 hooks_settled
api GET "$A/deliveries/$d"
is "$(field '.delivery|"\(.state) \(.attempts)"') $(hooks_got '.[-1].id')" "delivered 1 $d" \
	"a retried delivery is sent under its own id (C-788)"
api POST "$A/deliveries/$d/retry"
is "$STATUS $(field .error.code)" "409 alert_delivery_state_conflict" \
	"a delivered notification cannot be retried (C-788)"

# A silence begins between two attempts of a delivery.
sql "UPDATE alert_rule SET enabled = false"
touch "$H/fail"
rule=$(hooks_rule "$fail")
hooks_import 6 6
tried() { [ "$(hooks_got 'map(select(.kind == "fail")) | length')" -ge 2 ]; }
ok "a delivery to a failing receiver has two attempts" world_until 20 tried
api POST "$A/silences" "{\"rule_uuid\":\"$rule\",\"reason\":\"x\",\"ends_at\":\"$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)\"}"
from=$(sql "SELECT now()") # it stands
ok "a delivery whose next attempt is silenced is settled" world_until 20 hooks_settled
is "$(sql "SELECT d.state || ' ' || (attempts >= 2) || ' ' || http_status_code FROM alert_delivery d JOIN alert a ON a.uuid = d.alert_uuid WHERE a.rule_uuid = '$rule'")" \
	"silenced true 500" "the next attempt of a failing delivery is silenced (C-083)"
is "$(sql "SELECT count(*) FROM alert_attempt WHERE attempted_at > '$from'")" 0 \
	"no attempt is made during the silence (C-083)"
api POST "$A/destinations/$fail/test"
is "$STATUS $(field '.delivery|"\(.kind) \(.alert_uuid) \(.state)"')" "202 test null pending" \
	"a test notification belongs to no alert"
t=$(field .delivery.uuid)
rm "$H/fail"
world_until 30 hooks_settled
api GET "$A/deliveries/$t"
is "$(field .delivery.state) $(hooks_got '.[-1].body | fromjson | .type')" "delivered destination.test" \
	"a test notification is delivered during a silence (C-794)"
is "$(sql "SELECT string_agg(action, ' ' ORDER BY id) FROM audit WHERE subject = 'alert_delivery' AND actor LIKE 'key:%'")" "alert_delivery.change alert_delivery.create" \
	"the audit has the retry and the test of the client"
api PUT "$A/destinations/$fail" '{"name":"x","url":"https://hooks.example.com/ok/ok","enabled":false}'
api POST "$A/destinations/$fail/test"
world_until 30 hooks_settled
is "$(sql "SELECT state FROM alert_delivery ORDER BY created_at DESC LIMIT 1")" delivered \
	"a disabled destination can be tested (C-794)"
