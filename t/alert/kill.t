#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 of surfaced-alert, master and worker, again and again, while findings change and a receiver fails,
# stalls and recovers: no alert or delivery is lost, doubled or sent under another id.
#   KILLS, FINDINGS: their numbers; make campaign-alert is the long form
. t/lib.sh
. t/helper/hooks.sh
pg_start
api_start
web_start
hooks_start

KILLS=${KILLS:-25} N=${FINDINGS:-100}
# Interrupted attempts count too, so the limit is above the number of kills.
CONF="webhook_attempts = 1000"
ok=$(hook ok) twice=$(hook twice) fail=$(hook fail)
silent=$(hook quiet)
rule=$(hooks_rule "$ok" "$twice" "$fail")
hushed=$(hooks_rule "$silent")
sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at)
	VALUES ('$P', '$hushed', 'x', now() - interval '1 minute', now() + interval '1 day')"
hooks_alert "$CONF" "webhook_timeout = 5000"

feed()
{
	_n=1
	while [ "$_n" -le "$N" ]; do
		hooks_import "$_n" $((_n + 9)) low
		hooks_import "$_n" $((_n + 9)) critical
		_n=$((_n + 10))
	done
}
feed &
feeder=$!
killed=0
while [ "$killed" -lt "$KILLS" ]; do
	sleep "0.$((killed * 7 % 4))$((killed % 10))" # between two kills, not for anything to happen
	case $((killed % 10)) in
	3) touch "$H/fail" ;;
	8) rm -f "$H/fail" ;;
	esac
	hooks_alert_kill KILL
	hooks_alert_again
	killed=$((killed + 1))
done
wait "$feeder"
rm -f "$H/fail"
settled() { hooks_settled && [ "$(sql "SELECT count(*) FROM alert")" -ge $((N * 2)) ]; }
ok "every delivery is settled after $killed kills" world_until $((15 + N / 12)) settled
is "$(sql "SELECT count(*) || ' ' || count(DISTINCT source_uuid) FROM alert WHERE rule_uuid = '$rule' AND state = 'open' AND severity = 'critical'")" \
	"$N $N" "every finding has one open alert with its latest severity (C-792)"
is "$(sql "SELECT count(*) FROM alert WHERE rule_uuid = '$hushed' AND state = 'open'")" "$N" \
	"every finding has one open alert of the silenced rule"
# A finding that was evaluated at both severities has two deliveries, otherwise one.
is "$(sql "SELECT count(*) FROM (SELECT a.uuid, t.uuid, count(d.uuid) AS n, a.raised_count AS r FROM alert a CROSS JOIN alert_destination t
	LEFT JOIN alert_delivery d ON d.alert_uuid = a.uuid AND d.destination_uuid = t.uuid
	WHERE a.rule_uuid = '$rule' AND t.uuid <> '$silent' GROUP BY a.uuid, t.uuid) AS c WHERE n < 1 OR n > 2 OR n > r")" 0 \
		"every alert has one or two deliveries to each destination"
is "$(sql "SELECT string_agg(DISTINCT state, ' ') FROM alert_delivery WHERE destination_uuid <> '$silent'")" delivered \
	"every delivery that is not silenced is delivered"
is "$(sql "SELECT string_agg(DISTINCT state || attempts, ' ') FROM alert_delivery WHERE destination_uuid = '$silent'")" silenced0 \
	"every delivery of the silenced rule is silenced without an attempt"
is "$(hooks_got 'map(select(.kind == "quiet")) | length')" 0 "no webhook of the silenced rule is sent"
sql "SELECT uuid FROM alert_delivery WHERE state = 'delivered' ORDER BY 1" >"$W/made"
hooks_got 'map(.id) | unique | .[]' | sort >"$W/got"
is "$(sort "$W/made" | comm -3 - "$W/got" | head -3)" "" \
	"the receiver got exactly the ids of the delivered notifications"
is "$(hooks_got 'group_by([.name, (.body | fromjson | [.data.alert.uuid, .type])]) | map(map(.id) | unique | length) | unique | join(" ")')" 1 \
	"no notification is sent under two ids (C-792)"
is "$(hooks_got 'group_by(.id) | map(map(.body) | unique | length) | unique | join(" ")')" 1 \
	"no id is sent with two bodies"
is "$(hooks_got 'map(select(.signed | not)) | length')" 0 "every webhook of this test is signed"
is "$(cat "$H/private" 2>/dev/null)" "" "no request reached a private address"
again=$(hooks_got '[group_by([.kind, .id])[] | select(.[0].kind == "ok") | length - 1] | add')
diag "$killed kills, $(wc -l <"$W/made") deliveries, $(hooks_got length) requests, $again repeated for a lost answer"
diag "$(sql "SELECT count(*) FROM alert_attempt WHERE failure LIKE 'interrupted%'") attempts interrupted"
