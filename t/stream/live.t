#!/bin/sh
# SPDX-License-Identifier: ISC
# The upgrade of a stream: which keys get a ticket, which requests are refused, what uses a ticket up.
# C-100, C-101, C-107 to C-111.
. t/lib.sh
WORLD_CONF='stream_origins = self https://viewer.example.com'
pg_start
api_start
stream_start
web_start
stranger_new
s=$(session_new) queued=$(session_new)
session_run "$s"
S=/projects/$P/sessions

# ---- the ticket operation ----
for k in "$(key_new --scope browser.sessions.manage)" "$(key_new --scope browser.sessions.manage --scope browser.sessions.create)"; do
	key=$k api POST "$S/$s/stream-ticket"
	is "$STATUS $(field .error.code)" "403 permission_denied" "a manager gets no ticket (C-101)"
done
key=$(key_new --scope browser.sessions.create) api POST "$S/$s/stream-ticket"
is "$STATUS $(field .error.code)" "404 session_not_found" \
	"another key of the same owner gets no ticket (C-100)"
key=$(key_new --scope browser.sessions.view) api POST "$S/$s/stream-ticket"
is "$STATUS $(field .error.code)" "403 permission_denied" "a key with the scope to view gets no ticket"
api POST "$S/$queued/stream-ticket"
is "$STATUS $(field .error.code)" "409 session_not_ready" "a queued session has no stream yet (C-746)"
session_move "$queued" claim
api POST "$S/$queued/stream-ticket"
is "$STATUS $(field .error.code)" "409 session_not_ready" "a starting session has no stream yet"
sql "SELECT session_apply('$queued', 'close', 'closed_by_creator')" >/dev/null
api POST "$S/$queued/stream-ticket"
is "$STATUS $(field .error.code)" "409 session_terminal" "a closing session has no stream any more (C-746)"
before=$(date +%s)
api POST "$S/$s/stream-ticket"
is "$STATUS $(field '.stream_ticket|keys|join(" ")')" "201 expires_at subprotocol" \
	"the creator of a running session gets a ticket"
like "$(field .stream_ticket.subprotocol)" '^surfaced\.stream\.v1\.[A-Za-z0-9_.-]{100,493}$' \
	"the subprotocol has token characters and at most 512 of them"
after=$(date +%s) end=$(date -u -d "$(field .stream_ticket.expires_at)" +%s)
ok "a ticket expires after 30 seconds" [ $((end - before)) -ge 30 -a $((end - after)) -le 30 ]
is "$(sql "SELECT string_agg(DISTINCT action, ' ') FROM audit WHERE subject = 'stream_ticket' AND after->>'session_uuid' = '$s'")" \
	stream_ticket.create "the audit has the new ticket"

# ---- the upgrade ----
export W KEY KEY2 P PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1
key=none
stream=/projects/$P/sessions/$s/stream
api GET "$stream" --http1.1
is "$STATUS $(field .error.code) $(header Upgrade)" "426 upgrade_required websocket" \
	"a stream without an upgrade gets 426 (C-107)"
is "$(header X-Content-Type-Options) $(header Content-Security-Policy)" "nosniff default-src 'none'; frame-ancestors 'none'; sandbox" \
	"a refusal of surfaced-stream is data and no page (C-326)"
is "$(field '.error|keys|join(",")') $(header X-Request-Id)" "code,field_errors,message,request_id $(field .error.request_id)" \
	"the refusal of a stream has the envelope (C-107)"
api GET "$stream" --http2
is "$STATUS $(field .error.code) $(header X-Request-Id)" "426 upgrade_required $(field .error.request_id)" \
	"a stream over HTTP/2 gets 426 (C-107)"
api POST "$stream" '{}' --http1.1
is "$STATUS $(field .error.code) $(header Allow)" "405 method_not_allowed GET" \
	"a stream accepts the method GET only"
api GET "$S/x/stream" --http1.1
is "$STATUS $(field .error.code)" "400 invalid_request" \
	"a malformed uuid in the path of a stream is refused (C-020)"
api GET "$stream?x=1" --http1.1
is "$STATUS $(field .error.code)" "400 invalid_request" "a stream accepts no parameters"
api GET "$stream/" --http1.1
is "$STATUS $(field .error.code)" "404 not_found" "a path below a stream is not found"

