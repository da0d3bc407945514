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
		"401 unauthorized Sign in, or send a valid API key in X-API-Key." "$1"
}

key=$view
api GET $V
is "$STATUS" 200 "a valid key is accepted (C-003)"
key=none
api GET $V
refused "a request without a key is refused (C-003)"
isnt "$(header WWW-Authenticate)" "" "the answer 401 has WWW-Authenticate"
api GET $V -H 'X-API-Key;'
refused "an empty key is refused (C-003)"
for bad in x sfk_ "$(printf %.55s "$view")" "${view}A" "$(printf %.12s "$view")" "$(echo "$view" | tr '[:lower:]' '[:upper:]')"; do
	key=$bad api GET $V
	refused "a malformed, shortened or lengthened key is refused (C-003, C-006)"
done
last=$(printf %s "$view" | tail -c 1)
case $last in A) other=E ;; *) other=A ;; esac
key=${view%?}$other
api GET $V
refused "a key that differs in its last character is refused (C-006)"
api GET $V -H "X-API-Key: $view"
refused "a request with two key headers is refused (C-005)"
key="$view, $view"
api GET $V
refused "a header with two keys joined is refused (C-005)"
key=none
api GET "$V?api_key=$view"
refused "C-004: a key in the query"
api GET $V -H "Cookie: X-API-Key=$view"
refused "C-004: a key in a cookie"
for scheme in Bearer Basic; do
	api GET $V -H "Authorization: $scheme $view"
	is "$STATUS $(field .error.code) $(field .error.message)" \
		"401 unauthorized Sign in, or send a valid API key in X-API-Key; the header Authorization is not read." \
		"C-004: a key in Authorization: $scheme is refused with a hint"
done
api GET $V -H "Authorization: Bearer $view" -H 'X-API-Key: x'
refused "C-003: a wrong key beside Authorization is refused as any other"
api GET $V -H "X-Api-Key: $view"
is "$STATUS" 200 "header names have no case"

revoked=$(key_new --scope search.view)
key=$revoked
api GET $V
is "$STATUS" 200 "a key works before it is revoked (C-003)"
ctl keys revoke "$(printf %.12s "$revoked")" >/dev/null
key_refused()
{
	api GET $V
	[ "$STATUS" = 401 ]
}
world_until 10 key_refused
refused "a revoked key is refused (C-003)"
sql "UPDATE api_key SET expires_at = created_at + interval '1 microsecond' WHERE prefix = '$(printf %.12s "$count")'"
key=$count
api GET '/search/hosts/count'
refused "an expired key is refused (C-003)"

key=$view
api GET /search/hosts/count
is "$STATUS $(field .error.code)" "403 permission_denied" \
	"the scope search.view does not include search.aggregate (C-009)"
key=$(key_new --scope search.aggregate)
api GET $V
is "$STATUS $(field .error.code)" "403 permission_denied" \
	"the scope search.aggregate does not include search.view (C-009)"

key=$view
for name in org_uuid organisation_uuid organization_id account_uuid; do
	for value in '' "$ACCOUNT" nonsense; do
		api GET "$V?$name=$value"
		is "$STATUS $(field .error.code)" "400 api_key_account_override" \
			"the parameter $name=$value is refused as an override (C-011)"
	done
done
for name in X-Org-UUID X-Organisation-UUID X-Organisation-Anything X-Organization-ID X-Account-UUID; do
	api GET $V -H "$name: $ACCOUNT"
	is "$STATUS $(field .error.code)" "400 api_key_account_override" \
		"the header $name is refused as an override (C-011)"
	api GET $V -H "$name;"
	is "$STATUS $(field .error.code)" "400 api_key_account_override" \
		"the empty header $name is refused as an override (C-011)"
done
api GET /openapi.json -H "X-Org-UUID: x"
is "$STATUS $(field .error.code)" "400 api_key_account_override" \
	"openapi.json refuses an account override too (C-011)"
for name in org_uuid organisation_uuid organization_id account_uuid; do
	api POST /search/hosts/bulk "{\"ips\":[\"192.0.2.1\"],\"$name\":null}"
	is "$STATUS $(field .error.code)" "400 api_key_account_override" \
		"the member $name of a body is refused as an override (C-011)"
done
api POST /search/hosts/bulk '{"ips":["192.0.2.1"]}' -H 'Cookie: session=1' -H 'Origin: https://elsewhere.example'
is "$STATUS" 200 "a request with a key needs no CSRF token (C-012)"

ctl accounts deny "$ACCOUNT" search.view >/dev/null
scope_gone()
{
	api GET $V
	[ "$STATUS" = 403 ]
}
world_until 10 scope_gone
is "$STATUS $(field .error.code)" "403 permission_denied" \
	"a key loses a scope that its account loses (C-010)"
ctl accounts allow "$ACCOUNT" search.view >/dev/null

unlike "$(cat "$W"/log/*.log)" "$(printf %s "$view" | tail -c 43)" \
	"no log contains the secret of a key (C-007)"

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
is "$STATUS $(field .error.code)" "503 authentication_unavailable" \
	"a key gets 503 while the key store is down (C-018)"
key=none
api GET $V
refused "a request without a key gets 401 while the key store is down (C-018)"
