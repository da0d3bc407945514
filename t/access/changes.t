#!/bin/sh
# SPDX-License-Identifier: ISC
# Each operation that changes a record leaves exactly one line of audit with the id of its request, and request_id= finds
# it (C-212). The operations are those of the route table: a new one needs a row below, or this test fails. The list of
# actions is that of the database's triggers and of the sources (C-214).
. t/lib.sh
pg_start
api_start
web_start
ctl sessions limits --organisation 1000 --caller 1000 >/dev/null
tomorrow=$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)
key_uuid=$(sql "SELECT uuid FROM api_key WHERE prefix = left('$KEY', 12)")

destination() { sql "INSERT INTO alert_destination (project_uuid, name, url, secret)
	VALUES ('$P', 'x', 'https://x.example.com', 'whsec_' || repeat('A', 43) || '=') RETURNING uuid"; }
alert() { sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title, state, closed_at)
	VALUES ('$P', '$(rule_new)', 'finding', '$(uuid_new)', 'x', 'open', NULL) RETURNING uuid"; }
delivery() { sql "INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid, state)
	VALUES ('$P', '$(alert)', '$(destination)', 'failed') RETURNING uuid"; }
silence() { sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at)
	VALUES ('$P', '$(rule_new)', 'x', now(), now() + interval '1 day') RETURNING uuid"; }
finding() { sql "INSERT INTO finding (project_uuid, finding_key, finding_type, title, first_seen_at, last_seen_at)
	VALUES ('$P', '$(uuid_new)', 'x', 'x', now(), now()) RETURNING uuid"; }

report()
{
	api POST /reports "{\"title\":\"$(uuid_new)\",\"text\":\"x\"}" -H "Idempotency-Key: $(uuid_new)"
	field .report.uuid
}
watched_domain() { sql "INSERT INTO watched_domain (project_uuid, domain) VALUES ('$P', 'x' || gen_random_uuid() || '.com') RETURNING uuid"; }
rule_tag() { sql "INSERT INTO tag (account_uuid, slug, name) VALUES ('$ACCOUNT', '$(uuid_new)', 'x') RETURNING uuid"; }
verdict_body() { printf '{"type":"domain","value":"%s.example","disposition":"ignored","reason":"x"}' "x$(uuid_new)"; }
verdict()
{
	api POST /reports/verdicts "$(verdict_body)"
	field .verdict.uuid
}

rule_body() { printf '{"name":"x","dataset":"hosts","scope":"surface","query":"asn:1","severity":"info"%s}' "${1-}"; }
# detection [STATUS]: a rule in this state.
detection() { sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
	VALUES ('$ACCOUNT', gen_random_uuid(), 'x', 'hosts', 'surface', '', 'info', '${1-draft}') RETURNING uuid"; }

# change OPERATION PATH: sends a request that changes something.
change()
{
	_at=$(printf %s "$2" | sed "s/{project_uuid}/$P/")
	_put() { printf %s "$_at" | sed "s/{[a-z_]*}/$1/"; }
	case $1 in
	create_alert_rule) api POST "$_at" '{"name":"x","source":"finding"}' ;;
	update_alert_rule) api PUT "$(_put "$(rule_new)")" '{"name":"y","source":"finding"}' ;;
	delete_alert_rule) api DELETE "$(_put "$(rule_new)")" ;;
	create_alert_destination) api POST "$_at" '{"name":"x","url":"https://x.example.com/"}' ;;
	update_alert_destination) api PUT "$(_put "$(destination)")" '{"name":"y","url":"https://x.example.com/"}' ;;
	delete_alert_destination) api DELETE "$(_put "$(destination)")" ;;
	rotate_alert_destination_secret | test_alert_destination) api POST "$(_put "$(destination)")" ;;
	create_alert_silence) api POST "$_at" "{\"rule_uuid\":\"$(rule_new)\",\"reason\":\"x\",\"ends_at\":\"$tomorrow\"}" ;;
	cancel_alert_silence) api DELETE "$(_put "$(silence)")" ;;
	acknowledge_alert | close_alert) api POST "$(_put "$(alert)")" ;;
	reopen_alert)
		_alert=$(alert)
		api POST "/projects/$P/alerting/alerts/$_alert/close"
		api POST "$(_put "$_alert")"
		;;
	retry_alert_delivery) api POST "$(_put "$(delivery)")" ;;
	resolve_finding | acknowledge_finding | accept_risk_finding | false_positive_finding) api POST "$(_put "$(finding)")" ;;
	reopen_finding)
		_finding=$(finding)
		api POST "/projects/$P/esi/findings/$_finding/resolve"
		api POST "$(_put "$_finding")"
		;;
	create_session) api POST "$_at" '{"start_url":"https://example.com/"}' ;;
	replay_session | create_stream_ticket | close_session)
		_session=$(session_new)
		case $1 in
		replay_session) session_move "$_session" claim fail >/dev/null ;;
		create_stream_ticket) session_move "$_session" claim ready >/dev/null ;;
		esac
		case $1 in
		close_session) api DELETE "$(_put "$_session")" ;;
		*) api POST "$(_put "$_session")" ;;
		esac
		;;
	create_rule) api POST "$_at" "$(rule_body)" ;;
	import_rules) api POST "$_at" "{\"rules\":[$(rule_body)]}" ;;
	update_rule) api PUT "$(_put "$(detection)")" "$(rule_body ',"version":1')" ;;
	update_rule_settings) api PUT "$(_put "$(detection)")" '{"enabled":false}' ;;
	delete_rule) api DELETE "$(_put "$(detection)")" ;;
	copy_rule | stage_rule) api POST "$(_put "$(detection)")" ;;
	publish_rule | deprecate_rule | redraft_rule) api POST "$(_put "$(detection testing)")" ;;
	create_report) api POST "$_at" "{\"title\":\"$(uuid_new)\",\"text\":\"x\"}" -H "Idempotency-Key: $(uuid_new)" ;;
	update_report) api PUT "$(_put "$(report)")" '{"title":"y"}' ;;
	delete_report) api DELETE "$(_put "$(report)")" ;;
	create_report_verdict) api POST "$_at" "$(verdict_body)" ;;
	delete_report_verdict) api DELETE "$(_put "$(verdict)")" ;;
	create_rule_tag) api POST "$_at" "{\"slug\":\"$(uuid_new)\"}" ;;
	update_rule_tag) api PUT "$(_put "$(rule_tag)")" '{"name":"y"}' ;;
	delete_rule_tag) api DELETE "$(_put "$(rule_tag)")" ;;
	update_detector_*) api PUT "$_at" '{"enabled":false}' ;;
	create_watched_domain) api POST "$_at" "{\"domain\":\"x$(uuid_new).com\"}" ;;
	update_watched_domain) api PUT "$(_put "$(watched_domain)")" '{"enabled":false}' ;;
	delete_watched_domain) api DELETE "$(_put "$(watched_domain)")" ;;
	*) return 1 ;;
	esac
}

