#!/bin/sh
# SPDX-License-Identifier: ISC
# Producers and findings: evidence, clear, stale, and the history (C-127 to C-130).
. t/lib.sh
pg_start
api_start
web_start

F=/projects/$P/esi/findings
import() { ctl --json import findings --project "$P" - 2>"$W/err"; }
# record KEY [MEMBERS]: a record of the finding.
record() { printf '{"finding_key":"%s","finding_type":"dangling_dns","title":"T"%s}\n' "$1" "${2:+,$2}"; }
# absent KEY TIME: a record of its absence.
absent() { printf '{"finding_key":"%s","absent":true,"last_seen_at":"%s"}\n' "$1" "$2"; }
seen() { printf '"last_seen_at":"%s"' "$1"; }
uuid() { sql "SELECT uuid FROM finding WHERE finding_key = '$1'"; }
status() { sql "SELECT status FROM finding WHERE finding_key = '$1'"; }
history() { api GET "$F/$(uuid "$1")/history${2-}"; }
events() { history "$1"; field '[.events[].event]|join(" ")'; }
# rows: every row of the tables that an import writes, with its place.
rows() { sql "SELECT md5(string_agg(r, '' ORDER BY r)) FROM (SELECT f.ctid::text || f.xmin::text || f::text FROM finding f UNION ALL
	SELECT a.ctid::text || a.xmin::text || a::text FROM asset a UNION ALL SELECT s.ctid::text || s.xmin::text || s::text FROM asset_service s
	UNION ALL SELECT e::text FROM finding_event e UNION ALL SELECT 'audit' || count(*) FROM audit) AS every(r)"; }

# ---- members ----

record a "\"evidence\":{\"matched_by\":\"address\",\"reasons\":[{\"code\":\"x\",\"weight\":3}]},\"confidence\":0.25,$(seen 2026-01-01T00:00:00Z),\"asset_kind\":\"domain\",\"asset_name\":\"a.example\"" | import >/dev/null
api GET "$F/$(uuid a)"
is "$(field '.finding|keys_unsorted[-4:]|join(" ")')" "evidence confidence detector stale" \
	"the members of producers follow the other members of a finding"
is "$(field '.finding|[.evidence.matched_by, .evidence.reasons[0].weight, .confidence, .detector, .stale]|tojson')" \
	'["address",3,0.25,null,true]' "an imported finding has its evidence and its confidence, and no detector"
is "$(sql "SELECT last_seen_at = '2026-01-01T00:00:00Z' FROM asset")" t "an asset that a finding names was seen when the finding was"
refuse() { is "$(record bad "$1" | import | jq -c '[.new, .bad]') $(cat "$W/err")" "[0,1] -:1: $2" "the import refuses $1"; }
refuse '"confidence":1.1' "confidence must be a number from 0 to 1"
refuse '"confidence":-0.1' "confidence must be a number from 0 to 1"
refuse '"confidence":"1"' "confidence must be a number from 0 to 1"
refuse '"evidence":[]' "evidence must be an object"
refuse '"evidence":{"a":"\u0000"}' "evidence contains the character U+0000"
echo '{"finding_key":"bad","title":"T"}' | import >/dev/null
is "$(cat "$W/err")" "-:1: finding_type is required" "the import refuses a finding without a type"
record tiny '"confidence":1e-999' | import >/dev/null
is "$(sql "SELECT confidence FROM finding WHERE finding_key = 'tiny'")" 0 "a confidence below every double is 0"

# ---- C-130 ----

evidence() { sql "SELECT octet_length(evidence::text) FROM finding WHERE finding_key = '$1'"; }
x() { printf %"$1"s '' | tr ' ' x; }
record edge "\"evidence\":{\"text\":\"$(x 16372)\"}" | import >/dev/null
is "$(evidence edge) $(sql "SELECT evidence ? 'truncated' FROM finding WHERE finding_key = 'edge'")" "16384 f" \
	"evidence of 16384 bytes stays as it is (C-130)"
