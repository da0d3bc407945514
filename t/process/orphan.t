#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker whose master dies gets SIGUSR1. It serves the request that it is reading, and ends.
. t/lib.sh
WORLD_WORKERS=1
pg_start
api_start
web_start ''
silences=/projects/$P/alerting/silences
body="{\"rule_uuid\":\"$(rule_new)\",\"reason\":\"maintenance\",\"ends_at\":\"$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)\"}"

worker()
{
	pgrep -P "$(world_pid surfaced)" -x surfaced_api
}

has_worker()
{
	worker >"$W/worker"
}

ended()
{
	[ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}

# interrupted PLACE SIGNAL PID: sends a request that creates a silence, in pieces; sets STATUS and REASON of the answer.
interrupted()
{
	world_until 10 has_worker
	pid=$(cat "$W/worker")
	/usr/bin/python3 t/helper/interrupt.py "$W/run/api.sock" "$pid" "$1" "$2" "${3:-$pid}" "$body" \
		REQUEST_METHOD=POST "REQUEST_URI=/api/v1$silences" SERVER_PROTOCOL=HTTP/1.1 CONTENT_TYPE=application/json \
		"CONTENT_LENGTH=${#body}" "HTTP_X_API_KEY=$KEY" "REQUEST_ID=$(tr -d - </proc/sys/kernel/random/uuid)" >"$W/fcgi" 2>"$W/err"
	STATUS=$(sed -n 's/^Status: \([0-9]*\).*/\1/p' "$W/fcgi")
	REASON=$(sed '1,/^\r$/d' "$W/fcgi" | jq -r '.silence.reason // .error.code' 2>>"$W/err")
	[ ! -s "$W/err" ] || diag "$(cat "$W/err")"
}

interrupted params SIGUSR1
is "$STATUS $REASON" "201 maintenance" "a worker that gets SIGUSR1 while it reads parameters serves the request"
ok "a worker that got SIGUSR1 while it read parameters ends after the request" world_until 10 ended "$pid"
interrupted body SIGUSR1
is "$STATUS $REASON" "201 maintenance" "a worker that gets SIGUSR1 while it reads a body serves the request"
ok "a worker that got SIGUSR1 while it read a body ends after the request" world_until 10 ended "$pid"
interrupted body SIGKILL "$(world_pid surfaced)"
is "$STATUS $REASON" "201 maintenance" "a worker whose master is killed while it reads a body serves the request"
ok "a worker whose master was killed while it read a body ends after the request" world_until 10 ended "$pid"
is "$(sql 'SELECT count(*) FROM alert_silence')" 3 "each interrupted request has created one silence"
