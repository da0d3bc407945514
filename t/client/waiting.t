#!/bin/sh
# SPDX-License-Identifier: ISC
# surface waits for Retry-After within its patience, and repeats requests whose connection could not be made.
. t/lib.sh
world_start

key=$(key_new --scope all)
KEY=$key
ctl limits set --key "$(printf %s "$key" | cut -c1-12)" --rate 2 --window 2 >/dev/null || exit 1
first=0
for _ in 1 2 3 4 5; do
	surface count hosts
	first=$((first + (STATUS == 0)))
done
is "$first" 5 "surface waits until a rate of two requests in two seconds allows five"
refused=0
for _ in 1 2 3 4 5; do
	surface count hosts --patience 0
	[ "$STATUS" != 6 ] || refused=$((refused + 1)) message=$ERR
done
ok "without patience the rate is exit status 6" test "$refused" -ge 1
like "$message" 'api_key_rate_limit_exceeded' "the refusal has the code of the API"
like "$message" 'asks to wait for [0-9]+ s; --patience is less' "the refusal has the time to wait"

# A terminal gets a line about the wait; script(1) provides the terminal.
cat >"$W/run.sh" <<'RUN'
for i in 1 2 3 4; do "$SURFACE" count hosts; done
RUN
SURFACED_API_KEY=$KEY SURFACED_URL=${BASE_URL%/api/v1} SURFACED_CACERT=$CACERT SURFACED_UNIX_SOCKET=$W/run/web.sock \
	HOME=$W/home SURFACE=$BUILD/surface TERM=dumb script -qec "sh $W/run.sh" "$W/typescript" >/dev/null </dev/null
like "$(cat "$W/typescript")" 'the rate of this key is used up; waiting for [0-9]+ s' "a terminal is told of the wait"

# nginx is away when surface begins, and comes back while it tries again.
world_kill nginx
surface usage --days 7 &
asking=$!
world_web_start ''
wait "$asking"
ok "a request is repeated until the server is back" grep -q '"api_key"' "$W/out"
