#!/bin/sh
# SPDX-License-Identifier: ISC
# Findings, their transitions and their audit entries: C-115 to C-118, C-780 and C-781.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

F=/projects/$P/esi/findings
import() { ctl --json import findings --project "${2:-$P}" - 2>"$W/err" <<END
$1
END
}
# finding KEY [TYPE]: creates a finding; prints its UUID.
finding()
{
	import "{\"finding_key\":\"$1\",\"finding_type\":\"${2:-dangling_dns}\",\"title\":\"T\",\"severity\":\"high\",\"asset_kind\":\"domain\",\"asset_name\":\"example.com\"}" >/dev/null
	sql "SELECT uuid FROM finding WHERE finding_key = '$1' AND project_uuid = '$P'"
}
member=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT'")
unmoved='.finding|del(.status,.resolved_at,.status_changed_at,.resolved_by_membership_uuid,.status_changed_by_membership_uuid)|tojson'

f=$(finding one)
api GET "$F/$f"
is "$STATUS $(field '.finding|"\(.finding_key) \(.finding_type) \(.severity) \(.status) \(.status_changed_at) \(.resolved_at)"')" \
	"200 one dangling_dns high open null null" "a new finding is open and has key, type and severity"
for m in uuid finding_key finding_type exposure_kind title description status_note created_at updated_at first_seen_at last_seen_at \
	status_changed_at resolved_at created_by_membership_uuid resolved_by_membership_uuid status_changed_by_membership_uuid \
	discovery_channel discovery_provider source_name source_ref; do
	is "$(field ".finding|has(\"$m\")")" true "a finding has the member $m (C-120)"
done
before=$(field "$unmoved")
api POST "$F/$f/resolve"
is "$STATUS $(field '.finding|"\(.status) \(.resolved_by_membership_uuid) \(.status_changed_by_membership_uuid)"')" \
	"200 resolved $member $member" \
	"a resolved finding names the member in both membership fields (C-118)"
is "$(field .finding.resolved_at)" "$(field .finding.status_changed_at)" \
	"resolved_at of a resolved finding equals status_changed_at (C-118)"
is "$(field "$unmoved")" "$before" "resolving a finding changes no other member (C-118)"
request=$(header X-Request-Id)
resolved=$(field '.finding|tojson')
api POST "$F/$f/resolve"
is "$STATUS $(field '.finding|tojson')" "200 $resolved" \
	"resolving a resolved finding changes nothing (C-118)"
is "$(sql "SELECT actor || ' ' || action || ' ' || (before ->> 'status') || ' ' || (after ->> 'status') || ' ' || request_id || ' ' || account_uuid
	FROM audit WHERE subject_id = '$f'")" "key:$(printf %.12s "$KEY") finding.resolve open resolved $request $ACCOUNT" \
		"the audit has one entry of the resolved finding"
for type in secret typosquat ai_surface exposed_service; do
	x=$(finding "$type" "$type")
	api POST "$F/$x/resolve"
	is "$STATUS $(field .finding.status)" "200 resolved" "a finding of type $type is resolved (C-118)"
done

# Every event in every status has the result of the table of moves.
tab=$(printf '\t')
sql "SELECT s || E'\t' || e || E'\t' || coalesce(m.to_status, '') FROM unnest('{open,acknowledged,accepted_risk,false_positive,resolved}'::text[]) s CROSS JOIN
	unnest('{resolve,acknowledge,accept_risk,false_positive,reopen}'::text[]) e LEFT JOIN finding_move m ON m.event = e AND m.from_status = s" >"$W/moves"
while IFS=$tab read -r from event to; do
	sql "UPDATE finding SET status = '$from', resolved_at = CASE '$from' WHEN 'resolved' THEN now() END WHERE uuid = '$f'"
	api POST "$F/$f/$(echo "$event" | tr _ -)"
	target=$(sql "SELECT DISTINCT to_status FROM finding_move WHERE event = '$event'")
	case $to,$from in
	,"$target") want="200 $from" ;;
	,*) want="409 finding_state_conflict" ;;
	*) want="200 $to" ;;
	esac
	is "$STATUS $(field '.finding.status // .error.code')" "$want" \
		"the event $event in status $from has the result $want"
done <"$W/moves"
is "$(wc -l <"$W/moves")" 25 "all 25 pairs of event and status were tested (C-780)"

# A resolved finding is imported again.
api POST "$F/$f/reopen"
api POST "$F/$f/resolve"
api GET "$F/$f"
past=$(date -u -d '-1 day' +%Y-%m-%dT%H:%M:%SZ)
seen="{\"finding_key\":\"one\",\"finding_type\":\"dangling_dns\",\"title\":\"T\",\"severity\":\"high\""
is "$(import "$seen,\"last_seen_at\":\"$past\"}" | jq .reopened)" 0 \
	"an observation from before the resolution does not reopen the finding"
is "$(import "$seen}" | jq .reopened)" 1 "a new observation reopens a resolved finding (C-781)"
api GET "$F/$f"
is "$(field '.finding|"\(.status) \(.resolved_at) \(.resolved_by_membership_uuid) \(.status_changed_by_membership_uuid)"')" \
	"open null null null" "a reopened finding has no resolution and no member (C-781)"
