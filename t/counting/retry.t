#!/bin/sh
# SPDX-License-Identifier: ISC
# A client that waits exactly Retry-After succeeds, 100 times of 100 (C-067): at the end of windows of every length
# from one second, and at the end of a month.
. t/lib.sh
WORLD_SEARCH_WORKERS=4
pg_start
api_start
web_start

# client N KEY TRIES WINDOW: each client has its own key with one request in the window, which grows if the machine is
# too slow for two requests in it.
client()
{
	_n=$1 _key=$2 _good=0 _tries=0 _window=$4 _vain=0
	while [ "$_tries" -lt "$3" ]; do
		[ $((_vain % 8)) -ne 7 ] || _window=$((_window * 2))
		[ $((_vain % 8)) -ne 7 ] || ctl limits set --key "$(echo "$_key" | cut -c1-12)" --window "$_window" >/dev/null
		_vain=$((_vain + 1))
		_got=$(ask "$_key")
		[ "${_got% *}" != 200 ] || continue
		_vain=0
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
	client "$i" "$k" 5 $((i % 3 + 1)) &
done
wait
is "$(cat "$W"/good.* | paste -sd+ | bc)" 100 \
	"100 of 100 clients succeed after Retry-After at the end of a window"

# The last seconds of a hundred months. The month is that of PostgreSQL's clock, which is advanced by exactly
# Retry-After, so that no machine is too slow.
if ! clocks_can_step; then
	skip "no faketime, or a sanitizer that wants to be loaded first"
	exit 0
fi

# clock_to SECONDS: sets PostgreSQL's clock to this time since the epoch; the meter follows.
clock_to()
{
	AHEAD=$(($1 - $(date +%s)))
	clock all $AHEAD
	world_until 10 quota_clock_is_at $AHEAD
}

clock_now()
{
	echo $(($(date +%s) + AHEAD))
}

for daemon in nginx surfaced surfaced-meter; do
	world_kill $daemon
done
echo 'meter_flush = 10' >>"$W/etc/surfaced-meter.conf"
clock all 0
pg_follows all || exit 1
WORLD_ENV=$(clock_env all)
ctl limits set --account "$ACCOUNT" --quota 5 >/dev/null
api_start
web_start
# nginx drops its environment, and with it the file of the clock, unless it is told to keep it.
world_kill nginx
sed -i '1i env FAKETIME_TIMESTAMP_FILE;' "$W/etc/nginx.conf"
world_nginx_run
clock_to "$(date -u -d '2027-01-31 23:50' +%s)"
codes=$(for i in $(seq 8); do ask "$KEY"; echo; done)
is "$(echo "$codes" | cut -d' ' -f1 | tr '\n' ' ')" "200 200 200 200 200 429 429 429 " \
	"the sixth request of a month exceeds a quota of five"
wait=$(echo "$codes" | tail -1 | cut -d' ' -f2)
ok "Retry-After is some minutes before the end of the month ($wait)" test "$wait" -ge 1 -a "$wait" -le 600
clock_to "$(($(clock_now) + wait))"
is "$(ask "$KEY")" "200 " "a request after Retry-After succeeds at the end of the month"
api GET /usage
is "$(field '.api_usage | "\(.quotas[0].used) \(.month_to_date.requests) \(.totals.requests)"')" "1 1 6" \
	"the new month begins with one request and the window has both months"

ctl limits set --account "$ACCOUNT" --quota 1 >/dev/null
good=0
for i in $(seq 100); do
	clock_to "$(($(date -u -d "2027-02-01 $i months" +%s) - 600 - i % 60))"
	ask "$KEY" >/dev/null
	again=$(ask "$KEY")
	wait=${again#* }
	if [ "${again% *}" != 429 ] || [ "$wait" -gt 660 ]; then
		diag "month $i: $again"
		continue
	fi
	clock_to "$(($(clock_now) + wait))"
	[ "$(ask "$KEY")" != "200 " ] || good=$((good + 1))
done
is "$good" 100 "100 of 100 clients succeed after Retry-After at the end of a month (C-067)"
