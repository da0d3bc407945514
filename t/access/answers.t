#!/bin/sh
# SPDX-License-Identifier: ISC
# What a key reads of itself, of members and keys, and of the audit log: C-209, C-210, C-211, C-214, C-215.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

OTHER=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
uuid_of() { sql "SELECT uuid FROM api_key WHERE prefix = left('$1', 12)"; }

# lists PATH: the records of all pages, a line each.
lists()
{
	_at='' _page=${3:-2}
	while :; do
		api GET "$1${2:-?}limit=$_page${_at:+&cursor=$_at}"
		[ "$STATUS" = 200 ] || { echo "status $STATUS $BODY"; return; }
		printf '%s\n' "$BODY" >>"$W/answers"
		printf '%s' "$BODY" | jq -c '[.. | arrays][0][]'
		_at=$(field '.next_cursor // empty')
		[ -n "$_at" ] || break
	done
}
: >"$W/answers"

# ---- the key itself ----

api GET /access/self
is "$STATUS" 200 "GET /access/self answers a valid key"
is "$(field '.access | keys_unsorted | join(" ")')" "api_key owner account scopes withheld entitlements projects" \
	"/access/self has the members of the contract"
is "$(field '.access | [.api_key.uuid, .api_key.key_prefix, .account.uuid, .projects.restricted, .projects.count] | join(" ")')" \
	"$(uuid_of "$KEY") $(printf %.12s "$KEY") $ACCOUNT false 2" "/access/self has the key, its account and the number of its projects"

# A request for each scope, which needs it and no other; what is not there is 404, and 400 is a body that is refused.
request()
{
	case $1 in
	search.view) api GET '/search/hosts?q=ip:192.0.2.1' ;;
	search.aggregate) api POST /search/hosts/aggregate '{"aggregations":[]}' ;;
	reports.view) api GET '/search/reports?q=x' ;;
	alerts.rules.view) api GET "/projects/$P/alerting/rules" ;;
	alerts.rules.manage) api POST "/projects/$P/alerting/rules" '{}' ;;
	alerts.silences.view) api GET "/projects/$P/alerting/silences" ;;
	alerts.silences.manage) api POST "/projects/$P/alerting/silences" '{}' ;;
	browser.sessions.view) api GET "/projects/$P/sessions" ;;
	browser.sessions.create) api POST "/projects/$P/sessions" '{}' ;;
	browser.sessions.manage) api DELETE "/projects/$P/sessions/$(uuid_new)" ;;
	esi.inventory.view) api GET "/projects/$P/esi/assets" ;;
	esi.services.view) api GET "/projects/$P/esi/services" ;;
	esi.findings.view) api GET "/projects/$P/esi/findings" ;;
	esi.findings.manage) api POST "/projects/$P/esi/findings/$(uuid_new)/resolve" ;;
	access.view) api GET /access/members ;;
	audit.view) api GET /access/audit ;;
	*) return 1 ;;
	esac
}
scopes=$("$BIN/surfaced" -D scopes 2>/dev/null | cut -f1)
[ -n "$scopes" ] || scopes=$(sed -n 's/^SCOPE([A-Z_]*,[^"]*"\([a-z.]*\)".*/\1/p' "$TOP/src/tbl/scopes.h")
tested=0
for scope in $scopes; do
	key=$KEY
	request "$scope" || continue # no operation needs it yet
	key=$(key_new --scope "$scope")
	api GET /access/self
	is "$(field '.access | [.scopes[], "-", .withheld[]] | join(" ")')" "$scope -" "the scopes of /access/self are those of the key: $scope (C-209)"
	request "$scope"
	isnt "$STATUS" 403 "an operation of $scope answers (C-209)"
	sql "DELETE FROM account_scope WHERE account_uuid = '$ACCOUNT' AND scope = '$scope'"
	api GET /access/self
	is "$(field '.access | [.scopes[], "-", .withheld[]] | join(" ")')" "- $scope" "the withheld scopes of /access/self have $scope (C-209)"
	request "$scope"
	is "$STATUS $(field .error.code)" "403 permission_denied" "an operation of the withheld $scope is refused (C-209)"
	sql "INSERT INTO account_scope VALUES ('$ACCOUNT', '$scope')"
	tested=$((tested + 1))
done
ok "most scopes have been tested" [ "$tested" -gt 14 ]

# ---- two halves ----

viewer=$(key_new --scope access.view) auditor=$(key_new --scope audit.view)
for path in /access/members /access/keys "/projects/$P/access"; do
	key=$viewer
	api GET "$path"
	is "$STATUS" 200 "a key with access.view reads $path (C-215)"
	key=$auditor
	api GET "$path"
	is "$STATUS" 403 "a key with audit.view does not read $path (C-215)"
done
for path in /access/audit /access/audit/feed "/projects/$P/audit"; do
	key=$auditor
	api GET "$path"
	is "$STATUS" 200 "a key with audit.view reads $path (C-215)"
	key=$viewer
	api GET "$path"
	is "$STATUS" 403 "a key with access.view does not read $path (C-215)"
