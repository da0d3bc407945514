#!/bin/sh
# SPDX-License-Identifier: ISC
# The dashboard: counts, days, the score and its parts (C-202 to C-207).
. t/lib.sh
pg_start
api_start
web_start

D=/projects/$P/dashboard
import() { ctl import "$1" --project "$P" - >"$W/import.out" 2>&1 || diag "$(cat "$W/import.out")"; }
finding() { printf '{"finding_key":"%s","finding_type":"%s","title":"T","severity":"%s"%s}\n' "$1" "$2" "$3" "${4:+,$4}"; }
move() { api POST "/projects/$P/esi/findings/$(sql "SELECT uuid FROM finding WHERE finding_key = '$1'")/$2"; }
dashboard() { api GET "$D${1-}"; }
severities() { field "$1|[.critical,.high,.medium,.low,.info]|tojson"; }

# ---- C-206 ----

dashboard
is "$STATUS $(field '.dashboard|[.findings.open,.exposure.score,.change.new,.alerts.open,.sessions.running]|tojson')" \
	'200 [0,0,0,0,0]' "a project without findings has zeros and the score 0 (C-206)"
is "$(field '.dashboard|[.window,.findings.by_type,.exposure.parts,.top_assets,.mean_open_days.overall]|tojson')" \
	'["30d",[],[],[],null]' "lists without entries are empty, and a mean of nothing is null (C-206)"
api GET "$D/days?window=7d"
is "$(field '.days|length') $(field '[.days[].partial]|tojson') $(field '[.days[]|.new+.score+.open.high]|add')" \
	"7 [false,false,false,false,false,false,true] 0" "a project without findings has every day of the window (C-206)"

# ---- counts ----

asset() { printf '{"kind":"host","name":"%s"}\n' "$1"; }
{ asset a.example; asset b.example; } | import assets
{
	finding c1 dangling_dns critical '"asset_kind":"host","asset_name":"a.example"'
	finding c2 dangling_dns critical '"confidence":0.5,"asset_kind":"host","asset_name":"a.example"'
	finding h1 exposed_service high '"asset_kind":"host","asset_name":"b.example"'
	finding h2 exposed_service high
	finding m1 exposed_service medium
	finding i1 ai_surface info
	finding old exposed_service low '"last_seen_at":"2025-01-01T00:00:00Z"'
} | import findings
move h2 acknowledge
move m1 accept-risk
dashboard
is "$(field '.dashboard.findings|[.open,.acknowledged,.stale]|tojson')" "[5,1,1]" "the dashboard counts active and stale findings (C-202)"
is "$(severities .dashboard.findings.by_severity)" "[2,2,0,1,1]" "by_severity counts the active ones (C-202)"
is "$(field '.dashboard.findings.by_type|tojson')" \
	'[{"finding_type":"exposed_service","count":3},{"finding_type":"dangling_dns","count":2},{"finding_type":"ai_surface","count":1}]' \
	"by_type counts the active ones, most first (C-202)"
by_status=$(field '.dashboard.findings.by_status|tojson')
for status in open acknowledged accepted_risk false_positive resolved; do
	api GET "/projects/$P/esi/findings?status=$status&limit=100"
	is "$(field '.findings|length')" "$(echo "$by_status" | jq ".$status")" "by_status of $status is the length of the list (C-202)"
done

# ---- C-205 ----

dashboard
# critical 40 + 20, high 15 + 15, low 1
is "$(field '.dashboard.exposure|[.score,([.parts[].points]|add),.version]|tojson')" "[37,91,1]" \
	"the score is made of the points of its parts, with confidence (C-205)"
is "$(field '[.dashboard.exposure.parts[]|.severity+"="+(.points|tostring)]|join(" ")')" "critical=60 high=30 low=1" \
	"accepted and info findings have no part (C-205)"