"$BIN/surfaced" -D routes | grep -vE '^GET' | grep -E '/projects/|[[:space:]]/(reports|rules)' >"$W/routes"
isnt "$(wc -l <"$W/routes")" 0 "the list of routes has operations that change records"
while IFS="$(printf '\t')" read -r _ path operation _; do
	case $operation in
	extract_indicators | lookup_indicators | create_evidence_ticket | validate_rule | preview_typosquatting) continue ;; # they store nothing
	rename_project) continue ;; # people alone (t/people/access.t)
	esac
	change "$operation" "$path" </dev/null || {
		fail "$operation: the test has no request for it"
		continue
	}
	like "$STATUS" '^20[0-9]$' "$operation: the request changes a record"
	request=$(header x-request-id)
	project=$P
	case $path in
	/reports* | /rules*) project=null ;; # they belong to the account
	esac
	case $operation in
	delete_* | cancel_*)
		like "$(sql "SELECT action FROM audit WHERE request_id = '$request'")" '\.(delete|cancel|withdrawn)$' \
			"$operation: the action names the end of the record"
		;;
	esac
	is "$(sql "SELECT count(*) FROM audit WHERE request_id = '$request'")" 1 "$operation leaves exactly one line (C-212)"
	api GET "/access/audit?request_id=$request"
	is "$(field '[(.entries | length), .entries[0].request_id, .entries[0].actor.uuid, (.entries[0].project_uuid // "null")] | join(" ")')" \
		"1 $request $key_uuid $project" "$operation: request_id= finds the line, with its key and project (C-212)"
