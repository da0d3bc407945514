#!/bin/sh
# SPDX-License-Identifier: ISC
# Requests whose bodies never arrive: an address has a hundred places for them, and others have theirs (C-066).
# nginx takes the address from a header, as behind a balancer: on a Unix socket all clients have one address.
. t/lib.sh
world
printf 'set_real_ip_from unix:;\nreal_ip_header X-Real-IP;\n' >>"$W/etc/nginx/surfaced.conf"
sed -i -e 's/^client_[a-z]*_timeout .*/# longer than the test:/' "$W/etc/nginx/limits.conf"
world_start
export W

# slow PATH ADDRESS...: sends the head of a POST from each address and no body, prints how many were refused, and
# keeps the connections open until its standard input ends.
cat >"$W/slow.py" <<'PY'
import os, select, socket, ssl, sys
context = ssl.create_default_context(cafile=os.environ["W"] + "/ca.crt")
held = []
for address in sys.argv[2:]:
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["W"] + "/run/web.sock")
    s = context.wrap_socket(s, server_hostname="localhost")
    s.sendall(b"POST /api/v1" + sys.argv[1].encode() + b" HTTP/1.1\r\nHost: localhost\r\nX-Real-IP: " + address.encode() +
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
	/usr/bin/python3 "$W/slow.py" "$1" $2 <"$W/hold" >"$W/slow" 2>"$W/slow.err" &
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
zeros=$(seq 1 520 | sed 's/.*/2001:db8:0:0:&:a:b:c/') # which is written 2001:db8::1:a:b:c
others=$(seq 1 600 | sed 's/.*/2001:db8:3:&::1/')
mapped=$(seq 1 250 | sed 's/^/::ffff:192.0.2./')

search=/search/hosts/aggregate other=/projects/$P/alerting/silences

slow "$search" "$same"
is "$(cat "$W/slow")" 420 "a hundred searches of one address may wait for their bodies"
api GET /search/hosts/count -H 'X-Real-IP: 192.0.2.2'
is "$STATUS" 200 "a search from another address is answered"
api GET /search/hosts/count -H 'X-Real-IP: 192.0.2.1'
is "$STATUS $(field .error.code) $(header retry-after)" "503 search_busy 1" "a search from the slow address is busy"
api GET /usage -H 'X-Real-IP: 192.0.2.1' --http1.1
is "$STATUS" 200 "slow searches take no place of the other operations of their address"
over
slow "$search" "$network"
is "$(cat "$W/slow")" 420 "a hundred searches of one IPv6 network may wait for their bodies"
api GET /search/hosts/count -H 'X-Real-IP: 2001:db8:1:3::1'
is "$STATUS" 200 "a search from another IPv6 network is answered"
over
slow "$search" "$zeros"
is "$(cat "$W/slow")" 420 "an IPv6 network with zeros in it has a hundred places too"
over
slow "$search" "$mapped"
is "$(cat "$W/slow")" 0 "IPv4 addresses that are written as IPv6 have places of their own"
over

# A body that arrives takes no place of the pool (max_conns=500), however long it takes: nginx cannot bound its time.
slow "$search" "$others"
is "$(cat "$W/slow")" 0 "600 addresses may send bodies at once, more than the pool has places"
api GET /search/hosts/count -H 'X-Real-IP: 192.0.2.2'
is "$STATUS" 200 "a search is answered while 600 bodies of searches are on their way (C-066)"
over
slow "$other" "$others"
is "$(cat "$W/slow")" 0 "600 addresses may send changes at once"
api POST "$other" '{}' -H 'X-Real-IP: 192.0.2.2'
is "$STATUS $(field .error.code)" "400 invalid_request" "a change is served while 600 bodies of changes are on their way"
over

slow "$other" "$same"
is "$(cat "$W/slow")" 420 "a hundred changes of one address may wait for their bodies"
api POST "$other" '{}' -H 'X-Real-IP: 192.0.2.2'
is "$STATUS $(field .error.code)" "400 invalid_request" "a change from another address reaches its operation"
api POST "$other" '{}' -H 'X-Real-IP: 192.0.2.1'
is "$STATUS $(field .error.code) $(header retry-after)" "503 service_unavailable " "a change from the slow address is refused"
api GET /usage -H 'X-Real-IP: 192.0.2.1' --http1.1
is "$STATUS" 200 "a request without a body needs no such place over HTTP/1.1"
api GET /usage -H 'X-Real-IP: 192.0.2.1' --http2
is "$STATUS" 503 "every request over HTTP/2 needs one, since it need not announce its body"
over
