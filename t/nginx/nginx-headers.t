#!/bin/sh
# SPDX-License-Identifier: ISC
# Headers and encodings that nginx adds to answers: gzip, Vary, Strict-Transport-Security.
# The plain port serves the files of an ACME challenge and nothing else (C-002).
. t/lib.sh
world
mkdir -p "$W/www/.well-known/acme-challenge"
sed -i "s,/var/www/html,$W/www," "$W/etc/nginx/plain.conf"
world_start
stream_start
"$BUILD/t/helper/hostgen" --hosts 100 --seed 1 | ctl import hosts - >/dev/null
hosts_wait 100

zip='Accept-Encoding: gzip'

# ---- gzip ----

for v in --http1.1 --http2; do
	api GET '/search/hosts?limit=100' $v
	is "$STATUS $(header content-encoding) $(header vary)" "200  Accept-Encoding" "$v: a page is plain for a client that does not ask for gzip"
	plain=$BODY plain_size=$(stat -c %s "$W/body")
	api GET '/search/hosts?limit=100' $v -H "$zip"
	is "$STATUS $(header content-encoding) $(header vary)" "200 gzip Accept-Encoding" "$v: a page is compressed for a client that asks (C-416)"
	is "$(gzip -dc "$W/body")" "$plain" "$v: the compressed page has the same bytes"
	ok "$v: the compressed page has a third of the size at most" test $(($(stat -c %s "$W/body") * 3)) -le "$plain_size"
	api GET "/search/hosts?limit=100$(head -c 50000 /dev/zero | tr '\0' '&')" $v -H "$zip"
	is "$STATUS $(header content-encoding) $(gzip -dc "$W/body")" "200 gzip $plain" "$v: a page behind a long query string is compressed once"
	api HEAD '/search/hosts?limit=100' $v -H "$zip"
	is "$STATUS $(header content-encoding) $(header vary)" "200 gzip Accept-Encoding" "$v: HEAD has the headers of the compressed page"
	api HEAD '/search/hosts?limit=100' $v
	is "$STATUS $(header content-encoding) $(header content-length)" "200  $plain_size" "$v: HEAD has the length of the plain page"
	api GET '/search/hosts?limit=1' -H "$zip" $v -H 'Range: bytes=0-9'
	is "$STATUS" 200 "$v: a range of an answer is the whole answer"
	api GET /openapi.json $v -H "$zip"
	is "$STATUS $(header content-encoding) $(gzip -dc "$W/body" | jq -r .info.version)" "200 gzip 1.0.0" "$v: openapi.json is compressed (C-416)"
	api POST /search/hosts/aggregate '{"aggregations":[{"field":"services.port","limit":100}]}' $v -H "$zip"
	is "$STATUS $(header content-encoding)" "200 gzip" "$v: an aggregation is compressed (C-416)"
	api GET /search/nothing $v -H "$zip"
	is "$STATUS $(header content-encoding) $(field .error.code)" "404  not_found" "$v: a worker's short envelope is plain"
	head -c 2200000 /dev/zero >"$W/big"
	api POST /search/hosts/aggregate --data-binary "@$W/big" $v -H "$zip"
	is "$STATUS $(header content-encoding) $(field .error.code)" "413  request_too_large" "$v: nginx's envelope of 413 is plain"
	api GET /nothing $v -H "$zip" -H "X-Long: $(head -c 64000 /dev/zero | tr '\0' '|')"
	is "$STATUS $(header content-encoding) $(field .error.code)" "431  invalid_request" "$v: nginx's envelope of 431 is plain"
done
api GET '/search/hosts?limit=100' --http1.0 -H "$zip"
is "$STATUS $(header content-encoding)" "200 " "HTTP/1.0: a page is plain"
is "$BODY" "$plain" "HTTP/1.0: the page has the same bytes"
api GET '/search/hosts?limit=100' -H "$zip" -H 'Via: 1.1 proxy'
is "$STATUS $(header content-encoding)" "200 gzip" "a page is compressed through a proxy too"

