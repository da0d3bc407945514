#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl setup creates the first account, its owner and a key that the API accepts; another run creates only what
# is missing, and a run that fails creates nothing.
. t/lib.sh
scopes=$(grep -c "^SCOPE(" "$TOP/src/tbl/scopes.h")
db_start
printf 'pid %s/none.pid;\nevents {}\n' "$W" >"$W/etc/no-site.conf"

# setup ARGUMENT...: sets RC, OUT and ERR.
setup()
{
	ctl setup "$@" >"$W/out" 2>"$W/err"
	RC=$? OUT=$(cat "$W/out") ERR=$(cat "$W/err")
}

has()
{
	jq -e "$1" "$W/out" >>"$W/log/jq.out" 2>&1
	result $? "$2"
}

# states: how each step ended, a word for each.
states()
{
	jq -r '[.setup.steps[] | .step + "=" + .state] | join(" ")' "$W/out"
}

rows()
{
	sql "SELECT (SELECT count(*) FROM account) || ' ' || (SELECT count(*) FROM member) || ' ' || (SELECT count(*) FROM api_key WHERE kind = 'key')"
}

# ---- the first run ----

setup --json --account "Example Ltd" --email ann@example.org --name Ann --nginx "$W/etc/no-site.conf"
is "$RC $ERR" "0 " "setup in an empty database succeeds without a message"
is "$(states)" "account=created entitlements=created owner=created key=created" \
	"setup in an empty database creates everything"
secret=$(jq -r .setup.key "$W/out") prefix=$(jq -r .setup.prefix "$W/out")
like "$secret" "^${prefix}_[A-Za-z0-9_-]{43}\$" "setup prints a whole key, which begins with its prefix (C-006)"
is "$(sql "SELECT m.name || ' ' || m.email || ' ' || m.role || ' ' || m.all_projects FROM member m")" \
	"Ann ann@example.org owner true" "setup makes the person an owner who sees every project"
is "$(sql "SELECT k.name || ' ' || cardinality(k.scopes) || ' ' || (k.owner_uuid = m.uuid)
	FROM api_key k, member m WHERE k.kind = 'key'")" "first $scopes true" "the key has every scope and belongs to the owner"
is "$(sql "SELECT string_agg(name, ' ' ORDER BY name) FROM entitlement")" \
	"$(sed -n 's/^ENTITLEMENT([A-Z]*,[^"]*"\([a-z]*\)".*/\1/p' "$TOP/src/tbl/entitlements.h" | sort | paste -sd ' ')" \
	"setup grants a new account every entitlement unless some are given"
has '(.setup.token | test("^[A-Za-z0-9_-]{43}$")) and .setup.link == null' \
	"without public_url setup has the token of a link for the new owner (C-301)"
is "$(jq -c .setup.next "$W/out")" \
	'["surfacectl doctor","curl -H \"X-API-Key: KEY\" https://YOUR-NAME/api/v1/search/hosts/count"]' \
	"setup names the doctor and a first request as the next commands"
unlike "$(jq -c .setup.next "$W/out")" "$secret" "the next commands do not contain the key"

index_start
api_start
web_start
first_answer()
{
	key=$secret api GET /search/hosts/count && [ "$STATUS" = 200 ]
}
ok "the API answers a search with the key of setup" world_until 60 first_answer

# ---- another run ----

lines=$(sql "SELECT count(*) FROM audit")
setup --account "Example Ltd" --email ANN@example.org --nginx "$W/etc/nginx.conf"
is "$RC $ERR" "0 " "another run of setup succeeds without a message"
like "$OUT" "surfacectl keys rotate $prefix\$" "another run prints the command that replaces the key"
like "$OUT" '^key +exists +sfk_' "another run reports that the key exists"
unlike "$OUT" "${secret#"$prefix"_}" "another run does not print the secret (C-007)"
unlike "$OUT" 'into the console' "another run makes no link for an owner who is there"
like "$OUT" 'https://localhost/api/v1/search/hosts/count$' "the first request has the name of nginx's site"
is "$(rows)" "1 1 1" "another run creates no account, member or key"
is "$(sql "SELECT count(*) FROM audit")" "$lines" "another run that changes nothing writes no audit line"
echo "public_url = https://api.example.com:8443" >>"$W/etc/surfacectl.conf"
setup --account "Example Ltd" --email ann@example.org --nginx "$W/etc/nginx.conf"
like "$OUT" 'https://api.example.com:8443/api/v1/search/hosts/count$' "public_url wins over the name of nginx's site"
sed -i '/^public_url/d' "$W/etc/surfacectl.conf"
echo "public_url = https://api.example.net" >>"$W/etc/surfaced.conf"
setup --account Linked --email lee@example.org
like "$OUT" 'lee@example.org into the console, once: https://api.example.net/console/#/link/[A-Za-z0-9_-]{43}$' \
	"setup prints a link for a new owner, with the public_url of the surfaced.conf beside surfacectl.conf (C-301)"
