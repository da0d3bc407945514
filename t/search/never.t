#!/bin/sh
# SPDX-License-Identifier: ISC
# A query that can find nothing has a warning, whatever its form (C-418): the rule is of fields with one value, and of the tree of
# tests, so the rows below are samples of it.
. t/lib.sh
world_start

ctl import hosts --quiet - <<'JSON' || exit 1
{"ip":"192.0.2.1","country_code":"DE","tags":["a","b"],"os":"Linux","ptr":"www.example.org","hostnames":["a.example","b.example"],
	"last_seen":"2026-02-01T00:00:00Z","services":[{"port":22,"protocol":"SSH"},{"port":80,"protocol":"http","product":"nginx","http":{"title":"log in"}}]}
JSON
hosts_wait 1

# warned DATASET QUERY: sets WARNED to the warnings of validate, "position message" on a line each.
warned()
{
	api GET "/search/$1/validate?q=$(printf %s "$2" | jq -sRr @uri)"
	[ "$STATUS $(field .valid)" = "200 true" ] || diag "$STATUS $BODY"
	WARNED=$(field '[.warnings[]? | "\(.position) \(.message)"] | join("; ")')
}

while IFS='|' read -r dataset query message; do
	warned "$dataset" "$query"
	is "$WARNED" "$message" "the query $query has a warning (C-418)"
	api GET "/search/$dataset?q=$(printf %s "$query" | jq -sRr @uri)"
	is "$STATUS $(field .total.value)" "200 0" "the query $query, which has a warning, finds nothing (C-418)"
done <<'END'
hosts|country:(DE FR)|10 country_code has one value, which cannot pass all of these tests; write country:(DE OR FR) for any of them
hosts|country:DE AND country=FR|9 country_code has one value, which cannot pass all of these tests; write country:(DE OR FR) for any of them
hosts|os:("Windows 11" linux)|5 os has one value, which cannot pass all of these tests; write os:("Windows 11" OR linux) for any of them
hosts|country:DE port:22 -country:DE|9 country_code has one value, and none passes all of its tests here
hosts|country:{DE,US} country:{FR,GB}|10 country_code has one value, and none passes all of its tests here
hosts|country:DE,US country:FR|9 country_code has one value, and none passes all of its tests here
hosts|(country:DE OR country:US) country:FR|10 country_code has one value, and none passes all of its tests here
hosts|ip:10.0.0.0/8 ip:192.168.0.0/16|4 ip has one value, which cannot pass all of these tests; write ip:(10.0.0.0/8 OR 192.168.0.0/16) for any of them
hosts|ip:10.0.0.0/8 -ip:10.0.0.0/8|4 ip has one value, and none passes all of its tests here
hosts|last_seen:>2026-02-01 last_seen:<2026-02-01|12 last_seen has one value, and none passes all of its tests here
hosts|last_seen:[2026-03-01 TO 2026-02-01]|12 last_seen never has a value in this range
hosts|port:[90 TO 80]|7 services.port never has a value in this range
hosts|port:>65535|7 services.port never has a value in this range
hosts|services:(port:22 port:80)|16 services.port has one value, which cannot pass all of these tests; write port:(22 OR 80) for any of them
hosts|services:(port:22 -port:{21,22,23})|16 services.port has one value, and none passes all of its tests here
hosts|services:(http.title="a" http.title="b")|22 services.http.title has one value, which cannot pass all of these tests; write http.title:("a" OR "b") for any of them
hosts|_exists_:os -os:*|1 os has one value, and none passes all of its tests here
hosts|os:linux -_exists_:os|4 os has one value, and none passes all of its tests here
hosts|-*|2 no document passes this test
hosts|ptr:a.example ptr:b.example|5 ptr has one value, which cannot pass all of these tests; write ptr:(a.example OR b.example) for any of them
hosts|ptr=a.example ptr:www.a.example|5 ptr has one value, which cannot pass all of these tests; write ptr:(a.example OR www.a.example) for any of them
hosts|-(country:DE OR NOT country:DE)|11 country_code has one value, and none passes all of its tests here
hosts|ip_version:5|12 ip_version is one of 4, 6 and never "5"
hosts|services.http.status_code:1000|27 services.http.status_code has numbers from 0 to 999 and never "1000"
hosts|tags.classification:evil|21 tags.classification is one of informational, benign, suspicious, malicious and never "evil"
hosts|services.protocol=SSH|19 services.protocol has "SSH" in the form "ssh"; write services.protocol=ssh
hosts|prefix:192.0.2.1/24|8 prefix has "192.0.2.1/24" in the form "192.0.2.0/24"; write prefix:192.0.2.0/24
hosts|prefix:192.0.2.1|8 prefix never has "192.0.2.1", which is no network such as 192.0.2.0/24
hosts|services.tls.version:tls1.3|22 services.tls.version has "tls1.3" in the form "TLSv1.3"; write services.tls.version:TLSv1.3
hosts|services.http.headers:nginx|23 services.http.headers never has "nginx", which is no header such as server: nginx
hosts|product:“nginx”|9 typographic quotes are letters of a word here; quote with "
services|port:22 port:80|6 port has one value, which cannot pass all of these tests; write port:(22 OR 80) for any of them
services|port:(22 80)|7 port has one value, which cannot pass all of these tests; write port:(22 OR 80) for any of them
dns|record_type:(A MX)|14 record_type has one value, which cannot pass all of these tests; write record_type:(A OR MX) for any of them
certificates|expired:true expired:false|9 expired has one value, which cannot pass all of these tests; write expired:(true OR false) for any of them
END

while IFS='|' read -r query total; do
	warned hosts "$query"
	is "$WARNED" "" "the query $query has no warning (C-418)"
	api GET "/search/hosts?q=$(printf %s "$query" | jq -sRr @uri)"
	is "$STATUS $(field .total.value)" "200 $total" "the query $query without a warning finds $total"
done <<'END'
country:(DE OR FR)|1
tags:(a b)|1
hostnames:(a.example b.example)|1
port:22 port:80|1
services:(port:22 OR port:80)|1
port:(22 80)|1
country:DE country:de|1
country:DE country:{DE,FR}|1
country:DE -country:FR|1
os:lin* os:*nux|1
os:linux -os:win*|1
ip:192.0.2.0/24 ip:192.0.2.0/28|1
ip:192.0.0.0/8 -ip:192.0.3.0/24|1
ptr:example.org ptr:www.example.org|1
ptr:example.org -ptr=example.org|1
ptr:example.org -ptr:ftp.example.org|1
last_seen:>=2026-01-01 last_seen:<2026-03-01|1
-port:443 -port:8443|1
services:(port:>=80 port:<81)|1
services:(-port:22)|1
title:log title:in|1
services.protocol:SSH|1
services.protocol=ssh|1
-_exists_:city -city:Paris|1
country:DE OR country:FR|1
END