done

# ---- members and keys ----

key=$KEY
member=$(ctl --json members create --account "$ACCOUNT" --email limited@example.com --limited Limited | jq -er .member.uuid)
gone=$(ctl --json members create --account "$ACCOUNT" --email gone@example.com Gone | jq -er .member.uuid)
sql "INSERT INTO project_member VALUES ('$ACCOUNT', '$OTHER', '$member', 'manager')"
ctl members remove "$gone" >/dev/null
api GET "/access/members/$member"
is "$(field '.member | [.name, .role, .all_projects, .projects[0].project_uuid, .projects[0].role, .removed_at] | map(tostring) | join(" ")')" \
	"Limited member false $OTHER manager null" "a member has a role, projects and no more"
is "$(lists /access/members '?removed=true&' | jq -r .uuid)" "$gone" "removed=true lists the removed members"
is "$(lists /access/members '?removed=false&role=member&' | jq -r .uuid)" "$member" "filters of members combine"
api GET "/access/members?removed=yes"
is "$STATUS $(field .error.code)" "400 invalid_request" "removed is true or false"
api GET "/access/keys/$(uuid_of "$viewer")"
is "$(field '.key | [.state, .scopes[0], .effective_scopes[0], .projects, .last_used_on] | map(tostring) | join(" ")' | sed 's/ [^ ]*$//')" \
	"active access.view access.view null" "a key has its state, scopes and projects"
ctl keys revoke "$(uuid_of "$auditor")" >/dev/null
is "$(lists /access/keys '?state=revoked&' | jq -r .uuid)" "$(uuid_of "$auditor")" "state=revoked lists the revoked key"
is "$(lists "/projects/$OTHER/access" '?kind=member&' | jq -r '.name + " " + .via' | sort | grep Limited)" "Limited grant" \
	"the access of a project names its members, and by what they reach it (C-856)"
reaching=$(lists "/projects/$P/access" | jq -r .name)
isnt "$reaching" "" "the access of a project names somebody"
unlike "$reaching" Limited "a member without a grant does not reach another project"

# ---- nothing that is secret or another's ----

for path in /access/members /access/keys /access/audit "/projects/$P/access" "/projects/$P/audit"; do
	lists "$path" '?' 100 >/dev/null
done
api GET '/access/audit/feed'
printf '%s\n' "$BODY" >>"$W/answers"
api GET /access/self
printf '%s\n' "$BODY" >>"$W/answers"
sql "SELECT email FROM member UNION SELECT encode(sha256, 'hex') FROM api_key UNION SELECT '$KEY' UNION SELECT '$KEY2'
	UNION SELECT uuid::text FROM account WHERE uuid <> '$ACCOUNT' UNION SELECT uuid::text FROM member WHERE account_uuid <> '$ACCOUNT'
	UNION SELECT uuid::text FROM project WHERE account_uuid <> '$ACCOUNT' UNION SELECT uuid::text FROM api_key WHERE account_uuid <> '$ACCOUNT'" >"$W/seeded"
ok "secrets and uuids of another account were seeded" [ "$(wc -l <"$W/seeded")" -gt 9 ]
ok "the answers were kept" grep -q "$member" "$W/answers"
is "$(grep -oFf "$W/seeded" "$W/answers" | sort -u)" "" \
	"no answer has an e-mail address, hash, secret or uuid of another account (C-210)"
unlike "$(cat "$W/answers")" '[a-z]@[a-z]' "no answer has anything like an e-mail address (C-210)"
for path in "/access/members/$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT2'")" "/access/keys/$(uuid_of "$KEY2")"; do
	api GET "$path"
	is "$STATUS" 404 "$(printf %s "$path" | cut -d/ -f2,3) of another account is as one that does not exist (C-210)"
done

# ---- a limited key ----

limited=$(key_new --scope all --project "$P")
elsewhere=$(key_new --scope all --project "$OTHER")
rule_new "$OTHER" >/dev/null
rule_new "$P" >/dev/null
key=$limited
seen=$(lists /access/members '?' | jq -r .name)
like "$seen" . "a limited key sees the members of its project"
unlike "$seen" 'Limited|Gone' "a limited key does not see members of other projects (C-211)"
seen=$(lists /access/keys '?' | jq -r .uuid)
like "$seen" "^$(uuid_of "$limited")\$" "a limited key sees itself"
unlike "$seen" "$(uuid_of "$elsewhere")" "a limited key does not see keys of other projects (C-211)"
is "$(lists /access/audit '?' 100 | jq -r .project_uuid | sort -u)" "$P" "a limited key sees audit lines of its projects alone (C-211)"
is "$(lists /access/audit "?project_uuid=$OTHER&")" "" "no filter widens what a limited key sees (C-211)"
api GET /access/audit/feed
is "$(field '[.entries[].project_uuid] | unique | join(" ")')" "$P" "the feed has lines of its projects alone (C-211)"
api GET "/projects/$OTHER/audit"
is "$STATUS" 404 "the audit log of another project is not found (C-211)"
api GET "/access/members/$member"
is "$STATUS" 404 "a member of another project is not found (C-211)"
api GET "/access/keys/$(uuid_of "$elsewhere")"
is "$STATUS" 404 "a key of another project is not found (C-211)"
unlike "$(lists /access/members '?' 100; lists /access/keys '?' 100; lists /access/audit '?' 100; lists "/projects/$P/access" '?' 100)" "$OTHER" \
	"no answer to a limited key names another project (C-211)"