record more "\"evidence\":{\"text\":\"$(x 16373)\"}" | import >/dev/null
api GET "$F/$(uuid more)"
is "$(field '.finding.evidence|[.truncated, (.text | length > 16000)]|tojson')" "[true,true]" \
	"evidence of one byte more is cut and has truncated: true (C-130)"
# 1e300 has 301 digits in PostgreSQL
record huge "\"evidence\":{\"page\":\"$(x 60000)\",\"matched_by\":\"address\",\"n\":[$(seq -s, 1 9000)],\"far\":[1e300,-2E+300],\"never\":1e999999,\"a\":1}" | import >/dev/null
is "$(cat "$W/err")" "" "the import takes evidence of any size (C-130)"
api GET "$F/$(uuid huge)"
is "$(field '.finding.evidence|[.truncated, .matched_by, .a, (.far | length), (.n | length > 2500), has("page"), has("never")]|tojson')" \
	'[true,"address",1,2,true,false,false]' "large evidence loses its largest members, and a list keeps its first items (C-130)"
is "$(sql "SELECT octet_length(evidence::text) <= 16384 FROM finding WHERE finding_key = 'huge'")" t "what is left has at most 16384 bytes (C-130)"

# ---- C-127 ----

{ record same "$(seen 2026-03-01T00:00:00Z),\"severity\":\"low\",\"evidence\":{\"b\":[1,{\"c\":1e2}]},\"confidence\":0.5,\"asset_kind\":\"host\",\"asset_name\":\"same.example\""
	record same "$(seen 2026-02-01T00:00:00Z),\"severity\":\"high\""; absent same 2026-03-05T00:00:00Z; } >"$W/same"
is "$(import <"$W/same" | jq -c '[.new, .cleared]')" "[1,1]" "a file may have a finding and data that contradict it"
before=$(rows)
is "$(import <"$W/same")" '{"read":3,"new":0,"changed":0,"reopened":0,"bad":0,"cleared":0}' "the same file again changes nothing (C-127)"
is "$(rows)" "$before" "the same file again writes no row and no line of audit (C-127)"
is "$(sql "SELECT severity FROM finding WHERE finding_key = 'same'")" low "of two records in a file the one that was seen last counts"

