#!/bin/sh
# SPDX-License-Identifier: ISC
# Counters and histograms in Prometheus text on a socket of the host; surfacectl top.
. t/lib.sh
pg_start
api_start
web_start

metrics()
{
	curl -sS --max-time 5 --unix-socket "$W/run/metrics.sock" http://localhost/metrics
}

for _ in 1 2 3; do api GET /search/schemas; done
key=none api GET /usage
like "$(metrics)" '^surfaced_request_seconds_count\{operation="list_search_schemas",status="200"\} 3$' "requests by operation and status"
like "$(metrics)" '^surfaced_request_seconds_count\{operation="get_usage",status="401"\} 1$' "refused ones too"
like "$(metrics)" '^surfaced_meter_leases_total [1-9]' "counters"
if command -v promtool >/dev/null; then
	metrics >"$W/metrics"
	ok "promtool accepts it" eval 'promtool check metrics <"$W/metrics" >/dev/null'
else
	skip "no promtool"
fi
(sleep 0.3; api GET /search/schemas) &
is "$(ctl --json top --times 1 | jq -c '.operations | map([.operation, .good])')" '[["list_search_schemas",1]]' \
	"surfacectl top shows what is asked now"
wait
