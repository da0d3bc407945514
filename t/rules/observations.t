#!/bin/sh
# SPDX-License-Identifier: ISC
# Observations of detection rules as clients read them: which of them a key reads, pages and filters, the feed under four
# writers, and activity. surfaced-detect writes observations; here SQL does.
. t/lib.sh
whole_day
pg_start
api_start
web_start
stranger_new

OTHER=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
limited=$(key_new --scope rules.view --project "$P")
R=/rules/observations

# rule ACCOUNT NAME [COLUMN VALUE]...: an account is a quoted UUID or NULL, which is the catalogue; prints the rule's UUID.
rule()
{
	_account=$1 _columns=account_uuid,id,name,content_sha256
	_values="$1,gen_random_uuid(),'$2',CASE WHEN $1 IS NULL THEN repeat('0', 64) END"
	shift 2
	_dataset="'hosts'" _scope="'all'"
	while [ $# -gt 0 ]; do
		case $1 in
		dataset) _dataset=$2 ;;
		scope) _scope=$2 ;;
		*) _columns=$_columns,$1 _values=$_values,$2 ;;
		esac
		shift 2
	done
	sql "INSERT INTO rule ($_columns, dataset, scope, query, severity, status)
		VALUES ($_values, $_dataset, $_scope, '*', 'low', 'stable') RETURNING uuid"
}
setting() { sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, severity, project_uuids)
	VALUES ('$1', '$2', $3, ${4:-NULL}, ${5:-"'{}'"})"; }
# run RULE ACCOUNT: prints its UUID.
run() { sql "INSERT INTO rule_run (rule_uuid, account_uuid, rule_version) VALUES ('$1', $2, 1) RETURNING uuid"; }
# seen RUN KEY [PROJECT [DATASET [RECORD]]]: an observation; prints its UUID.
seen()
{
	sql "INSERT INTO rule_observation (run_uuid, record_key, document_key, project_uuid, dataset, rule_version, record, matched, first_seen_at, last_seen_at)
		VALUES ('$1', '$2', 'x', ${3:-NULL}, ${4:-1}, 1, '${5:-{\"ip\":\"$2\"\}}', '[{\"field\":\"port\",\"value\":\"22\"}]',
			'2026-01-01', '2026-01-02') RETURNING uuid"
}
keys() { field '[.observations[].record_key] | sort | join(" ")'; }
# reads KEY OBSERVATION: the status and code of its answer.
reads() { key=$1 api GET "$R/$2" && echo "$STATUS $(field .error.code)"; }

own=$(rule "'$ACCOUNT'" own tags "'{ssh,mine}'")
own_run=$(run "$own" NULL)
first=$(seen "$own_run" 192.0.2.1)

# ---- the record ----

api GET "$R/$first"
is "$STATUS $(field '.observation | keys_unsorted | join(" ")')" \
	"200 uuid rule_uuid rule_version dataset record_key record matched state gone_reason suspect project_uuid first_seen_at last_seen_at created_at updated_at gone_at returns" \
	"an observation has its members in the order of openapi.json"
is "$(field '.observation | [.rule_uuid, .rule_version, .dataset, .record_key, (.record | tojson), (.matched | tojson), .state, .gone_reason, .suspect, .project_uuid, .first_seen_at, .returns] | map(tostring) | join("|")')" \
	"$own|1|hosts|192.0.2.1|{\"ip\":\"192.0.2.1\"}|[{\"field\":\"port\",\"value\":\"22\"}]|active|null|false|null|2026-01-01T00:00:00.000000Z|0" \
	"an observation is answered as it is stored"
dns=$(rule "'$ACCOUNT'" dns dataset "'dns'")
dns_run=$(run "$dns" NULL)
name=$(seen "$dns_run" www.example.com/A/0 NULL 3 '{"host":"www.example.com","record_type":"A","answer":"192.0.2.1"}')
service=$(seen "$own_run" 192.0.2.1/22/tcp NULL 2 '{"ip":"192.0.2.1","port":22,"transport":"tcp"}')
api GET "$R/$name"
is "$(field '.observation | .dataset + " " + (.record | tojson)')" \
	'dns {"host":"www.example.com","record_type":"A","answer":"192.0.2.1"}' "a record has the members that its dataset has"