done <"$W/routes"

exported=$(report)
for ending in csv ndjson; do
	api GET "/reports/$exported/indicators.$ending"
	is "$STATUS" 200 "a key reads the indicators of a report as $ending"
done
in_one_hour() { [ "$(sql "SELECT count(*) = count(DISTINCT date_trunc('hour', at)) AND count(*) > 0 FROM audit
	WHERE action = 'report.export' AND subject = 'report' AND subject_id = '$exported'")" = t ]; }
ok "the files of a report leave one line for a key and hour (C-855)" in_one_hour

# ---- the list of actions ----

sed -n 's/^ACTION("\([a-z_]*\)",[^"]*"\([a-z_]*\)")$/\1.\2/p' "$TOP/src/tbl/audit_actions.h" | sort >"$W/list"
{
	# A trigger without a second argument gives a verb for each kind of change; one with it names the events of a move.
	sql "SELECT relname || '.' || verb FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid,
			LATERAL (VALUES ('create', 4, false), ('delete', 8, false), ('change', 16, true)) AS v(verb, bit, moves)
		WHERE t.tgfoid = 'audit_row'::regproc AND t.tgtype & v.bit <> 0 AND NOT (v.moves AND t.tgnargs > 1)
		UNION SELECT c.relname || '.' || e.event FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
			JOIN pg_attribute a ON a.attrelid = c.oid JOIN audit_ends() AS e ON e.mark = a.attname
			WHERE t.tgfoid = 'audit_row'::regproc AND t.tgtype & 16 <> 0 AND t.tgnargs = 1
		UNION SELECT 'alert_destination.rotate_secret'
		UNION SELECT 'finding.' || event FROM finding_move UNION SELECT 'alert.' || event FROM alert_move
		UNION SELECT 'rule.' || event FROM rule_move UNION SELECT 'rule.' || e FROM unnest('{change,delete}'::text[]) AS e
		UNION SELECT 'browser_session.' || event FROM session_move
		UNION SELECT 'stream_ticket.' || o FROM unnest('{ok,active,not_ready,terminal,revoked}'::text[]) AS o
		UNION SELECT 'report.' || s FROM unnest('{published,withdrawn}'::text[]) AS s
		UNION SELECT 'indicator_verdict.' || s FROM unnest('{indicator,ignored}'::text[]) AS s
		UNION SELECT 'search_export.' || s FROM unnest('{queued,running,complete,failed,cancelled,expired}'::text[]) AS s"
	grep -rhoE "\.action = STR\(\"[a-z_]+\.[a-z_]+\"\)" "$TOP/src" --include=*.c | sed 's/.*("//; s/").*//'
	echo database.restore
	echo host.remove
	for kind in assets services findings; do
		echo "project.import_$kind"
	done
} | sort -u >"$W/known"
is "$(comm -3 "$W/list" "$W/known")" "" "src/tbl/audit_actions.h has the actions of the triggers and of the sources (C-214)"
is "$(sql "SELECT DISTINCT action FROM audit" | sort | comm -23 - "$W/list")" "" "each action of a stored line is in the list (C-214)"

# ---- times ----

# database_times: the times of the answer on standard input that are written as PostgreSQL prints them.
database_times() { jq -r '[.. | strings | select(test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+[+-]"))] | unique | join(" ")'; }
api POST /reports '{"title":"A report","text":"The server is evil.example."}'
is "$STATUS" 201 "a report, which has times of other names, is added"
api GET '/access/audit?action=report.create&limit=100'
is "$(field '.entries[0].after.first_seen' | grep -c 'Z$') $(printf %s "$BODY" | database_times)" "1 " \
	"each time of a changed record has the form of an answer (C-120)"
ctl --json audit --limit 1000 >"$W/lines"
is "$(grep -c '"report.create"' "$W/lines") $(database_times <"$W/lines")" "1 " "surfacectl audit prints each time of a changed record likewise (C-120)"
