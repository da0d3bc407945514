#!/bin/sh
# SPDX-License-Identifier: ISC
# Each database role may do its work and nothing else.
. t/lib.sh
db_start
dir=$W/tmp

as() { psql -X -q -A -t -v ON_ERROR_STOP=1 -U "$1" -c "$2" >"$dir/out" 2>"$dir/err"; }
may() { as "$1" "$2"; result $? "$1 is allowed to run: $2"; }
not() { # refused for want of a right or by a trigger, not for a typing error
	if as "$1" "$2"; then echo "it worked" >"$dir/err"; result 1 "$1 is not allowed to run: $2"; return; fi
	grep -qE "permission denied|must be owner|never changed" "$dir/err"
	result $? "$1 is not allowed to run: $2"
}

audit="INSERT INTO audit (actor, action, subject, subject_id) VALUES ('t', 'a.b', 'c', 'd')"
! as surfaced_owner "SELECT 1" && grep -q "not permitted to log in" "$dir/err"; result $? "surfaced_owner cannot log in"
for change in "$audit" "SELECT count(*) FROM quota_lease" "UPDATE quota_month SET charged = 0" \
	"DELETE FROM usage_daily" "SELECT count(*) FROM api_key" "UPDATE account SET quota = 1" \
	"UPDATE meter_default SET key_rate = 1" "CREATE TABLE mine (n int)" "SET ROLE surfaced_owner"; do
	not surfaced_meter "$change"
done
for change in "SELECT count(*) FROM browser_session" "UPDATE browser_session SET state = 'terminal'" \
	"SELECT session_apply(gen_random_uuid(), 'fail')" "SELECT count(*) FROM api_key" "SELECT count(*) FROM screenshot" \
	"DELETE FROM network_event" "SELECT session_create(NULL, NULL, NULL, NULL)" "SELECT session_close(gen_random_uuid(), true)" \
	"SELECT host FROM egress_route" "CREATE TABLE mine (n int)" "SET ROLE surfaced_owner" "$audit"; do
	not surfaced_dispatch "$change"
done
for call in "session_claim('here')" "session_held('here')" "session_sweep('here')" "route_due('', 1000)" \
	"session_lost(gen_random_uuid(), 1)" "network_add(gen_random_uuid(), 1, '{}')"; do
	may surfaced_dispatch "SELECT $call"
	not surfaced_api "SELECT $call"
done
for table in screenshot network_event session_evidence; do
	may surfaced_api "SELECT count(*) FROM $table"
	for change in "DELETE FROM $table" "TRUNCATE $table" "UPDATE $table SET session_uuid = NULL"; do
		not surfaced_api "$change"
		not surfaced_admin "$change"
	done
done
for change in "$audit" "SELECT count(*) FROM stream_ticket" "UPDATE stream_slot SET taken_at = now()" "SELECT count(*) FROM browser_session" \
	"SELECT count(*) FROM api_key" "SELECT stream_issue(gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 30)" "SET ROLE surfaced_owner"; do
	not surfaced_stream "$change"
done
may surfaced_stream "SELECT stream_keep(gen_random_uuid(), 15, '{}'), stream_check(gen_random_uuid()), stream_release('{}')"
not surfaced_api "SELECT * FROM stream_redeem(gen_random_uuid(), gen_random_uuid(), NULL, gen_random_uuid(), gen_random_uuid(), 15, '', '')"
not surfaced_api "SELECT count(*) FROM stream_ticket"
may surfaced_meter "SELECT count(*) FROM key_limit, account_limit"
may surfaced_meter "SELECT meter_begin(gen_random_uuid(), 'here', now())"
not surfaced_api "SELECT meter_begin(gen_random_uuid(), 'here', now())"
not surfaced_api "UPDATE quota_month SET charged = 0"
not surfaced_admin "UPDATE quota_month SET charged = 0"
may surfaced_api "SELECT count(*) FROM quota_used, usage_daily, meter_host"
for change in "$audit" "UPDATE audit SET actor = 'x'" "DELETE FROM audit" "TRUNCATE audit" "SELECT count(*) FROM audit" \
	"SELECT secret FROM alert_destination" "UPDATE alert_destination SET enabled = true" "SELECT count(*) FROM alert_change" \
	"INSERT INTO alert_change (source, source_uuid) VALUES ('finding', gen_random_uuid())" "DELETE FROM alert_change" \
	"SELECT count(*) FROM finding" "UPDATE alert SET state = 'closed'" "UPDATE alert_delivery SET state = 'failed'" \
	"UPDATE alert_attempt SET failure = 'x'" "SELECT count(*) FROM api_key" "UPDATE alert_silence SET cancelled_at = now()" \
	"SELECT alert_raise(gen_random_uuid(), gen_random_uuid())" "SELECT alert_destination_test(gen_random_uuid(), gen_random_uuid())" \
	"CREATE TABLE mine (n int)" "SET ROLE surfaced_owner"; do
	not surfaced_alert "$change"
done
may surfaced_alert "SELECT count(*) FROM alert_take(1)"
may surfaced_alert "SELECT count(*) FROM alert_rule_active"
may surfaced_alert "SELECT count(*) FROM delivery_claim(1, 1, 1, 1)"
may surfaced_alert "SELECT retention_deliveries(1, 1), retention_usage(1, 1), retention_report_requests(1, 1)"
for role in surfaced_api surfaced_admin; do
	for change in "SELECT secret FROM alert_destination" "SELECT count(*) FROM alert_take(1)" \
		"SELECT retention_deliveries(1, 1)" "SELECT retention_usage(1, 1)" "DELETE FROM alert_delivery" \
		"SELECT alert_judge('{}', '{}', '{}', '{}')" "SELECT count(*) FROM delivery_claim(1, 1, 1, 1)" \
		"SELECT delivery_finish(gen_random_uuid(), 1, 'delivered', 200, NULL, 0, 1)" "DELETE FROM alert_change" \
		"UPDATE alert_delivery SET state = 'delivered'" "INSERT INTO alert (title) VALUES ('x')" "DELETE FROM alert" \
		"UPDATE alert_attempt SET failure = 'x'" "DELETE FROM alert_silence"; do
		not $role "$change"
	done