api GET "$R/$service"
is "$(field '.observation.record | tojson')" '{"ip":"192.0.2.1","port":22,"transport":"tcp"}' "a port is a number"
is "$(sql "SELECT string_agg(n || '=' || observed_dataset(n::smallint), ' ' ORDER BY n) FROM generate_series(0, 9) AS n
	WHERE observed_dataset(n::smallint) IS NOT NULL")" \
	"$(sed -nE 's/^(DATASET|VIEW|LISTED)\([A-Z]*,[[:space:]]*([0-9]+), "([a-z-]+)".*/\2=\3/p' "$TOP/src/tbl/datasets.h" | grep -v reports | tr - _ | paste -sd' ')" \
	"the function observed_dataset names the datasets of src/tbl/datasets.h"

# ---- who reads which ----

foreign_rule=$(rule "'$ACCOUNT2'" foreign)
foreign=$(seen "$(run "$foreign_rule" NULL)" 192.0.2.2)
off_rule=$(rule NULL off)
off=$(seen "$(run "$off_rule" NULL)" 192.0.2.3)
setting "$ACCOUNT2" "$off_rule" true
on_rule=$(rule NULL on)
on_run=$(run "$on_rule" NULL)
on=$(seen "$on_run" 192.0.2.4)
setting "$ACCOUNT" "$on_rule" true "'critical'"
is "$(reads "$KEY" "$foreign")" "404 observation_not_found" "an observation of another account's rule is answered like none (C-158)"
is "$(reads "$KEY" "$off")" "404 observation_not_found" "an observation of a catalogue rule that is not enabled is answered like none"
is "$(reads "$KEY2" "$off")" "200 null" "an observation of a catalogue rule is read by an account that has enabled it"
is "$(reads "$KEY" "$(uuid_new)")" "404 observation_not_found" "an observation that does not exist has the same answer"
is "$(reads "$KEY" "$on")" "200 null" "an enabled rule of the catalogue is read"
is "$(reads "$KEY2" "$on") $(reads "$KEY2" "$first")" "404 observation_not_found 404 observation_not_found" \
	"another account reads neither (C-158)"
api GET "$R"
is "$(keys)" "192.0.2.1 192.0.2.1/22/tcp 192.0.2.4 www.example.com/A/0" "a list has what the account reads and nothing else (C-158)"
key=$KEY2 api GET "$R"
is "$(keys)" "192.0.2.2 192.0.2.3" "the list of another account has its own (C-158)"
for path in observations activity; do
	for rule in "$foreign_rule" "$off_rule" "$(uuid_new)"; do
		api GET "/rules/$rule/$path"
		is "$STATUS $(field .error.code)" "404 rule_not_found" "$path of a rule that the account does not watch are answered like none (C-158)"
	done
done
setting "$ACCOUNT" "$off_rule" false
is "$(reads "$KEY" "$off")" "404 observation_not_found" "an observation of a catalogue rule that was disabled is answered like none"
api GET "/rules/$on_rule/observations?state=active"
is "$STATUS $(keys)" "200 192.0.2.4" "the observations of one rule are listed"
api GET "/rules/$on_rule/observations?state=gone"
is "$(keys)" "" "the observations of one rule are filtered by state"

# A setting with an exclude has made a run of the account's own, which takes the place of the common one.
mine=$(seen "$(run "$on_rule" "'$ACCOUNT'")" 192.0.2.5)
is "$(reads "$KEY" "$mine") $(reads "$KEY" "$on")" "404 observation_not_found 200 null" "without an exclude the common run is read"
sql "UPDATE rule_setting SET exclude = 'os:none' WHERE account_uuid = '$ACCOUNT' AND rule_uuid = '$on_rule'"
is "$(reads "$KEY" "$mine") $(reads "$KEY" "$on")" "200 null 404 observation_not_found" "an account's own run hides the common one (C-826)"
api GET "/rules/$on_rule/observations"
is "$(keys)" "192.0.2.5" "the list of a rule is of one run"
setting "$ACCOUNT2" "$on_rule" true
is "$(reads "$KEY2" "$mine") $(reads "$KEY2" "$on")" "404 observation_not_found 200 null" \
	"another account still reads the common run, and not that of the account (C-158)"

