#!/bin/sh
# SPDX-License-Identifier: ISC
# Three independent WebSocket clients: ws of npm, python3-websockets, a page in Chromium. Each gets its
# subprotocol and the close codes through nginx. C-108, C-111, C-112, C-113, C-749. In a network of its own.
ws=${TOP_BUILDDIR:-$(cd "$(dirname "$0")/../.." && pwd)}/node_modules/.clients version=8.18.3
if [ -z "${OWN_NETWORK-}" ]; then
	# Installed once, beside the build, until the version changes.
	if ! grep -qs "\"version\": \"$version\"" "$ws/node_modules/ws/package.json"; then
		mkdir -p "$ws"
		npm install --silent --no-save --no-audit --no-fund --prefix "$ws" "ws@$version" >&2
	fi
	OWN_NETWORK=1
	export OWN_NETWORK
	if [ "$(id -u)" -eq 0 ]; then exec unshare -n "$0"; else exec unshare -c --keep-caps -n "$0"; fi
fi
. t/lib.sh
ip link set lo up || skip_all "no network of its own"
browser=$(ls /usr/lib/chromium/chromium-headless-shell 2>/dev/null || command -v chromium-headless-shell)
WORLD_CONF='stream_recheck = 5'
pg_start
api_start
stream_start
web_start 8443

cp -R "$ws/node_modules/ws" "$W/ws"
install -m 755 t/helper/ws-* "$W/"
mkdir "$W/chromium"
world_give
chown -R "$WORLD_USER" "$W/chromium" 2>/dev/null
for _client in node python chromium; do
	s=$(session_new)
	session_run "$s"
	sessions="${sessions-} $s"
done
export W KEY P BASE_URL browser WORLD_USER PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1
# shellcheck disable=SC2086 # three words
/usr/bin/python3 - $sessions >"$W/out" <<'PY' || fail "the script of the clients ends without an error"
import signal
import sys
from streams import *
tap = Tap()
MAX = 8388608
commands = {
    'ws of npm': ['node', f'{W}/ws-node.js', f'{W}/ws'],
    'python3-websockets': ['/usr/bin/python3', f'{W}/ws-python.py', f'{W}/ca.crt'],
    'Chromium': [f'{W}/ws-chromium.py', os.environ['browser'], f'{W}/chromium'],
}
user = ['setpriv', f'--reuid={os.environ["WORLD_USER"]}', '--clear-groups'] if os.getuid() == 0 else []

class Driver:
    def __init__(self, name, session):
        self.name, self.session = name, session
        self.process = subprocess.Popen(user + commands[name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, 'NODE_EXTRA_CA_CERTS': f'{W}/ca.crt'}, cwd='/')

    def begin(self, send=(), **more):
        again(self.session).bye()   # the slot is free
        self.ticket = until_ticket(self.session)
        url = os.environ['BASE_URL'].replace('https', 'wss') + path_of(self.session) + '/stream'
        self.process.stdin.write(json.dumps({'url': url, 'protocol': self.ticket, 'send': list(send), **more}) + '\n')
        self.process.stdin.flush()

    def end(self):
        """The lines that the client printed, up to its close."""
        said = []
        while not said or not said[-1].startswith('close'):
            line = self.process.stdout.readline()
            if not line:
                return said + ['no more']
            said.append(line.strip())
        return said

def until_ticket(session):
    until(lambda: sql(f"SELECT count(*) FROM stream_slot WHERE session_uuid = '{session}'") == '0')
    return ticket(session)

signal.alarm(1000)
drivers = [Driver(name, session) for name, session in zip(commands, sys.argv[1:])]
for d in drivers:
    def case(title, send, wanted):
        d.begin(send)
        got = d.end()
        tap.is_(got[1:], wanted, f'{d.name}: {title}')
        return got
    got = case('echoes messages until the session closes with 1000',
               ['hello', 70000, MAX, '!close 1000'], ['text 5', 'binary 70000', f'binary {MAX}', 'close 1000'])
    tap.is_(got[0], f'open {d.ticket}', f'{d.name} gets its subprotocol (C-108)')
    case('sends a message above 8 MiB and gets 1009 (C-112)', [MAX + 1], ['close 1009'])
    case('gets 1009 after a message above 8 MiB of the runner (C-112)',
         [f'!bytes {MAX}', f'!bytes {MAX + 1}'], [f'binary {MAX}', 'close 1009'])
    case('gets 1013 after the runner is lost', ['!drop'], ['close 1013'])
    case("gets a close code of the runner", ['x', '!close 3000'], ['text 1', 'close 3000'])
    case('gets 1002 after an invalid frame of the runner', ['!raw c100'], ['close 1002'])
for d in drivers[:2]:
    d.begin(origin='https://evil.example')
    tap.is_(d.end(), ['close 403'], f'{d.name} is refused with a foreign origin (C-111)')
drivers[2].begin(page='about:blank')
tap.is_(drivers[2].end(), ['close 1006'], 'a page without an origin is refused in Chromium (C-111)')

for d in drivers:
    d.begin(['x'])
tap.ok(until(lambda: sql('SELECT count(*) FROM stream_slot') == '3'), 'three clients have a stream at once')
sql("DELETE FROM entitlement WHERE name = 'browser'")
for d in drivers:
    tap.is_(d.end()[-1], 'close 1008', f'{d.name} gets 1008 after the entitlement is lost (C-113)')
sql(f"INSERT INTO entitlement (account_uuid, name) SELECT account_uuid, 'browser' FROM project WHERE uuid = '{os.environ['P']}'")
until(lambda: api('GET', f'/projects/{os.environ["P"]}/sessions')[0] == 200)
for d in drivers:
    d.begin(['x'])
tap.ok(until(lambda: sql('SELECT count(*) FROM stream_slot') == '3'), 'three clients have a stream again')
os.kill(int(open(f'{W}/run/surfaced-stream.pid').read()), signal.SIGTERM)
for d in drivers:
    tap.is_(d.end()[-1], 'close 1001', f'{d.name} gets 1001 after a stop')
for d in drivers:
    d.process.stdin.close()
    d.process.wait()
tap.done()
PY
relay "$W/out"
