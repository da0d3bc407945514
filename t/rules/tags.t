#!/bin/sh
# SPDX-License-Identifier: ISC
# Tags of detection rules, and the taxonomy: an account's tags are its own, and neither another account, the shared index
# nor surfacectl tags knows them.
. t/lib.sh
world_start
stranger_new
T=/rules/tags

code() { printf '%s %s' "$STATUS" "$(field '.error.code // "none"')"; }
faults() { field '[.error.field_errors[] | .field + " " + .code] | join(", ")'; }
# rule ACCOUNT TAGS [ENABLED]: an account is a quoted UUID or NULL; prints the UUID.
rule()
{
	_rule=$(sql "INSERT INTO rule (account_uuid, id, name, content_sha256, dataset, scope, query, severity, status, tags, techniques)
		VALUES ($1, gen_random_uuid(), 'x', CASE WHEN $1 IS NULL THEN repeat('0', 64) END, 'hosts', 'all', '*', 'low', 'stable', '$2', '{T1190}') RETURNING uuid")
	[ -z "${3-}" ] || sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled) VALUES ('$ACCOUNT', '$_rule', $3)"
	echo "$_rule"
}

# ---- a tag of an account ----

api POST "$T" '{"slug":"crown-jewels","name":" Crown jewels ","categories":["own","own/critical"],"classification":"suspicious"}'
uuid=$(field .tag.uuid)
is "$STATUS $(field '.tag | keys_unsorted | join(" ")')" \
	"201 uuid origin slug name categories classification rule_count enabled_rule_count created_by_membership_uuid created_at updated_at" \
	"a tag is created"
is "$(field '.tag | [.origin, .slug, .name, (.categories | join("+")), .classification, .rule_count, .enabled_rule_count] | map(tostring) | join("|")')" \
	"account|crown-jewels|Crown jewels|own+own/critical|suspicious|0|0" "a tag is stored as it was sent"
is "$(header location)" "/api/v1$T/$uuid" "the answer says where the tag is"
created=$(field '.tag | tojson')
api GET "$T/$uuid"
is "$(field '.tag | tojson')" "$created" "a tag is answered as it was stored"
api POST "$T" '{"slug":"bare"}'
bare=$(field .tag.uuid)
is "$STATUS $(field '.tag | [.name, (.categories | length), .classification] | map(tostring) | join("|")')" "201 bare|0|informational" \
	"what is not sent has its default"
api PUT "$T/$uuid" '{"name":"Jewels","categories":["own"]}'
is "$STATUS $(field '.tag | [.slug, .name, (.categories | join("+")), .classification] | join("|")')" "200 crown-jewels|Jewels|own|informational" \
	"a tag is replaced and keeps its slug"
is "$(field '.tag | .updated_at > .created_at')" true "a replaced tag has the time of its change"
changed=$(field .tag.updated_at)
api PUT "$T/$uuid" '{"name":"Jewels","categories":["own"]}'
is "$(field .tag.updated_at)" "$changed" "replacing a tag by the same content changes nothing"
api PUT "$T/$uuid" '{"slug":"other","name":"x"}'
is "$(faults)" "slug unknown_field" "a slug never changes (C-829)"

# ---- what is refused ----

api POST "$T" '{"slug":"No","name":"a\u0007b","categories":["a/b","Bad","c","c"],"classification":"evil"}'
is "$STATUS $(faults)" "400 categories[3] duplicate, classification not_allowed, slug invalid_format, name invalid_format, categories[0] invalid_format, categories[1] invalid_format" \
	"one answer names every fault, and a category without its parent is refused (C-159)"
api POST "$T" '{"slug":"x","categories":["a","b","c","d","e"]}'
is "$(faults)" "categories too_long" "a tag has four categories at most (C-159)"
for slug in '' ' ' -x "x y" é; do
	api POST "$T" "{\"slug\":\"$slug\"}"
	like "$STATUS $(faults)" '^400 slug (too_short|invalid_format)$' "the slug '$slug' is refused"
