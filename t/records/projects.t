#!/bin/sh
# SPDX-License-Identifier: ISC
# Projects that a key sees, ceilings from both sides, members and roles: SPEC 1, C-116.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
third=$(ctl --json projects create --account "$ACCOUNT" Third | jq -er .project.uuid)
owner=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT'")
seen() { api GET /projects; field '.projects|map(.name)|join(" ")'; }

is "$(seen)" "Third Other Perimeter" "newest first; none of another account"
api GET /projects
is "$STATUS $(field '.projects[0]|keys|join(" ")') $(field .has_more) $(field .next_cursor)" "200 created_at name uuid false null" "what is said of them"
api GET '/projects?limit=2'
is "$(field '.projects|map(.name)|join(" ")') $(field .has_more)" "Third Other true" "a page"
api GET "/projects?limit=2&cursor=$(field .next_cursor)"
is "$(field '.projects|map(.name)|join(" ")') $(field .has_more)" "Perimeter false" "and the next"
api GET "/projects/$P"
is "$STATUS $(field '.project|"\(.uuid) \(.name)"')" "200 $P Perimeter" "one"
api GET "/projects/$(printf %s "$P" | tr '[:lower:]' '[:upper:]')"
is "$STATUS $(field .project.uuid)" "200 $P" "C-020: in any case"
api GET /projects/x
is "$STATUS $(field .error.code)" "400 invalid_request" "C-020: a malformed one"
for p in "$PROJECT2" "$(uuid_new)"; do
	api GET "/projects/$p"
	is "$STATUS $(field .error.code)" "404 project_not_found" "C-116: not the account's"
done

# The key's own ceiling.
key=$(key_new --scope all --project "$other")
is "$(seen)" Other "C-116: the key's ceiling"
api GET "/projects/$P"
is "$STATUS" 404 "C-116: and nothing beside it"

# The owner's ceiling, which no key of theirs passes, whatever it says.
ctl members create --account "$ACCOUNT" --email m@example.com M >/dev/null
m=$(sql "SELECT uuid FROM member WHERE name = 'M'")
sql "UPDATE member SET all_projects = false WHERE uuid = '$m'"
ctl projects grant --manager "$other" "$m" >/dev/null
key=$(key_new --member "$m" --scope all)
is "$(seen)" Other "C-116: the owner's ceiling"
key=$(key_new --member "$m" --scope all --project "$P" --project "$other")
is "$(seen)" Other "C-116: a key does not widen it"
key=$(key_new --member "$m" --scope all --project "$P")
is "$(seen)" "" "C-116: both at once may leave nothing"
api GET "/projects/$P/esi/findings"
is "$STATUS" 404 "C-116: whatever the scopes"

# A manager's role gives a key no scope that it lacks, and to lack the role takes none away.
key=$(key_new --member "$m" --scope esi.findings.view)
api POST "/projects/$other/esi/findings/$(uuid_new)/resolve"
is "$STATUS $(field .error.code)" "403 permission_denied" "C-117: the role of a manager is not the key's"
ctl projects grant "$other" "$m" >/dev/null
key=$(key_new --member "$m" --scope esi.findings.manage)
api POST "/projects/$other/esi/findings/$(uuid_new)/resolve"
is "$STATUS $(field .error.code)" "404 finding_not_found" "C-117: the scope is enough"

key=$KEY
ctl projects grant --manager "$other" "$m" >/dev/null
api GET "/projects/$other/members"
is "$STATUS $(field '.members|map(.name+" "+.role)|join(",")')" "200 M manager,Owner owner" "members and their roles"
api GET "/projects/$other/members?role=manager"
is "$(field '.members|map(.uuid)|join(" ")')" "$m" "one role"
api GET "/projects/$third/members"
is "$(field '.members|map(.name)|join(" ")')" Owner "those who see it"
api GET "/projects/$other/members/$owner"
is "$STATUS $(field '.member|"\(.name) \(.role)"') $(field '.member|keys|join(" ")')" "200 Owner owner created_at name role uuid" "one member"
api GET "/projects/$third/members/$m"
is "$STATUS $(field .error.code)" "404 member_not_found" "one who does not see it"

revoked()
{
	key=$gone api GET "/projects/$other"
	[ "$STATUS" = 404 ]
}
gone=$(key_new --member "$m" --scope all)
key=$gone api GET "/projects/$other"
is "$STATUS" 200 "a ceiling is read at each request"
ctl projects revoke "$other" "$m" >/dev/null
ok "and what is taken away is gone at once" revoked