done
not surfaced_meter "SELECT count(*) FROM alert_take(1)"

# Exports: the daemon calls its functions alone, and no worker calls those.
for change in "SELECT count(*) FROM record" "SELECT count(*) FROM search_export" "UPDATE search_export SET state = 'complete'" \
	"SELECT count(*) FROM api_key" "UPDATE export_month SET charged = 0" "SELECT export_cancel(gen_random_uuid(), NULL)"; do
	not surfaced_export "$change"
done
may surfaced_export "SELECT count(*) FROM export_claim(1)"
may surfaced_export "SELECT count(*) FROM export_read(gen_random_uuid(), 1, 1::smallint, '{}', 1)"
for change in "SELECT count(*) FROM export_claim(1)" "UPDATE search_export SET state = 'complete'" "DELETE FROM search_export" \
	"UPDATE export_month SET charged = 0"; do
	not surfaced_api "$change"
done
# Detection: the daemon calls its functions alone, and no worker calls those.
for change in "SELECT count(*) FROM record" "SELECT count(*) FROM rule" "DELETE FROM rule_observation" "UPDATE detect_cursor SET at = now()" \
	"SELECT finding_store('$(uuid_new)', 'rules', '[]')" "SELECT count(*) FROM api_key"; do
	not surfaced_detect "$change"
done
may surfaced_detect "SELECT count(*) FROM tag"
may surfaced_detect "SELECT count(*) FROM detect_changed(1::smallint, 1)"
for role in surfaced_api surfaced_admin; do
	for change in "SELECT detect_plan()" "SELECT detect_store('{}', '[]', '[]', '[]', '[]', NULL, 1, 1, 1, 1)" "UPDATE rule_run SET state = 'idle'" \
		"DELETE FROM rule_observation" "DELETE FROM detect_work"; do
		not $role "$change"
	done
done
not surfaced_index "SELECT count(*) FROM delivery_claim(1, 1, 1, 1)"
for role in surfaced_api surfaced_index surfaced_admin; do
	may $role "$audit"
	for change in "UPDATE audit SET actor = 'x'" "DELETE FROM audit" "TRUNCATE audit" \
		"INSERT INTO audit (actor, action, subject, subject_id, at) VALUES ('t', 'a.b', 'c', 'd', now())" \
		"INSERT INTO audit (actor, action, subject, subject_id, program) VALUES ('t', 'a.b', 'c', 'd', 'x')" \
		"CREATE TABLE mine (n int)" "DROP TABLE audit" "SET ROLE surfaced_owner" \
		"ALTER TABLE audit DISABLE TRIGGER ALL" "CREATE SCHEMA mine" \
		"DELETE FROM api_key" "DELETE FROM record" "DELETE FROM schema_migration" \
		"INSERT INTO schema_migration (version, name, sha256) VALUES (1, 'x', 'x')"; do
		not $role "$change"
	done
done
not postgres "UPDATE audit SET actor = 'x'"
not postgres "TRUNCATE audit"

for table in account account_group account_scope entitlement member project project_member api_key; do
	may surfaced_api "SELECT count(*) FROM $table"
	not surfaced_index "SELECT count(*) FROM $table"
done
not surfaced_api "UPDATE account SET state = 'active'"
not surfaced_api "UPDATE api_key SET revoked_at = NULL"
not surfaced_api "INSERT INTO account_scope SELECT uuid, 'search.view' FROM account"
not surfaced_api "INSERT INTO entitlement (account_uuid, name) SELECT uuid, 'search' FROM account"
not surfaced_api "SELECT count(*) FROM audit"
not surfaced_api "INSERT INTO record (dataset, key, doc) VALUES (1, '\\x04c0000201', '{\"ip\":\"192.0.2.1\"}')"
not surfaced_api "CREATE TEMPORARY TABLE mine (n int)"
not surfaced_index "UPDATE tag SET name = 'x'"
may surfaced_index "SELECT count(*) FROM record, tag"
may surfaced_admin "CREATE TEMPORARY TABLE stage (ip inet, doc jsonb)"
may surfaced_admin "INSERT INTO record (dataset, key, doc) VALUES (1, '\\x04c0000201', '{\"ip\":\"192.0.2.1\"}') ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc"
as surfaced_api "SHOW statement_timeout" && grep -q 5s "$dir/out"
result $? "the role surfaced_api has a statement_timeout of 5 s"
for table in "browser_session SET state = 'terminal'" "session_policy SET caller_sessions = 9" "session_caller SET active = 0" \
	"session_organisation SET max_active = 9" "session_move SET to_state = 'x'" "egress_route SET enabled = true"; do
	not surfaced_api "UPDATE $table"
done
not surfaced_api "SELECT host, port FROM egress_route"
not surfaced_api "SELECT request FROM idempotency"
not surfaced_api "SELECT session_apply(gen_random_uuid(), 'fail')"
not surfaced_admin "UPDATE browser_session SET state = 'terminal'"
not surfaced_admin "UPDATE session_organisation SET active = 0"
for role in surfaced_api surfaced_admin; do not $role "DELETE FROM browser_session"; done
createuser -U postgres stranger
! as stranger "SELECT 1" && grep -q 'permission denied for database' "$dir/err"
result $? "a role without grants cannot connect to the database"