# A length that depends on a secret and on text of an attacker gives the secret away, one guess after another.
url=https://example.com/$(head -c 1900 /dev/zero | tr '\0' a)
api POST "/projects/$P/alerting/destinations" "{\"name\":\"one\",\"url\":\"$url\"}" -H "$zip"
is "$STATUS $(header content-encoding)" "201 " "an answer with a new secret is not compressed"
isnt "$(field .destination.secret)" null "the answer to the new destination has its secret"

for file in viewer.js viewer.css; do
	api GET "https://localhost/viewer/$file" -H "$zip"
	is "$STATUS $(header content-encoding) $(header vary)" "200 gzip Accept-Encoding" "$file of the viewer is compressed"
	is "$(gzip -dc "$W/body" | cksum)" "$(cksum <"nginx/html/viewer/$file")" "$file has its bytes"
	etag=$(header etag)
	like "$etag" '^W/"' "$file: the ETag of the compressed file is weak"
	api GET "https://localhost/viewer/$file" -H "$zip" -H "If-None-Match: $etag"
	is "$STATUS" 304 "$file: its ETag spares a client the file"
	api GET "https://localhost/viewer/$file"
	like "$(header etag)" '^"' "$file: the ETag of the plain file is strong"
done

# ---- Strict-Transport-Security ----

hsts='max-age=31536000'
strict()
{
	is "$STATUS $(header strict-transport-security)" "$1 $hsts" "$2 has Strict-Transport-Security once"
}
for v in --http1.1 --http2; do
	api GET /usage $v
	strict 200 "$v: a worker's answer"
	key=none api GET /usage $v
	strict 401 "$v: a worker's refusal"
	api GET /nothing/at/all $v
	strict 404 "$v: a worker's envelope"
	api GET https://localhost/nothing $v
	strict 404 "$v: nginx's envelope"
	api POST /usage --data-binary "@$W/big" $v
	strict 413 "$v: nginx's envelope of a large body"
	api GET "/search/hosts/count?$(head -c 50000 /dev/zero | tr '\0' '&')" $v
	strict 200 "$v: the answer to a long query string"
	api GET https://localhost/viewer/ $v
	strict 200 "$v: the viewer"
	api GET https://localhost/viewer $v
	strict 308 "$v: the redirect to the viewer"
	api GET "/projects/$P/sessions/$P/stream" $v
	strict 426 "$v: a stream without an upgrade"
done
sed -i 's/"max-age=31536000"/"max-age=0"/' "$W/etc/nginx/http.conf"
world_kill nginx
world_web_start ''
hsts='max-age=0'
api GET /usage
strict 200 "a worker's answer with the value changed in http.conf"
api GET https://localhost/viewer/
strict 200 "the viewer with the value changed in http.conf"

# ---- the plain port ----

# insecure PATH [curl options]
insecure()
{
	_path=$1
	shift
	STATUS=$(curl -s --unix-socket "$W/run/plain.sock" -o "$W/body" -D "$W/headers" -w '%{http_code}' --path-as-is \
		"$@" "http://localhost$_path")
	BODY=$(cat "$W/body")
	HEADERS=$(tr -d '\r' <"$W/headers")
}

challenge=/.well-known/acme-challenge
token=evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr_oA
echo "$token.thumbprint" >"$W/www$challenge/$token"
echo secret >"$W/www/secret"
insecure "$challenge/$token"
is "$STATUS $BODY" "200 $token.thumbprint" "the plain port serves the file of an ACME challenge"
is "$(header strict-transport-security)" "" "the plain port sends no Strict-Transport-Security"
insecure "$challenge/other"
is "$STATUS $(field .error.code)" "404 not_found" "a challenge that does not exist is 404"
insecure "$challenge/$token" -X POST -d x
is "$STATUS $(field .error.code)" "405 method_not_allowed" "a challenge is only read"
for path in /secret / /.well-known/ $challenge $challenge/ "$challenge/../../secret" "$challenge/..%2f..%2fsecret" "$challenge/a/b" /api/v1/usage; do
	insecure "$path"
	is "$STATUS $(field .error.code)" "400 invalid_request" "the plain port refuses $path"
	is "$(header strict-transport-security)" "" "the refusal of $path has no Strict-Transport-Security"
done
api GET "https://localhost$challenge/$token"
is "$STATUS" 404 "the TLS port has no challenges"
