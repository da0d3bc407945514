#!/bin/sh
# SPDX-License-Identifier: ISC
# What customers paste or get wrong: the answer finds it, or says what to write.
. t/lib.sh
world_start

ctl import hosts --quiet - <<'END' || exit 1
{"ip":"192.0.2.1","services":[{"port":443,"transport":"tcp"}]}
END
ctl import dns --format ndjson --quiet - <<'END' || exit 1
{"host":".","record_type":"NS","answer":"a.root-servers.net"}
{"host":"0/25.2.0.192.in-addr.arpa","record_type":"NS","answer":"ns.example.org"}
{"host":"a\\.b.example.org","record_type":"A","answer":"192.0.2.1"}
{"host":"www.example.org","record_type":"A","answer":"192.0.2.1"}
END
hosts_wait 1
records_are()
{
	api GET /search/dns/count
	[ "$(field .count)" = "$1" ]
}
ok "the DNS records become searchable" world_until 60 records_are 4

# Every name that an import stores can be searched for.
while IFS='|' read -r query names; do
	api GET "/search/dns?fields=host&q=$(printf %s "$query" | jq -sRr @uri)"
	is "$STATUS $(field '[.dns[].host]|join(" ")')" "200 $names" "$query finds the DNS records of: $names"
done <<'END'
host:.|.
host=.|.
host:0/25.2.0.192.in-addr.arpa|0/25.2.0.192.in-addr.arpa
host:2.0.192.in-addr.arpa.|0/25.2.0.192.in-addr.arpa
host:"a\\046b.Example.org"|a\046b.example.org
host:a\\.b.example.org|a\046b.example.org
host:example.org|a\046b.example.org www.example.org
answer_name:root-servers.net|.
END

while IFS='|' read -r dataset query message; do
	api GET "/search/$dataset?q=$(printf %s "$query" | jq -sRr @uri)"
	is "$STATUS $(field .error.message)" "400 $message" "the refusal of $query among $dataset says what to do"
done <<'END'
dns|example.org|Character 1 of the query: a word without a field searches text, and this dataset has none; write host:example.org
dns|"log in"|Character 1 of the query: a word without a field searches text, and this dataset has none; write host:example.com
whois|record_type|Character 1 of the query: a word without a field searches text, and this dataset has none; write domain:record_type
certificates|www.example.*|Character 1 of the query: a word without a field searches text, and this dataset has none; write names:example.com
dns|host:"a b.org"|Character 6 of the query: host takes a DNS name, not "a b.org"
dns|host:https://example.org/|Character 6 of the query: host takes a DNS name, not "https://example.org/"
hosts|192.0.2.1:443|Character 1 of the query: this is an address with a port; write 192.0.2.1 port:443
services|-[2001:db8::1]:22|Character 2 of the query: this is an address with a port; write 2001:db8::1 port:22
services|services:(port:443)|Character 1 of the query: each document is one of the services; write its tests without services:( )
END

api GET '/search/certificates?fields=expired'
is "$STATUS $(field .error.message)" '400 fields: "expired" is no member of the documents; queries alone know it.' \
	"fields refuses a name that no document has, with the reason (C-414)"
api POST /search/certificates/bulk '{"fingerprints":["c6"]}'
is "$STATUS $(field .error.message)" "400 fingerprints[0]: must be a SHA-256: 64 hexadecimal digits." \
	"a bulk look-up says what a fingerprint is"

# ---- parameters ----

api GET '/search/hosts?fields=ip,%20service_count&limit=1&q=net:192.0.2.1'
is "$STATUS $(field '.hosts[0]|keys|join(" ")')" "200 ip matched_services service_count" "blanks may surround the names of fields (C-414)"
api GET '/search/services?fields=ip,%20port&limit=1&q=net:192.0.2.1'
is "$STATUS $(field '.services[0]|keys|join(" ")')" "200 ip port" "blanks may surround the names of fields of services (C-414)"
api GET '/search/hosts?fields=ip,%20'
is "$STATUS" 400 "a blank is no name of a member (C-414)"
for limit in -1 0 1001; do
	api GET "/search/dns/www.example.org?limit=$limit"
	is "$STATUS $(field .error.code)" "400 invalid_pagination" "a page of limit=$limit records is refused"
	like "$(field .error.message)" 'limit: must be from 1 to 1000\.' "the refusal of limit=$limit has the range"
done
