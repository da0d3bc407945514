#!/bin/sh
# SPDX-License-Identifier: ISC
# Members, keys, projects and usage by people: what owners may, what members may, and what no key may.
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
api_start
people_web_start

person_new ann owner
person_new bob member
ann=$(sql "SELECT uuid FROM member WHERE email = 'ann@example.com'")
bob=$(sql "SELECT uuid FROM member WHERE email = 'bob@example.com'")

# ---- what no key may (C-329) and what no other member may (C-333) ----

"$BIN/surfaced" -D routes | awk -F'\t' '($4 == "member" || $4 == "owner" || $5 == "person") && $2 !~ /passkeys|totp/ { print $1, $2 }' |
	sed "s/{project_uuid}/$P/; s/{[a-z_]*uuid}/$bob/" >"$W/rows"
before=$(sql "SELECT count(*) FROM audit")
while read -r method path; do
	case $method in
	GET | DELETE) key=$KEY api "$method" "$path" ;;
	*) key=$KEY api "$method" "$path" '{}' ;;
	esac
	is "$(answered)" "403 permission_denied" "a key with all scopes may not $method $path (C-329)"
done <"$W/rows"
is "$(sql "SELECT count(*) FROM audit")" "$before" "refused keys have changed nothing (C-329)"
"$BIN/surfaced" -D routes | awk -F'\t' '$4 == "owner" { print $1, $2 }' | sed "s/{project_uuid}/$P/; s/{[a-z_]*uuid}/$bob/" >"$W/rows"
while read -r method path; do
	case $method in
	GET | DELETE) as bob "$method" "$path" ;;
	*) as bob "$method" "$path" '{}' ;;
	esac
	is "$(answered)" "403 permission_denied" "a member who is no owner may not $method $path (C-333)"
done <"$W/rows"
as bob GET /access/audit
is "$(answered)" "403 permission_denied" "a member who is no owner does not read the audit log (C-333)"

# ---- what wants a recent sign-in (C-308) ----

"$BIN/surfaced" -D routes | awk -F'\t' '$9 == "recent" { print $1, $2 }' | sed "s/{project_uuid}/$P/; s/{[a-z_]*uuid}/$bob/" >"$W/rows"
isnt "$(wc -l <"$W/rows")" 0 "operations are marked as those that want a recent sign-in"
sql "UPDATE sign_in SET authenticated_at = now() - interval '601 s'" >/dev/null
before=$(sql "SELECT max(id) FROM audit")
while read -r method path; do
	case $method in
	DELETE) as ann "$method" "$path" ;;
	*) as ann "$method" "$path" '{}' ;;
	esac
	is "$(answered)" "401 reauthentication_required" "an owner whose sign-in is not fresh may not $method $path (C-308)"
done <"$W/rows"
is "$(sql "SELECT max(id) FROM audit")" "$before" "what was refused for want of a recent sign-in has changed nothing (C-308)"
sql "UPDATE sign_in SET authenticated_at = now()" >/dev/null

# ---- members ----

as ann POST /access/members '{"email":"cat@example.com","name":"Cat","role":"member"}'
cat=$(field .member.uuid) token=$(field '.link.token // .link.url')
is "$STATUS $(field '.member | .name, .email, .joined' | paste -sd ' ')" "201 Cat cat@example.com false" "an owner invites a member"
like "$token" '^[A-Za-z0-9_-]{43}$' "the answer has the token of the link, since public_url is not set"
as ann POST /access/members '{"email":"CAT@example.com","name":"Cat","role":"member"}'
is "$(answered)" "409 member_exists" "an e-mail is invited once (C-872)"
as ann POST "/access/members/$cat/link" '{}'
is "$STATUS" 201 "an owner makes another link"
second=$(field '.link.token')
visit POST /auth/links/open "{\"token\":\"$token\"}"
is "$(answered)" "404 link_not_found" "the former link stops working when another one is made (C-321)"
visit POST /auth/links/open "{\"token\":\"$second\"}"
is "$(field .link.invited_by)" ann "the link names who has invited"
join "$second" Cat cat@example.com
is "$STATUS" 201 "the invited member joins"
signed_in cat
as ann POST "/access/members/$cat/link" '{}'
is "$(answered)" "409 member_joined" "a member who has joined needs no link (C-872)"
as ann GET '/access/members?joined=true'
is "$(field '[.members[].email] | sort | join(" ")')" "ann@example.com bob@example.com cat@example.com" "an owner reads every e-mail (C-871)"
as bob GET '/access/members?joined=true'
is "$(field '[.members[].email | tostring] | sort | join(" ")')" "bob@example.com null null" "a member reads their own e-mail alone (C-871)"
key=$KEY api GET /access/members
is "$(field '[.members[] | has("email") or has("joined")] | any')" false "a key reads neither e-mails nor who has joined (C-210)"
as ann PUT "/access/members/$cat" "{\"email\":\"cat@example.com\",\"name\":\"Cat\",\"role\":\"member\",\"all_projects\":false,
	\"projects\":[{\"project_uuid\":\"$P\",\"role\":\"manager\"}]}"
