#!/bin/sh
# SPDX-License-Identifier: ISC
# Frames of RFC 6455 through the proxy in both directions, at every boundary of their lengths, valid and invalid.
# C-112. The runner echoes frame by frame; the largest frames go through nginx, the rest to surfaced-stream itself.
. t/lib.sh
pg_start
api_start
stream_start
web_start
s=$(session_new)
session_run "$s"
export W KEY P PYTHONPATH=t/helper PYTHONDONTWRITEBYTECODE=1
python3 - "$s" >"$W/out" <<'PY' || fail "the script of the client ends without an error"
import sys
import time
from streams import *
session = sys.argv[1]
tap = Tap()
MAX = 8388608
TEXT, BINARY, CONT, CLOSE, PING, PONG = 0x81, 0x82, 0x80, 0x88, 0x89, 0x8a
FIRST = 0x01    # a text that goes on
MORE = 0x00


def stream(through='itself'):
    """Waits until the slot of the stream before is free."""
    for _ in range(200):
        try:
            return Client(session, ticket(session), through)
        except Answer as e:
            if e.code != 'stream_already_active':
                raise
            time.sleep(0.02)
    raise RuntimeError('the slot is not free')


def echoes(title, data, wanted, step=None, through='itself'):
    """The frames wanted come back for the data, and the stream still works afterwards."""
    c = stream(through)
    c.send(data, step)
    got = [c.frame() for _ in wanted]
    tap.ok(got == wanted and c.bye() == 1000, f'the client gets the right frames for {title}',
           [(hex(a), len(b), b[:40]) for a, b in got])


def ends(title, data, code, first=None, step=None, order=None):
    """first, a frame's first byte and payload, is echoed; then the data, or the bytes that the runner is ordered to
    send, end the stream with this code, and the connection ends too."""
    c = stream()
    if first:
        c.send(frame(*first))
        if c.frame() != first:
            tap.ok(False, f'the frame before {title} is echoed')
    try:
        c.order(order) if order else c.send(data, step)
        got = c.closed()
        c.send(close_frame())
    except OSError:
        pass
    tap.ok(got == code and c.ended(), f'{title} ends the stream with {code}', f'got {got}, wanted {code}')


# ---- lengths, both ways ----
for n in 0, 1, 125, 126, 127, 128, 65535, 65536, 65537, 1 << 20, MAX - 1, MAX:
    for first in (TEXT, BINARY) if n < 100000 else (BINARY,):
        data = bytes(n) if n > 100000 else b'*' * n
        echoes(f'{"a text" if first == TEXT else "a binary message"} of {n} bytes (C-112)',
               frame(first, data), [(first, data)], through='nginx')
for step in 1, 3, 997:
    data = bytes(range(256)) * 8
    echoes(f'2,048 bytes, {step} at a time', frame(BINARY, data), [(BINARY, data)], step)
    echoes(f'three messages, {step} bytes at a time',
           frame(TEXT, b'a') + frame(PING, b'b') + frame(BINARY, data),
           [(TEXT, b'a'), (PONG, b'b'), (BINARY, data)], step)

c = stream('nginx')
c.send(frame(BINARY, bytes(MAX + 1)))
tap.is_(c.closed(), 1009, 'a message above 8 MiB of the client closes the stream with 1009 (C-112)')
c = stream('nginx')
c.order(f'bytes {MAX}')
tap.is_(len(c.frame()[1]), MAX, 'a message of 8 MiB of the runner reaches the client (C-112)')
c.order(f'bytes {MAX + 1}')
tap.is_(c.closed(), 1009, 'a message above 8 MiB of the runner closes the stream with 1009 (C-112)')
c.sock.close()
ends('the head of a message above 8 MiB', frame(BINARY, length=MAX + 1), 1009)
ends('the head of a fragment above 8 MiB', frame(CONT, length=MAX + 1), 1009, (FIRST, b'x'))
parts = [frame(0x02, bytes(MAX)), frame(CONT, b'x')]
c = stream('nginx')
c.send(parts[0])
got = [len(c.frame()[1])]
c.send(parts[1])
tap.is_(got + [c.closed()], [MAX, 1009], 'fragments above 8 MiB together close the stream with 1009')
c.sock.close()
for title, head in ('126 in eight bytes', b'\x82\xff' + struct.pack('>Q', 126)), ('125 in two', b'\x82\xfe\x00\x7d'), \
        ('65535 in eight', b'\x82\xff' + struct.pack('>Q', 65535)), ('0 in two', b'\x82\xfe\x00\x00'), ('the 64th bit', b'\x82\xff\x80' + bytes(7)):
    ends(f'a length not in its shortest form ({title})', head, 1002)

