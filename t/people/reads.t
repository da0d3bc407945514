#!/bin/sh
# SPDX-License-Identifier: ISC
# People in the console take nothing of the quota, but for pages, look-ups, bulk look-ups and exports beyond 2,000 a day and
# member: those take the quota, and are refused alone when none is left (C-335).
# shellcheck disable=SC2154 # signed_in and person_new set the cookies and tokens with eval
. t/lib.sh
# shellcheck source=t/people/lib.sh
. t/people/lib.sh
pg_start
ctl limits set --account Example --quota 300 >/dev/null
index_start
api_start
people_web_start
echo '{"ip":"192.0.2.1","services":[{"port":22}],"last_seen":"2026-11-20T00:00:00Z"}' | ctl import hosts --format ndjson - >/dev/null 2>&1
hosts_wait 1
person_new ann owner
person_new bob member

# many N: as many pages, over one connection.
many()
{
	# shellcheck disable=SC2086 # CURL is a list of options
	curl -s $CURL -o /dev/null -w '%{http_code}\n' -H "Cookie: $ann_cookie" -H "X-CSRF-Token: $ann_csrf" "$BASE_URL/search/hosts?q=port:[1-$1]&limit=1" >"$W/codes"
	sort "$W/codes" | uniq -c | sed 's/^ *//' | paste -sd ' '
}
used() { as ann GET /organisation/usage; field '.organisation_usage.quotas[0].used'; }

before=$(used)
is "$(many 1996)" "1996 200" "a person reads pages of a search"
is "$(used)" "$before" "pages that a person reads take nothing of the quota (C-335)"
as ann GET /search/hosts/192.0.2.1
as ann POST /search/hosts/bulk '{"ips":["192.0.2.1"]}'
as ann GET /search/hosts/192.0.2.1/history
as ann GET "/search/hosts?q=port:22"
is "$STATUS $(used)" "200 $before" "the 2,000th page or look-up is free"
for request in "GET /search/hosts/192.0.2.1" "GET /search/hosts?q=port:22" "GET /search/services?q=port:22"; do
	# shellcheck disable=SC2086 # a method and a path
	as ann $request
	is "$STATUS" 200 "beyond them, $request is answered while the organisation has quota"
done
as ann POST /search/hosts/bulk '{"ips":["192.0.2.1"]}'
is "$STATUS" 200 "beyond them, a bulk look-up is answered while the organisation has quota"
is "$(used)" $((before + 4)) "each of them has taken one of the quota (C-335)"
exhausted() { api GET /search/hosts/count && [ "$STATUS" = 429 ]; }
ok "a program uses the rest of the quota" world_until 120 exhausted
for request in "GET /search/hosts/192.0.2.1" "GET /search/hosts?q=port:22" "GET /search/hosts/192.0.2.1/history"; do
	# shellcheck disable=SC2086 # a method and a path
	as ann $request
	is "$(answered)" "429 account_api_quota_exceeded" "$request takes the quota, and is refused when none is left (C-335)"
done
as ann POST /search/hosts/exports '{"query":"port:22"}'
is "$(answered)" "429 account_api_quota_exceeded" "an export takes the quota, and is refused when none is left (C-335)"
for request in "GET /search/hosts/count?q=port:22" "GET /search/hosts/validate?q=port:22" "GET /projects" "GET /dashboard" "GET /search/schemas"; do
	# shellcheck disable=SC2086 # a method and a path
	as ann $request
	is "$STATUS" 200 "$request is answered when the quota is used up (C-335)"
done
as ann POST /search/hosts/aggregate '{"query":"port:22","aggregations":[{"field":"asn","limit":5}]}'
is "$STATUS" 200 "facets are answered when the quota is used up (C-335)"
as bob GET "/search/hosts?q=port:22"
is "$STATUS" 200 "another member has free pages of their own (C-335)"