is "$STATUS $(field '.member.projects[0].role')" "200 manager" "an owner makes a member the manager of a project"
as ann PUT "/access/members/$cat" "{\"email\":\"cat@example.com\",\"name\":\"Cat\",\"role\":\"member\",
	\"projects\":[{\"project_uuid\":\"$ann\",\"role\":\"manager\"}]}"
is "$(answered) $(field '.error.field_errors[0].field')" "400 invalid_request projects" "a project that does not exist is refused"
as ann PUT "/access/members/$cat" "{\"email\":\"cat@example.com\",\"name\":\"Cat\",\"role\":\"member\",
	\"projects\":[{\"project_uuid\":\"$P\",\"role\":\"manager\"},{\"project_uuid\":\"$P\",\"role\":\"viewer\"}]}"
is "$(answered) $(field '.error.field_errors[0]|.field, .code' | paste -sd ' ')" "400 invalid_request projects[1].project_uuid duplicate" \
	"a member has one role in a project"
as cat DELETE /auth/session
owner=$(sql "SELECT uuid FROM member WHERE email = 'owner@example.com'")
as ann DELETE "/access/members/$owner"
is "$STATUS" 200 "an owner removes another owner"
link_new owner nobody@example.com Nobody >/dev/null
as ann PUT "/access/members/$ann" '{"email":"ann@example.com","name":"ann","role":"member"}'
is "$(answered)" "409 last_owner" "the last owner who has joined is not demoted (C-337)"
nobody=$(sql "SELECT uuid FROM member WHERE email = 'nobody@example.com'")
as ann DELETE "/access/members/$nobody"
is "$STATUS" 200 "an owner who has not joined is removed"
as ann DELETE "/access/members/$ann"
is "$(answered)" "409 last_owner" "the last owner is not removed (C-337)"
as ann DELETE "/access/members/$cat"
sign_in cat
signed_in cat
as cat GET /projects -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "404 organisation_not_found" "for a removed member the organisation is not found (C-337)"
as cat GET /projects
is "$(answered)" "403 permission_denied" "a person without an organisation may not use operations of organisations"

# ---- keys ----

as ann POST /access/keys '{"name":"ci","scopes":["search.view","reports.view","search.view"]}'
is "$(answered) $(field '.error.field_errors[0]|.field, .code' | paste -sd ' ')" "400 invalid_request scopes[2] duplicate" \
	"a scope is not given twice to a key (C-338)"
as ann POST /access/keys "{\"name\":\"ci\",\"scopes\":[\"search.view\"],\"projects\":[\"$P\",\"$P\"]}"
is "$(answered) $(field '.error.field_errors[0]|.field, .code' | paste -sd ' ')" "400 invalid_request projects[1] duplicate" \
	"a project is not given twice to a key (C-338)"
as ann POST /access/keys '{"name":"ci","scopes":["search.view"]}'
k=$(field .key.uuid) secret=$(field .secret)
is "$STATUS $(field .key.name) $(field '.key.effective_scopes | join(" ")')" "201 ci search.view" "an owner makes a key (C-338)"
key=$secret api GET /access/self
is "$STATUS" 200 "the key works at once (C-338)"
as ann GET "/access/keys/$k"
unlike "$BODY" "${secret#sfk_*_}" "the secret is in one answer only (C-338)"
for fault in '{"name":"x","scopes":["nothing.view"]} scopes' "{\"name\":\"x\",\"scopes\":[\"search.view\"],\"projects\":[\"$ann\"]} projects" \
	"{\"name\":\"x\",\"scopes\":[\"search.view\"],\"member_uuid\":\"$k\"} member_uuid" \
	'{"name":"x","scopes":["search.view"],"expires_at":"2001-01-01T00:00:00Z"} expires_at'; do
	as ann POST /access/keys "${fault% *}"
	is "$(answered) $(field '.error.field_errors[0].field')" "400 invalid_request ${fault##* }" "a key with a bad ${fault##* } is refused (C-338)"
