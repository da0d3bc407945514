#!/bin/sh
# SPDX-License-Identifier: ISC
# The projects that a key can see, the ceilings of key and owner, members and roles: C-116.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

other=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)
third=$(ctl --json projects create --account "$ACCOUNT" Third | jq -er .project.uuid)
owner=$(sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT'")
seen() { api GET /projects; field '.projects|map(.name)|join(" ")'; }

is "$(seen)" "Third Other Perimeter" "a key sees the projects of its account, newest first"
api GET /projects
is "$STATUS $(field '.projects[0]|keys|join(" ")') $(field .has_more) $(field .next_cursor)" "200 created_at name uuid false null" \
	"a project in the list has uuid, name and created_at"
api GET '/projects?limit=2'
is "$(field '.projects|map(.name)|join(" ")') $(field .has_more)" "Third Other true" \
	"a page of projects has limit entries and has_more"
api GET "/projects?limit=2&cursor=$(field .next_cursor)"
is "$(field '.projects|map(.name)|join(" ")') $(field .has_more)" "Perimeter false" \
	"the next page has the remaining project"
api GET "/projects/$P"
is "$STATUS $(field '.project|"\(.uuid) \(.name)"')" "200 $P Perimeter" "a project can be read by its uuid"
api GET "/projects/$(printf %s "$P" | tr '[:lower:]' '[:upper:]')"
is "$STATUS $(field .project.uuid)" "200 $P" "a uuid in upper case names the same project (C-020)"
api GET /projects/x
is "$STATUS $(field .error.code)" "400 invalid_request" "a malformed uuid of a project is refused (C-020)"
for p in "$PROJECT2" "$(uuid_new)"; do
	api GET "/projects/$p"
	is "$STATUS $(field .error.code)" "404 project_not_found" \
		"a project outside the account is not found (C-116)"
done

# The key's own ceiling.
key=$(key_new --scope all --project "$other")
is "$(seen)" Other "a key with a ceiling sees its project only (C-116)"
api GET "/projects/$P"
is "$STATUS" 404 "a key with a ceiling does not find other projects (C-116)"

# The ceiling of the owner limits each of the owner's keys, whatever the key's own ceiling.
ctl members create --account "$ACCOUNT" --email m@example.com M >/dev/null
m=$(sql "SELECT uuid FROM member WHERE name = 'M'")
sql "UPDATE member SET all_projects = false WHERE uuid = '$m'"
ctl projects grant --manager "$other" "$m" >/dev/null
key=$(key_new --member "$m" --scope all)
is "$(seen)" Other "a key sees only projects within its owner's ceiling (C-116)"
key=$(key_new --member "$m" --scope all --project "$P" --project "$other")
is "$(seen)" Other "the ceiling of a key does not widen its owner's (C-116)"
key=$(key_new --member "$m" --scope all --project "$P")
is "$(seen)" "" "a key sees nothing if its ceiling and its owner's are disjoint (C-116)"
api GET "/projects/$P/esi/findings"
is "$STATUS" 404 "a project outside the ceilings is not found with any scope (C-116)"

# The role of manager gives a key no scope, and a key needs no role beside its scope.
key=$(key_new --member "$m" --scope esi.findings.view)
api POST "/projects/$other/esi/findings/$(uuid_new)/resolve"
is "$STATUS $(field .error.code)" "403 permission_denied" \
	"the role of manager does not replace a missing scope (C-117)"
ctl projects grant "$other" "$m" >/dev/null
key=$(key_new --member "$m" --scope esi.findings.manage)
api POST "/projects/$other/esi/findings/$(uuid_new)/resolve"
is "$STATUS $(field .error.code)" "404 finding_not_found" \
	"the scope suffices without the role of manager (C-117)"

key=$KEY
ctl projects grant --manager "$other" "$m" >/dev/null
api GET "/projects/$other/members"
is "$STATUS $(field '.members|map(.name+" "+.role)|join(",")')" "200 M manager,Owner owner" \
	"the list of members has names and roles"
api GET "/projects/$other/members?role=manager"
is "$(field '.members|map(.uuid)|join(" ")')" "$m" "the filter role selects the manager"
api GET "/projects/$third/members"
is "$(field '.members|map(.name)|join(" ")')" Owner "the members of a project are those who can see it"
api GET "/projects/$other/members/$owner"
is "$STATUS $(field '.member|"\(.name) \(.role)"') $(field '.member|keys|join(" ")')" "200 Owner owner created_at name role uuid" \
	"a member can be read and has its four members"
api GET "/projects/$third/members/$m"
is "$STATUS $(field .error.code)" "404 member_not_found" "a member who cannot see the project is not found"

revoked()
{
	key=$gone api GET "/projects/$other"
	[ "$STATUS" = 404 ]
}
gone=$(key_new --member "$m" --scope all)
key=$gone api GET "/projects/$other"
is "$STATUS" 200 "a key sees a project that is granted to its owner"
ctl projects revoke "$other" "$m" >/dev/null
ok "a key loses a project at once when the grant is revoked" revoked
