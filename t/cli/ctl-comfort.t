#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl for people: who used most, lists that fit a terminal, guesses, completion; the daemons' long options.
. t/lib.sh
pg_start

# bin ARGUMENT...: sets OUT, ERR and RC.
bin()
{
	OUT=$("$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" "$@" 2>"$W/err")
	RC=$?
	ERR=$(cat "$W/err")
}

# ---- usage top ----

second=$(key_new --scope search.view)
prefix=$(echo "$second" | cut -c1-12)
stranger_new
# used KEY DAYS-AGO REQUESTS
used()
{
	sql "INSERT INTO usage_daily (key_uuid, day, incarnation, taken, given_back) SELECT uuid, (now() AT TIME ZONE 'UTC')::date - $2,
		(SELECT incarnation FROM meter_host LIMIT 1), $3 + 2, 2 FROM api_key WHERE prefix = '$(echo "$1" | cut -c1-12)'"
}
world_meter_start
world_until 20 sh -c 'psql -XqAt -c "SELECT 1 FROM meter_host" | grep -q 1'
used "$second" 0 10
used "$KEY2" 3 30
bin --json usage top
is "$(echo "$OUT" | jq -c '[.accounts[] | [.account, .keys, .requests, .percent]]')" '[["Stranger",1,30,75],["Example",1,10,25]]' \
	"usage top lists accounts, the one with most requests first"
bin --json usage top --by key --days 2
is "$(echo "$OUT" | jq -c '[.keys[] | [.key, .account, .requests]]')" "[[\"$prefix\",\"Example\",10]]" "usage top --by key counts the days that are asked for"
bin usage top --by key
like "$OUT" '^KEY +NAME +ACCOUNT +REQUESTS +PERCENT$' "usage top has a heading"
bin usage top --by day
is "$RC" 2 "usage top refuses another --by"

# ---- limits ----

bin limits set --key "$prefix" --quota 1000000
is "$RC" 2 "a key has no quota"
like "$ERR" 'quota is a limit of an account \(--account\) or a group' "the refusal of a key's quota says who has one"
bin limits set --account Example --rate 5
like "$ERR" 'rate is a limit of a key \(--key\)' "the refusal of an account's rate says who has one"

# ---- lists ----

ctl keys create --account Example --name "$(printf 'a%.0s' $(seq 200))" --scope all >/dev/null
bin keys list --account Example
is "$(echo "$OUT" | awk 'length > 100' | wc -l)" 0 "keys list fits 100 columns"
like "$OUT" 'a{24}\.\.\. ' "keys list shortens a long name"
bin keys list --account Example --wide
like "$OUT" 'search\.view,' "keys list --wide has the scopes"
like "$OUT" '^UUID ' "keys list --wide has the identifiers"
bin --json keys list --account Example
is "$(echo "$OUT" | jq '[.keys[0].scopes | length] | .[0] > 3')" true "JSON has the scopes in any case"

# ---- guesses ----

bin kesy
like "$ERR" 'did you mean keys\?' "a mistyped command gets a guess"
bin keys lst
like "$ERR" 'did you mean list\?' "a mistyped command of a command gets a guess"
bin zzzzzz
like "$ERR" 'try surfacectl --help' "a word that is near no command gets none"

# ---- accounts create --if-missing ----

bin --json accounts create --if-missing Fresh
fresh=$(echo "$OUT" | jq -r .account.uuid)
is "$RC" 0 "accounts create --if-missing creates an account"
bin --json accounts create --if-missing --bare Fresh
is "$RC $(echo "$OUT" | jq -r '.account.uuid, (.account.entitlements | length)' | paste -sd ' ')" "0 $fresh 1" \
	"accounts create --if-missing leaves an account as it is"
bin accounts create Fresh
is "$RC" 1 "without the option a name that is taken is refused"

# ---- completion ----

# t/cli/completion.t types in the real shells.
for shell in bash zsh fish; do
	bin completion "$shell"
	for name in $("$BIN/surfacectl" --help | sed -n 's/^  \([a-z][a-z-]*\).*/\1/p'); do
		echo "$OUT" | grep -qw -- "$name" || echo "$name"
	done >"$W/unnamed"
	is "$RC $(cat "$W/unnamed")" "0 " "the completion of $shell has every command"
done
bin completion csh
is "$RC" 2 "the completion of another shell is refused"

# ---- the daemons ----

for name in surfaced surfaced-alert surfaced-detect surfaced-dispatch surfaced-egress surfaced-export surfaced-index surfaced-meter surfaced-runner surfaced-stream; do
	is "$("$BIN/$name" --version)" "$("$BIN/$name" -V)" "$name --version prints what -V prints"
	like "$("$BIN/$name" --help | tr '\n' ' ')" "^usage: $name .*$name\(8\)" "$name --help names its manual"
done

curl -sS --unix-socket "$W/run/metrics.sock" http://localhost/metrics >"$W/metrics"
like "$(cat "$W/metrics")" "^surfaced_build_info\{version=\"$("$BIN/surfaced-meter" -V | sed 's/.* //')\"\} 1\$" \
	"the metric surfaced_build_info has the version"