# ---- filters of the audit log ----

key=$KEY
for query in since=2026-01-02T00:00:00Z\&until=2026-01-02T00:00:00Z since=2026-01-01T00:00:00 since=2026-01-01 action=account.explode \
	action= limit=101 cursor=x since=2026-01-03T00:00:00Z\&until=2026-01-02T00:00:00Z; do
	api GET "/access/audit?$query"
	is "$STATUS" 400 "the audit log refuses $query (C-214)"
done
all=$(lists /access/audit '?' 100)
line=$(printf '%s\n' "$all" | jq -c 'select(.action == "project.create")' | head -1)
lists /access/audit '?' 3 | jq -r .uuid >"$W/paged"
is "$(sort "$W/paged" | uniq -d)" "" "pages repeat no line"
ok "the pages have lines" [ "$(wc -l <"$W/paged")" -gt 6 ]
is "$(printf '%s\n' "$all" | jq -r .uuid | grep -vFxf "$W/paged")" "" "pages miss no line"
at=$(printf '%s' "$line" | jq -r .at) subject_id=$(printf '%s' "$line" | jq -r .subject_id)
for query in "subject=project&" "subject_id=$subject_id&action=project.create&" "project_uuid=$subject_id&" "since=$at&" "action=project.create&"; do
	ok "the filter ${query%&} finds the line" sh -c "printf '%s\n' \"\$1\" | grep -qF \"\$2\"" - "$(lists /access/audit "?$query" 100)" "$(printf '%s' "$line" | jq -r .uuid)"
done
is "$(lists /access/audit "?subject_id=$subject_id&action=api_key.create&")" "" "filters combine by AND (C-214)"
earlier=$(lists /access/audit "?until=$at&" 100)
like "$earlier" '"uuid"' "there are lines before the time in until"
unlike "$earlier" "$(printf '%s' "$line" | jq -r .uuid)" "lines of the time in until are left out"
rule=$(rule_new)
api POST "/projects/$P/alerting/rules" '{"name":"made by a key","source":"finding"}'
request=$(header x-request-id)
is "$(lists /access/audit "?actor=$(uuid_of "$KEY")&action=alert_rule.create&" | jq -r '[.request_id, .actor.kind, .actor.uuid, .project_uuid] | join(" ")')" \
	"$request key $(uuid_of "$KEY") $P" "actor= with the uuid of a key finds its lines, and the line names key, project and request (C-857)"
is "$(lists /access/audit "?subject_id=$rule&" | jq -r '.actor.kind')" admin "a change by SQL names an administrator"

# Each name that a line shows finds the line.
sql "INSERT INTO audit (actor, action, subject, subject_id, account_uuid) SELECT a, 'tag.change', 'tag', 'named', '$ACCOUNT'
	FROM unnest(ARRAY['os:jane', 'role:surfaced_alert', 'rule engine', 'member:$member', 'key:' || left('$viewer', 12)]) AS a"
lists /access/audit '?subject_id=named&' >"$W/named"
is "$(wc -l <"$W/named")" 5 "five actors of five kinds have a line each"
while read -r entry; do
	for shown in name uuid; do
		value=$(printf '%s' "$entry" | jq -r ".actor.$shown // empty | @uri")
		[ -n "$value" ] || continue
		is "$(lists /access/audit "?subject_id=named&actor=$value&" | grep -cF "$(printf '%s' "$entry" | jq -r .uuid)")" 1 \
			"actor= finds a line by the $shown that it shows: $value"
	done
done <"$W/named"
is "$(lists /access/audit "?subject_id=named&actor=jan&")" "" "a part of a name finds nothing (C-857)"

# ---- what reading leaves ----

sql "TRUNCATE audit_hour"
before=$(sql "SELECT max(id) FROM audit")
# read_lines: the lines of reading beyond one an hour, in case an hour begins between two requests.
read_lines() { sql "SELECT count(*) - count(DISTINCT date_trunc('hour', at)) FROM audit WHERE action = 'audit.read' AND id > $before"; }
api GET /access/audit
api GET /access/audit
api GET /access/audit/feed
is "$(read_lines)" 0 "reading the audit log is one line a key and hour (C-855)"
sql "UPDATE audit_hour SET hour = hour - interval '1 h'"
api GET /access/audit
is "$(read_lines)" 1 "reading in the next hour is a line of its own (C-855)"
