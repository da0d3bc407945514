#!/bin/sh
# SPDX-License-Identifier: ISC
# Who waits exactly Retry-After succeeds, 100 times of 100 (C-067): at the end of windows of every length
# from one second, and of a month.
. t/lib.sh
WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start

# A key of its own for each client: window N, one request in it.
client()
{
	_n=$1 _key=$2 _good=0 _tries=0
	while [ "$_tries" -lt "$3" ]; do
		_got=$(ask "$_key")
		[ "${_got% *}" != 200 ] || continue
		[ "${_got% *}" = 429 ] || break
		_tries=$((_tries + 1))
		sleep "${_got#* }"
		_got=$(ask "$_key")
		[ "${_got% *}" != 200 ] || _good=$((_good + 1))
	done
	echo "$_good" >"$W/good.$_n"
}

ask()
{
	# shellcheck disable=SC2086 # a list of options
	curl -sS $CURL -o /dev/null -w '%{http_code} %header{retry-after}' -H "X-API-Key: $1" "$BASE_URL/search/schemas"
}

for i in $(seq 20); do
	k=$(key_new --scope search.view)
	ctl limits set --key "$(echo "$k" | cut -c1-12)" --rate 1 --window $((i % 3 + 1)) >/dev/null
	client "$i" "$k" 5 &
done
wait
is "$(cat "$W"/good.* | paste -sd+ | bc)" 100 "100 of 100 waits at the end of a window"

# The last seconds of a month. PostgreSQL's clock stays: the month is the hosts'.
if ! command -v faketime >/dev/null; then
	skip "no faketime"
	exit 0
fi
if nm -D "$BUILD/surfaced-meter" | grep -q __asan; then
	skip "a sanitizer wants to be loaded first"
	exit 0
fi
for daemon in nginx surfaced surfaced-meter; do
	world_kill $daemon
done
# Of each of a hundred accounts one request is left: it waits until there is one again.
month_client()
{
	_first=$(ask "$1") _second=$(ask "$1")
	[ "$_first ${_second% *}" = "200  429" ] && [ "${_second#* }" -le 60 ] && sleep "${_second#* }" || return
	echo "$(ask "$1")" >"$W/month.$1"
}
accounts_new 100 1 1000 >"$W/keys"
offset=$(($(date -u -d '2027-01-31 23:59:45' +%s) - $(date +%s)))
WORLD_ENV="LD_PRELOAD=$(find /usr/lib -name libfaketimeMT.so.1 | head -1) FAKETIME=+$offset FAKETIME_DONT_FAKE_MONOTONIC=1"
# nginx forgets its environment, and faketime would look into it again after ten seconds.
WORLD_ENV="$WORLD_ENV FAKETIME_CACHE_DURATION=3600"
ctl limits set --account "$ACCOUNT" --quota 5 >/dev/null
api_start
web_start
while read -r k; do
	month_client "$k" &
done <"$W/keys"
codes=$(for i in $(seq 8); do ask "$KEY"; echo; done)
is "$(echo "$codes" | cut -d' ' -f1 | tr '\n' ' ')" "200 200 200 200 200 429 429 429 " "the month's quota ends"
wait=$(echo "$codes" | tail -1 | cut -d' ' -f2)
ok "some seconds before the month ($wait)" test "$wait" -ge 1 -a "$wait" -le 15
sleep "$wait"
is "$(ask "$KEY")" "200 " "Retry-After is exact at a month's end"
wait
is "$(cat "$W"/month.* | grep -c 200)" 100 "100 of 100 waits at the end of a month (C-067)"
api GET /usage
is "$(field '.api_usage | "\(.quotas[0].used) \(.month_to_date.requests) \(.totals.requests)"')" "1 1 6" \
	"the new month begins with that one; the window has both months"