done
as ann PUT "/access/keys/$k" '{"name":"ci two","scopes":["search.view","search.aggregate"]}'
is "$STATUS $(field '.key | .name, (.scopes | length)' | paste -sd ' ')" "200 ci two 2" "an owner changes a key"
was=$(field '.key | .owner_uuid, (.scopes | sort), .projects | tojson')
as ann PUT "/access/keys/$k" "{\"name\":\"x\",\"scopes\":[\"search.view\"],\"member_uuid\":\"$bob\"}"
is "$(answered) $(field '.error.field_errors[0]|.field, .code' | paste -sd ' ')" "400 invalid_request member_uuid unknown_field" \
	"the owner of a key cannot be changed (C-791)"
as ann POST "/access/keys/$k/rotate" "{\"old_expires_at\":\"$(date -u -d '+1 hour' +%FT%TZ)\"}"
new=$(field .secret) k2=$(field .key.uuid)
is "$(field '.key | .owner_uuid, (.scopes | sort), .projects | tojson')" "$was" "a rotated key keeps its owner, scopes and projects (C-791)"
for one in "$secret" "$new"; do
	key=$one api GET /access/self
	is "$STATUS" 200 "during the rotation the old and the new key work (C-339)"
done
as ann DELETE "/access/keys/$k"
is "$STATUS $(field .key.state)" "200 revoked" "an owner revokes a key"
key=$secret api GET /access/self
is "$(answered)" "401 unauthorized" "a revoked key is refused at once (C-339)"
as ann PUT "/access/keys/$k" '{"name":"x","scopes":["search.view"]}'
is "$(answered)" "409 key_revoked" "a revoked key is not changed (C-875)"
as bob DELETE "/access/keys/$k2"
is "$(answered)" "404 key_not_found" "a member does not revoke another's key (C-333)"
as ann POST /access/keys "{\"name\":\"bobs\",\"scopes\":[\"search.view\"],\"member_uuid\":\"$bob\"}"
k3=$(field .key.uuid) secret3=$(field .secret)
as bob GET /access/keys
is "$(field '[.keys[].uuid] | join(" ")')" "$k3" "a member reads the keys that they hold, and no other (C-871)"
key=$secret3 api GET /search/schemas
flushed
as bob GET "/access/keys/$k3/usage"
mine=$(field '.api_usage | .totals.requests, .rate_limit.limit, .api_key.name' | paste -sd ' ')
key=$secret3 api GET /usage
is "$mine" "$(field '.api_usage | .totals.requests, .rate_limit.limit, .api_key.name' | paste -sd ' ')" \
	"the usage of a key is what the key itself is told (C-339)"
as ann GET /organisation/usage
is "$STATUS $(field '.organisation_usage | ([.keys[].requests] | add) + .others.requests == ([.daily[].requests] | add)')" "200 true" \
	"the usage of the organisation is the sum of its keys (C-339)"
isnt "$(field '[.organisation_usage.daily[].requests] | add')" 0 "the usage of the organisation counts requests"
as bob GET "/access/keys/$k3"
is "$(field .key.last_used_on)" "$(date -u +%F)" "last_used_on is today after a request (C-339)"
as bob GET "/projects/$P/access?kind=key"
is "$(field '[.access[].name] | join(" ")')" bobs "a member reads of their own keys alone in the access to a project (C-871)"
as ann GET "/projects/$P/access?kind=key"
is "$(field '[.access[].name] | sort | index("bobs") != null and length > 1')" true "an owner reads of all keys in the access to a project"
as bob DELETE "/access/keys/$k3"
is "$STATUS $(field .key.state)" "200 revoked" "a member revokes their own key (C-333)"

# ---- the organisation and its projects ----

as bob GET /organisation
is "$STATUS $(field '.organisation | .name, .sign_in, .members' | paste -sd ' ')" "200 Example any 2" "a member reads about the organisation"
as ann POST /projects '{"name":"Second"}'
project=$(field .project.uuid)
is "$STATUS $(header Location)" "201 /api/v1/projects/$project" "an owner creates a project"
as ann POST /projects '{"name":"Second"}'
is "$(answered)" "409 project_exists" "two projects of an organisation do not have one name (C-875)"
as ann PUT "/projects/$project" '{"name":"Third"}'
is "$STATUS $(field .project.name)" "200 Third" "an owner renames a project"
as ann PUT /organisation '{"sign_in":"strong"}'
is "$(answered)" "401 reauthentication_required" "an owner who signed in with a password alone cannot require strong sign-ins (C-873)"
sql "UPDATE account SET sign_in = 'strong' WHERE uuid = '$ACCOUNT'"
as bob GET /projects
is "$(answered)" "401 reauthentication_required" "a strong organisation refuses a sign-in by a password alone (C-334)"
as bob GET /search/schemas
is "$(answered)" "401 reauthentication_required" "a strong organisation refuses searches after a sign-in by a password alone (C-334)"
