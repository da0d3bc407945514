#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /usage: C-070, C-072 to C-078, C-785 and C-786, with two hosts.
. t/lib.sh
whole_day
WORLD_WORKERS=4
pg_start
api_start
web_start
host2_start

now()
{
	date -u +%s
}

usage()
{
	api GET "/usage$1"
}

usage ""
is "$STATUS" 200 "GET /usage needs nothing but a valid key (C-786)"
is "$(field '.api_usage | keys | join(" ")')" \
	"api_key daily freshness from month_to_date quotas rate_limit timezone to totals" \
	"the usage has exactly its nine members (C-054)"
is "$(field '.api_usage.api_key | keys | join(" ")')" "key_prefix name owner_name owner_uuid scopes uuid" \
	"the member api_key has its six members"
is "$(field '.api_usage.api_key | "\(.name) \(.owner_name) \(.key_prefix) \(.scopes | index("search.view") != null)"')" \
	"everything Owner $(echo "$KEY" | cut -c1-12) true" \
	"the member api_key has name, owner, prefix and scopes of the key"
unlike "$BODY" "$(echo "$KEY" | cut -c14-)" "the usage never contains the secret of the key (C-074)"
is "$(field '.api_usage.daily | length')" 30 "the usage covers thirty days by default"
for n in 7 30 90 180; do
	usage "?window=${n}d"
	is "$(field '.api_usage.daily | "\(length) \(map(.date) == (map(.date) | sort | unique)) \(.[-1].date)"')" \
		"$n true $(date -u +%Y-%m-%d)" "the window of $n days is ascending and ends today (C-785)"
	is "$(field .api_usage.from)" "$(date -u -d "-$((n - 1)) days" +%Y-%m-%d)T00:00:00.000000Z" \
		"the window of $n days begins at the midnight of its first day (C-785)"
done
for bad in window=07d window=7D window=7 window=31d window= window=7d\&window=7d days=7 window=%207d; do
	usage "?$bad"
	is "$STATUS $(field .error.code) $(field '.error.field_errors | type')" "400 invalid_request array" \
		"the query ?$bad is refused (C-075)"
done

# Counts: those of this host appear at once, those of the other host when they are stored.
k=$(key_new --scope search.view)
key=$k
for _ in 1 2 3; do api GET /search/schemas; done
host2 api GET /search/schemas
api GET '/search/schemas?x=1'
usage ""
field .api_usage.totals.requests >"$W/first"
like "$(cat "$W/first")" '^[45]$' "the four requests to this host count at once"
totals()
{
	usage "$1"
	[ "$(field .api_usage.totals.requests)" = 5 ]
}
ok "the request to the other host counts on this host" world_until 10 totals ""
is "$(field '.api_usage | "\(.daily | map(.requests) | add) \(.month_to_date.requests)"')" "5 5" \
	"the days and the month add up to the total (C-076)"
ok "both hosts show the same total" world_until 10 host2 totals '?window=7d'
day=$(date -u -d '-40 days' +%Y-%m-%d)
sql "INSERT INTO usage_daily SELECT k.uuid, '$day', h.incarnation, 12, 2 FROM api_key k, meter_host h
	WHERE k.prefix = '$(echo "$k" | cut -c1-12)' ORDER BY h.started_at LIMIT 1"
usage '?window=90d'
is "$(field ".api_usage | \"\(.totals.requests) \(.month_to_date.requests) \(.daily[] | select(.date == \"$day\").requests)\"")" \
	"15 5 10" "an older day counts in its window but not in the month"
usage '?window=30d'
is "$(field '.api_usage | "\(.totals.requests) \(.month_to_date.requests)"')" "5 5" \
	"a day before the window does not count in it"
is "$(field '.api_usage.daily | map(select(.partial)) | map(.date) | join(" ")')" "$(date -u +%Y-%m-%d)" \
	"only the current day is partial (C-078)"
is "$(field '.api_usage | .freshness.persisted_through <= .freshness.current_through and .freshness.current_through <= .to')" \
	true "the times of freshness are in order (C-077)"
is "$(field '.api_usage | "\(.timezone) \(.month_to_date.from)"')" "UTC $(date -u +%Y-%m-01)T00:00:00.000000Z" \
	"the month begins at midnight UTC"
key=$KEY
usage ""
is "$(field .api_usage.totals.requests)" 0 "the usage contains only requests with the same key (C-074)"
is "$(field '.api_usage.quotas | length')" 1 "an account without a group has one quota"
is "$(field '.api_usage.quotas[0] | "\(.owner_uuid) \(.used) \(.limit - .used == .remaining) \(.exhausted) \(.reset_at)"')" \
	"$ACCOUNT 5 true false $(date -u -d "$(date -u +%Y-%m-01) +1 month" +%Y-%m-%d)T00:00:00.000000Z" \
	"the quota has owner, used, remaining and reset time (C-072)"
is "$(field '.api_usage.rate_limit | "\(.limit) \(.window_seconds)"')" "1000000000 60" \
	"the usage shows the rate that is enforced (C-073)"
is "$(header RateLimit-Policy)" '"key";q=1000000000;w=60' "the header RateLimit-Policy has the same rate (C-708)"
was=$(sql 'SELECT sum(used) FROM quota_used')
for _ in 1 2 3; do usage ""; done
flushed
is "$(sql 'SELECT sum(used) FROM quota_used')" "$was" "GET /usage consumes no unit of the quota (C-070)"

# Workers cache what PostgreSQL has stored. A client sees each of its requests at once all the same, and at once in each
# of the four workers, whatever they have cached.
key=$(key_new --scope search.view)
for _ in $(seq 10); do
	for _ in 1 2 3 4; do
		usage ""
		field '.api_usage | "\(.totals.requests) \(.daily[-1].requests) \(.month_to_date.requests)"'
	done | uniq -c
	api GET /search/schemas
done | tr -s ' ' >"$W/own"
is "$(cat "$W/own")" "$(seq 0 9 | sed 's/.*/ 4 & & &/')" \
	"each request counts in the next answer of GET /usage, whichever worker gives it (C-076)"
key=$KEY

# A host that stops flushing holds persisted_through back; yesterday is partial then.
pkill -STOP -P "$(cat "$W2/run/surfaced-meter.pid")"
slow_host()
{
	sql "UPDATE meter_host SET flushed_through = now() - interval '2 days'"
	usage ""
	[ "$(field '.api_usage.daily | map(select(.partial)) | length')" = 3 ]
}
ok "days after the last flush of the slowest host are partial" world_until 60 slow_host
pkill -CONT -P "$(cat "$W2/run/surfaced-meter.pid")"