# Rules of scope surface: observations belong to projects.
surface_rule=$(rule "'$ACCOUNT'" surface scope "'surface'")
surface_run=$(run "$surface_rule" "'$ACCOUNT'")
in_p=$(seen "$surface_run" 198.51.100.1 "'$P'")
in_other=$(seen "$surface_run" 198.51.100.2 "'$OTHER'")
key=$limited api GET "/rules/$surface_rule"
is "$STATUS $(field .rule.run.active_count)" "200 1" "a limited key reads the number of the observations that it sees (C-158)"
is "$(reads "$limited" "$in_p") $(reads "$limited" "$in_other")" "200 null 404 observation_not_found" \
	"a key limited to a project reads the observations of its project alone (C-158)"
is "$(reads "$KEY" "$in_p") $(reads "$KEY" "$in_other")" "200 null 200 null" "a key that is not limited reads those of every project"
key=$limited api GET "/rules/$surface_rule/observations"
is "$(keys)" 198.51.100.1 "a list of a limited key has the observations of its project alone (C-158)"
elsewhere=$(rule "'$ACCOUNT'" elsewhere)
setting "$ACCOUNT" "$elsewhere" true NULL "'{$OTHER}'"
hidden=$(seen "$(run "$elsewhere" NULL)" 198.51.100.3)
is "$(reads "$limited" "$hidden") $(reads "$KEY" "$hidden")" "404 observation_not_found 200 null" \
	"a limited key does not read a rule of other projects (C-158)"
key=$limited api GET "/rules/$elsewhere/observations"
is "$STATUS" 404 "a limited key gets 404 for a rule of other projects (C-158)"
is "$(reads "$limited" "$first")" "200 null" "a limited key reads rules without projects (C-158)"

# ---- filters and pages ----

filtered() { api GET "$R?$1" && is "$STATUS $(keys)" "200 $2" "$3"; }
filtered "rule_uuid=$own" "192.0.2.1 192.0.2.1/22/tcp" "a filter by rule selects its observations"
filtered "rule_uuid=$(uuid_new)" "" "a filter by an unknown rule selects nothing"
filtered "rule_uuid=$foreign_rule" "" "a filter by another account's rule selects nothing (C-158)"
filtered "tag=mine" "192.0.2.1 192.0.2.1/22/tcp" "a filter by tag selects the observations of rules that have it"
filtered "severity=critical" "192.0.2.5" "a filter by severity goes by the account's setting"
filtered "dataset=dns" "www.example.com/A/0" "a filter by dataset selects"
filtered "dataset=services" "" "a dataset that no version of a rule has selects nothing"
filtered "ip=192.0.2.1" "192.0.2.1 192.0.2.1/22/tcp" "a filter by address selects records that are named by it"
filtered "ip=192.0.2.3" "" "a filter by address does not reach rules that are not enabled"
six=$(seen "$own_run" 2001:db8::1)
filtered "ip=2001:DB8:0:0::1" "2001:db8::1" "an address may be spelled in any way"
sql "UPDATE rule_observation SET state = 'gone', gone_at = now(), gone_reason = 'changed' WHERE uuid = '$six'"
filtered "state=gone" "2001:db8::1" "a filter by state selects"
api GET "$R/$six"
is "$(field '.observation | [.state, .gone_reason, (.gone_at != null)] | map(tostring) | join(" ")')" "gone changed true" "an observation says why and when it went"
api GET "$R?ip=example.com"
is "$STATUS $(field '.error.field_errors[0].field')" "400 ip" "an address that is none is refused by name"
api GET "$R?state=open"
is "$STATUS $(field '.error.field_errors[0].field')" "400 state" "an unknown state is refused by name"
api GET "/rules/$own/activity?window=8d"
is "$STATUS $(field '.error.field_errors[0].field')" "400 window" "an unknown window is refused by name"

sql "INSERT INTO rule_observation (run_uuid, record_key, document_key, dataset, rule_version, record, first_seen_at, last_seen_at, created_at)
	SELECT run, 'page-' || n || run, 'x', 1, 1, '{}', now(), now(), '2026-01-01'::timestamptz + n / 3 * interval '1 s'
	FROM generate_series(1, 40) AS n, unnest('{$own_run,$dns_run}'::uuid[]) AS run" >/dev/null
cursor='' got=''
while :; do
	api GET "$R?limit=7${cursor:+&cursor=$cursor}"
	got="$got $(field '[.observations[].uuid] | join(" ")')"
	cursor=$(field .next_cursor)
	[ "$cursor" != null ] || break
