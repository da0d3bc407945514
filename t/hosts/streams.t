#!/bin/sh
# SPDX-License-Identifier: ISC
# Live streams where the runner is on another machine than the one that the client asks. C-107 to C-113.
# shellcheck disable=SC2030,SC2031 # "on" works in a subshell of its own
[ -n "${HOSTS_WORLD-}" ] || exec t/helper/hosts-world "$0" "$@"
LOG_EXPECTED='upstream prematurely closed|recv\(\) failed|connect\(\) failed'
. t/helper/hosts.sh
WORLD_CONF='stream_recheck = 5'
hosts_start

export P KEY PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1
for _name in api1 api2; do
	s=$(on api1 session_new)
	on "$_name" session_run "$s"
	export "session_$_name=$s"
done
export W
/usr/bin/python3 - >"$W/out" <<'PY' || fail "the script of the clients ends without an error"
import itertools
import socket
import ssl
import streams
from streams import *
tap = Tap()
top = W
sessions = {name: os.environ['session_' + name] for name in ('api1', 'api2')}

def ask(name):
    streams.W = f'{top}/host-{name}'

def slots():
    return sql('SELECT count(*) FROM stream_slot')

for host, issuer, asked in itertools.product(sessions, repeat=3):
    session = sessions[host]
    ask(issuer)
    t = ticket(session)
    ask(asked)
    c = Client(session, t)
    c.send(frame(0x81, b'seen') + frame(0x82, bytes(200000)))
    tap.is_((c.frame(), len(c.frame()[1])), ((0x81, b'seen'), 200000),
            f'a ticket of {issuer} that is used at {asked} opens the stream of a runner on {host}')
    other = ticket(session)
    tap.is_(refused(session, other), (409, 'stream_already_active'),
            f'a second stream of a session on {host} is refused at {asked} (C-110)')
    tap.is_(c.bye(), 1000, f'a close frame gets its answer from {host} through {asked}')
    until(lambda: slots() == '0')
    for again in sessions:
        ask(again)
        tap.is_(refused(session, t), (401, 'stream_ticket_invalid'),
                f'a ticket that was used at {asked} for {host} is refused at {again} (C-109)')

session = sessions['api2']
ask('api1')
one = ticket(session)
tap.is_(refused(session, one, headers=[('X-API-Key', os.environ['KEY'] + 'x')])[0], 401,
        'a wrong key beside a ticket is refused before the runner\'s host is asked')
tap.is_(refused(session, ticket(session), headers=[('Origin', 'https://elsewhere.example')])[0], 403,
        'a foreign origin is refused for a session on another host')
tap.is_(refused(session, ticket(session), headers=[('X-Surfaced-Relayed', '1')])[0], 101,
        'a client cannot mark its request as one of another host')
until(lambda: slots() == '0')
tap.is_(refused(session, ticket(session), path='/_surfaced_host/api2', headers=[])[0], 404,
        'a client cannot ask for the way between hosts by its path')

def key_lost():
    c = Client(session, ticket(session))
    c.send(frame(0x81, b'here'))
    c.frame()
    sql("UPDATE entitlement SET expires_at = now() WHERE name = 'browser'")
    code = c.closed()
    sql("UPDATE entitlement SET expires_at = NULL WHERE name = 'browser'")
    return code
tap.is_(key_lost(), 1008, 'a right that is lost closes the stream through another host with 1008 (C-113)')
until(lambda: slots() == '0')

def peer(name, cert=None):
    """The status of a request to the peers' port of a machine."""
    context = ssl.create_default_context(cafile=f'{top}/hosts/ca.crt')
    if cert:
        context.load_cert_chain(f'{cert}.crt', f'{cert}.key')
    with socket.create_connection((name, 7443), timeout=PATIENCE) as raw, \
            context.wrap_socket(raw, server_hostname=name) as s:
        s.sendall(f'GET /api/v1{path_of(session)}/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'.encode())
        return int(s.makefile('rb').readline().split()[1])
tap.is_(peer('api2'), 400, 'the port between hosts refuses a peer without a certificate')
tap.is_(peer('api2', f'{top}/hosts/api1'), 426, 'the port between hosts accepts the certificate of a host')
try:
    status = peer('api2', f'{top}/host-api1/tls/server')
except (ssl.SSLError, ConnectionError):
    status = 400
tap.is_(status, 400, 'the port between hosts refuses the certificate of another authority')
PY
relay "$W/out"
like "$(cat "$W/host-api1/log/surfaced-stream.log")" 'relayed req=[0-9a-f-]+ host="api2:' "the log has the host that a request is sent to"
unlike "$(cat "$W"/host-*/log/*.log)" 'eyJ|surfaced\.stream\.v1' "no log of either host contains a part of a ticket (C-109)"

# ---- wrong configurations ----
sed -i 's/192.0.2.12:7443/192.0.2.11:7443/; s/proxy_ssl_verify on/proxy_ssl_verify off/' "$W/host-api1/etc/nginx.conf" "$W/host-api1/etc/nginx/relay-tls.conf"
reload()
{
	kill -HUP "$(cat "$W/run/nginx.pid")"
}
on api1 reload
cat >"$W/refused.py" <<'PY'
import streams
from streams import *
streams.W += '/host-api1'
session = os.environ['session_api2']
print(*refused(session, ticket(session)))
PY
refusal()
{
	/usr/bin/python3 "$W/refused.py" 2>&1
}
refused_is()
{
	[ "$(refusal)" = "$1" ]
}
ok "a name with the address of the wrong host is refused with 503" world_until 10 refused_is "503 service_unavailable"
like "$(cat "$W/host-api1/log/surfaced-stream.log")" 'relay req=.* why="another host sent it here"' \
	"a request goes from host to host once, so that wrong names make no circle"
sed -i 's/proxy_ssl_verify off/proxy_ssl_verify on/' "$W/host-api1/etc/nginx/relay-tls.conf"
on api1 reload
presented()
{
	refusal >/dev/null
	grep -q 'upstream SSL certificate does not match "api2"' "$W/host-api1/log/nginx.log"
}
ok "a host that has not the name in its certificate gets no ticket" world_until 10 presented
is "$(refusal)" "503 service_unavailable" "the refusal of a wrong certificate is an envelope"