python3 - "$s" >"$W/out" <<'PY' || fail "the script of the client ends without an error"
import sys
from streams import *
session = sys.argv[1]
tap = Tap()
upgrade = ['Connection', 'Upgrade', 'Sec-WebSocket-Version', 'Sec-WebSocket-Key']

def no(wanted, title, *args, **kwargs):
    """Each request has a ticket of its own, so that none expires on a slow machine."""
    tap.is_(refused(session, ticket(session), *args, **kwargs), wanted, f'an upgrade is refused {title}')

for name in upgrade[:2]:
    no((426, 'upgrade_required'), f'without {name} (C-107)', leave_out=[name])
no((426, 'upgrade_required'),
   'with another version of the protocol', leave_out=['Sec-WebSocket-Version'], headers=[('Sec-WebSocket-Version', '8')])
no((400, 'invalid_request'), 'without a version of the protocol', leave_out=['Sec-WebSocket-Version'])
no((400, 'invalid_request'), 'without a key of WebSocket', leave_out=['Sec-WebSocket-Key'])
for bad in 'AAAA', 'A' * 24, '*' * 22 + '==', 'AAAAAAAAAAAAAAAAAAAAAB==', 'AAAAAAAAAAAAAAAAAAAAAA==, x':
    no((400, 'invalid_request'),
       f'with the key {bad} of WebSocket', leave_out=['Sec-WebSocket-Key'], headers=[('Sec-WebSocket-Key', bad)])
no((400, 'invalid_request'),
   'with two keys of WebSocket', headers=[('Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA==')])
no((426, 'upgrade_required'), 'over HTTP/1.0', version='HTTP/1.0')
for origin in 'null', 'https://evil.example', 'http://localhost', 'https://localhost.evil.example', 'https://viewer.example.com:444', \
        'https://viewer.example.com.evil.example', 'HTTPS://LOCALHOST':
    no((403, 'origin_not_allowed'), f'with the origin "{origin}" (C-111)', headers=[('Origin', origin)])
no((403, 'origin_not_allowed'),
   'with an empty origin, which nginx would not pass on', headers=[('Origin', '')], through='itself')
no((400, 'invalid_request'), 'with two origins', headers=[('Origin', 'https://localhost')] * 2)
no((400, 'invalid_request'),
   'with two subprotocols in one line', leave_out=['Sec-WebSocket-Protocol'], headers=[('Sec-WebSocket-Protocol', ticket(session) + ', chat')])
no((400, 'invalid_request'), 'with two lines of subprotocols', headers=[('Sec-WebSocket-Protocol', 'chat')])
no((401, 'unauthorized'),
   'with an API key other than the creating one (C-747)', headers=[('X-API-Key', os.environ['KEY2'])])
no((401, 'unauthorized'), 'with an API key that is malformed', headers=[('X-API-Key', 'x')])
no((401, 'unauthorized'), 'with two API keys', headers=[('X-API-Key', os.environ['KEY'])] * 2)
no((400, 'invalid_request'),
   'with a ticket in the URL (C-109)', path=f'/api/v1{path_of(session)}/stream?ticket={ticket(session)}')
tap.is_(refused(session), (401, 'stream_ticket_invalid'), 'an upgrade is refused without a ticket')
for title, spoil in ('of a prefix alone', lambda t: 'surfaced.stream.v1.'), ('without its prefix', lambda t: t.split('.', 3)[3]), \
        ('of another version', lambda t: t.replace('.v1.', '.v2.')), ('without its signature', lambda t: t[:t.rindex('.') + 1]), \
        ('with a part more', lambda t: t + '.x'), ('with one bit changed', lambda t: t[:-2] + ('A' if t[-2] != 'A' else 'B') + t[-1]), \
        ('of 600 characters', lambda t: t + 'A' * (600 - len(t))), ('of another subprotocol', lambda t: 'chat'):
    tap.is_(refused(session, spoil(ticket(session))), (401, 'stream_ticket_invalid'),
            f'an upgrade is refused with a ticket {title}')
try:
    Client(session, 'chat')
except Answer as e:
    tap.ok(('WWW-Authenticate', 'ApiKey header="X-API-Key"') in e.headers,
           'the answer 401 has WWW-Authenticate')

other = api('POST', f'/projects/{os.environ["P"]}/sessions', {'start_url': 'https://example.com/'})[1]['session']['uuid']
tap.is_(refused(other, ticket(session)), (401, 'stream_ticket_invalid'),
        "an upgrade is refused with the ticket of another session")
