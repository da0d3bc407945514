#!/bin/sh
# SPDX-License-Identifier: ISC
# The records of an answer, and the end of its connection, as the web server sees them.
. t/lib.sh
WORLD_WORKERS=1
pg_start
api_start

# fcgi PATH [NAME=VALUE...]: RECORDS, END (open or closed) and HEAD of the answer; its body is in W/body.
fcgi()
{
	_path=$1
	shift
	/usr/bin/python3 t/helper/fcgi.py "$W/run/api.sock" REQUEST_METHOD=GET "REQUEST_URI=/api/v1$_path" \
		SERVER_PROTOCOL=HTTP/1.1 "$@" >"$W/fcgi" || return 1
	RECORDS=$(sed '/^[a-z]/,$d' "$W/fcgi" | tr '\n' ' ')
	END=$(grep -m1 -E '^(open|closed)$' "$W/fcgi")
	HEAD=$(sed '1,/^$/d' "$W/fcgi" | tr -d '\r' | sed '/^$/,$d')
	sed '1,/^$/d' "$W/fcgi" | sed '1,/^\r$/d' >"$W/body"
}

fcgi /nowhere
like "$HEAD" '^Status: 404 ' "a request without a web server is answered"
like "$RECORDS" '^6 [0-9]+ 6 [0-9]+ 6 0 3 8 $' \
	"the answer is the head, the body, the end of the output and the end of the request"
is "$END" closed "the worker closes the connection without waiting for the web server"
is "$(wc -c <"$W/body")" "$(echo "$HEAD" | sed -n 's/^Content-Length: //p')" \
	"the body has the length that the head names"

"$BIN/surfaced" -D openapi >"$W/openapi.json"
for time in first second; do
	fcgi /openapi.json
	ok "the $time answer with openapi.json has every byte of it" cmp -s "$W/body" "$W/openapi.json"
	like "$RECORDS" '^6 [0-9]+ (6 65528 ){2,}6 [0-9]+ 6 0 3 8 $' \
		"the $time answer with openapi.json is divided into records of at most 65,528 bytes"
done
etag=$(echo "$HEAD" | sed -n 's/^ETag: //p')
is "$etag" "\"$(sha256sum <"$W/openapi.json" | cut -d' ' -f1)\"" "the ETag of openapi.json is its SHA-256"
fcgi /openapi.json "HTTP_IF_NONE_MATCH=$etag"
like "$(echo "$HEAD" | head -n 1) $RECORDS" '^Status: 304 [A-Za-z ]+ 6 [0-9]+ 6 0 3 8 $' \
	"a client that has openapi.json gets 304 without a body"
fcgi /openapi.json
ok "openapi.json is unchanged after a 304" cmp -s "$W/body" "$W/openapi.json"
