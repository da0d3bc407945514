#!/bin/sh
# SPDX-License-Identifier: ISC
# The messages of surfacectl for wrong input are plain English and contain no name of a database constraint.
. t/lib.sh
db_start

# says STATUS MESSAGE ARGUMENT...: checks the status and the first line on stderr.
says()
{
	_want="$1 surfacectl: $2"
	shift 2
	_line=$("$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" "$@" 2>&1 >/dev/null)
	_rc=$?
	is "$_rc $(printf '%s' "$_line" | head -1)" "$_want" \
		"the message of surfacectl $* explains the fault"
}

admin()
{
	"$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" --json "$@"
}

admin accounts create --bare One >"$W/one"
admin groups create G >"$W/g"
admin accounts move One G >"$W/moved"
admin members create --account One --email a@example.com --owner A >"$W/a"
admin projects create --account One P >"$W/p"

name='a name must be 1 to 200 visible characters, without blanks at its ends'
says 1 ": $name" accounts create ''
says 1 " x: $name" accounts create ' x'
says 1 "One: there is an account of this name already" accounts create One
says 1 "G: there is a group of this name already" groups create G
says 1 "G: the group still has accounts; move them first" groups delete G
says 1 "B: the account has a member with this address already" members create --account One --email A@example.com B
says 1 "B: --email wants an address such as person@example.com" members create --account One --email b B
says 1 "P: the account has a project of this name already" projects create --account One P
says 1 "k: --expires must be in the future" keys create --account One --name k --expires 2020-01-01
says 1 "A b: a tag is 1 to 128 characters in lower case, without blanks at its ends" tags set 'A b'
says 1 "t: at most 4 categories, parents included, of a-z, 0-9 and hyphens between slashes, such as malware/c2" \
	tags set --category 'a//b' t
says 1 "t: the classification is informational, benign, suspicious or malicious" tags set --classification x t
says 1 "t: a tag's name has 1 to 256 characters" tags set --name '' t

says 2 "wrong option --bogus, or its value is missing; try surfacectl --help" --bogus accounts list
says 2 "--project wants the UUID of a project" keys create --account One --name k --project x
says 2 "the argument is a whole key, which others can see on a command line; its prefix sfk_abcdefgh is enough" \
	keys revoke sfk_abcdefgh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
says 3 "x: not found" projects members x
says 2 "accounts has no command x; try --help" accounts x
"$BIN/surfacectl" accounts 2>"$W/err"
is "$(sed -n 2p "$W/err")" "usage: surfacectl accounts COMMAND ..." \
	"a command with subcommands prints its usage"
is "$("$BIN/surfacectl" accounts --help | grep -c ' $')" 0 "the help of surfacectl has no trailing blanks"

says 1 "sessions limits: --queue is 10 to 86400 seconds" sessions limits --queue 5

# Each constraint of these tables that can refuse an administrator's input has a message.
is "$(sql "SELECT string_agg(conname, ' ' ORDER BY conname) FROM pg_constraint
	WHERE (conrelid IN ('account'::regclass, 'account_group'::regclass, 'member'::regclass, 'project'::regclass,
		'api_key'::regclass, 'tag'::regclass, 'entitlement'::regclass,
		'alert_rule'::regclass, 'alert_destination'::regclass, 'egress_route'::regclass,
		'session_policy'::regclass, 'session_organisation'::regclass, 'session_caller'::regclass) AND contype = 'c' OR conname LIKE '%\\_taken' OR contypid = 'label'::regtype)
	AND conname NOT IN ('account_state_check', 'member_role_check', 'api_key_prefix_check', 'api_key_sha256_check', 'api_key_scopes_check',
		'alert_rule_source_check', 'alert_rule_query_check', 'alert_rule_check', 'alert_destination_url_check', 'alert_destination_secret_check',
		'egress_route_check', 'egress_route_check1', 'egress_route_country_check', 'egress_route_port_check',
		'account_sign_in_check', 'api_key_kind_check', 'api_key_secret_check', 'passkey_credential_taken',
		'session_policy_only_row_check', 'session_organisation_active_check', 'session_caller_active_check')
	AND conname <> ALL (string_to_array('$(sed -n 's/^CONSTRAINT(\([a-z0-9_]*\).*/\1/p' src/tbl/constraints.h | tr '\n' ' ')', ' '))")" \
	"" "every constraint has a message in src/tbl/constraints.h"
