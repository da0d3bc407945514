#!/bin/sh
# SPDX-License-Identifier: ISC
# Isolation between accounts and projects, generated from the routes: an operation with the ids of another project
# or account answers exactly as with ids that do not exist, byte by byte except for the request id
# (C-079, C-115, C-116). A new operation needs a row below, or this test fails.
. t/lib.sh
pg_start
api_start
web_start
stranger_new
ctl sessions limits --organisation 1000 --caller 1000 >/dev/null

OTHER=$(ctl --json projects create --account "$ACCOUNT" Other | jq -er .project.uuid)

# record PARAMETER PROJECT: creates a record in the project and prints its UUID.
record()
{
	case $1 in
	rule_uuid) rule_new "$2" ;;
	destination_uuid) sql "INSERT INTO alert_destination (project_uuid, name, url, secret)
		VALUES ('$2', 'x', 'https://x.example.com', 'whsec_' || repeat('A', 43) || '=') RETURNING uuid" ;;
	silence_uuid) sql "INSERT INTO alert_silence (project_uuid, rule_uuid, reason, starts_at, ends_at)
		VALUES ('$2', '$(rule_new "$2")', 'x', now(), now() + interval '1 day') RETURNING uuid" ;;
	alert_uuid) sql "INSERT INTO alert (project_uuid, rule_uuid, source, source_uuid, title)
		VALUES ('$2', '$(rule_new "$2")', 'finding', '$(uuid_new)', 'x') RETURNING uuid" ;;
	delivery_uuid) sql "INSERT INTO alert_delivery (project_uuid, alert_uuid, destination_uuid)
		VALUES ('$2', '$(record alert_uuid "$2")', '$(record destination_uuid "$2")') RETURNING uuid" ;;
	asset_uuid) sql "INSERT INTO asset (project_uuid, kind, name, first_seen_at, last_seen_at)
		VALUES ('$2', 'host', '$(uuid_new)', now(), now()) RETURNING uuid" ;;
	service_uuid) sql "INSERT INTO asset_service (project_uuid, asset_uuid, service_key, first_seen_at, last_seen_at, last_observed_at)
		VALUES ('$2', '$(record asset_uuid "$2")', '$(uuid_new)', now(), now(), now()) RETURNING uuid" ;;
	finding_uuid) sql "INSERT INTO finding (project_uuid, finding_key, finding_type, title, first_seen_at, last_seen_at)
		VALUES ('$2', '$(uuid_new)', 'x', 'x', now(), now()) RETURNING uuid" ;;
	project_uuid) echo "$2" ;;
	member_uuid | owner_uuid) sql "WITH m AS (INSERT INTO member (account_uuid, name, email, all_projects)
			SELECT account_uuid, 'x', '$(uuid_new)@example.com', false FROM project WHERE uuid = '$2' RETURNING *)
		INSERT INTO project_member SELECT account_uuid, '$2', uuid FROM m RETURNING member_uuid" ;;
	session_uuid) sql "INSERT INTO browser_session (uuid, account_uuid, project_uuid, key_uuid, start_url, browser_profile,
			egress_country, viewport_width, viewport_height)
		SELECT gen_random_uuid(), p.account_uuid, p.uuid, k.uuid, 'https://example.com/', 'linux', 'GB', 800, 600
		FROM project p JOIN api_key k USING (account_uuid) WHERE p.uuid = '$2' AND k.kind = 'key' ORDER BY k.created_at LIMIT 1 RETURNING uuid" ;;
	screenshot_uuid) sql "INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)
		VALUES (gen_random_uuid(), '$(record session_uuid "$2")', sha256('x'), 1, 'image/png', 1, 1, 'ready', 1, '', '', now()) RETURNING uuid" ;;
	report_uuid) sql "INSERT INTO report SELECT gen_random_uuid(), account_uuid, 'text', gen_random_uuid()::text, 'published', 1,
			'x', NULL, NULL, NULL, NULL, 'red', '{}', '{}', '{}', '{}', '{}', '{}', '{}', now(), now(), now(), now(), now(), false,
			sha256('x') FROM project WHERE uuid = '$2' RETURNING uuid" ;;
	verdict_uuid) sql "INSERT INTO indicator_verdict (account_uuid, type, value, disposition, reason)
		SELECT account_uuid, 'domain', '$(uuid_new).example', 'ignored', 'x' FROM project WHERE uuid = '$2' RETURNING uuid" ;;
	tag_uuid) sql "INSERT INTO tag (account_uuid, slug, name) SELECT account_uuid, '$(uuid_new)', 'x' FROM project WHERE uuid = '$2' RETURNING uuid" ;;
	detection_uuid) sql "INSERT INTO rule (account_uuid, id, name, dataset, scope, query, severity, status)
		SELECT account_uuid, gen_random_uuid(), 'x', 'hosts', 'all', '*', 'low', 'stable' FROM project WHERE uuid = '$2' RETURNING uuid" ;;
	observation_uuid) sql "WITH run AS (INSERT INTO rule_run (rule_uuid, rule_version) VALUES ('$(record detection_uuid "$2")', 1) RETURNING uuid)
		INSERT INTO rule_observation (run_uuid, dataset, record_key, document_key, rule_version, record, first_seen_at, last_seen_at)
		SELECT uuid, 1, '192.0.2.1', 'x', 1, '{}', now(), now() FROM run RETURNING uuid" ;;
	domain_uuid) sql "INSERT INTO watched_domain (project_uuid, domain) VALUES ('$2', 'x' || gen_random_uuid() || '.com') RETURNING uuid" ;;
	*) return 1 ;;
	esac
}