# ---- bits, opcodes, masks ----
for rsv in range(1, 8):
    ends(f'a frame with the reserved bits {rsv}',
         frame(TEXT | rsv << 4, b'x') + frame(PING), 1002, (TEXT, b'good'))
ends('a ping with a reserved bit', frame(PING | 0x40), 1002)
ends('a close frame with a reserved bit', frame(CLOSE | 0x40, b'\x03\xe8'), 1002)
for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
    ends(f'a frame with the reserved opcode {opcode}', frame(0x80 | opcode, b'x'), 1002)
    ends(f'a frame with the reserved opcode {opcode}, a byte at a time,',
         frame(0x80 | opcode, b'x'), 1002, (TEXT, b'y'), 1)
for title, first in ('a text', TEXT), ('a ping', PING), ('a close frame', CLOSE):
    ends(f'{title} without a mask', frame(first, b'\x03\xe8', None), 1002)
echoes('a text whose mask is zero', frame(TEXT, b'abc', bytes(4)), [(TEXT, b'abc')])

# ---- pings and pongs ----
for n in 0, 1, 125:
    echoes(f'a ping of {n} bytes', frame(PING, b'p' * n), [(PONG, b'p' * n)])
ends('a ping of 126 bytes', frame(PING, b'p' * 126), 1002)
echoes('ten pings, a byte at a time',
       b''.join(frame(PING, bytes((i,))) for i in range(10)), [(PONG, bytes((i,))) for i in range(10)], 1)
echoes('an unsolicited pong and a text', frame(PONG, b'x') + frame(TEXT, b'y'), [(TEXT, b'y')])
c = stream()
c.send(frame(PONG, b'one') + frame(PONG, b'surfaced') + frame(PONG, b'surfaced2') + frame(0x81, b'!pongs'))
tap.is_(c.frame(), (TEXT, b'one,surfaced2'),
        "a pong of the client passes unless it answers a ping of the proxy")
c.order('ping hey')
tap.is_(c.frame(), (PING, b'hey'), "a ping of the runner reaches the client")
c.send(frame(PONG, b'hey') + frame(0x81, b'!pongs'))
tap.is_(c.frame(), (TEXT, b'one,surfaced2,hey'), 'a pong that answers the runner reaches the runner')
c.bye()

# ---- fragments ----
echoes('a message of two fragments', frame(FIRST, b'a') + frame(CONT, b'b'), [(FIRST, b'a'), (CONT, b'b')])
echoes('a message of empty fragments',
       frame(FIRST) + frame(MORE) + frame(CONT), [(FIRST, b''), (MORE, b''), (CONT, b'')])
echoes('pings between the fragments of a message',
       frame(FIRST, b'a') + frame(PING, b'p') + frame(MORE, b'b') + frame(PING, b'q') + frame(CONT, b'c'),
       [(FIRST, b'a'), (PONG, b'p'), (MORE, b'b'), (PONG, b'q'), (CONT, b'c')])
echoes('a ping between two fragments, a byte at a time',
       frame(FIRST, b'a') + frame(PING, b'p') + frame(CONT, b'c'), [(FIRST, b'a'), (PONG, b'p'), (CONT, b'c')], 1)
many = [frame(FIRST, b'x' * 300)] + [frame(MORE, bytes((i & 255,)) * 300) for i in range(500)] + [frame(CONT)]
echoes('five hundred fragments at once',
       b''.join(many), [(FIRST, b'x' * 300)] + [(MORE, bytes((i & 255,)) * 300) for i in range(500)] + [(CONT, b'')])
