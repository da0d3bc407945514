#!/bin/sh
# SPDX-License-Identifier: ISC
# surface with answers that lack what the API would have sent, as a proxy on the way or another server gives them: each
# command ends with a status of its own.
. t/lib.sh
world
world_certificate
for body in '{}' '[]' null '{"hosts":[{}]}' '{"groups":[{}]}' '{"sessions":null}'; do
	WORLD_HTTP="$WORLD_HTTP
server {
	listen unix:$W/run/odd$((odd = odd + 1)).sock ssl;
	ssl_certificate $W/tls/server.crt;
	ssl_certificate_key $W/tls/server.key;
	location / {
		default_type application/json;
		return 200 '$body';
	}
}"
done
web_start ''
KEY=sfk_00000000_0000000000000000000000000000000000000000000 P=0190a000-0000-7000-8000-000000000001
uuid=$P
crashed= tried=0
while read -r words; do
	for socket in "$W"/run/odd*.sock; do
		SURFACE_ENV="SURFACED_UNIX_SOCKET=$socket"
		# shellcheck disable=SC2086 # a list of words
		key=$KEY surface $words
		[ "$STATUS" -lt 128 ] && ! grep -q Sanitizer "$W/err" || crashed="$crashed$words: $STATUS
"
		tried=$((tried + 1))
	done
done <<-END
	access
	access members
	access keys
	access audit
	aggregate hosts --by port
	aggregate hosts --by port --json
	cert 6ba83fd9bb5b5fd7e8fcdc4a8e1f6b3eb0e4ae7d0d18e4ae3d8d8f2f0a0b8a11
	count hosts
	count hosts --json
	dns example.com
	export hosts -o $W/odd.ndjson
	fields hosts
	finding list
	finding show $uuid
	finding history $uuid
	history 192.0.2.1
	history 192.0.2.1 --services
	host 192.0.2.1
	host 192.0.2.1 --json
	play $uuid
	play $uuid --save $W/played
	report $uuid
	search hosts
	search hosts --csv
	search hosts --json
	search hosts --table
	session list
	session show $uuid
	session create https://example.com/
	session stop $uuid
	session screenshots $uuid
	session screenshots $uuid -o $W/shots
	session events $uuid
	session events $uuid --har
	usage
	usage --csv
	usage --json
	validate hosts port:22
	whois example.com
END
is "$crashed" "" "no command crashes when an answer lacks members ($tried runs)"
finish
