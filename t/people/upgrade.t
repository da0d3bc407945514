#!/bin/sh
# SPDX-License-Identifier: ISC
# An upgrade while somebody is signed in (C-356): the schema of a later release beside this program, as while packages are
# installed, then the program executed anew. The cookie, the CSRF token, a half-open sign-in and an evidence ticket stay good.
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
index_start
api_start
dispatch_start
people_web_start

S=/projects/$P/sessions
person_new ann owner
person_new bob member
as ann POST "$S" '{"start_url":"https://example.com/?shots=2&events=3"}'
session=$(field .session.uuid)
stored() { [ "$(sql "SELECT screenshots || ' ' || network_events FROM session_evidence WHERE session_uuid = '$session'")" = "2 3" ]; }
ok "the evidence of a session is stored" world_until 60 stored
as ann POST "$S/$session/evidence-ticket" '{}'
ticket=$(field .evidence_ticket.token)
as bob POST /auth/totp '{}'
secret=$(field .totp.secret)
as bob POST /auth/totp/confirm "{\"code\":\"$(t/helper/totp "$secret")\"}"
is "$STATUS" 200 "a person sets up one-time codes"
sign_in bob
step=$(field .step.token)
as ann GET /auth/session
before=$(field '.session | .uuid, .expires_at' | paste -sd ' ')

# A later release: columns and a table of its own, all functions anew.
cp -r sql "$W/sql"
cat >"$W/sql/9000-later.sql" <<'END'
ALTER TABLE person ADD nickname text;
ALTER TABLE sign_in ADD place text NOT NULL DEFAULT '';
ALTER TABLE member ADD note text NOT NULL DEFAULT '';
ALTER TABLE api_key ADD CONSTRAINT api_key_named CHECK (name <> '');
CREATE TABLE later (person_uuid uuid REFERENCES person);
END

# Requests of the person until $W/stop exists: one that reads and one that needs the CSRF token.
people_load()
{
	while [ ! -e "$W/stop" ]; do
		# shellcheck disable=SC2086,SC2154 # CURL is a list of options; person_new sets the cookie
		curl -s $CURL -o /dev/null -w '%{http_code}\n' -H "Cookie: $ann_cookie" "$BASE_URL/auth/session" \
			--next -s $CURL -o /dev/null -w '%{http_code}\n' -H "Cookie: $ann_cookie" -H "X-CSRF-Token: $ann_csrf" \
			-H 'Content-Type: application/json' --data '{"aggregations":[{"field":"tags"}]}' "$BASE_URL/search/hosts/aggregate"
	done >"$W/load"
}
enough() { [ "$(wc -l <"$W/load")" -ge "$1" ]; }
people_load &
load=$!
ok "requests of the person are answered before the upgrade" world_until 20 enough 10
"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=postgres" migrate --sql-dir "$W/sql" >"$W/out" 2>&1
is "$? $(sql "SELECT max(version) FROM schema_migration")" "0 9000" "the schema of a later release is applied beside the running program"
between=$(wc -l <"$W/load")
ok "requests of the person are answered by the program of before on the later schema" world_until 20 enough $((between + 20))
as ann PUT /auth/person '{"name":"Ann Later","email":"ann@example.com"}'
is "$STATUS $(field .person.name)" "200 Ann Later" "the program of before writes people on the later schema"
sign_in ann
is "$STATUS" 201 "the program of before signs people in on the later schema"
kill -HUP "$(world_pid surfaced)"
reloaded() { grep -q 'reloaded program=surfaced' "$W/log/surfaced.log"; }
ok "the program is executed anew" world_until 20 reloaded
between=$(wc -l <"$W/load")
ok "requests of the person are answered by the program that was executed anew" world_until 20 enough $((between + 20))
touch "$W/stop"
wait "$load"
is "$(sort "$W/load" | uniq | paste -sd ' ')" 200 "no request of a person who was signed in before fails during the upgrade (C-356)"
as ann GET /auth/session
is "$STATUS $(field '.session | .uuid, .expires_at' | paste -sd ' ')" "200 $before" "the sign-in of before is the same after the upgrade (C-356)"
is "$(field .csrf_token)" "$ann_csrf" "the CSRF token of before is good after the upgrade (C-356)"
key=none api GET "$S/$session/timeline" -H "X-Evidence-Ticket: $ticket"
is "$STATUS" 200 "the evidence ticket of before is good after the upgrade"
visit POST /auth/sign-in/totp "{\"step\":\"$step\",\"code\":\"$(t/helper/totp "$secret" 1)\"}"
is "$STATUS" 201 "a sign-in that was half open before is ended by a code after the upgrade"
