#!/bin/sh
# SPDX-License-Identifier: ISC
# TLS: suites with forward secrecy and authenticated encryption alone, with either kind of certificate; no session tickets.
. t/lib.sh
pg_start
api_start
web_start ''

# suite NAME: the answer of the server to a handshake of TLS 1.2 that offers this suite alone.
suite()
{
	timeout 60 openssl s_client -unix "$W/run/web.sock" -servername localhost -tls1_2 -cipher "$1:@SECLEVEL=0" \
		</dev/null 2>&1
}

accepted_suites()
{
	openssl ciphers -tls1_2 -s 'ALL:eNULL:@SECLEVEL=0' | tr : '\n' | grep -vE 'PSK|SRP|^TLS_' | while read -r name; do
		suite "$name" | grep -q "Cipher is $name" && echo "$name"
	done | sort | paste -sd ' '
}

is "$(accepted_suites)" "ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-ECDSA-CHACHA20-POLY1305" \
	"a certificate of an elliptic curve is served with three suites"
unlike "$(suite ECDHE-ECDSA-AES128-GCM-SHA256)" 'TLS session ticket:' "nginx sends no session ticket"

openssl req -x509 -newkey rsa:2048 -noenc -keyout "$W/tls/server.key" -out "$W/tls/server.crt" -days 2 -subj /CN=localhost \
	2>"$W/log/openssl.log"
! world_root || chown "$WORLD_USER" "$W/tls/server.key" "$W/tls/server.crt"
kill -HUP "$(cat "$W/run/nginx.pid")"
has_rsa() { suite ECDHE-RSA-AES128-GCM-SHA256 | grep -q 'Cipher is ECDHE-RSA'; }
ok "nginx serves the RSA certificate" world_until 20 has_rsa
is "$(accepted_suites)" "ECDHE-RSA-AES128-GCM-SHA256 ECDHE-RSA-AES256-GCM-SHA384 ECDHE-RSA-CHACHA20-POLY1305" \
	"an RSA certificate is served with three suites, each with forward secrecy"
