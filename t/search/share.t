#!/bin/sh
# SPDX-License-Identifier: ISC
# C-066: long searches of one account are handed over to workers of their own, where they wait for their turn,
# so that the short searches of other accounts are answered meanwhile. t/bench/fairness measures the times.
. t/lib.sh
WORLD_SEARCH_WORKERS=2 WORLD_HEAVY_WORKERS=1
WORLD_CONF="search_slice = 1000
search_wait = 100"
world_start
stranger_new
ctl entitlements grant --account "$ACCOUNT2" search >/dev/null
"$BUILD/t/helper/hostgen" --hosts 5000 | ctl import hosts --quiet - || exit 1
hosts_wait 5000

# ---- large documents ----

# For ten slices after a slice that ran out, every search of the account would be handed over at once.
api GET "/search/hosts?q=port:22&limit=100"
is "$STATUS $(grep -c 'handed_over .*op=search_hosts' "$W/log/surfaced.log")" "200 1" "a page of large documents is handed over"
api GET "/search/hosts/count?q=port:22"
is "$STATUS $(grep -c 'handed_over .*op=count_hosts' "$W/log/surfaced.log")" "200 0" \
	"a search after a page of large documents is not handed over"

world_kill surfaced
sed -i 's/^search_slice = .*/search_slice = 5/' "$W/etc/surfaced.conf"
api_start

# A search far longer than a slice: 240 patterns over a field of hashes.
for a in 0 1 2 3 4 5 6 7 8 9 a b c d e; do
	for b in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
		printf '+OR+services.http.body_hash:*%s%s*' $a $b
	done
done | tail -c +5 >"$W/long"
{
	printf 'url = "%s/search/hosts/count?q=' "$BASE_URL"
	cat "$W/long"
	echo '"'
} >"$W/long.curl"
jq -n --arg q "$(sed 's/+/ /g' "$W/long")" '{query: $q, aggregations: [{field: "services.port", limit: 3}]}' >"$W/long.json"

# long NAME: sends a long search; prints the status and Retry-After.
long()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -H "X-API-Key: $key" -o "$W/body.$1" -w '%{http_code} %header{retry-after}\n' -K "$W/long.curl"
}

requests()
{
	api GET /usage
	field .api_usage.totals.requests
}


# ---- one long search ----

is "$(long first)" "200 " "a search longer than a slice is answered"
like "$(cat "$W/log/surfaced.log")" 'handed_over req=[0-9a-f]+ op=count_hosts' "the log has its hand-over"
id=$(sed -n 's/.*handed_over req=\([0-9a-f]*\) op=count_hosts .*/\1/p' "$W/log/surfaced.log" | head -1)
like "$(cat "$W/log/surfaced.log")" "done req=$id op=count_hosts .* status=200" \
	"both workers log the same request id"
api POST /search/hosts/aggregate "$(cat "$W/long.json")"
is "$STATUS $(field '.groups[0].buckets | length')" "200 3" "a long aggregation keeps its method and body"
is "$(grep -c 'handed_over .*op=aggregate_hosts' "$W/log/surfaced.log")" 1 "the aggregation was handed over"
{
	head -c 56000 /dev/zero | tr '\0' '&'
	printf 'q='
	cat "$W/long"
} >"$W/padded"
# shellcheck disable=SC2086 # CURL is a list of options
curl -sG $CURL -H "X-API-Key: $key" -o "$W/body.padded" --data-binary "@$W/padded" "$BASE_URL/search/hosts/count"
is "$(jq .count "$W/body.padded")" "$(jq .count "$W/body.first")" "a query string that travels as a body is handed over, too"

api GET "/search/hosts/count?q=port:22"
own=$key
key=$(key_new --scope search.aggregate)
for _ in 1 2 3 4 5; do long usage >/dev/null; done
spent=$key key=$own
used()
{
	key=$spent
	[ "$(requests)" = 5 ]
	_rc=$?
	key=$own
	return $_rc
}
ok "C-069: five searches that are handed over count as five" world_until 10 used

# ---- one account asks for as much as it can ----

# client NAME [until_answered]: long searches until there is a file "enough", or until the first answer, waiting as
# long as Retry-After says. NAME has a line for each answer: status, Retry-After, whether the client had waited for it.
client()
{
	_waited=no
	while [ -n "${2-}" ] || [ ! -e "$W/enough" ]; do
		_got=$(long "$1")
		echo "$_got $_waited" >>"$W/$1"
		_waited=no
		case $_got in
		"503 "*)
			sleep "${_got#* }"
			_waited=yes
			;;
		*) [ -z "${2-}" ] || break ;;
		esac
	done
}

all_answered()
{
	[ "$(grep -l '^200' "$W"/client.? 2>/dev/null | wc -l)" -eq 8 ]
}

for n in 1 2 3 4 5 6 7 8; do client client.$n & done
own=$key key=$KEY2
for _ in $(seq 40); do
	api GET '/search/hosts/count?q=port:22'
	echo "$STATUS"
done | sort | uniq -c | sed 's/^ *//' >"$W/stranger"
key=$own
ok "each of eight clients with long searches is answered by turn" world_until 30 all_answered
touch "$W/enough"
wait
is "$(cat "$W/stranger")" "40 200" "another account's short searches are all answered meanwhile (C-887)"
is "$(cut -d' ' -f1 "$W"/client.* | sort -u | tr '\n' ' ')" "200 503 " "long searches are answered or refused, nothing else"
is "$(cat "$W"/body.client.* | jq -r 'select(.error).error.code' | sort -u | sed '/search_busy/d')" "" "a refusal is search_busy"
is "$(sed -n 's/^503 //p' "$W"/client.? | grep -cvE '^([1-9]|[1-5][0-9]|60) ')" 0 \
	"each refusal has a Retry-After of 1 to 60 seconds (C-887)"

# Each client of a burst asks until it has its answer, so that none takes the place that another was promised.
rm -f "$W"/client.?
for n in 1 2 3 4 5 6 7 8; do client client.$n until_answered & done
wait
is "$(cat "$W"/client.? | grep -c '^200')" 8 "each client of a burst is answered"
is "$(grep -h '^503 .* yes$' "$W"/client.? | wc -l)" 0 "a client that waits for Retry-After is let in"

# ---- short searches ----

for _ in 1 2 3 4 5 6 7 8 9 10; do
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -H "X-API-Key: $KEY2" -o /dev/null -w '%{http_code}\n' --parallel --parallel-max 20 \
		"$BASE_URL/search/hosts/count?q=port:[1-20]" 2>"$W/progress"
done | sort | uniq -c | sed 's/^ *//' >"$W/short"
is "$(cat "$W/short")" "200 200" "short searches of one account are never refused"

# ---- without surfaced_heavy ----

# An installation that has no such pool answers long searches where they arrive.
sed -i '/^upstream surfaced_heavy/,/^}/d' "$W/etc/upstreams.conf"
kill -HUP "$(world_pid surfaced)"
ok "surfaced goes on with the pool removed" world_until 10 test ! -S "$W/run/heavy.sock"
answered_here()
{
	_n=$(grep -c handed_over "$W/log/surfaced.log")
	[ "$(long alone)" = "200 " ] && [ "$(grep -c handed_over "$W/log/surfaced.log")" = "$_n" ]
}
ok "a long search is answered without the pool surfaced_heavy" world_until 20 answered_here