mixed = b''.join(frame(BINARY, bytes((i & 255,)) * (i % 700)) + frame(PING, b'%d' % i) for i in range(300))
echoes('six hundred frames, every other one a ping', mixed,
       [f for i in range(300) for f in ((BINARY, bytes((i & 255,)) * (i % 700)), (PONG, b'%d' % i))])
for title, first in ('ping', 0x09), ('pong', 0x0a), ('close frame', 0x08):
    ends(f'a fragmented {title}', frame(first, b''), 1002)
for first in MORE, CONT:
    ends(f'a continuation without a message ({first:02x})', frame(first, b'x'), 1002)
    ends(f'a continuation after a whole message ({first:02x})', frame(first, b'x'), 1002, (TEXT, b'a'))
for first in TEXT, BINARY, FIRST, 0x02:
    ends(f'a message within a message ({first:02x})', frame(first, b'x'), 1002, (FIRST, b'a'))
echoes('a text that is not UTF-8', frame(TEXT, b'\xff\xc0'), [(TEXT, b'\xff\xc0')])

# ---- close frames ----
for code in 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999:
    ends(f'a close frame with the valid code {code}', close_frame(code, b'why'), code)
for code in 0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535:
    ends(f'a close frame with the invalid code {code}', close_frame(code), 1002)
ends('a close frame without a code', frame(CLOSE), 1005)
ends('a close frame with half a code', frame(CLOSE, b'\x03'), 1002)
ends('a close frame with a reason of 123 bytes', close_frame(1000, b'r' * 123), 1000)
ends('a close frame with a reason of 124 bytes', close_frame(1000, b'r' * 124), 1002)
ends('a close frame with a reason in UTF-8', close_frame(1000, '€'.encode()), 1000)
ends('a close frame with a reason that is not UTF-8', close_frame(1000, b'\xce\xba\xff'), 1007)
ends('a close frame, a byte at a time,', close_frame(1000, b'bye'), 1000, step=1)
ends('a close frame with other frames after it',
     close_frame(1000) + frame(TEXT, b'x') + frame(PING) + close_frame(1001), 1000)
ends('a close frame in the middle of a message', close_frame(1000), 1000, (FIRST, b'a'))

# ---- frames of the runner ----
for title, raw, code in ('a masked frame', '8181123456787a', 1002), ('a reserved bit', 'c10178', 1002), ('a reserved opcode', '8300', 1002), \
        ('a ping of 126 bytes', '897e007e', 1002), ('a fragmented ping', '0900', 1002), ('a continuation of nothing', '8000', 1002), \
        ('a message within a message', '01008100', 1002), ('a length in a long form', '827e0001', 1002), ('a frame above 8 MiB', '827f0000000000800001', 1009), \
        ('the close code 1005', '880203ed', 1002), ('half a close code', '880103', 1002), ('a reason that is no UTF-8', '880303e8ff', 1007), \
        ('the close code 1000', '880203e8', 1000), ('the close code 1013', '880203f5', 1013):
    ends(f'{title} of the runner', b'', code, order=f'raw {raw}')
c = stream()
c.order('raw 8101618900' + '820178' + 'c10178')
tap.is_([c.frame(), c.frame(), c.frame(), c.closed()], [(TEXT, b'a'), (PING, b''), (BINARY, b'x'), 1002],
        'valid frames before an invalid one reach the client')
c.sock.close()
c = stream()
c.order('drop')
tap.is_(c.closed(), 1013, 'a runner that disconnects closes the stream with 1013')
c.sock.close()
c = stream()
c.order('raw 8205' + '6162')
time.sleep(0.1)
c.order('drop')
tap.is_(c.closed(), 1006, 'a runner that disconnects within a frame leaves no close frame')

# ---- a side disconnects while many frames are under way to it ----
burst = b''.join(frame(BINARY, b'x') + frame(PING, b'%d' % i) for i in range(300))
for i in range(10):
    c = stream()
    try:
        c.order('drop')
        c.send(burst)
        c.closed()
    except OSError:
        pass
    c.sock.close()
    c = stream()
    c.order('raw ' + '8900820178' * 400)
    if i % 2:
        c.read(5)
    c.sock.close()
c = stream()
tap.is_(c.bye(), 1000, 'a stream works after twenty that were cut off')
tap.done()
PY
relay "$W/out"