tap.is_(sql('SELECT count(*) FROM stream_ticket WHERE used_at IS NOT NULL'), '0',
        'a refused upgrade does not use its ticket up (C-748)')

t = ticket(session)
c = Client(session, t, headers=[('Origin', 'https://viewer.example.com'), ('X-API-Key', os.environ['KEY'])])
tap.is_(c.header('Sec-WebSocket-Protocol'), [t], 'the server returns the exact subprotocol once (C-108)')
tap.is_(c.header('Sec-WebSocket-Extensions'), [], 'the server agrees on no extension')
c.send(frame(0x81, 'é'.encode()))
tap.is_(c.frame(), (0x81, 'é'.encode()), 'a text reaches the runner and comes back')
late = ticket(session)
tap.is_(refused(session, late), (409, 'stream_already_active'),
        'a second stream of a session gets 409 (C-110)')
tap.is_(refused(session, t), (401, 'stream_ticket_invalid'),
        'a used ticket is refused while its stream is open (C-109)')
tap.is_(c.bye(), 1000, 'a stream closes with 1000 when the client closes it')
tap.is_(refused(session, t), (401, 'stream_ticket_invalid'),
        'a used ticket is refused after its stream has closed (C-109)')
tap.is_(refused(session, late), (401, 'stream_ticket_invalid'), 'a ticket refused with 409 is used up (C-748)')
# All within the thirty seconds of a ticket, for which a slow machine may need several tries.
for _ in range(10):
    free(session)
    t, began = ticket(session), time.monotonic()
    Client(session, t).bye()
    with open(f'{W}/log/surfaced-stream.log', encoding='utf-8') as log:
        log.seek(0, 2)
        answers = {refused(session, t) for _ in range(10)}
        known = log.read().count('why="it was used"')
    if time.monotonic() - began < 28:
        break
tap.is_((answers, known), ({(401, 'stream_ticket_invalid')}, 10),
        'a used ticket that is sent again is refused without the database')
for title, headers in ('with the origin of the host', [('Origin', 'https://localhost')]), ('without an origin', []):
    free(session)
    c = Client(session, ticket(session), headers=headers)
    tap.is_(c.bye(), 1000, f'a stream is accepted {title} (C-111)')
free(session)
c = Client(session, ticket(session), headers=[('Sec-WebSocket-Extensions', 'permessage-deflate; client_max_window_bits'), ('Cookie', 'c=' + 'x' * 30000),
    ('Connection', 'keep-alive, Upgrade'), ('Upgrade', 'h2c, WebSocket')], leave_out=['Connection', 'Upgrade'])
tap.is_((c.header('Sec-WebSocket-Extensions'), c.bye()), ([], 1000),
        'an offered extension is ignored and cookies do not matter')

expired = ticket(session)
sql("UPDATE stream_ticket SET created_at = now() - interval '30 s', expires_at = now() - interval '1 s' WHERE used_at IS NULL")
tap.is_(refused(session, expired), (401, 'stream_ticket_invalid'), 'an expired ticket is refused with 401')
forgotten = ticket(session)
sql("DELETE FROM stream_ticket WHERE used_at IS NULL")
tap.is_(refused(session, forgotten), (401, 'stream_ticket_invalid'), \
	'a signed ticket without its row is refused')

# ?refusal=close: browsers cannot read a refused handshake, so they get the same refusal as a close frame.
tap.is_(refused_by_close(session, 'chat'), (4001, 'stream_ticket_invalid'), \
	'a missing ticket gets the close code 4001 with refusal=close')
tap.is_(refused_by_close(session, ticket(session), headers=[('X-API-Key', os.environ['KEY2'])]), (4002, 'unauthorized'),
        'a key other than the creating one gets the close code 4002 with refusal=close')
tap.is_(refused_by_close(session, ticket(session), headers=[('Origin', 'https://evil.example')]), (403, 'origin_not_allowed'),
        'a foreign origin gets 403 and no WebSocket with refusal=close (C-111)')
tap.is_(refused_by_close(session, ticket(session), leave_out=['Sec-WebSocket-Version']), (400, 'invalid_request'),
        'a malformed handshake gets its envelope with refusal=close')
tap.is_(sql("SELECT count(*) FROM stream_ticket WHERE used_at IS NULL") != '0', True, \
	'an upgrade refused with refusal=close does not use its ticket up')
