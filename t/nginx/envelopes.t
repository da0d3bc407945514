#!/bin/sh
# SPDX-License-Identifier: ISC
# Every answer that nginx makes itself has the project's envelope, over HTTP/1.1 and HTTP/2 (C-002, C-019, C-060
# to C-063). The worker behind it fails on demand.
. t/lib.sh

# nginx's lines about headers that only it has seen in full, and about the connection that it lacks on purpose.
LOG_EXPECTED='fastcgi request record is too big|\[alert\].* worker_connections are not enough'
world
WORLD_PROGRAM=$BIN/t/helper/echo
WORLD_WORKERS=1
world_weights
sed -i 's/max_conns=[0-9]*/max_conns=1/' "$W/etc/nginx/upstreams.conf"
sed -i 's/^lingering_timeout .*/lingering_timeout 50ms;/' "$W/etc/nginx/limits.conf"
key=none
api_start
web_start ''

# Without TLS: stdin to the socket $1, what comes back to stdout.
plain()
{
	# shellcheck disable=SC2016 # the $ are perl's
	timeout 120 perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => shift) or die; local $/; print $s <STDIN>; $s->flush;
		print <$s>' "$1"
}

tls()
{
	timeout 120 openssl s_client -quiet -ign_eof -unix "$W/run/web.sock" -servername localhost 2>/dev/null
}

# raw TEXT [PLAIN-SOCKET]: bytes as they are on a connection of their own.
raw()
{
	# shellcheck disable=SC2059 # the escapes are the point
	printf "$1" | if [ $# -eq 2 ]; then plain "$2"; else tls; fi >"$W/raw"
	STATUS=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$W/raw")
	HEADERS=$(tr -d '\r' <"$W/raw" | sed '/^$/q')
	BODY=$(tr -d '\r' <"$W/raw" | sed '1,/^$/d')
}

zeros()
{
	head -c "$1" /dev/zero | tr '\0' "${2:-a}"
}

# envelope STATUS CODE AREA TITLE: of the last answer.
envelope()
{
	_shape=$(printf '%s' "$BODY" | jq -c '[(.error | keys_unsorted | sort | join(",")),
		(.error.request_id | test("^[A-Za-z0-9_.:-]{1,128}$")),
		(.error.message | length >= 1 and length <= 512), (keys == ["error"])] | join(" ")' 2>&1)
	_members=code,field_errors,message,request_id
	[ "$3" != search ] || _members=code,message,request_id
	is "$STATUS $(field .error.code) $_shape" "$1 $2 \"$_members true true true\"" "$4"
	is "$(header x-request-id)/$(header cache-control)/$(header content-type)" \
		"$(field .error.request_id)/no-store/application/json" \
		"$4 with the headers of an envelope"
	is "$(header x-content-type-options) $(header content-security-policy)" "nosniff default-src 'none'; frame-ancestors 'none'; sandbox" \
		"$4, and the answer is data and no page (C-326)"
}

for v in --http1.1 --http2; do
	api GET https://localhost/nothing $v
	envelope 404 not_found other "$v: an unknown path gets 404"
	api GET '' $v
	envelope 404 not_found other "$v: the base path gets 404 and no redirect"
	api GET /search $v
	envelope 404 not_found search "$v: the path /search gets 404 with the envelope of search"
	api TRACE "/x?q=$(zeros 55000)" $v
	is "$STATUS $(printf '%s' "$BODY" | grep -E '^(REQUEST_METHOD|REQUEST_URI|HTTP_)' | sort | tr '\n' ' ')" \
		"200 REQUEST_METHOD=TRACE REQUEST_URI=/api/v1/x " \
		"$v: a worker answers TRACE after nginx has changed the request line"
	api TRACE /search/die $v
	envelope 502 search_upstream_failed search "$v: TRACE to a worker that dies gets 502"
	zeros 2200000 >"$W/big"
	api POST /x --data-binary "@$W/big" $v
	envelope 413 request_too_large other "$v: a body above nginx's limit gets 413"
	api POST /search/x --data-binary "@$W/big" $v
	envelope 413 request_too_large search "$v: a body of a search above nginx's limit gets 413"
	api GET /projects/x/sessions/y/stream $v
	case $v in
	--http2) envelope 426 upgrade_required other "$v: a stream over HTTP/2 gets 426" ;;
	*) envelope 503 service_unavailable other "$v: a stream gets 503 without surfaced-stream" ;;
	esac
	api POST /die '{}' $v
	envelope 503 service_unavailable other "$v: a request to a worker that dies gets 503"
	api POST /search/die '{}' $v
	envelope 502 search_upstream_failed search "$v: a search of a worker that dies gets 502 (C-065)"
done