is "$(sql "SELECT action || ' ' || (before ->> 'status') || ' ' || (after ->> 'status') || ' ' || actor LIKE 'finding.seen_again resolved open os:%'
	FROM audit WHERE subject_id = '$f' ORDER BY id DESC LIMIT 1")" t \
		"the audit has the reopening by the import"
api POST "$F/$f/accept-risk"
is "$(import "$seen}" | jq .reopened)" 0 "a finding with accepted risk is not reopened by an import"

api GET "$F?status=accepted_risk&severity=high&finding_type=dangling_dns&asset_uuid=$(field .finding.asset_uuid)"
is "$(field '.findings|map(.uuid)|join(" ")')" "$f" "the filters of findings select the matching one"
api GET "$F?status=done"
is "$STATUS $(field '.error.field_errors[0].field')" "400 status" "an unknown status in a filter is refused"

# The latest observation wins in any order of imports; members that it lacks are filled in from others.
ordered() { sql "SELECT severity, title, finding_type, description, extract(month FROM first_seen_at), extract(month FROM last_seen_at)
	FROM finding WHERE finding_key = 'order'"; }
o='{"finding_key":"order","finding_type":"dangling_dns","title"'
import "$o:\"Later\",\"severity\":\"high\",\"last_seen_at\":\"2026-03-02T00:00:00Z\"}" >/dev/null
import "$o:\"Before\",\"severity\":\"low\",\"description\":\"D\",\"last_seen_at\":\"2026-01-02T00:00:00Z\"}" >/dev/null
is "$(ordered)" "high|Later|dangling_dns|D|1|3" "an older observation fills in missing members only"
import "$o:\"Last\",\"severity\":\"low\",\"last_seen_at\":\"2026-03-03T00:00:00Z\"}" >/dev/null
is "$(ordered)" "low|Last|dangling_dns|D|1|3" "a newer observation replaces the values of the finding"

# C-117: the owner of this key owns the account, and so manages the project.
view=$(key_new --scope esi.findings.view)
for key in "$view" "$(key_new --scope esi.services.view)"; do
	api POST "$F/$f/resolve"
	is "$STATUS $(field .error.code)" "403 permission_denied" \
		"a manager's key without the scope may not resolve findings (C-117)"
	api POST "$F/$(uuid_new)/resolve"
	is "$STATUS" 403 "a key without the scope gets 403 for an unknown finding too (C-117)"
done
ctl members create --account "$ACCOUNT" --email viewer@example.com Viewer >/dev/null
viewer=$(sql "SELECT uuid FROM member WHERE name = 'Viewer'")
key=$(key_new --scope esi.findings.manage --member "$viewer")
api POST "$F/$f/resolve"
is "$STATUS $(field .finding.resolved_by_membership_uuid)" "200 $viewer" \
	"a key with the scope may resolve findings without being a manager (C-117)"

# C-115, C-116
foreign=$(import "$seen}" "$PROJECT2" >/dev/null; sql "SELECT uuid FROM finding WHERE project_uuid = '$PROJECT2'")
key=$KEY
for u in "$foreign" "$(uuid_new)"; do
	for verb in GET POST; do
		case $verb in POST) end=/resolve ;; *) end= ;; esac
		api $verb "$F/$u$end"
		is "$STATUS $(field .error.code)" "404 finding_not_found" \
			"$verb of a finding outside the project gets 404 (C-115)"
	done
done
other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -r .project.uuid)
for p in "$PROJECT2" "$(uuid_new)"; do
	api POST "/projects/$p/esi/findings/$foreign/resolve"
	is "$STATUS $(field .error.code)" "404 project_not_found" \
		"a project outside the account is not found (C-116)"
done
key=$(key_new --scope esi.findings.manage --scope esi.findings.view --project "$other")
api POST "$F/$f/resolve"
is "$STATUS $(field .error.code)" "404 project_not_found" \
	"a project outside the ceiling of the key is not found (C-116)"
sql "UPDATE member SET all_projects = false WHERE uuid = '$viewer'"
key=$(key_new --scope esi.findings.manage --member "$viewer")
api POST "$F/$f/resolve"
is "$STATUS $(field .error.code)" "404 project_not_found" \
	"a project outside the ceiling of its owner is not found (C-116)"
is "$(sql "SELECT status FROM finding WHERE uuid = '$foreign'")" open \
	"the finding of another account is unchanged"

# Several requests resolve one finding concurrently: one of them changes it.
key=$KEY
x=$(finding race)
for _ in 1 2 3 4 5 6; do
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -sS $CURL -o /dev/null -X POST -H "X-API-Key: $KEY" "$BASE_URL$F/$x/resolve" &
	racers="${racers-} $!"
done
# shellcheck disable=SC2086 # a list of process ids
wait $racers
is "$(sql "SELECT count(*) FROM audit WHERE subject_id = '$x'")" 1 \
	"concurrent requests resolve a finding once (C-118)"
