#!/bin/sh
# SPDX-License-Identifier: ISC
# surface access: what a key may do, the members and keys of its organisation, and the audit log with its filters.
. t/lib.sh
pg_start
api_start
web_start

surface access self --json
is "$STATUS $(printf '%s' "$OUT" | jq -r .account.uuid)" "0 $ACCOUNT" "surface access self prints the access of the key as JSON"
surface access self --table
like "$OUT" "$(printf %.12s "$KEY")" "surface access self prints the prefix of the key in a table"
gone=$(ctl --json members create --account "$ACCOUNT" --email gone@example.com Gone | jq -er .member.uuid)
ctl members remove "$gone" >/dev/null
surface access members --json
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .name | grep -c Gone)" "0 0" "surface access members leaves removed members out"
surface access members --removed --json
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .name | grep -c Gone)" "0 1" "surface access members --removed prints them, too"
surface access keys --state active --json
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .key_prefix | grep -c "$(printf %.12s "$KEY")")" "0 1" "surface access keys prints the keys of a state"
surface access audit --subject-id "$gone" --action member.create --json
is "$STATUS $(printf '%s\n' "$OUT" | jq -r .subject_id)" "0 $gone" "surface access audit prints the lines that fit its filters"
surface access audit --action no.such
is "$STATUS" 3 "an unknown action ends with the status of a wrong parameter"
