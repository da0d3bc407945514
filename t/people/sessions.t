#!/bin/sh
# SPDX-License-Identifier: ISC
# What belongs to a person's membership and to no key: browser sessions with their evidence, live streams, cursors (C-328,
# C-332, C-336); and what a person loses with an organisation (C-337).
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
index_start
api_start
stream_start
people_web_start
export PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1 W P

S=/projects/$P/sessions
person_new ann owner
person_new ben owner
person_new cat member
own_key=$(key_new --member ann@example.com --scope all)
cat_key=$(key_new --member cat@example.com --scope all)

# session_by NAME: the UUID of a new session of this person.
session_by()
{
	as "$1" POST "$S" '{"start_url":"https://example.com/?shots=2&events=3"}'
	field .session.uuid
}

# ---- a live stream ends with the sign-in (C-336) ----

live=$(session_by ann)
as ann GET "$S/$live"
is "$(field '.session.creator | .kind, .uuid' | paste -sd ' ')" "console $(sql "SELECT k.uuid FROM api_key k JOIN member m ON m.uuid = k.owner_uuid
	WHERE k.kind = 'console' AND m.email = 'ann@example.com'")" "the creator of a session made in the console is the membership"
session_run "$live"
as ann POST "$S/$live/stream-ticket" '{}'
TICKET=$(field .stream_ticket.subprotocol)
export TICKET
mkfifo "$W/go"
python3 -c '
import os, sys
from streams import *
c = Client(sys.argv[1], os.environ["TICKET"])
c.send(frame(0x81, b"x"))
print(c.frame() == (0x81, b"x"), flush=True)
open(sys.argv[2]).read()
began = time.monotonic()
print(c.closed(), time.monotonic() - began < 20, flush=True)' "$live" "$W/go" >"$W/stream" &
stream=$!
ok "the stream of a person runs" world_until 20 grep -q True "$W/stream"
former=$ann_cookie
as ann DELETE /auth/session
echo >"$W/go"
wait "$stream"
is "$(tail -n 1 "$W/stream")" "1008 True" "signing out closes a live stream with 1008 without waiting for the next recheck (C-336)"
sign_in ann
signed_in ann
isnt "$ann_cookie" "$former" "the person signs in anew"
as ann GET "$S/$live"
is "$STATUS $(field .session.state)" "200 running" "the session goes on when its person signs out (C-336)"
as ann POST "$S/$live/stream-ticket" '{}'
TICKET=$(field .stream_ticket.subprotocol)
is "$(python3 -c '
import os, sys
from streams import *
c = Client(sys.argv[1], os.environ["TICKET"])
c.send(frame(0x81, b"x"))
print(c.frame() == (0x81, b"x"))' "$live")" True "a new sign-in gets a ticket, with which the stream goes on (C-336)"
session_move "$live" fail

# ---- evidence (C-332) ----

dispatch_start
done=$(session_by ann)
ok "the session of the person runs" session_at "$done" running
stored() { [ "$(sql "SELECT screenshots || ' ' || network_events FROM session_evidence WHERE session_uuid = '$1'")" = "2 3" ]; }
ok "the evidence of the person's session is stored" world_until 60 stored "$done"
key=$own_key
by_key=$(session_new 'https://example.com/?shots=2&events=3')
ok "the evidence of the key's session is stored" world_until 60 stored "$by_key"
for one in "$done" "$by_key"; do
	sql "SELECT session_close('$one', true)" >/dev/null
	ok "a session with evidence is terminal" session_at "$one" terminal
done
as ann POST "$S/$done/evidence-ticket" '{}'
token=$(field .evidence_ticket.token)
by_ticket() { key=none api GET "$S/$done/timeline" -H "X-Evidence-Ticket: $token"; }
by_ticket
is "$STATUS" 200 "an evidence ticket of a person reads the evidence without the cookie"
as ann DELETE /auth/session
by_ticket
is "$(answered)" "401 evidence_ticket_invalid" "an evidence ticket of a person ends with their sign-in (C-860)"
sign_in ann
signed_in ann
by_ticket
is "$(answered)" "401 evidence_ticket_invalid" "a new sign-in of the person does not bring the ticket back"
as ann GET "$S/$done/screenshots"
shot=$(field '.screenshots[0].uuid')
for what in "screenshots/$shot" network-events.har "screenshots/$done"; do
	as ann GET "$S/$done/$what"
	is "$(header X-Content-Type-Options) $(header Content-Security-Policy)" "nosniff default-src 'none'; frame-ancestors 'none'; sandbox" \
		"the answer $STATUS of ${what%%/*} is data and no page, whatever a scanned site has put into it (C-326)"
done
for what in screenshots timeline network-events network-events.har; do
	as ann GET "$S/$done/$what"
	is "$STATUS" 200 "after signing in anew the person reads the $what of their session (C-332)"
	as ben GET "$S/$done/$what"
	is "$(answered)" "403 permission_denied" "another owner does not read the $what of a person's session (C-332)"
	as cat GET "$S/$done/$what"
	is "$(answered)" "404 session_not_found" "another member does not find the $what of a person's session (C-332)"
	key=$own_key api GET "$S/$done/$what"
	is "$(answered)" "403 permission_denied" "the person's own key does not read the $what of their session (C-332)"
	as ann GET "$S/$by_key/$what"
	is "$(answered)" "403 permission_denied" "the person does not read the $what of a session of their own key (C-332)"
