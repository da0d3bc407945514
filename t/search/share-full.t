#!/bin/sh
# SPDX-License-Identifier: ISC
# C-066: nginx refuses a search that was handed over when surfaced_heavy has max_conns connections. No worker learns
# of it, and the search must not count as a waiting one for longer than it could have waited.
. t/lib.sh
WORLD_SEARCH_WORKERS=2 WORLD_HEAVY_WORKERS=1
WORLD_CONF="search_slice = 5
search_wait = 1"
world
world_weights
sed -i -e '/heavy\.sock.*backup/d' -e '/heavy\.sock/s/max_conns=[0-9]*/max_conns=1/' "$W/etc/nginx/upstreams.conf"
world_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" search >/dev/null
"$BUILD/t/helper/hostgen" --hosts 5000 | ctl import hosts --quiet - || exit 1
hosts_wait 5000

# A search far longer than a slice: 240 patterns over a field of hashes.
for a in 0 1 2 3 4 5 6 7 8 9 a b c d e; do
	for b in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
		printf '+OR+services.http.body_hash:*%s%s*' $a $b
	done
done | tail -c +5 >"$W/long"

# long NAME KEY: sends a long search; prints the status and Retry-After.
long()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -H "X-API-Key: $2" -o "$W/body.$1" -w '%{http_code} %header{retry-after}\n' \
		"$BASE_URL/search/hosts/count?q=$(cat "$W/long")"
}

handed_over()
{
	[ "$(grep -c handed_over "$W/log/surfaced.log")" -ge "$1" ]
}

is "$(long mean "$key")" "200 " "the first search of an account measures the time of its searches"
ok "the first search was handed over" handed_over 1
heavy=$(pgrep -P "$(world_pid surfaced)" -x surfaced_heavy)
kill -STOP "$heavy"
long occupant "$KEY2" >"$W/occupant" &
occupant=$!
ok "a search of another account takes the only place of surfaced_heavy" world_until 10 handed_over 2
is "$(long refused "$key") $(jq -r .error.code "$W/body.refused")" "503 1 search_busy" \
	"nginx refuses a search when surfaced_heavy is full"
api GET /openapi.json
printf '%s' "$BODY" >"$W/openapi.json"
is "$(/usr/bin/python3 t/helper/examples.py "$W/openapi.json" countHosts 503 "$W/body.refused" 2>&1)" valid \
	"the refusal is an answer of openapi.json (C-122)"
refused_at=$(date +%s%N)
kill -CONT "$heavy"
wait "$occupant"
is "$(cat "$W/occupant")" "200 " "the search in the only place is answered"
# nginx may take a second to deliver a request, so the refused one counts that long.
second_is_over()
{
	[ "$(date +%s%N)" -gt $((refused_at + 1100000000)) ]
}
world_until 10 second_is_over
is "$(long after "$key")" "200 " "a search that nginx refused does not count while a worker is free"
finish