# A valid body for each operation, so that only the ids are wrong.
body()
{
	case $1 in
	create_alert_rule | update_alert_rule) echo '{"name":"x","source":"finding"}' ;;
	create_alert_destination | update_alert_destination) echo '{"name":"x","url":"https://x.example.com/"}' ;;
	update_rule) echo '{"version":1,"name":"x","dataset":"hosts","scope":"surface","query":"","severity":"info"}' ;;
	update_rule_settings) echo '{"enabled":true}' ;;
	update_rule_tag) echo '{"name":"x"}' ;;
	update_watched_domain) echo '{"enabled":true}' ;;
	create_watched_domain) echo '{"domain":"example.com"}' ;;
	update_report) echo '{"title":"x"}' ;;
	create_session) echo '{"start_url":"https://example.com/"}' ;;
	create_alert_silence) echo "{\"rule_uuid\":\"$mine\",\"reason\":\"x\",\"ends_at\":\"$tomorrow\"}" ;;
	esac
}
mine=$(rule_new) tomorrow=$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)

# answer METHOD PATH OPERATION: sets ANSWER to what a client can see of the answer.
answer()
{
	_b=$(body "$3")
	if [ -n "$_b" ]; then api "$1" "$2" "$_b"; else api "$1" "$2"; fi
	ANSWER="$(printf '%s\n' "$HEADERS" | grep -viE '^(x-request-id|date|ratelimit|content-length):')
$(printf %s "$BODY" | jq -Sc 'del(.error.request_id)' 2>&1)"
}

# fill PATH PARAMETER VALUE
fill()
{
	printf %s "$1" | sed "s/{$2}/$3/"
}

# alike METHOD PATH PARAMETER FOREIGN OPERATION WHAT
alike()
{
	answer "$1" "$(fill "$2" "$3" "$(uuid_new)")" "$5"
	_random=$ANSWER
	_code=$(field .error.code)
	is "$STATUS" 404 "$5: an unknown $3 gets 404"
	answer "$1" "$(fill "$2" "$3" "$4")" "$5"
	is "$ANSWER" "$_random" "$5: $6 gets the same answer as an unknown one ($_code)"
}