# Records of one finding give the same in one file as in three files, in any order.
full="$(seen 2026-01-01T00:00:00Z),\"severity\":\"high\",\"description\":\"D\",\"evidence\":{\"n\":1.50},\"confidence\":0.1,\"source_name\":\"S\",\"asset_kind\":\"domain\",\"asset_name\":\"full.example\""
part="$(seen 2026-01-02T00:00:00Z),\"description\":\"E\",\"status_note\":\"N\""
bare="$(seen 2026-01-03T00:00:00Z)"
stored() { sql "SELECT severity, description, evidence, confidence, status_note, source_name, first_seen_at, last_seen_at, (SELECT name FROM asset WHERE uuid = asset_uuid)
	FROM finding WHERE finding_key = '$1'"; }
for members in "$full" "$part" "$bare"; do
	record alone "$members" | import >/dev/null
done
{ record up "$full"; record up "$part"; record up "$bare"; record down "$bare"; record down "$part"; record down "$full"; } | import >/dev/null
is "$(stored alone | cut -d'|' -f1-6,9)" 'info|E|{"n": 1.50}|0.1|N|S|full.example' "a newer record keeps the members of an earlier one that it lacks"
is "$(stored up)" "$(stored alone)" "records of one finding in a file add up as those of three files do (C-835)"
is "$(stored down)" "$(stored alone)" "records of one finding add up in any order (C-835)"

# ---- C-128 ----

for state in false_positive accepted_risk; do
	record "$state" "$(seen 2026-03-01T00:00:00Z)" | import >/dev/null
	api POST "$F/$(uuid "$state")/$(case $state in accepted_risk) echo accept-risk ;; *) echo false-positive ;; esac)"
	record "$state" "$(seen 2026-04-01T00:00:00Z),\"severity\":\"critical\",\"evidence\":{\"n\":1}" | import >/dev/null
	absent "$state" 2026-06-01T00:00:00Z | import >/dev/null
	is "$(status "$state") $(sql "SELECT severity, evidence FROM finding WHERE finding_key = '$state'")" "$state critical|{\"n\": 1}" \
		"no import moves a finding out of $state, but its severity and evidence are kept current (C-128)"
done
record person "$(seen 2026-03-01T00:00:00Z)" | import >/dev/null
api POST "$F/$(uuid person)/resolve"
record person "$(seen 2026-03-02T00:00:00Z)" | import >/dev/null
is "$(status person)" resolved "data older than the resolution of a person do not reopen a finding (C-128)"
record person "$(seen "$(date -u -d '+1 hour' +%FT%TZ)")" | import >/dev/null
is "$(status person)" open "data newer than the resolution of a person reopen a finding (C-128)"

# ---- C-129 ----

record gone "$(seen 2026-03-01T00:00:00Z)" | import >/dev/null
is "$(absent gone 2026-03-01T23:59:59Z | import | jq .cleared) $(status gone)" "0 open" "data that contradict a finding after less than 24 hours do not clear it (C-129)"
is "$(absent gone 2026-02-01T00:00:00Z | import | jq .cleared) $(status gone)" "0 open" "data older than a finding do not clear it (C-129)"
is "$(absent gone 2026-03-02T00:00:00Z | import | jq .cleared) $(status gone)" "1 resolved" "data that contradict a finding after 24 hours clear it (C-129)"
api GET "$F/$(uuid gone)"
is "$(field '.finding|[.resolved_by_membership_uuid, .status_changed_by_membership_uuid, .resolved_at == .status_changed_at]|tojson')" "[null,null,true]" \
	"a finding that a producer has cleared names no member (C-129)"
is "$(sql "SELECT action || ' ' || (after ->> 'status') FROM audit WHERE subject_id = '$(uuid gone)'")" "finding.clear resolved" "the audit log has the move clear"
record gone "$(seen 2026-03-01T00:00:00Z)" | import >/dev/null
is "$(status gone)" resolved "the data that were contradicted do not reopen a finding"
record gone "$(seen 2026-03-01T12:00:00Z)" | import >/dev/null
is "$(status gone)" open "data that show it less than 24 hours before the contradiction reopen a finding, without newer data (C-834)"
api POST "$F/$(uuid gone)/acknowledge"
absent gone 2026-03-09T00:00:00Z | import >/dev/null
is "$(status gone)" resolved "data that contradict an acknowledged finding clear it, too (C-129)"
api POST "$F/$(uuid gone)/reopen"
absent gone 2026-03-09T00:00:00Z | import >/dev/null
is "$(status gone)" open "the same contradiction does not clear a finding that a person has reopened"
record later "$(seen 2026-03-01T00:00:00Z)" | import >/dev/null
is "$(absent later 2026-03-01T12:00:00Z | import)" '{"read":1,"new":0,"changed":1,"reopened":0,"bad":0,"cleared":0}' \
	"a contradiction that moves nothing is a change, since it is stored"
is "$(absent later 2026-03-01T12:00:00Z | import | jq .changed)" 0 "the same contradiction again is no change"
is "$(absent later 2026-03-09T00:00:01Z | import | jq -c '[.changed, .cleared]') $(status later)" "[1,1] resolved" "a later contradiction counts as a change"
is "$(absent never 2026-03-09T00:00:00Z | import | jq -c '[.new, .bad]') $(uuid never)" "[0,0] " "data that lack an unknown finding make none"

at() { date -u -d "$1" +%FT%TZ; }
{ record old "$(seen "$(at '-30 days -1 hour')")"; record young "$(seen "$(at '-30 days +1 hour')")"; } | import >/dev/null
stale() { api GET "$F?limit=100&stale=$1"; field '[.findings[] | select(.finding_key == "old" or .finding_key == "young") | .finding_key, .stale]|tojson'; }
is "$(stale true)" '["old",true]' "a finding that was not seen for 30 days is stale (C-129)"
is "$(stale false)" '["young",false]' "a finding that was seen since is not stale (C-129)"
is "$(status old)" open "a stale finding is not cleared (C-129)"
api GET "$F?stale=yes"
is "$STATUS $(field '.error.field_errors[0].field')" "400 stale" "the filter stale takes true or false"

# ---- history ----

is "$(events gone)" "reopen clear acknowledge seen_again clear found" "the history has every move, the newest first (C-833)"
history gone
is "$(field '.events[0]|keys_unsorted|join(" ")')" "at event from_status to_status severity confidence membership_uuid" "an event has these members"
member=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT'")
is "$(field '[.events[0, 1, 5] | .from_status, .to_status, .membership_uuid]|tojson')" \
	"[\"resolved\",\"open\",\"$member\",\"acknowledged\",\"resolved\",null,null,\"open\",null]" \
	"an event has the status before and after it, and the member who caused it (C-833)"
is "$(events same)" "clear found" "events of one transaction are in their order"
record rated "$(seen 2026-03-01T00:00:00Z),\"confidence\":0.5" | import >/dev/null
record rated "$(seen 2026-03-02T00:00:00Z),\"severity\":\"high\"" | import >/dev/null
record rated "$(seen 2026-03-03T00:00:00Z),\"severity\":\"high\",\"confidence\":0.75" | import >/dev/null
record rated "$(seen 2026-03-04T00:00:00Z),\"severity\":\"high\",\"description\":\"D\"" | import >/dev/null
history rated
is "$(field '[.events[] | .event, .severity, .confidence]|tojson')" '["changed","high",0.75,"changed","high",0.5,"found","info",0.5]' \
	"the history has changes of severity and confidence, and no others (C-833)"
all=$(events gone) got=
cursor=
while :; do
	history gone "?limit=2${cursor:+&cursor=$cursor}"
	got="$got${got:+ }$(field '[.events[].event]|join(" ")')"
	[ "$(field .has_more)" = true ] || break
	cursor=$(field .next_cursor)
done
is "$got" "$all" "the pages of the history have each event once"
history rated "?cursor=$cursor"
is "$STATUS $(field .error.code)" "400 invalid_pagination" "a cursor of another finding is refused"
api GET "$F/$(uuid_new)/history"
is "$STATUS $(field .error.code)" "404 finding_not_found" "an unknown finding has no history"
key=$(key_new --scope esi.findings.manage)
history gone
is "$STATUS $(field .error.code)" "403 permission_denied" "the history needs the scope esi.findings.view"
key=$KEY
for role in surfaced_api surfaced_admin; do
	for change in "UPDATE finding_event SET event = 'x'" "DELETE FROM finding_event" "INSERT INTO finding_event (finding_uuid, project_uuid, event, to_status, severity) SELECT uuid, project_uuid, 'x', 'open', 'low' FROM finding"; do
		like "$(psql -XqAt -U $role -c "$change" 2>&1)" "permission denied for table finding_event" "$role may not ${change%% *} events"
	done
done
like "$(psql -XqAt -c "UPDATE finding_event SET event = 'x'" 2>&1)" "history of a finding is never changed" "an event never changes"

# ---- surface finding ----

surface finding list --status open --type dangling_dns --stale false
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .finding_key | grep -cx young)" "0 1" "surface finding list prints the findings that its options select"
surface finding show "$(uuid huge)"
is "$STATUS $(printf '%s' "$OUT" | jq .evidence.truncated)" "0 true" "surface finding show prints the evidence"
surface finding history "$(uuid gone)"
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .event | paste -sd ' ')" "0 $all" "surface finding history prints the events, the newest first"
surface finding show "$(uuid_new)"
is "$STATUS|$ERR" "4|surface: The finding was not found." "an unknown finding is exit status 4"