is "$(field '.dashboard.top_assets|map([.name,.score,.open.critical,.open.high])|tojson')" '[["a.example",26,2,0],["b.example",7,0,1]]' \
	"the asset with the most points comes first (C-852)"
api GET "$D/top-assets?limit=1"
is "$(field '[.assets[].name]|tojson')" '["a.example"]' "top-assets has at most the limit (C-852)"
for limit in 0 101 x; do
	api GET "$D/top-assets?limit=$limit"
	is "$STATUS" 400 "the limit $limit is refused (C-207)"
done

is "$(sql "SELECT exposure_score(0), exposure_score(1e12)")" "0|100" "the score of very many findings is 100"

# ---- C-203 ----

# at FINDING DAYS: the events of the finding are so many days older. Only a test changes history.
past() { sql "ALTER TABLE finding_event DISABLE TRIGGER finding_event_stands;
	UPDATE finding_event e SET at = at - interval '$2 days' FROM finding f WHERE f.uuid = e.finding_uuid AND f.finding_key = '$1' AND $3;
	ALTER TABLE finding_event ENABLE TRIGGER finding_event_stands"; }
for name in c1 c2 h1 h2 m1 i1 old; do past "$name" 20 true; done
past m1 -10 "e.to_status = 'accepted_risk'"
move c1 resolve
past c1 5 "e.to_status = 'resolved'"
move c1 reopen
past c1 3 "e.event = 'reopen'"
printf '{"finding_key":"h1","absent":true,"last_seen_at":"%s"}\n' "$(date -u -d '+2 days' +%FT%TZ)" | import findings
past h1 2 "e.event = 'clear'"
sums() { field '[.days[]|.new+.reopened-.closed-.cleared]|add'; }
balance() { # every day's active findings follow from the day before
	field '.days as $d|[range(1;$d|length)|($d[.].open|add) == ($d[.-1].open|add)+$d[.].new+$d[.].reopened-$d[.].closed-$d[.].cleared]|all'
}
active() { field '[.days[].open|add]|unique_by(.)|tojson'; }
api GET "$D/days?window=30d"
live=$(field '.days|tojson')
is "$(balance) $(field '.days|[(map(.new)|add),(map(.reopened)|add),(map(.closed)|add),(map(.cleared)|add)]|tojson')" "true [7,1,2,1]" \
	"each day's active findings are those of the day before and its changes (C-203)"
is "$(field '.days[-1].open|add') $(field '.days[-1].score')" "5 32" "the last day has what is active now (C-203)"
dashboard
is "$(field '.dashboard.findings|.open+.acknowledged') $(field '.dashboard.exposure.score')" "5 32" \
	"the dashboard and its last day agree (C-202)"
is "$(field '.dashboard.change|[.new,.closed,.reopened,.cleared]|tojson')" "[7,2,1,1]" "the changes are those of the window's days (C-203)"
dashboard '?window=7d'
is "$(field '.dashboard.change|[.new,.closed,.reopened,.cleared]|tojson')" "[0,1,1,1]" "a shorter window has fewer changes (C-203)"
is "$(field '.dashboard.exposure.previous')" "$(echo "$live" | jq '.[22].score')" "previous is the score when the window began (C-854)"

# ---- C-204 ----

sql "UPDATE project SET created_at = now() - interval '25 days'"
is "$(sql "SELECT sum(dashboard_fill_project(uuid, current_date - 5)) FROM project WHERE uuid = '$P'")" 20 \
	"the days that have ended are written"
api GET "$D/days?window=30d"
is "$(field '.days|tojson')" "$live" "days that are partly written are as those that are not (C-204)"
detect_start
written() { [ "$(sql "SELECT max(day) = current_date - 1 FROM exposure_daily WHERE project_uuid = '$P'")" = t ]; }
ok "surfaced-detect writes the days of a pause afterwards (C-204)" world_until 60 written
world_kill surfaced-detect
api GET "$D/days?window=30d"
is "$(field '.days|tojson')" "$live" "the answer is the same when all days are written (C-204)"
is "$(sql 'SELECT dashboard_fill(100)')" 0 "a day is never written twice (C-204)"
was=$(sql "SELECT md5(string_agg(d::text, '' ORDER BY d::text)) FROM esi_daily d")
sql 'DELETE FROM esi_daily; DELETE FROM exposure_daily; SELECT dashboard_fill(100)' >/dev/null
is "$(sql "SELECT md5(string_agg(d::text, '' ORDER BY d::text)) FROM esi_daily d")" "$was" \
	"days that are written in one go equal those that were written one by one (C-204)"

# A day waits for the transactions that were open at its end, since they may have events of it.
sql "DELETE FROM exposure_daily WHERE day = current_date - 1; DELETE FROM esi_daily WHERE day = current_date - 1; DELETE FROM dashboard_horizon"
mkfifo "$W/late"
psql -Xq -v ON_ERROR_STOP=1 <"$W/late" >"$W/late.out" 2>&1 &
late=$!
exec 8>"$W/late"
printf '%s\n' "BEGIN; INSERT INTO finding_event (finding_uuid, project_uuid, at, event, from_status, to_status, severity)
	SELECT uuid, project_uuid, current_date - interval '1 second', 'clear', 'open', 'resolved', severity FROM finding
	WHERE project_uuid = '$P' AND status = 'open' ORDER BY uuid LIMIT 1 RETURNING 'late ' || finding_uuid;" >&8
begun() { grep -q late "$W/late.out"; }
ok "a transaction has an event of yesterday" world_until 60 begun
is "$(sql "SELECT dashboard_fill(100)") $(sql "SELECT count(*) FROM exposure_daily WHERE day = current_date - 1")" "0 0" \
	"a day is not written while a transaction is open that may have an event of it (C-203)"
echo "COMMIT;" >&8
exec 8>&-
wait "$late"
is "$(sql "SELECT dashboard_fill(100) > 0") $(sql "SELECT sum(cleared) > 0 FROM esi_daily WHERE day = current_date - 1 AND project_uuid = '$P'")" "t t" \
	"the day has the event that was committed after its end (C-203)"
sql "DELETE FROM finding_event WHERE event = 'clear' AND at = current_date - interval '1 second'; DELETE FROM esi_daily; DELETE FROM exposure_daily;
	SELECT dashboard_fill(100)" >/dev/null

# ---- C-207 and permissions ----

for window in 07d 30 '' 31d '7d&window=7d'; do
	dashboard "?window=$window"
	is "$STATUS" 400 "the window '$window' is refused (C-207)"
done
api GET "/projects/00000000-0000-4000-8000-000000000000/dashboard"
is "$STATUS $(field .error.code)" "404 project_not_found" "a project outside the ceiling is 404 (C-207)"
other=$(ctl --json projects create --account "$(sql "SELECT account_uuid FROM project WHERE uuid = '$P'")" Other | jq -r .project.uuid)
finding x exposed_service critical | ctl import findings --project "$other" - >/dev/null
api GET /dashboard
is "$(field '.dashboard.projects|map([.name,.open.critical])|tojson')" "$(printf '[["%s",2],["Other",1]]' "$(sql "SELECT name FROM project WHERE uuid = '$P'")")" \
	"the dashboard of all projects has each project, the most exposed first (C-853)"
is "$(field '.dashboard.findings.by_severity.critical') $(field '.dashboard.quota|has("remaining")')" "3 true" "its sums are over all projects (C-853)"
api GET "/projects/$other/dashboard"
is "$(field '.dashboard.surface.assets') $(field '.dashboard.findings.open')" "0 1" "a project without assets has 0 of them (C-206)"
dashboard
is "$(field '.dashboard.findings.by_severity.critical')" 2 "no other project's findings are in a project's dashboard (C-207)"
is "$(field '.dashboard|has("projects")')" false "the dashboard of a project has no list of projects"
