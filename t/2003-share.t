#!/bin/sh
# SPDX-License-Identifier: ISC
# C-066: long searches of one account hold their share of the workers and no more, so that another account's
# are answered; short ones are never refused for it.
. t/lib.sh
WORLD_SEARCH_WORKERS=4
WORLD_CONF="search_share = 50
request_budget = 60000"
world_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" search >/dev/null
"$BUILD/t/helper/hostgen" --hosts 10000 | ctl import hosts --quiet - || exit 1
hosts_wait 10000

# As long a search as the grammar has: 256 patterns over a field of hashes.
for a in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
	for b in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
		printf '+OR+services.http.body_hash:*%s%s*' $a $b
	done
done | tail -c +5 >"$W/long"
{
	printf 'url = "%s/search/hosts/count?q=' "$BASE_URL"
	cat "$W/long"
	echo '"'
} >"$W/long.curl"

# long NAME: asks for it until there is a file "enough"; NAME has the statuses.
long()
{
	while [ ! -e "$W/enough" ]; do
		# shellcheck disable=SC2086 # CURL is a list of options
		curl -s $CURL -H "X-API-Key: $key" -D "$W/$1.head" -o "$W/$1.body" -w '%{http_code}\n' -K "$W/long.curl" >>"$W/$1"
		if grep -q '^503' "$W/$1" && [ ! -e "$W/refused" ]; then
			cat "$W/$1.head" "$W/$1.body" >"$W/$1.refused" && mv "$W/$1.refused" "$W/refused"
		fi
	done
}

for client in 1 2 3 4 5 6; do long "client.$client" & done
ok "C-066: an account's long searches are refused beyond its share" world_until 60 test -e "$W/refused"
like "$(cat "$W/refused")" '"code":"search_busy"' "  as search_busy"
like "$(tr -d '\r' <"$W/refused")" 'retry-after: 1' "  with Retry-After"
own=$key key=$KEY2
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	api GET '/search/hosts/count?q=port:22'
	echo "$STATUS"
done | sort | uniq -c | sed 's/^ *//' >"$W/stranger"
key=$own
touch "$W/enough"
wait
is "$(cat "$W/stranger")" "20 200" "another account's searches are answered meanwhile"
is "$(sort -u "$W"/client.? | tr '\n' ' ')" "200 503 " "the long ones are answered or refused, and nothing else"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -H "X-API-Key: $key" -o /dev/null -w '%{http_code}\n' --parallel --parallel-max 20 \
		"$BASE_URL/search/hosts/count?q=port:[1-20]" 2>"$W/progress"
done | sort | uniq -c | sed 's/^ *//' >"$W/short"
is "$(grep -c ' 503' "$W/short")" 0 "short searches of one account may hold them all"
