#!/bin/sh
# SPDX-License-Identifier: ISC
# The database has the states and limits of sessions from src/tbl, and allows no other transition.
. t/lib.sh
pg_start

tbl() { sed -n "s/^$1(\(.*\)).*/\1/p" src/tbl/session_states.h | tr -d '" \t'; }
is "$(sql "SELECT event || ',' || from_state || ',' || to_state FROM session_move" | sort)" "$(tbl MOVE | sort)" \
	"the table session_move equals the MOVE rows of src/tbl (C-743)"
is "$(sql "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'browser_session_state_check'" | grep -o "'[a-z]*'" | tr -d "'" | tr '\n' ' ')" \
	"$(tbl STATE | cut -d, -f2 | tr '\n' ' ')" \
	"the constraint on the state column lists the STATE rows of src/tbl"
for row in VIEWPORT_WIDTH_MIN:320 VIEWPORT_WIDTH_MAX:3840 VIEWPORT_HEIGHT_MIN:240 VIEWPORT_HEIGHT_MAX:2160 START_URL_STORED:24832; do
	is "$("$BIN/surfaced" -D limits | awk -v n="${row%:*}" '$1 == n {print $2}')" "${row#*:}" \
		"surfaced -D limits prints ${row#*:} for ${row%:*}"
	like "$(sql "SELECT string_agg(pg_get_constraintdef(oid), ' ') FROM pg_constraint WHERE conrelid = 'browser_session'::regclass")" \
		"[^0-9]${row#*:}[^0-9]" \
		"a constraint of browser_session contains ${row#*:}, the limit ${row%:*}"
done
is "$(sed -n 's/^COUNTRY("\([A-Z]*\)".*/\1/p' src/tbl/countries.h | sort -u | wc -l)" 249 \
	"src/tbl/countries.h has 249 countries, each once"

key_uuid=$(sql "SELECT uuid FROM api_key LIMIT 1")
make() { sql "INSERT INTO browser_session (uuid, account_uuid, project_uuid, key_uuid, start_url, browser_profile, egress_country, viewport_width, viewport_height)
	VALUES (gen_random_uuid(), '$ACCOUNT', '$P', '$key_uuid', 'https://example.com/', 'linux', 'GB', 800, 600) RETURNING uuid"; }
refused() { ok "$2" sh -c "! psql -XqAt -v ON_ERROR_STOP=1 -c \"$1\" >/dev/null 2>&1"; }
u=$(make)
for state in running terminal; do
	refused "UPDATE browser_session SET state = '$state', state_event = 'claim', terminal_reason = 'failed', terminal_at = now(), lease_until = now() WHERE uuid = '$u'" \
		"a queued session does not become $state by the event claim"
done
refused "UPDATE browser_session SET start_url = 'https://example.net/' WHERE uuid = '$u'" \
	"the start URL of a session cannot be changed"
is "$(sql "SELECT session_apply('$u', 'ready')")" f \
	"an event that does not apply to the state changes nothing"
is "$(sql "SELECT session_apply('$u', 'close', 'closed_by_creator')")" t \
	"a queued session accepts the event close"
is "$(sql "SELECT session_apply('$u', 'fail', 'failed')")" f \
	"the event fail does not apply to a closing session"
is "$(sql "SELECT session_apply('$u', 'end', NULL, 7)")" f \
	"the event end with another lease epoch changes nothing"
is "$(sql "SELECT session_apply('$u', 'end', NULL, 0)")" t \
	"the event end with the lease epoch of the session applies"
refused "UPDATE browser_session SET last_activity_at = now() WHERE uuid = '$u'" \
	"a terminal session cannot be changed"
is "$(sql "SELECT active FROM session_organisation") $(sql "SELECT active FROM session_caller")" "0 0" \
	"a terminal session occupies no place of its organisation or key"