token=$(printf '%s\n' "$OUT" | sed -n 's,.*/#/link/,,p')
is "$(sql "SELECT count(*) FROM sign_in_link l JOIN member m ON m.uuid = l.member_uuid
	WHERE m.email = 'lee@example.org' AND l.sha256 = sha256('$token')")" 1 "the link of setup is in the database by its hash"
sql "DELETE FROM entitlement WHERE name NOT IN ('search')"
setup --account "Example Ltd" --email ann@example.org --json --entitlement browser --entitlement browser
is "$(states)" "account=exists entitlements=created owner=exists key=exists" \
	"setup grants another entitlement to an account that exists"
has '.setup.key == null and .setup.prefix == "'"$prefix"'"' "the JSON of another run has the prefix and no key"
is "$(jq -r '.setup.steps[1].detail' "$W/out")" "browser, search" "the step lists all entitlements of the account"
sql "UPDATE entitlement SET expires_at = now() - interval '1 day' WHERE name = 'browser'"
setup --account "Example Ltd" --email ann@example.org --json --entitlement browser
is "$(states)" "account=exists entitlements=created owner=exists key=exists" \
	"setup grants an entitlement that has expired again"
ctl keys revoke "$prefix" >"$W/log/revoke.out"
setup --account "Example Ltd" --email ann@example.org
like "$OUT" '^The new API key: sfk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$' "setup creates a key in place of a revoked one"
like "$ERR" 'cannot be shown again' "setup warns that the new key is shown once"

# ---- half a setup ----

ctl accounts create --entitlement esi Half >"$W/log/half.out"
setup --account Half --email hal@example.org --json
is "$(states)" "account=exists entitlements=exists owner=created key=created" \
	"setup completes an account without members and leaves its entitlements"
ctl accounts create Third >"$W/log/third.out"
ctl members create --account Third --email tim@example.org --owner Tim >>"$W/log/third.out"
ctl accounts deny Third rules.view rules.manage >>"$W/log/third.out"
setup --account Third --email tim@example.org --json
is "$(states)" "account=exists entitlements=exists owner=exists key=created" "setup completes an account without a key"
is "$(sql "SELECT cardinality(k.scopes) FROM api_key k JOIN account a ON a.uuid = k.account_uuid WHERE a.name = 'Third' AND k.kind = 'key'")" \
	$((scopes - 2)) "the key has the scopes that the account allows (C-790)"
ctl accounts create --bare --scope search.view Bare >"$W/log/bare.out"
setup --account Bare --email bea@example.org --json
is "$(states)" "account=exists entitlements=created owner=created key=created" \
	"setup grants an account that has no entitlement every one"

# ---- refusals ----

ctl members create --account "Example Ltd" --email bob@example.org Bob >"$W/log/bob.out"
before=$(rows)
# refused STATUS MESSAGE TITLE ARGUMENT...
refused()
{
	_want="$1 surfacectl: $2" _title=$3
	shift 3
	setup "$@"
	is "$RC $(printf '%s' "$ERR" | head -1)" "$_want" "$_title"
}
refused 1 "ann: --email wants an address such as person@example.com" "setup refuses a malformed address" \
	--account Fresh --email ann
refused 1 "Example Ltd has the owner ann@example.org and not anne@example.org: give the owner's address, or add another owner with surfacectl members create" \
	"setup refuses another owner for an account that has one" --account "Example Ltd" --email anne@example.org
refused 1 "bob@example.org is a member of Example Ltd and not an owner: give the address of an owner" \
	"setup refuses the address of a member who is not an owner" --account "Example Ltd" --email bob@example.org
ctl accounts suspend Third >"$W/log/suspend.out"
refused 1 'Third is suspended, and its keys are refused: surfacectl accounts activate "Third"' \
	"setup refuses a suspended account and names the command that activates it" --account Third --email tim@example.org
ctl accounts deny Half all >"$W/log/deny.out"
refused 1 'Half allows its keys no scope: surfacectl accounts allow "Half" all' \
	"setup refuses an account without scopes and names the command that allows them" \
	--account Half --email hal@example.org
refused 2 "--account is missing: the name of your organisation" "setup without --account names what is missing" \
	--email ann@example.org
refused 2 "--email is missing: the address of the account's owner" "setup without --email names what is missing" \
	--account Fresh
refused 2 "there is no entitlement fame" "setup refuses an unknown entitlement" \
	--account Fresh --email ann@example.org --entitlement fame
is "$(rows)" "$before" "a run of setup that is refused creates nothing"

# ---- two runs at once ----

for run in 1 2 3; do
	ctl setup --json --account Twice --email two@example.org >"$W/run$run" 2>&1 &
done
wait
is "$(jq -r '.setup.steps[] | select(.step == "key") | .state' "$W/run1" "$W/run2" "$W/run3" | sort | paste -sd ' ')" \
	"created exists exists" "three runs at the same time succeed, and one of them creates the key"
