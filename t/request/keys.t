#!/bin/sh
# SPDX-License-Identifier: ISC
# Keys, scopes and account overrides: C-003 to C-013, C-017, C-018.
. t/lib.sh
pg_start
api_start
web_start

V=/search/hosts/validate
view=$(key_new --scope search.view)
count=$(key_new --scope search.aggregate)

refused()
{
	is "$STATUS $(field .error.code) $(field .error.message)" \
		"401 unauthorized A valid API key is required in the X-API-Key header." "$1"
}

key=$view
api GET $V
is "$STATUS" 200 "C-003: a good key gets in"
key=none
api GET $V
refused "C-003: no key"
isnt "$(header WWW-Authenticate)" "" "401 says how to authenticate"
api GET $V -H 'X-API-Key;'
refused "C-003: an empty key"
for bad in x sfk_ "$(printf %.55s "$view")" "${view}A" "$(printf %.12s "$view")" "$(echo "$view" | tr '[:lower:]' '[:upper:]')"; do
	key=$bad api GET $V
	refused "C-003, C-006: a malformed, shortened or lengthened key"
done
last=$(printf %s "$view" | tail -c 1)
case $last in A) other=E ;; *) other=A ;; esac
key=${view%?}$other
api GET $V
refused "C-006: the complete key is compared"
api GET $V -H "X-API-Key: $view"
refused "C-005: two keys"
key="$view, $view"
api GET $V
refused "C-005: joined keys"
key=none
api GET "$V?api_key=$view"
refused "C-004: a key in the query"
api GET $V -H "Cookie: X-API-Key=$view"
refused "C-004: a key in a cookie"
for scheme in Bearer Basic; do
	api GET $V -H "Authorization: $scheme $view"
	is "$STATUS $(field .error.code) $(field .error.message)" \
		"401 unauthorized A valid API key is required in the X-API-Key header; the Authorization header is not read." \
		"C-004: a key in Authorization: $scheme is refused with a hint"
done
api GET $V -H "Authorization: Bearer $view" -H 'X-API-Key: x'
refused "C-003: a wrong key beside Authorization is refused as any other"
api GET $V -H "X-Api-Key: $view"
is "$STATUS" 200 "header names have no case"

revoked=$(key_new --scope search.view)
key=$revoked
api GET $V
is "$STATUS" 200 "C-003: a key before it is revoked"
ctl keys revoke "$(printf %.12s "$revoked")" >/dev/null
key_refused()
{
	api GET $V
	[ "$STATUS" = 401 ]
}
world_until 5 key_refused
refused "C-003: and after"
sql "UPDATE api_key SET expires_at = created_at + interval '1 microsecond' WHERE prefix = '$(printf %.12s "$count")'"
key=$count
api GET '/search/hosts/count'
refused "C-003: an expired key"

key=$view
api GET /search/hosts/count
is "$STATUS $(field .error.code)" "403 permission_denied" "C-009: search.view is no search.aggregate"
key=$(key_new --scope search.aggregate)
api GET $V
is "$STATUS $(field .error.code)" "403 permission_denied" "C-009: nor the reverse"

key=$view
for name in org_uuid organisation_uuid organization_id account_uuid; do
	for value in '' "$ACCOUNT" nonsense; do
		api GET "$V?$name=$value"
		is "$STATUS $(field .error.code)" "400 api_key_account_override" "C-011: query $name=$value"
	done
done
for name in X-Org-UUID X-Organisation-UUID X-Organisation-Anything X-Organization-ID X-Account-UUID; do
	api GET $V -H "$name: $ACCOUNT"
	is "$STATUS $(field .error.code)" "400 api_key_account_override" "C-011: header $name"
	api GET $V -H "$name;"
	is "$STATUS $(field .error.code)" "400 api_key_account_override" "C-011: header $name, empty"
done
api GET /openapi.json -H "X-Org-UUID: x"
is "$STATUS $(field .error.code)" "400 api_key_account_override" "C-011: on every operation"
for name in org_uuid organisation_uuid organization_id account_uuid; do
	api POST /search/hosts/bulk "{\"ips\":[\"192.0.2.1\"],\"$name\":null}"
	is "$STATUS $(field .error.code)" "400 api_key_account_override" "C-011: body $name"
done
api POST /search/hosts/bulk '{"ips":["192.0.2.1"]}' -H 'Cookie: session=1' -H 'Origin: https://elsewhere.example'
is "$STATUS" 200 "C-012: no CSRF proof is asked of a key"

ctl accounts deny "$ACCOUNT" search.view >/dev/null
scope_gone()
{
	api GET $V
	[ "$STATUS" = 403 ]
}
world_until 5 scope_gone
is "$STATUS $(field .error.code)" "403 permission_denied" "C-010: what the account no longer allows is gone"
ctl accounts allow "$ACCOUNT" search.view >/dev/null

unlike "$(cat "$W"/log/*.log)" "$(printf %s "$view" | tail -c 43)" "C-007: no log has the secret"

# plan PREFIX: the steps that PostgreSQL takes for a wrong secret with this prefix.
plan()
{
	sql "SET plan_cache_mode = force_generic_plan;
		$("$BIN/surfaced" -D sql | sed -n 's/^find_key	/PREPARE find_key(text, bytea) AS /p');
		EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE find_key('$1', sha256('wrong'))" |
		grep -v 'Rows Removed'
}
is "$(plan "$(printf %.12s "$KEY")")" "$(plan sfk_ZZZZZZZZ)" "C-003: a wrong secret takes the same steps for a known prefix as for an unknown one"

world_pg_stop
key=sfk_ZZZZZZZZ_$(head -c 43 /dev/zero | tr '\0' A)
api GET $V
is "$STATUS $(field .error.code)" "503 authentication_unavailable" "C-018: the key store is down"
key=none
api GET $V
refused "C-018: which whoever sends no key does not learn"