done
api POST "$T" '{"slug":"crown-jewels"}'
is "$STATUS $(faults)" "400 slug duplicate" "a slug of the account is taken"
api POST "$T" '{"slug":"c2"}'
is "$STATUS $(faults)" "400 slug duplicate" "a common slug is taken (C-829)"
c2=$(sql "SELECT uuid FROM tag WHERE slug = 'c2' AND account_uuid IS NULL")
api PUT "$T/$c2" '{"name":"x"}'
is "$(code)" "409 rule_read_only" "a common tag cannot be replaced"
api DELETE "$T/$c2"
is "$(code) $(sql "SELECT count(*) FROM tag WHERE slug = 'c2' AND name = 'Command and control'")" "409 rule_read_only 1" "a common tag cannot be deleted"
api GET "$T/$(uuid_new)"
is "$(code)" "404 rule_tag_not_found" "a tag that does not exist is not found"
sql "INSERT INTO tag (account_uuid, slug, name) SELECT '$ACCOUNT2', 'n' || n, 'x' FROM generate_series(1, 1000) AS n"
key=$KEY2 api POST "$T" '{"slug":"one-more"}'
is "$(code)" "409 rule_limit_exceeded" "an account has a thousand tags at most"
sql "DELETE FROM tag WHERE account_uuid = '$ACCOUNT2'"

# ---- accounts know nothing of one another ----

for request in "GET $T/$uuid" "DELETE $T/$uuid" "PUT $T/$uuid"; do
	# shellcheck disable=SC2086 # a method and a path
	case $request in
	PUT*) key=$KEY2 api $request '{"name":"x"}' ;;
	*) key=$KEY2 api $request ;;
	esac
	is "$(code)" "404 rule_tag_not_found" "${request%% *} of another account's tag gets 404 (C-158)"
done
key=$KEY2 api GET "$T?origin=account"
is "$STATUS $(field '.tags | length')" "200 0" "another account's tags are not listed (C-158)"
key=$KEY2 api POST "$T" '{"slug":"crown-jewels"}'
is "$STATUS" 201 "two accounts may have one slug (C-829)"
api GET "$T?origin=account"
is "$(field '[.tags[].slug] | join(" ")')" "bare crown-jewels" "the account's tags are listed, newest first"
api GET "$T?origin=catalogue&limit=100"
is "$(field '[.tags[].slug] | sort | join(" ")')" "$(sql "SELECT string_agg(slug, ' ' ORDER BY slug COLLATE \"C\") FROM tag WHERE account_uuid IS NULL")" \
	"the common tags are listed"
api GET "$T?category=malware&limit=100"
is "$(field '[.tags[].slug] | sort | join(" ")')" "$(sql "SELECT string_agg(slug, ' ' ORDER BY slug COLLATE \"C\") FROM tag WHERE 'malware' = ANY (categories)")" \
	"a filter by category selects the tags of those below it"
api GET "$T?classification=benign&origin=account"
is "$(field '.tags | length')" 0 "a tag is listed when it passes every filter"
api GET "$T?origin=mine"
is "$STATUS $(faults)" "400 origin unsupported" "an unknown origin is refused by name"

# ---- the shared index and its tools have common tags alone ----

api POST "$T" '{"slug":"leak","categories":["leak-category"],"classification":"malicious"}'
leak=$(field .tag.uuid)
echo '{"ip":"192.0.2.1","tags":["plain"]}' | ctl import hosts - >/dev/null
hosts_wait 1
found() { api GET "/search/hosts/count?q=$1" && field .count; }
is "$(found tags:leak)" 0 "no host has a tag because an account has it (C-158)"
echo '{"ip":"192.0.2.2","tags":["leak"]}' | ctl import hosts - >/dev/null
hosts_wait 2
is "$(sql "SELECT string_agg(coalesce(account_uuid::text, 'common') || ' ' || name, ', ' ORDER BY account_uuid IS NULL) FROM tag WHERE slug = 'leak'")" \
	"$ACCOUNT leak, common leak" "an import that brings the word makes a common tag beside the account's"
