#!/bin/sh
# SPDX-License-Identifier: ISC
# Counters and histograms in Prometheus text on a socket of the host; surfacectl top.
. t/lib.sh
pg_start
ctl top --times 1 >/dev/null 2>"$W/err"
is "$? $(ls "$W/run")" "1 " "surfacectl top makes no file when nothing has been counted"
like "$(cat "$W/err")" 'cannot be read: is this the host' \
	"surfacectl top asks whether this is the right host when there is no file"
echo older >"$W/run/metrics.map" # an upgrade goes on counting
api_start
web_start

metrics()
{
	curl -sS --max-time 60 --unix-socket "$W/run/metrics.sock" http://localhost/metrics
}

for _ in 1 2 3; do api GET /search/schemas; done
key=none api GET /usage
like "$(metrics)" '^surfaced_request_seconds_count\{operation="list_search_schemas",status="200"\} 3$' \
	"surfaced_request_seconds counts requests by operation and status"
like "$(metrics)" '^surfaced_request_seconds_count\{operation="get_usage",status="401"\} 1$' \
	"surfaced_request_seconds counts refused requests too"
like "$(metrics)" '^surfaced_meter_leases_total [1-9]' "the metrics have a counter of leases"
if command -v promtool >/dev/null; then
	metrics >"$W/metrics"
	ok "promtool accepts the output of the metrics socket" \
		eval 'promtool check metrics <"$W/metrics" >/dev/null'
else
	skip "no promtool"
fi

# A real scrape: prometheus knows no Unix sockets, and gets a free port of the loopback.
scrape()
{
	t/helper/forward.py "$W/run/metrics.sock" >"$W/port" &
	FORWARD=$!
	world_until 10 test -s "$W/port"
	cat >"$W/prometheus.yml" <<-END
		scrape_configs:
		  - job_name: surfaced
		    scrape_interval: 1s
		    static_configs:
		      - targets: ["127.0.0.1:$(cat "$W/port")"]
	END
	prometheus --config.file="$W/prometheus.yml" --storage.tsdb.path="$W/tsdb" --web.listen-address=127.0.0.1:0 \
		>"$W/prometheus.log" 2>&1 &
	PROMETHEUS=$!
	world_until 20 grep -qs 'Listening on' "$W/prometheus.log"
}

# asked QUERY: prints the value of its only series.
asked()
{
	curl -sS --data-urlencode "query=$1" "http://$(sed -n 's/.*Listening on.*address=//p' "$W/prometheus.log")/api/v1/query" |
		jq -r '.data.result[0].value[1]'
}

says()
{
	[ "$(asked "$1")" = "$2" ]
}
if command -v prometheus >/dev/null; then
	scrape
	ok "prometheus has scraped the four requests" \
		world_until 20 says 'sum(surfaced_request_seconds_count)' 4
	is "$(asked 'up{job="surfaced"}')" 1 "prometheus reports the target as up"
	like "$(asked 'histogram_quantile(0.5, surfaced_request_seconds_bucket{operation="list_search_schemas",status="200"})')" \
		'^[0-9.e-]+$' "prometheus computes a quantile of the histograms"
	kill "$PROMETHEUS" "$FORWARD"
	wait
else
	skip "no prometheus"
fi

# Requests are sent in the middle of the interval; it grows until all of them fall into it.
for seconds in 2 8 32 128; do
	(sleep $((seconds / 2)); api GET /nix; for _ in 1 2; do api GET /search/schemas; done) &
	top=$(ctl --json top --times 1 --interval "$seconds" | jq -c '.operations | map([.operation, .good, .refused])')
	wait
	[ "$top" != '[["list_search_schemas",2,0],["none",0,1]]' ] || break
done
is "$top" '[["list_search_schemas",2,0],["none",0,1]]' \
	"surfacectl top shows the operations of the interval, the busiest first"
