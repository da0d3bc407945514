#!/bin/sh
# SPDX-License-Identifier: ISC
# Bodies that never come, of somebody without a key, take no search from others (C-066). nginx is told who
# speaks, as behind a balancer: on a Unix socket everybody has one address.
. t/lib.sh
world
printf 'set_real_ip_from unix:;\nreal_ip_header X-Real-IP;\nclient_header_timeout 1h;\nclient_body_timeout 1h;\n' >>"$W/etc/nginx/surfaced.conf"
world_start
export W

# slow ADDRESS...: a request head each, whose body does not follow; they stand until stdin ends. Says how many
# were refused.
cat >"$W/slow.py" <<'PY'
import os, select, socket, ssl, sys
context = ssl.create_default_context(cafile=os.environ["W"] + "/ca.crt")
held = []
for address in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["W"] + "/run/web.sock")
    s = context.wrap_socket(s, server_hostname="localhost")
    s.sendall(b"POST /api/v1/search/hosts/aggregate HTTP/1.1\r\nHost: localhost\r\nX-Real-IP: " + address.encode() +
              b"\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n")
    held.append(s)
first = [s.recv(12).decode() for s in held]
print(sum("503" in f for f in first), flush=True)
sys.stdin.read()
PY
slow()
{
	rm -f "$W/slow"
	mkfifo "$W/hold"
	# shellcheck disable=SC2086 # a list
	/usr/bin/python3 "$W/slow.py" $1 <"$W/hold" >"$W/slow" 2>"$W/slow.err" &
	exec 9>"$W/hold"
	world_until 60 test -s "$W/slow" || diag "$(cat "$W/slow.err")"
	rm -f "$W/hold"
}
over()
{
	exec 9>&-
	wait
}
same=$(yes 192.0.2.1 | head -n 520)
network=$(seq 1 520 | sed 's/^/2001:db8:1:2::/')

slow "$same"
is "$(cat "$W/slow")" 420 "of one address a hundred may wait for their bodies"
api GET /search/hosts/count -H 'X-Real-IP: 192.0.2.2'
is "$STATUS" 200 "and everybody else is served"
api GET /search/hosts/count -H 'X-Real-IP: 192.0.2.1'
is "$STATUS $(field .error.code) $(header retry-after)" "503 search_busy 1" "that address is told to come again"
over
slow "$network"
is "$(cat "$W/slow")" 420 "nor of one network"
api GET /search/hosts/count -H 'X-Real-IP: 2001:db8:1:3::1'
is "$STATUS" 200 "while others are served"
over
