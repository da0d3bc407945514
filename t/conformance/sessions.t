#!/bin/sh
# SPDX-License-Identifier: ISC
# An independent test of browser sessions over TLS, t/conformance/sessions.py: C-084 to C-105.
. t/lib.sh
pg_start
api_start
web_start
stranger_new

sql "UPDATE session_policy SET caller_sessions = 1000, organisation_sessions = 1000"
other=$(ctl --json projects create --account "$ACCOUNT" Sister | jq -er .project.uuid)
colleague=$(ctl --json members create --account "$ACCOUNT" --email colleague@example.com Colleague | jq -er .member.uuid)
unentitled=$(ctl --json accounts create Unentitled | jq -er .account.uuid)
ctl members create --account "$unentitled" --email owner@example.org --owner O >/dev/null
bare=$(ctl --json projects create --account "$unentitled" Bare | jq -er .project.uuid)
member_key() { ctl --json keys create --account "$ACCOUNT" --member "$1" --name x --scope "$2" ${3+"$3" "$4"} | jq -er .key.key; }

key=$KEY
terminal=$(session_new)
session_move "$terminal" fail
limited=$(key_new --scope browser.sessions.create --scope browser.sessions.view)
sql "INSERT INTO session_caller (key_uuid, max_active) SELECT uuid, 5 FROM api_key WHERE prefix = '$(printf %.12s "$limited")'"

export DIR="$W"
world_env
{
	cat "$W/env"
	echo "P=$P OTHER=$other FOREIGN=$PROJECT2 UNENTITLED=$bare TERMINAL=$terminal KEY_LIMITED=$limited" | tr ' ' '\n'
	echo "KEY_SECOND=$(key_new --scope browser.sessions.create --scope browser.sessions.view)"
	echo "KEY_COLLEAGUE=$(member_key "$colleague" browser.sessions.view --scope browser.sessions.create)"
	echo "KEY_MANAGER=$(member_key "$colleague" all)"
	echo "KEY_MANAGE_ALONE=$(key_new --scope browser.sessions.manage)"
	echo "KEY_CREATE_ALONE=$(key_new --scope browser.sessions.create)"
	echo "KEY_VIEW=$(key_new --scope browser.sessions.view)"
	echo "KEY_UNENTITLED=$(ctl --json keys create --account "$unentitled" --name x --scope all | jq -er .key.key)"
} >"$W/sessions.env"

PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/conformance/sessions.py "$W/sessions.env" t/golden/start_url.tsv >"$W/sessions.out" 2>&1
is $? 0 "t/conformance/sessions.py ran to its end"
relay "$W/sessions.out"
like "$(tail -1 "$W/sessions.out")" '^# [1-9][0-9]{2} statements' \
	"t/conformance/sessions.py tested more than a hundred statements"