raw 'GET /api/v1/x HTTP/1.1\r\nHost: a b\r\n\r\n'
envelope 400 invalid_request other "a malformed Host gets 400"
raw 'POST /api/v1/search/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'
envelope 400 invalid_request search "a request with two lengths gets 400"
raw 'GET /api/v1/x HTTP/1.1\r\n\r\n'
envelope 400 invalid_request other "a request without a Host gets 400"
raw 'GET /api/v1/%%00 HTTP/1.1\r\nHost: localhost\r\n\r\n'
envelope 400 invalid_request other "a NUL in the path gets 400"
raw 'GET /../x HTTP/1.1\r\nHost: localhost\r\n\r\n'
envelope 400 invalid_request other "a path above the root gets 400"
raw 'POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: foo\r\n\r\n'
envelope 501 invalid_request other "an unknown transfer coding gets 501"
raw 'GET /api/v1/x HTTP/9.9\r\nHost: localhost\r\n\r\n'
envelope 505 invalid_request other "an unknown version of HTTP gets 505"
raw "GET /api/v1/x HTTP/1.1\r\nHost: localhost\r\nX: $(zeros 140000)\r\n\r\n"
envelope 431 invalid_request other "a header above nginx's buffers gets 431"
raw "GET /api/v1/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: $(zeros 70000)\r\n\r\n"
envelope 431 invalid_request other "a header above a FastCGI record gets 431"
# h2 HEADER...: the code of the answer to a request over HTTP/2 with these headers.
h2()
{
	printf /api/v1/x >"$W/target"
	/usr/bin/python3 t/helper/get-h2.py "$W/run/web.sock" "$CACERT" "$W/target" "$@" >"$W/h2"
	echo "$(head -n 1 "$W/h2") $(tail -n +2 "$W/h2" | jq -r .error.code)"
}
is "$(h2 "x: $(zeros 90000)")" "431 invalid_request" "a header that Huffman coding makes shorter gets 431 over HTTP/2 (C-019)"
# shellcheck disable=SC2046 # one header for each line
is "$(IFS='
' && h2 $(yes 'a: b' | head -n 20000))" "431 invalid_request" "20,000 headers of one byte get 431 over HTTP/2 (C-019)"
is "$(IFS='
' && h2 $(seq -f "x-%g: $(zeros 90)" 900))" "431 invalid_request" "900 headers that Huffman coding makes shorter get 431 over HTTP/2 (C-019)"

# Without its folder nginx cannot store a body, which is a fault of the server.
mv "$W/tmp/body" "$W/tmp/body.away"
zeros 2000000 >"$W/stored"
api POST /x --data-binary "@$W/stored"
envelope 500 internal_error other "a body that nginx cannot store gets 500"
mv "$W/tmp/body.away" "$W/tmp/body"

raw "GET /api/v1/x?$(zeros 140000) HTTP/1.1\r\nHost: localhost\r\n\r\n"
envelope 414 invalid_request other "a target above nginx's buffers gets 414"
raw "GET /api/v1/search/x?$(zeros 140000) HTTP/1.1\r\nHost: localhost\r\n\r\n"
envelope 400 invalid_search_parameter search "a target of a search above nginx's buffers gets 400 (C-056)"
raw 'GET /api/v1/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$W/run/web.sock"
envelope 400 invalid_request other "plain HTTP to the TLS port gets 400 and no redirect (C-002)"
like "$(cat "$W/raw")" 'TLS alone: use https' "the answer to plain HTTP on the TLS port names https"
raw 'GET /api/v1/search/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$W/run/plain.sock"
envelope 400 invalid_request search "the plain port refuses a search with 400 (C-002)"
like "$(cat "$W/raw")" 'TLS alone: use https' "the answer of the plain port names https"
raw 'GET /api/v1/x\r\n' "$W/run/plain.sock"
is "$(cat "$W/raw")" "" "a request of HTTP/0.9 gets no answer"

# ---- nginx has no connection left for a worker ----

# Three sockets, the channel to the master and one client use all five; a connection to a worker would be the sixth.
world_kill nginx
sed -i.many -e 's/worker_processes .*/worker_processes 1;/' -e 's/worker_connections .*/worker_connections 5;/' "$W/etc/nginx.conf"
world_nginx_run
# answered COMMAND...: until nginx has closed the connection before, it accepts no other one.
answered()
{
	"$@" && [ "$STATUS" != 000 ]
}
for v in --http1.1 --http2; do
	world_until 60 answered api GET /x $v
	envelope 500 internal_error other "$v: a request gets 500 when nginx has no connection for a worker"
	world_until 60 answered api GET /x -H "x: $(zeros 20000)" $v
	envelope 500 internal_error other "$v: a request with a large head gets 500 when nginx has no connection for a worker"
done
world_kill nginx
mv "$W/etc/nginx.conf.many" "$W/etc/nginx.conf"

# ---- workers that do not answer: no other worker is left to answer from here on ----

sed -i 's/fastcgi_read_timeout .*/fastcgi_read_timeout 300ms;/' "$W/etc/nginx/pass.conf"
echo 'worker_stuck = 500' >>"$W/etc/surfaced.conf"
world_kill surfaced
api_start
world_nginx_run
for v in --http1.1 --http2; do
	api GET /stuck $v
	envelope 503 service_unavailable other "$v: a request to a worker that hangs gets 503"
	api GET /search/stuck $v
	envelope 503 search_timeout search "$v: a search of a worker that hangs gets 503 (C-066)"
	is "$(header retry-after)" "" "$v: the answer search_timeout has no Retry-After (C-067)"
done

# Two clients keep the queue full until the busy answer has been seen, however slow the machine is.
for _ in 1 2; do
	# shellcheck disable=SC2086 # CURL is a list of options
	while [ ! -e "$W/seen" ]; do
		curl -s $CURL "$BASE_URL/search/stuck" >/dev/null
	done &
done
busy()
{
	api GET /search/x
	[ "$(field .error.code)" = search_busy ]
}
world_until 60 busy
touch "$W/seen"
envelope 503 search_busy search "a search above max_conns of the pool gets search_busy (C-066)"
is "$(header retry-after)" 1 "the answer search_busy has Retry-After 1 (C-067)"
wait

# nginx's maps and the table of the workers contain the same messages.
# shellcheck disable=SC2016 # the $ are nginx's
is "$(sed -n '/map $surfaced_code $surfaced_message/,/^}/s/^	\([a-z_]*\) "\(.*\)";/\1 \2/p' nginx/http.conf |
	while read -r code message; do
		grep -qF "\"$code\"" src/tbl/errors.h && grep -qF "\"$message\"" src/tbl/errors.h || echo "$code"
	done)" "" "the codes and messages of nginx equal those of src/tbl/errors.h"
