#!/bin/sh
# SPDX-License-Identifier: ISC
# An operation receives up to 65,536 bytes of raw query string, and one byte more is refused (C-056); C-005 and
# C-011 need every header line to reach the operation.
. t/lib.sh

world
printf 'set_real_ip_from unix:;\nreal_ip_header X-Real-IP;\n' >>"$W/etc/nginx/surfaced.conf"
WORLD_PROGRAM=$BIN/t/helper/echo
key=none
api_start
web_start ''

query()
{
	head -c "$1" /dev/zero | tr '\0' q
}

param()
{
	printf '%s\n' "$BODY" | sed -n "s/^$1=//p"
}

for n in 49152 49153 60000 65536; do
	for v in --http1.1 --http2; do
		[ "$v$n" != --http265536 ] || continue # curl's own limit for HTTP/2: below
		api GET "/search/hosts?$(query "$n")" $v
		if [ "$n" -le 49152 ]; then
			is "$STATUS/$(param REQUEST_URI | tr -cd q | wc -c)/$(param LONG_QUERY)" "200/$n/" \
				"$v: $n bytes of query string arrive in the target"
		else
			is "$STATUS/$(param REQUEST_URI)/$(param LONG_QUERY)/$(tail -1 "$W/body" | wc -c)" \
				"200//api/v1/search/hosts/1/$n" \
				"$v: $n bytes of query string arrive as a body"
			is "$(param REQUEST_METHOD)/$(header x-request-id)" "GET/$(param REQUEST_ID)" \
				"$v: a query of $n bytes keeps the method and the id of the request"
		fi
	done
done
api GET "/search/hosts?$(query 65537)" --http1.1
is "$STATUS/$(field .error.code)" 400/invalid_search_parameter "a query string of 65,537 bytes gets 400"
api GET "/x?$(query 65537)" --http1.1
is "$STATUS/$(field .error.code)" 414/invalid_request \
	"a query string of 65,537 bytes outside search gets 414"

# h2 N CHARACTER: over HTTP/2, where the length on the wire is another one (Huffman: | takes 15 bits).
h2()
{
	printf '/api/v1/search/hosts?%s' "$(head -c "$1" /dev/zero | tr '\0' "$2")" >"$W/target"
	/usr/bin/python3 t/helper/get-h2.py "$W/run/web.sock" "$CACERT" "$W/target" "x-api-key: one" >"$W/h2" 2>"$W/h2.err" ||
		diag "$(tail -3 "$W/h2.err")"
	STATUS=$(head -1 "$W/h2")
	BODY=$(tail -n +2 "$W/h2")
}
if /usr/bin/python3 -c 'import h2' 2>/dev/null; then
	for c in q '|'; do
		h2 65536 "$c"
		is "$STATUS/$(param REQUEST_URI)/$(param LONG_QUERY)/$(param HTTP_X_API_KEY)" \
			"200//api/v1/search/hosts/1/one" \
			"HTTP/2: a query of 65,536 times $c arrives as a body (C-056)"
		is "$(printf %s "$BODY" | tail -1 | wc -c)" 65536 \
			"HTTP/2: a query of 65,536 times $c arrives whole"
		h2 65537 "$c"
		is "$STATUS/$(field .error.code)" 400/invalid_search_parameter \
			"HTTP/2: a query of 65,537 times $c is refused"
	done
	h2 200000 q
	like "$STATUS" '^(400|414|none)$' "HTTP/2: a query above every buffer is refused"
else
	skip "python3-h2 is not installed"
fi
api HEAD "/search/hosts?$(query 60000)"
is "$STATUS" 200 "HEAD with a long query succeeds"
api GET "/search/a%2fb/%2e/x?$(query 60000)"
is "$(param REQUEST_URI)" "/api/v1/search/a%2fb/%2e/x" "a long query leaves the path undecoded"

for q in x "$(query 60000)"; do
	api GET "/search/hosts?$q" -H 'X-API-Key: one' -H 'X-API-Key: two' -H 'X-Organisation-Name: evil' \
		-H 'Proxy: http://evil' -H 'Cookie: a=b' -H 'X-Surfaced-Id: forged' -H 'X-Surfaced-Method: DELETE' -H 'X-Surfaced-Address: 192.0.2.8' \
		-H 'X-Real-IP: 192.0.2.7'
	is "$(param HTTP_X_API_KEY | tr '\n' ' ')" "one two " \
		"both key headers reach the worker with a query of ${#q} bytes (C-005)"
	is "$(param HTTP_X_ORGANISATION_NAME)" evil \
		"an override header reaches the worker with a query of ${#q} bytes (C-011)"
	is "$(param HTTP_PROXY)$(param HTTP_COOKIE)" "" "a Proxy header and cookies do not reach the worker"
	is "$(param REMOTE_ADDR)" 192.0.2.7 "a query of ${#q} bytes arrives with the address of its client"
	is "$(param REQUEST_METHOD) $(printf %s "$BODY" | grep -c forged)" "GET 0" \
		"a client cannot forge nginx's internal headers"
done

printf 'x%.0s' 1 2 3 >"$W/small"
api POST /x --data-binary "@$W/small" -H 'Transfer-Encoding: chunked' -H 'Content-Type: text/plain' --http1.1
is "$STATUS/$(param CONTENT_LENGTH)/$(tail -1 "$W/body")" 200/3/xxx "a chunked body arrives with its length (C-022)"
api POST /x '{}'
is "$(param CONTENT_TYPE)/$(param HTTPS)/$(param REQUEST_METHOD)" application/json/on/POST \
	"a body arrives with media type, HTTPS and method"