done
key=$cat_key
of_cat=$(session_new)
as cat GET "$S/$of_cat/screenshots"
is "$(answered)" "404 session_not_found" "a member does not find the session of their own key (C-332)"
key=$KEY

# ---- a new membership begins with nothing (C-331) ----

of_cat=$(session_by cat)
ok "the evidence of the member's session is stored" world_until 60 stored "$of_cat"
as cat GET "$S/$of_cat/timeline"
is "$STATUS" 200 "a member reads the evidence of their own session"
as ben DELETE "/access/members/$(sql "SELECT uuid FROM member WHERE email = 'cat@example.com'")"
is "$STATUS" 200 "an owner removes the member"
as cat POST /auth/links/use "{\"token\":\"$(link_new member cat@example.com cat 2>/dev/null)\"}"
is "$STATUS $(field '.organisations | length')" "201 1" "the person joins again with a new link"
for what in "" /timeline /screenshots; do
	as cat GET "$S/$of_cat$what"
	is "$(answered)" "404 session_not_found" "the person does not find their session of before the removal, path .../UUID$what (C-331)"
done
as cat GET "$S"
is "$(field '.sessions | length')" 0 "the list of sessions has none of before the removal (C-331)"
as ben POST "$S/$of_cat/evidence-ticket" '{}'
is "$(answered)" "403 permission_denied" "the owner who removed a member gets no ticket for the evidence of that member (C-331)"

# ---- cursors (C-328) ----

"$BUILD/t/helper/hostgen" --hosts 3 --seed 1 | ctl import hosts --quiet - >/dev/null
hosts_wait 3
second=$(ctl --json accounts create --entitlement search Second | jq -r .account.uuid)
for project in One Two; do
	ctl projects create --account "$second" "$project" >/dev/null
done
as ann POST /auth/links/use "{\"token\":\"$(link_new owner ann@second.example Ann "$second")\"}"
for path in '/search/hosts?q=ip_version:4&limit=1' '/projects?limit=1'; do
	code=invalid_pagination
	[ "${path#/search}" = "$path" ] || code=invalid_search_cursor
	as ann GET "$path" -H "X-Org-UUID: $second"
	cursor=$(field .next_cursor)
	as ann GET "$path&cursor=$cursor" -H "X-Org-UUID: $second"
	is "$STATUS" 200 "a person reads the next page of $path"
	as ann GET "$path&cursor=$cursor" -H "X-Org-UUID: $ACCOUNT"
	is "$(answered)" "400 $code" "a cursor of $path of one organisation is none in another (C-328)"
	key=$(key_new --account "$second" --member ann@example.com --scope all) api GET "$path&cursor=$cursor"
	is "$(answered)" "400 $code" "a person's cursor of $path is none of their key's (C-328)"
	key=$own_key api GET '/search/hosts?q=ip_version:4&limit=1'
	cursor=$(field .next_cursor)
	as ann GET "/search/hosts?q=ip_version:4&limit=1&cursor=$cursor" -H "X-Org-UUID: $ACCOUNT"
	is "$(answered)" "400 invalid_search_cursor" "a cursor of a key is none of its owner's in the console (C-328)"
done

# ---- what a person loses (C-337) ----

# Two owners remove one another.
member_of() { sql "SELECT uuid FROM member WHERE account_uuid = '$ACCOUNT' AND email = '$1@example.com'"; }
hold_row account "uuid = '$ACCOUNT'"
removals=$HOLDER
# shellcheck disable=SC2154 # person_new sets the cookies
for pair in "ann ben" "ben ann"; do
	eval "cookie=\$${pair% *}_cookie csrf=\$${pair% *}_csrf"
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -X DELETE -H "Cookie: $cookie" -H "X-CSRF-Token: $csrf" -H "X-Org-UUID: $ACCOUNT" \
		"$BASE_URL/access/members/$(member_of "${pair#* }")" | jq -r '.error.code // "removed"' >"$W/tmp/removed.${pair% *}" &
	removals="$removals $!"
done
for pid in $removals; do
	wait "$pid"
done
is "$(sort "$W"/tmp/removed.* | paste -sd ' ')" "last_owner removed" "two owners who remove one another at once leave one of them (C-337)"
left=$(grep -l removed "$W"/tmp/removed.*) gone=$(grep -l last_owner "$W"/tmp/removed.*)
as "${gone##*.}" GET /projects -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "404 organisation_not_found" "for a removed owner the organisation is not found (C-337)"
ctl accounts suspend Example >/dev/null
as "${left##*.}" GET /projects -H "X-Org-UUID: $ACCOUNT"
is "$(answered)" "403 permission_denied" "in a suspended organisation a person may do nothing (C-337)"
as "${left##*.}" GET /auth/session
is "$STATUS $(field "[.organisations[] | select(.uuid == \"$ACCOUNT\").state] | first")" "200 suspended" "the person is told that the organisation is suspended"
