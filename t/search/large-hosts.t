#!/bin/sh
# SPDX-License-Identifier: ISC
# Hosts of megabytes, and hosts with every port open (tarpits): pages and bulk answers stay bounded, no worker
# dies, and the pages contain each host once (C-059, C-704).
. t/lib.sh
pg_start
host_rows
# The documents of a bulk answer are 100 MB. The statement that reads them has 5 s, which a slow machine may exceed.
sql "ALTER ROLE surfaced_api SET statement_timeout = '10min'"

# 60 documents of 1 MB or more, three of them of 15 MB; 12 hosts with 20,000 services each.
sql "INSERT INTO host (ip, doc) SELECT ip::inet, jsonb_build_object('ip', ip, 'country_code', 'GB', 'services',
	(SELECT jsonb_agg(jsonb_build_object('port', p, 'banner', repeat(md5(p::text), 1600)) ORDER BY p)
	 FROM generate_series(1, CASE WHEN i % 20 = 7 THEN 300 ELSE 20 END) AS p))
	FROM generate_series(1, 60) AS i, LATERAL (SELECT '192.0.2.' || i AS ip) AS a"
sql "INSERT INTO host (ip, doc) SELECT ip::inet, jsonb_build_object('ip', ip, 'country_code', 'FR', 'services',
	(SELECT jsonb_agg(jsonb_build_object('port', p) ORDER BY p) FROM generate_series(1, 20000) AS p))
	FROM generate_series(1, 12) AS i, LATERAL (SELECT '198.51.100.' || i AS ip) AS a"
index_start
api_start
web_start

indexed()
{
	api GET /search/hosts/count
	[ "$(field .count)" = 72 ]
}
ok "the hosts become searchable" world_until 60 indexed

# pages QUERY: reads all pages of 100; sets SEEN and the largest page, in MB.
pages()
{
	SEEN='' LARGEST=0 _cursor=''
	while :; do
		api GET "/search/hosts?limit=100&q=$1$_cursor"
		[ "$STATUS" = 200 ] || break
		SEEN="$SEEN $(field '[.hosts[].ip]|join(" ")')"
		_n=$(($(printf '%s' "$BODY" | wc -c) / 1000000))
		[ "$_n" -le "$LARGEST" ] || LARGEST=$_n
		[ "$(field .has_more)" = true ] || break
		_cursor="&cursor=$(field .next_cursor)"
	done
}

pages country:GB
is "$STATUS" 200 "a page of large documents is answered"
# shellcheck disable=SC2086 # a list
is "$(printf '%s\n' $SEEN | sort -u | wc -l)/$(printf '%s\n' $SEEN | wc -l)" 60/60 \
	"each large host is on one page only"
ok "no page is larger than the largest document" test "$LARGEST" -le 17
pages country:FR+AND+port:*
is "$STATUS" 200 "a page of hosts with 20,000 matched services each is answered"
# shellcheck disable=SC2086 # a list
is "$(printf '%s\n' $SEEN | sort -u | wc -l)/$(printf '%s\n' $SEEN | wc -l)" 12/12 \
	"each host with 20,000 services is on one page only"

ips()
{
	seq "$1" "$2" | jq -sc 'map("192.0.2.\(.)")'
}
api POST /search/hosts/bulk "{\"ips\":$(ips 1 60),\"limit_per_ip\":100}"
is "$STATUS $(field .error.code)" "400 invalid_ip_batch" "a bulk answer that would be too large is refused"
like "$(field .error.message)" 'fewer addresses or a smaller limit_per_ip' \
	"the refusal of a large bulk answer suggests fewer addresses"
api POST /search/hosts/bulk "{\"ips\":$(ips 1 60),\"limit_per_ip\":1}"
is "$STATUS $(field '.results|length') $(field '[.results[].host.services|length]|max')" "200 60 1" \
	"the same addresses with a smaller limit_per_ip are answered"
api POST /search/hosts/bulk "{\"ips\":$(ips 1 3)}"
is "$STATUS $(field '[.results[].found]|all')" "200 true" "a bulk answer with a few large hosts succeeds"