done
runs=$own_run,$dns_run,$surface_run,$(sql "SELECT string_agg(uuid::text, ',') FROM rule_run WHERE rule_uuid = '$elsewhere' OR account_uuid = '$ACCOUNT'")
is "$got" " $(sql "SELECT string_agg(uuid::text, ' ' ORDER BY created_at DESC, uuid) FROM rule_observation WHERE run_uuid = ANY ('{$runs}')")" \
	"pages give each observation once, newest first, over several rules"

# ---- rights ----

manage=$(key_new --scope rules.manage)
for path in "$R" "$R/$first" "$R/feed" "/rules/$own/observations" "/rules/$own/activity"; do
	key=$manage api GET "$path"
	is "$STATUS $(field .error.code)" "403 permission_denied" "rules.manage cannot read GET $(echo "$path" | sed "s/$first/U/; s/$own/U/") (C-163)"
	key=$limited api GET "$path"
	is "$STATUS" 200 "rules.view reads GET $(echo "$path" | sed "s/$first/U/; s/$own/U/") without search.view (C-163)"
done
sql "DELETE FROM entitlement WHERE account_uuid = '$ACCOUNT2' AND name = 'rules'; NOTIFY key_changed"
refused() { key=$KEY2 api GET "$R" && [ "$STATUS $(field .error.code)" = "403 entitlement_required" ]; }
ok "observations need the entitlement rules" world_until 30 refused

# ---- activity ----

api GET "/rules/$own/activity?window=7d"
is "$STATUS $(field '[(.days | length), .days[0].date, .days[6].date] | map(tostring) | join(" ")')" \
	"200 7 $(date -u -d '-6 days' +%F) $(date -u +%F)" "a window of 7 days has 7 days, today last"
is "$(field '[.days[] | .active + .appeared + .gone] | add')" 0 "days without moves are zero (C-827)"
for days in 30 90; do
	api GET "/rules/$own/activity?window=${days}d"
	is "$(field '[(.days | length), ([.days[].date] | unique | length)] | join(" ")')" "$days $days" "a window of $days days has exactly $days (C-827)"
done
api GET "/rules/$own/activity"
is "$(field '.days | length')" 30 "a window that is not given has 30 days"
sql "INSERT INTO rule_activity VALUES ('$own_run', current_date - 40, 3, 5, 2), ('$own_run', current_date - 5, 4, 2, 1),
	('$own_run', current_date - 2, 2, 0, 2), ('$own_run', current_date, 3, 1, 0); UPDATE rule_run SET active_count = 3 WHERE uuid = '$own_run'"
api GET "/rules/$own/activity?window=7d"
is "$(field '[.days[] | "\(.active)/\(.appeared)/\(.gone)"] | join(" ")')" "3/0/0 4/2/1 4/0/0 4/0/0 2/0/2 2/0/0 3/1/0" \
	"a quiet day has no moves and what was active before it"
api GET "/rules/$own/activity?window=90d"
is "$(field '[.days[].appeared, (.days[].gone | -.)] | add')" "$(sql "SELECT sum(appeared - gone) FROM rule_activity WHERE run_uuid = '$own_run'")" \
	"the days sum to the moves (C-162)"
is "$(field '.days[89].active')" "$(sql "SELECT active_count FROM rule_run WHERE uuid = '$own_run'")" "active of today is that of the run (C-162)"

# A limited key gets the days of its projects, by the events.
event() { sql "INSERT INTO observation_event (run_uuid, observation_uuid, event, at) VALUES ('$1', '$2', '$3', now() - interval '$4 days')"; }
event "$surface_run" "$in_p" appeared 4
event "$surface_run" "$in_p" gone 2
event "$surface_run" "$in_p" returned 1
event "$surface_run" "$in_other" appeared 3
sql "UPDATE rule_run SET active_count = 2 WHERE uuid = '$surface_run';
	INSERT INTO rule_activity VALUES ('$surface_run', current_date - 3, 2, 1, 0)"
key=$limited api GET "/rules/$surface_rule/activity?window=7d"
is "$(field '[.days[] | "\(.active)/\(.appeared)/\(.gone)"] | join(" ")')" "0/0/0 0/0/0 1/1/0 1/0/0 0/0/1 1/1/0 1/0/0" \
	"the activity of a limited key has the moves of its project alone (C-158)"
api GET "/rules/$surface_rule/activity?window=7d"
is "$(field '.days[6].active')" 2 "the activity of other keys is that of the run (C-162)"