is "$(found tags.category:leak-category) $(found tags.classification:malicious)" "0 0" \
	"the category and classification of an account's tag reach no search (C-158)"
api POST /search/hosts/aggregate '{"query":"ip:192.0.2.2","aggregations":[{"field":"tags"}]}'
is "$STATUS $(field '[.groups[0].buckets[].tag | select(.slug == "leak") | .classification, (.categories | length)] | map(tostring) | join(" ")')" \
	"200 informational 0" "a bucket shows the common tag (C-159)"
is "$(ctl --json tags list | jq -c '[.. | objects | select(.slug? == "leak" or .slug? == "crown-jewels") | .classification]')" '["informational"]' \
	"surfacectl tags shows the common tags alone (C-158)"
ctl tags set --name Leaked leak >/dev/null
api GET "$T/$leak"
is "$(field .tag.name)" leak "surfacectl tags leaves the account's tag alone"
api DELETE "$T/$leak"
is "$STATUS $(sql "SELECT count(*) FROM tag WHERE slug = 'leak' AND name = 'Leaked'")" "200 1" "the common tag stays when the account's goes"

# ---- rules that have a tag ----

mine=$(rule "'$ACCOUNT'" '{crown-jewels,ssh}')
rule "'$ACCOUNT'" '{crown-jewels}' false >/dev/null
rule NULL '{ssh,crown-jewels}' >/dev/null
rule NULL '{ssh}' true >/dev/null
rule "'$ACCOUNT2'" '{ssh,crown-jewels}' >/dev/null
api GET "$T/$uuid"
is "$(field '.tag | "\(.rule_count) \(.enabled_rule_count)"')" "2 1" "an account's tag counts the account's rules (C-158)"
api GET "$T/$(sql "SELECT uuid FROM tag WHERE slug = 'ssh' AND account_uuid IS NULL")"
is "$(field '.tag | "\(.rule_count) \(.enabled_rule_count)"')" "3 2" "a common tag counts the catalogue's rules and the account's (C-158)"
api DELETE "$T/$uuid"
is "$(code) $(sql "SELECT count(*) FROM tag WHERE uuid = '$uuid'")" "409 rule_tag_in_use 1" "a tag that a rule has cannot be deleted (C-159)"
sql "UPDATE rule SET deleted_at = now() WHERE account_uuid = '$ACCOUNT' AND uuid <> '$mine'; UPDATE rule SET tags = '{ssh}' WHERE uuid = '$mine'"
api DELETE "$T/$uuid"
is "$STATUS $(field .tag.slug)" "200 crown-jewels" "a tag that no rule has any more is deleted, and answered"
api DELETE "$T/$uuid"
is "$(code)" "404 rule_tag_not_found" "a deleted tag is not found"
is "$(sql "SELECT string_agg(action || ' ' || account_uuid, ', ' ORDER BY id) FROM audit WHERE subject = 'tag' AND subject_id = 'bare'")" \
	"tag.create $ACCOUNT" "a change of an account's tag is a line of its audit log"

# The database itself refuses what an operation without its checks would do.
as_api() { PGUSER=surfaced_api psql -Xq -v ON_ERROR_STOP=1 -c "$1" 2>&1; }
for verb in "UPDATE tag SET name = 'x'" "DELETE FROM tag" "INSERT INTO tag (slug, name) VALUES ('x', 'x')"; do
	like "$(as_api "$verb")" 'permission denied for table tag' "the role of the API has no right to ${verb%% *} tags"
done
own=$(sql "SELECT uuid FROM api_key WHERE prefix = '$(printf %.12s "$KEY")'")
as_api "SELECT rule_tag_change('$own', '$c2', 'x', '{}', 'benign'), rule_tag_remove('$own', '$c2')" >/dev/null
is "$(sql "SELECT name FROM tag WHERE uuid = '$c2'")" "Command and control" "the functions of the API leave common tags alone"

