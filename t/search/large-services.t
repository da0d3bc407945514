#!/bin/sh
# SPDX-License-Identifier: ISC
# Pages of services of hosts with every port open and of hosts with thousands of names stay bounded (C-059): the
# memory of a request is so small that a worker would die otherwise.
. t/lib.sh
WORLD_CONF='request_memory = 67108864'
pg_start
host_rows
# 120 hosts with 20,000 services each; a host with 4,000 names and 1,000 services.
sql "INSERT INTO host (ip, doc) SELECT ip::inet, jsonb_build_object('ip', ip, 'country_code', 'FR', 'services',
	(SELECT jsonb_agg(jsonb_build_object('port', p) ORDER BY p) FROM generate_series(1, 20000) AS p))
	FROM generate_series(1, 120) AS i, LATERAL (SELECT '198.51.100.' || i AS ip) AS a"
sql "INSERT INTO host (ip, doc) SELECT '192.0.2.1', jsonb_build_object('ip', '192.0.2.1', 'country_code', 'GB',
	'hostnames', (SELECT jsonb_agg('host-' || i || '.example.org' ORDER BY 'host-' || i || '.example.org')
		FROM generate_series(1, 4000) AS i),
	'services', (SELECT jsonb_agg(jsonb_build_object('port', p) ORDER BY p) FROM generate_series(1, 1000) AS p))"
index_start
api_start
web_start

indexed()
{
	api GET /search/hosts/count
	[ "$(field .count)" = 121 ]
}
ok "the hosts become searchable" world_until 60 indexed
before=$(pgrep -P "$(world_pid surfaced)" | sort)

# pages QUERY: reads all pages of 1,000; sets SEEN, the number of pages and the largest one in MB.
pages()
{
	SEEN='' PAGES=0 LARGEST=0 _cursor=''
	while :; do
		api GET "/search/services?q=$1&limit=1000$_cursor"
		[ "$STATUS" = 200 ] || break
		SEEN="$SEEN $(field '[.services[]|"\(.ip):\(.port)"]|join(" ")')" PAGES=$((PAGES + 1))
		_size=$(($(printf '%s' "$BODY" | wc -c) / 1000000))
		[ "$_size" -le "$LARGEST" ] || LARGEST=$_size
		[ "$(field .has_more)" = true ] || break
		_cursor="&cursor=$(field .next_cursor)"
	done
}

# The numbers of different services and of all that were seen.
seen()
{
	# shellcheck disable=SC2086 # a list
	echo "$(printf '%s\n' $SEEN | sort -u | wc -l)/$(printf '%s\n' $SEEN | wc -l)"
}

pages port:22+AND+country:FR
is "$STATUS $(seen)" "200 120/120" "one service of each of 120 hosts with 20,000 services is on one page"
pages country:GB
is "$STATUS $(seen)" "200 1000/1000" "each service of a host with 4,000 names is on one page"
ok "pages end early because of their bytes" test "$PAGES" -gt 5
ok "no page is larger than 9 megabytes" test "$LARGEST" -le 9
is "$(pgrep -P "$(world_pid surfaced)" | sort)" "$before" "no worker dies by large pages of services"
