#!/bin/sh
# SPDX-License-Identifier: ISC
# The page play.html in a real headless Chromium, before nginx over TLS and the API: the picture of chosen moments,
# the bar, the speed, the keys, and the content security policy (C-220, C-223).
if [ -z "${LOOPBACK-}" ]; then
	MODULES=$(t/helper/npm) && export MODULES && exec t/helper/loopback "$0" "$@"
	exit 1
fi
. t/lib.sh
BROWSER=${BROWSER:-$(ls /usr/lib/chromium/chromium-headless-shell /usr/lib/chromium/chromium 2>/dev/null | head -1)}
[ -n "$BROWSER" ] || skip_all "no Chromium"
pg_start
api_start
port=$(world_ports 1)
web_start "$port"

S=/projects/$P/sessions
u=$(session_new "https://example.com/")
session_move "$u" claim ready
# Thirty-two screenshots of two tabs, each with a width of its own; the moments are irregular, and a pause of 40
# seconds lies between the two halves. The first one comes a second after the session was ready.
python3 - "$W" "$u" >"$W/shots.sql" <<'END'
import hashlib, os, struct, sys, uuid, zlib
folder, session = sys.argv[1:]
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for i in range(32):
    width, height, tab = 640 + 2 * i, 400, 2 if i % 5 == 3 else 1
    colour = bytes((40 + 6 * i, 110 + (i * 37) % 110, 200 - 5 * i))
    rows = b"".join(b"\0" + (colour * width if 60 < y < 330 else bytes((235, 238, 240)) * width) for y in range(height))
    image = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    sha = hashlib.sha256(image).hexdigest()
    path = f"{folder}/evidence/{sha[:2]}/{sha[2:4]}"
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/{sha}", "wb") as f:
        f.write(image)
    ms = 1000 + i * 730 + (i * i * 13) % 500 + (40000 if i >= 16 else 0)
    print(f"INSERT INTO screenshot (uuid, session_uuid, sha256, bytes, mime, width, height, reason, tab, url, title, taken_at)"
          f" SELECT '{uuid.uuid4()}', uuid, '\\x{sha}', {len(image)}, 'image/png', {width}, {height}, 'load', {tab},"
          f" 'https://example.com/{i}', 'Page {i}', ready_at + {ms} * interval '1 ms' FROM browser_session WHERE uuid = '{session}';")
    for j in range(3):
        print(f"INSERT INTO network_event (session_uuid, seq, uuid, at, doc) SELECT uuid, {3 * i + j + 1}, '{uuid.uuid4()}',"
              f" ready_at + {ms - 300 + 90 * j} * interval '1 ms', jsonb_build_object('tab', {tab}, 'kind', 'request', 'method', 'GET',"
              f" 'url', 'https://example.com/{i}/{['', 'style.css', 'image.png'][j]}', 'resource_type', 'Document', 'mime', NULL, 'protocol', 'h2',"
              f" 'failure', {'$$net::ERR_FAILED$$' if i % 8 == 5 and j == 2 else 'NULL'}, 'remote_address', NULL, 'redirected_from', NULL,"
              f" 'status', {'NULL' if i % 8 == 5 and j == 2 else 404 if i % 9 == 4 and j == 1 else 200},"
              f" 'request_headers', '[]'::jsonb, 'response_headers', '[]'::jsonb, 'bytes_sent', 300, 'bytes_received', {4000 + 811 * i},"
              f" 'duration_ms', {60 + 70 * j}) FROM browser_session WHERE uuid = '{session}';")
END
sql "$(cat "$W/shots.sql")"
chmod -R a+rX "$W/evidence"
sql "UPDATE browser_session SET state = 'terminal', state_event = 'fail', terminal_reason = 'failed' WHERE uuid = '$u'"
# The session ended after the last event of this test, which lies in the future.
api GET "$S/$u/timeline?limit=500"
ok "the timeline has every screenshot" test "$(field '[.events[]|select(.kind=="screenshot")]|length')" = 32
cp "$W/body" "$W/timeline.json"
api POST "$S/$u/evidence-ticket"
LINK=https://localhost:$port$(field .evidence_ticket.viewer_url)
export MODULES BROWSER W LINK
timeout 600 node t/helper/viewing/playback.mjs >"$W/tap" 2>"$W/tap.err"
is $? 0 "the script came to its end"
relay "$W/tap"
diag "$(cat "$W/tap.err")"
secret=${LINK##*.}
is "$(grep -rlF "$secret" "$W/log" | sed "s,$W/,,")" "" "no log has the ticket of the page (C-220)"