for query in 'refusal=', 'refusal=closed', 'refusal=close&ticket=x', 'Refusal=close':
    tap.is_(refused(session, ticket(session), path=f'/api/v1{path_of(session)}/stream?{query}'), (400, 'invalid_request'),
            f'C-109: the query {query} is refused')
free(session)
t = ticket(session)
c = Client(session, t, path=f'/api/v1{path_of(session)}/stream?refusal=close')
c.send(frame(0x81, b'x'))
tap.is_(c.frame(), (0x81, b'x'), 'a good ticket opens the stream with refusal=close')
late = ticket(session)
tap.is_(refused_by_close(session, late), (4004, 'stream_already_active'), \
	'a second viewer gets the close code 4004 with refusal=close')
c.bye()
tap.is_(refused_by_close(session, t), (4001, 'stream_ticket_invalid'), \
	'a used ticket gets the close code 4001 with refusal=close (C-109)')
tap.is_(refused_by_close(session, late), (4001, 'stream_ticket_invalid'), \
	'a ticket refused with 4004 is used up')

away = f'{W}/run/sessions/{session}'
os.rename(away, away + '.away')
free(session)
tap.is_(refused(session, ticket(session)), (503, 'service_unavailable'), \
	'a stream without its runner gets 503 in the envelope')
free(session)
tap.is_(refused_by_close(session, ticket(session)), (4007, 'service_unavailable'), \
	'a stream without its runner gets the close code 4007 with refusal=close')
os.rename(away + '.away', away)
free(session)

for event, wanted in ('queued', (409, 'session_not_ready')), ('closing', (409, 'session_terminal')), ('terminal', (409, 'session_terminal')):
    late, closed = ticket(session), ticket(session)
    sql(f"ALTER TABLE browser_session DISABLE TRIGGER ALL; UPDATE browser_session SET state = '{event}',"
        f" terminal_reason = CASE WHEN '{event}' <> 'queued' THEN 'expired' END,"
        f" terminal_at = CASE WHEN '{event}' = 'terminal' THEN now() END WHERE uuid = '{session}'")
    tap.is_(refused(session, late), wanted, f'a ticket of a {event} session is refused')
    tap.is_(refused_by_close(session, closed), (4005 if event == 'queued' else 4006, wanted[1]),
            f'a {event} session has its own close code with refusal=close')
    sql(f"UPDATE browser_session SET state = 'running', terminal_reason = NULL, terminal_at = NULL WHERE uuid = '{session}';"
        " ALTER TABLE browser_session ENABLE TRIGGER ALL")
late, closed = ticket(session), ticket(session)
sql("UPDATE entitlement SET expires_at = now() WHERE name = 'browser'")
tap.is_(refused(session, late), (403, 'permission_denied'), \
	'a ticket is refused after the entitlement has expired')
tap.is_(refused_by_close(session, closed), (4003, 'permission_denied'), \
	'a lost right gets the close code 4003 with refusal=close')
PY
relay "$W/out"

LOGGED=$(cat "$W"/log/*.log)
unlike "$LOGGED" 'eyJ|surfaced\.stream\.v1' "no log contains a part of a ticket (C-109)"
is "$(sql "SELECT string_agg(DISTINCT action, ' ' ORDER BY action) FROM audit WHERE subject = 'stream_ticket' AND after->>'session_uuid' = '$s'")" \
	"stream_ticket.active stream_ticket.create stream_ticket.not_ready stream_ticket.ok stream_ticket.revoked stream_ticket.terminal" \
	"the audit has the result of each ticket"

# counted SERIES: the series is above 0.
counted() { sql "SELECT coalesce((SELECT value FROM metric WHERE series = '$1'), 0) + coalesce((SELECT sum(step) FROM metric_step WHERE series = '$1'), 0) > 0"; }
told()
{
	for _series in surfaced_streams_opened_total 'surfaced_streams_refused_total{status="401"}' 'surfaced_streams_refused_total{status="409"}' \
		'surfaced_stream_bytes_total{direction="in"}' 'surfaced_stream_bytes_total{direction="out"}'; do
		[ "$(counted "$_series")" = t ] || return 1
	done
}
ok "the metrics count streams, refusals and bytes" world_until 20 told

world_kill surfaced-stream
key=none api GET "$stream" --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket'
is "$STATUS $(field .error.code)" "503 service_unavailable" \
	"a stream gets 503 in the envelope without surfaced-stream"
