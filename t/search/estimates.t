#!/bin/sh
# SPDX-License-Identifier: ISC
# Estimates of aggregations beyond the work limit, where the configuration allows them (C-422).
. t/lib.sh
HOSTS=${HOSTS:-20000}
WORLD_CONF='search_slice = 10000'
world_start
"$BUILD/t/helper/hostgen" --hosts "$HOSTS" --seed 5 | ctl import hosts - >/dev/null
hosts_wait "$HOSTS"

BODY_OF='{"query":"country_code:{US,DE,CN,GB,FR}","aggregations":[{"field":"country_code"},{"field":"services.port"},{"field":"services.product"}]}'
api POST /search/hosts/aggregate "$BODY_OF"
printf '%s' "$BODY" >"$W/exact"
is "$STATUS $(field '[.groups[] | .sampled, .relation] | unique | join(" ")')" "200 false eq" "an aggregation within the work limit is exact"

# ---- 100 samples of hosts ----

while read -r work query; do
	"$BUILD/t/helper/estimates" "$W/index" "$work" "$query" country_code services.port services.product >"$W/out"
	read -r estimates within buckets <"$W/out"
	is "$estimates" 100 "each answer to $query beyond the work limit of $work is an estimate"
	ok "every count for $query is within 36 % in 95 of 100 samples with the work limit $work (C-422): $within" test "$within" -ge 95
	ok "estimates for $query with the work limit $work have buckets: $buckets" test "$buckets" -ge 10
done <<END
12000 country_code:{US,DE,CN,GB,FR}
25000 country_code:{US,DE,CN,GB,FR}
28000 services.port:{22,80,443}
END

# ---- over the API ----

limit()
{
	sed -i '/^search_work_limit\|^search_estimates/d' "$W/etc/surfaced.conf"
	printf '%s\n' "search_work_limit = $1" "search_estimates = $2" >>"$W/etc/surfaced.conf"
	world_kill surfaced
	world_api_start
	hosts_wait 0
}

limit 30000 no
api POST /search/hosts/aggregate "$BODY_OF"
is "$STATUS $(field .error.code)" "503 search_timeout" "an aggregation beyond the work limit is no estimate unless the configuration allows it"
limit 50000 yes
# The first aggregation of a field in a worker adds up its totals, which is work of its own.
sampled()
{
	api POST /search/hosts/aggregate "$BODY_OF"
	[ "$STATUS" = 200 ]
}
world_until 10 sampled
is "$STATUS $(field '[.groups[] | .sampled] | unique | tostring') $(field '[.groups[] | .relation] | unique | join(" ")')" "200 [true] unknown" \
	"an aggregation beyond the work limit is an estimate where the configuration allows it (C-422)"
is "$(printf '%s' "$BODY" | jq -c '[.groups[].buckets | map(.count) | . == (sort | reverse)] | all')" true "the buckets of an estimate have falling counts"
limit 1000 yes
api GET "/search/hosts/count?q=services.port:%3E0%20services.product:*"
is "$STATUS $(field .error.code)" "400 search_count_too_expensive" "a count is never estimated (C-422, C-713)"
