#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit log names people: the member who acts through the console or by a link, with the name that they have chosen
# themselves, and the network address; and its times are those of the API.
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
api_start
people_web_start
person_new ann owner

# last FILTER: the newest line: actor's kind and name, action, address.
last() { as ann GET "/access/audit?limit=1&$1"; field '.entries[0]|[.actor.kind, .actor.name, .action, .address]|map(tostring)|join(" ")'; }
member_of() { as ann GET "/access/members?limit=100"; field ".members[]|select(.email == \"$1\")"; }

# ---- a person who joins ----

as ann POST /access/members '{"name":"Bob Junior","email":"bob@example.org","role":"member","all_projects":true,"projects":[]}'
bob=$(field .member.uuid) token=$(field '.link.token // (.link.url|sub(".*/"; ""))')
is "$(last "subject_id=$bob" | cut -d' ' -f1-3)" "member ann member.create" "the line of an invitation names the owner"
visit POST /auth/links/use "{\"token\":\"$token\",\"name\":\"Bob Real\",\"email\":\"bob@example.com\",\"password\":\"$PASSWORD\"}" -H 'X-Real-IP: 203.0.113.9'
is "$STATUS" 201 "the invited person joins with a name and an address of their own"
request=$(header X-Request-Id)
signed_in bob
is "$(member_of bob@example.com | jq -c '[.name, .email, .joined]')" '["Bob Real","bob@example.com",true]' "the member has the name and the e-mail that the person has chosen"
as ann GET "/access/audit?request_id=$request&limit=100"
is "$(field '[.entries[]|.actor.kind + " " + (.actor.name // "none") + " " + (.address // "none")]|unique|join(", ")')" "member Bob Real 203.0.113.9" \
	"each line of the request names the person who joined, and the address (C-325)"
is "$(field '[.entries[].action]|sort|join(" ")')" "member.change sign_in_link.use" "joining leaves a line about the link and one about the member (C-325)"
is "$(field '[.entries[]|select(.subject == "sign_in_link")|.before.created_at, .after.created_at, .after.used_at, .after.expires_at]
	|all(test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$"))')" true "times inside before and after are those of the API (C-120)"

# ---- what a member does later ----

as bob GET /access/keys -H 'X-Real-IP: 203.0.113.10'
as bob PUT /auth/person '{"name":"Robert Real","email":"bob@example.com"}' -H 'X-Real-IP: 203.0.113.10'
is "$STATUS" 200 "a person changes their name"
is "$(member_of bob@example.com | jq -r .name)" "Robert Real" "the member has the person's new name"
is "$(last "subject=member&subject_id=$bob")" "member Robert Real member.change 203.0.113.10" "the line of the change names the person (C-876)"
as ann GET "/access/audit?actor=$bob&limit=100"
is "$(field '[.entries[].actor.name]|unique|join(", ")') $(field '.entries|length > 2')" "Robert Real true" "the filter actor finds what a member did as a person, too (C-876)"
as ann PUT "/access/members/$bob" '{"name":"Bob Junior","email":"bob@example.com","role":"member","all_projects":true,"projects":[]}'
is "$STATUS $(field '.error.field_errors[0].field')" "400 name" "an owner does not name a person who has joined (C-874)"
as ann PUT "/access/members/$bob" '{"name":"Robert Real","email":"else@example.com","role":"member","all_projects":true,"projects":[]}'
is "$STATUS $(field '.error.field_errors[0].field')" "400 email" "an owner does not change the e-mail of a person who has joined (C-874)"
as ann PUT "/access/members/$bob" '{"name":"Robert Real","email":"bob@example.com","role":"owner","all_projects":true,"projects":[]}'
is "$STATUS $(field .member.role)" "200 owner" "an owner changes the role of a person who has joined (C-874)"

# Reading is recorded for the person, too.
as ann GET '/access/audit?action=audit.read&limit=1'
is "$(field '.entries[0]|[.actor.kind, .actor.name]|join(" ")')" "member ann" "the line of somebody who read the log through the console names the person"
key=$KEY api POST /rules '{"name":"x","dataset":"hosts","scope":"surface","query":"asn:1","severity":"info"}'
is "$(last subject=rule | cut -d' ' -f1,3)" "key rule.create" "a key is named as a key"
as ann GET '/access/audit?subject=rule&limit=1'
is "$(field '.entries[0].after|[has("content_sha256"), has("request_hash"), (.created_at|endswith("Z"))]|map(tostring)|join(" ")')" "false false true" \
	"lines have no digests, and times as the API has them (C-120)"
is "$(as ann GET '/access/audit?limit=100' && printf %s "$BODY" | grep -c '+00:00')" 0 "no line has a time of the database"

# Another membership that has the e-mail keeps it.
as ann POST /access/members '{"name":"Carl","email":"carl@example.com","role":"member","all_projects":true,"projects":[]}'
as bob PUT /auth/person '{"name":"Robert Real","email":"carl@example.com"}'
is "$STATUS $(member_of bob@example.com | jq -r .name)" "200 Robert Real" "a membership keeps its e-mail while an invitation of the organisation has the new one"