# A rule that is being written has its tags already.
api POST "$T" '{"slug":"held"}'
held=$(field .tag.uuid)
mkfifo "$W/open"
psql -Xq -v ON_ERROR_STOP=1 <"$W/open" >"$W/open.out" 2>&1 &
exec 9>"$W/open"
printf '%s\n' "BEGIN; SELECT slug || ' ready' FROM rule_tags_hold('$ACCOUNT', '{held}');" >&9
ready() { grep -q ready "$W/open.out"; }
ok "a transaction is about to write a rule with a tag" world_until 60 ready
(api DELETE "$T/$held"; code >"$W/removed") &
removal=$!
waits() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%rule_tag_remove%'")" = 1 ]; }
ok "a removal of the tag waits for it" world_until 60 waits
printf '%s\n' "UPDATE rule SET tags = '{held}' WHERE uuid = '$mine'; COMMIT;" >&9
exec 9>&-
wait "$removal"
is "$(cat "$W/removed") $(sql "SELECT count(*) FROM tag WHERE slug = 'held'")" "409 rule_tag_in_use 1" \
	"a tag is not removed while a rule that has it is written (C-159)"
sql "UPDATE rule SET tags = '{ssh}' WHERE uuid = '$mine'"

# ---- the taxonomy ----

api GET /rules/taxonomy
is "$STATUS $(field 'keys_unsorted | join(" ")')" "200 datasets severities statuses moves tags techniques" "the taxonomy has six lists"
is "$(field '[.moves[] | .event + "|" + .from + "|" + .to] | sort | join(" ")')" \
	"$(sql "SELECT string_agg(event || '|' || from_status || '|' || to_status, ' ' ORDER BY event COLLATE \"C\", from_status) FROM rule_move")" \
	"the moves are those of the database"
is "$(field '.techniques | join(" ")')" T1190 "the techniques are those of the rules"
is "$(field '[.. | objects | select(.path? != null) | .path] | sort | join(" ")')" \
	"$(sql "SELECT string_agg(DISTINCT c COLLATE \"C\", ' ') FROM tag, unnest(categories) AS c WHERE account_uuid IS NULL OR account_uuid = '$ACCOUNT'")" \
	"the tree has each category once"
is "$(field '[.. | objects | select(.children? != null) | . as $c | .children[] | select(.path != $c.path + "/" + .name) | .path] | join(" ")')" "" \
	"a child is one word below its parent"
is "$(field '.tags[] | select(.path == "service") | [.rules, (.children[] | select(.path == "service/remote-access") | .rules)] | map(tostring) | join(" ")')" "3 3" \
	"a category counts the rules that the account sees (C-158)"
is "$(field '.tags[] | select(.path == "device") | .children[] | select(.name == "iot") | .children[0] | tojson')" \
	'{"path":"device/iot/camera","name":"camera","rules":0,"children":[]}' "a category of three words is below one of two"

# ---- rights ----

view=$(key_new --scope rules.view) manage=$(key_new --scope rules.manage)
world_kill surfaced-index
for path in "$T" "$T/$bare" /rules/taxonomy; do
	key=$manage api GET "$path"
	is "$(code)" "403 permission_denied" "rules.manage cannot read GET $(echo "$path" | sed "s/$bare/U/") (C-163)"
	key=$view api GET "$path"
	is "$STATUS" 200 "rules.view reads GET $(echo "$path" | sed "s/$bare/U/") without search.view and without surfaced-index (C-163)"
done
key=$view api POST "$T" '{"slug":"x"}'
is "$(code)" "403 permission_denied" "rules.view cannot create a tag (C-163)"
key=$view api PUT "$T/$bare" '{"name":"x"}'
is "$(code)" "403 permission_denied" "rules.view cannot replace a tag (C-163)"
key=$view api DELETE "$T/$bare"
is "$(code)" "403 permission_denied" "rules.view cannot delete a tag (C-163)"
key=$manage api PUT "$T/$bare" '{"name":"y"}'
is "$STATUS" 200 "rules.manage replaces a tag without search.view (C-163)"
