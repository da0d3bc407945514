#!/bin/sh
# SPDX-License-Identifier: ISC
# The independent table of t/conformance: each row is a request over TLS with the expected status, code and
# properties of the answer. Its keys are inserted directly, so that they do not depend on surfacectl.
. t/lib.sh
world_start

# new_account NAME: an account with every scope and an owner; prints its UUID.
new_account()
{
	sql "WITH a AS (INSERT INTO account (name) VALUES ('$1') RETURNING uuid),
		m AS (INSERT INTO member (account_uuid, name, email, role)
			SELECT uuid, '$1', 'owner@example.com', 'owner' FROM a)
		SELECT uuid FROM a"
	sql "INSERT INTO account_scope SELECT a.uuid, s FROM account a,
		unnest(ARRAY['search.view', 'search.aggregate']) s WHERE a.name = '$1' ON CONFLICT DO NOTHING" >&2
}

# new_key ACCOUNT SCOPES [COLUMN VALUE]: prints its secret.
new_key()
{
	_secret=sfk_$(openssl rand -hex 4)_$(openssl rand -base64 32 | tr '+/' '-_' | tr -d '=\n')
	sql "INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes, created_at${3+, $3})
		SELECT account_uuid, uuid, 'conformance', '$(printf %.12s "$_secret")',
			sha256('$_secret'::bytea), '{$2}', now() - interval '2 days'${4+, $4}
		  FROM member WHERE account_uuid = '$1' LIMIT 1" >&2
	echo "$_secret"
}

entitle()
{
	sql "INSERT INTO entitlement (account_uuid, name) VALUES ('$1', 'search')"
}

keys()
{
	_a=$(new_account Second)
	entitle "$_a" >&2
	echo "KEY_VIEW=$(new_key "$_a" search.view)"
	echo "KEY_AGGREGATE=$(new_key "$_a" search.aggregate)"
	echo "REVOKED=$(new_key "$_a" search.aggregate revoked_at 'now()')"
	echo "EXPIRED=$(new_key "$_a" search.aggregate expires_at "now() - interval '1 day'")"
	echo "KEY_NOSEARCH=$(new_key "$(new_account Unentitled)" search.aggregate)"
	_a=$(new_account Suspended)
	entitle "$_a" >&2
	# Without the scope, so that the state of the account is seen to come first.
	echo "KEY_INACTIVE=$(new_key "$_a" search.view)"
	sql "UPDATE account SET state = 'suspended' WHERE uuid = '$_a'" >&2
	_a=$(new_account Withdrawn)
	entitle "$_a" >&2
	echo "KEY_WITHDRAWN=$(new_key "$_a" search.aggregate)"
	sql "DELETE FROM account_scope WHERE account_uuid = '$_a' AND scope = 'search.aggregate'" >&2
}

table()
{
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/conformance/run.py "$@"
}

searchable()
{
	api GET '/search/hosts/count?q='
	[ "$(field .count)" = "$1" ]
}

export DIR="$W"
world_env
keys >>"$W/env"
table --fixture "$W/hosts.ndjson"
ok "the hosts of the table are imported" ctl import hosts "$W/hosts.ndjson"
ok "the hosts of the table become searchable" world_until 60 searchable "$(wc -l <"$W/hosts.ndjson")"

table "$W/env" >"$W/table.out" 2>&1
rc=$?
relay "$W/table.out"
is "$(grep -cE '^(not )?ok ' "$W/table.out")" "$(table --count)" "every row of the table was tested"
[ "$rc" -le 1 ] || diag "$(tail -5 "$W/table.out")"