ceiling=$(key_new --scope all --project "$P")
"$BIN/surfaced" -D routes | grep -F '{' >"$W/routes"
isnt "$(wc -l <"$W/routes")" 0 "the list of routes has paths with ids"

while IFS="$(printf '\t')" read -r method path operation _; do
	key=$KEY
	case $path in
	'/projects/{project_uuid}') [ "$method" = GET ] || continue ;; # people alone change projects (t/people/access.t)
	'/projects/{project_uuid}'*) ;;
	/auth/*) continue ;; # of people (t/people)
	/reports/*) # of an account, not of a project
		last=$(printf %s "$path" | grep -o '{[a-z_]*}' | tail -1 | tr -d '{}')
		alike "$method" "$path" "$last" "$(record "$last" "$PROJECT2")" "$operation" "another account's $last"
		continue
		;;
	/rules/*) # of an account; {rule_uuid} is a rule of detection
		last=$(printf %s "$path" | grep -o '{[a-z_]*}' | tail -1 | tr -d '{}')
		kind=$last
		[ "$last" != rule_uuid ] || kind=detection_uuid
		alike "$method" "$path" "$last" "$(record "$kind" "$PROJECT2")" "$operation" "another account's $last"
		continue
		;;
	/search/*) continue ;; # records of search belong to no account
	/access/*) continue ;; # t/access/answers.t asks for those of another account
	*)
		fail "$operation: the path does not begin with a project"
		continue
		;;
	esac
	last=$(printf %s "$path" | grep -o '{[a-z_]*}' | tail -1 | tr -d '{}')
	inside=
	case $path in # below a session: of one that the key has created
	*'{session_uuid}/'*'{'*) path=$(fill "$path" session_uuid "$(record session_uuid "$P")") ;;
	esac
	[ "$last" = project_uuid ] || {
		inside=$(record "$last" "$PROJECT2") || {
			fail "$operation: the test cannot create a $last"
			continue
		}
	}
	alike "$method" "$(fill "$path" "$last" "${inside:-{$last\}}")" project_uuid "$PROJECT2" "$operation" "another account's project"
	key=$ceiling
	alike "$method" "$(fill "$path" "$last" "${inside:-{$last\}}")" project_uuid "$OTHER" "$operation" "a project outside the ceiling"
	key=$KEY
	[ -n "$inside" ] || continue
	own=$(fill "$path" project_uuid "$P")
	alike "$method" "$own" "$last" "$inside" "$operation" "another account's $last"
	alike "$method" "$own" "$last" "$(record "$last" "$OTHER")" "$operation" "another project's $last"
done <"$W/routes"

# A foreign id in a filter selects nothing, exactly as an unknown id.
"$BIN/surfaced" -D openapi | jq -r '. as $d | .paths | to_entries[] | .key as $p | .value.get // empty
	| .parameters[] | $d.components.parameters[."$ref" | split("/") | last] | select(.in == "query" and .schema.format == "uuid")
	| "\($p)\t\(.name)"' >"$W/filters"
isnt "$(wc -l <"$W/filters")" 0 "openapi.json has filters that take ids"
while IFS="$(printf '\t')" read -r path name; do
	own=$(fill "$path" project_uuid "$P")
	answer GET "$own?$name=$(uuid_new)" list
	random=$ANSWER
	is "$STATUS" 200 "$path: an unknown $name gets 200"
	case $path in
	/rules*) kind=detection_uuid ;;
	*) kind=$name ;;
	esac
	answer GET "$own?$name=$(record "$kind" "$PROJECT2")" list
	is "$ANSWER" "$random" "$path: a foreign $name gets the same answer as an unknown one"
done <"$W/filters"
unlike "$(sql "SELECT DISTINCT action FROM audit WHERE actor LIKE 'key:%'
	AND action NOT IN ('audit.read', 'session.evidence_view')")" . \
	"the requests of this test changed nothing"
