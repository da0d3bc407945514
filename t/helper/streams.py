# SPDX-License-Identifier: ISC
"""What the stream's tests do with frames: a client that sends what it is told, byte by byte if need be, and
reads frames as they come. Through nginx (TLS on a Unix socket), or to surfaced-stream itself."""
import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import time

GUID = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
W = os.environ.get('W', '')
PATIENCE = 60


class Tap:
    def __init__(self):
        self.n = 0

    def ok(self, good, title, what=''):
        self.n += 1
        print(f'{"ok" if good else "not ok"} {self.n} - {title}', flush=True)
        if not good and what != '':
            print(f'# {what}', flush=True)
        return good

    def is_(self, got, wanted, title):
        return self.ok(got == wanted, title, f'got {got!r}, wanted {wanted!r}')

    def done(self):
        print(f'1..{self.n}')


def sql(text):
    return subprocess.run(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', text], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def api(method, path, body=None, key=None):
    """Status and body of an operation, by curl through nginx."""
    command = ['curl', '-sS', '--unix-socket', f'{W}/run/web.sock', '--cacert', f'{W}/ca.crt', '-X', method, '-w',
               '\n%{http_code}', '-H', f'X-API-Key: {key or os.environ["KEY"]}']
    if body is not None:
        command += ['-H', 'Content-Type: application/json', '--data-binary', json.dumps(body)]
    out = subprocess.run(command + [f'https://localhost/api/v1{path}'], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    text, _, status = out.rpartition('\n')
    return int(status), json.loads(text)


def path_of(session):
    return f'/projects/{os.environ["P"]}/sessions/{session}'


def ticket(session, key=None):
    status, body = api('POST', path_of(session) + '/stream-ticket', key=key)
    if status != 201:
        raise RuntimeError(f'{status} {body}')
    return body['stream_ticket']['subprotocol']


def mask(data, key):
    n = len(data)
    wide = (key * (n // 4 + 1))[:n]
    return (int.from_bytes(data, 'big') ^ int.from_bytes(wide, 'big')).to_bytes(n, 'big')


def frame(first, data=b'', key=b'\x12\x34\x56\x78', length=None):
    """A client's frame; length: what its head says instead of the truth."""
    n = len(data) if length is None else length
    bit = 0 if key is None else 128
    if n < 126:
        head = bytes((first, bit | n))
    elif n < 65536:
        head = bytes((first, bit | 126)) + struct.pack('>H', n)
    else:
        head = bytes((first, bit | 127)) + struct.pack('>Q', n)
    return head + (key or b'') + (mask(data, key) if key else data)


def close_frame(code=1000, reason=b''):
    return frame(0x88, struct.pack('>H', code) + reason)


class Answer(Exception):
    """The request was answered with something else than 101."""

    def __init__(self, status, headers, body):
        super().__init__(f'{status} {body}')
        self.status, self.headers, self.body = status, headers, body
        try:
            self.code = json.loads(body)['error']['code']
        except (ValueError, KeyError):
            self.code = None


class Client:
    def __init__(self, session, subprotocol=None, through='nginx', headers=(), leave_out=(), path=None,
                 method='GET', version='HTTP/1.1'):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.buffer = b''
        if through == 'nginx':
            self.sock.connect(f'{W}/run/web.sock')
            context = ssl.create_default_context(cafile=f'{W}/ca.crt')
            self.sock = context.wrap_socket(self.sock, server_hostname='localhost')
        else:
            self.sock.connect(f'{W}/run/stream.sock')
        self.key = base64.b64encode(os.urandom(16))
        lines = [('Host', 'localhost'), ('Connection', 'Upgrade'), ('Upgrade', 'websocket'),
                 ('Sec-WebSocket-Version', '13'), ('Sec-WebSocket-Key', self.key.decode())]
        if subprotocol is not None:
            lines.append(('Sec-WebSocket-Protocol', subprotocol))
        lines = [l for l in lines if l[0] not in leave_out] + list(headers)
        target = path or f'/api/v1{path_of(session)}/stream'
        text = f'{method} {target} {version}\r\n' + ''.join(f'{a}: {b}\r\n' for a, b in lines) + '\r\n'
        self.send(text.encode('latin-1'))
        self.open()

    def open(self):
        while b'\r\n\r\n' not in self.buffer:
            self.more()
        head, _, self.buffer = self.buffer.partition(b'\r\n\r\n')
        first, *lines = head.decode('latin-1').split('\r\n')
        self.headers = [tuple(l.split(': ', 1)) for l in lines]
        self.status = int(first.split(' ')[1])
        if self.status == 101:
            accept = base64.b64encode(hashlib.sha1(self.key + GUID).digest()).decode()
            assert self.header('Sec-WebSocket-Accept') == [accept], 'Sec-WebSocket-Accept'
            return
        length = int((self.header('Content-Length') or ['0'])[0])
        while len(self.buffer) < length:
            self.more()
        self.sock.close()
        raise Answer(self.status, self.headers, self.buffer[:length].decode())

    def header(self, name):
        return [b for a, b in self.headers if a.lower() == name.lower()]

    def more(self):
        data = self.sock.recv(1 << 20)
        if not data:
            raise EOFError
        self.buffer += data

    def send(self, data, step=None):
        if step is None:
            self.sock.sendall(data)
            return
        for i in range(0, len(data), step):
            self.sock.sendall(data[i:i + step])

    def read(self, n):
        parts = [self.buffer]
        have = len(self.buffer)
        while have < n:
            data = self.sock.recv(1 << 20)
            if not data:
                raise EOFError
            parts.append(data)
            have += len(data)
        data = b''.join(parts)
        self.buffer = data[n:]
        return data[:n]

    def frame(self):
        """(first byte, payload) of the next frame; the proxy's own pings are answered and left out."""
        while True:
            first, second = self.read(2)
            n = second & 127
            if n == 126:
                n, = struct.unpack('>H', self.read(2))
            elif n == 127:
                n, = struct.unpack('>Q', self.read(8))
            assert not second & 128, 'a masked frame of a server'
            data = self.read(n)
            if (first, data) != (0x89, b'surfaced'):
                return first, data
            self.send(frame(0x8a, data))

    def closed(self):
        """The code of the close frame that comes next, whatever comes before it; 1006: there is none."""
        end = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < end:
                first, data = self.frame()
                if first == 0x88:
                    return struct.unpack('>H', data[:2])[0] if data else 1005
        except (EOFError, ConnectionError, ssl.SSLError):
            return 1006
        return None

    def ended(self):
        """Whether the connection ends, not counting what still comes."""
        end = time.monotonic() + PATIENCE
        try:
            while self.sock.recv(65536):
                if time.monotonic() > end:
                    return False
            return True
        except socket.timeout:
            return False
        except OSError:
            return True

    def order(self, text):
        self.send(frame(0x81, b'!' + text.encode()))

    def bye(self):
        """A clean end: code 1000 both ways."""
        self.send(close_frame())
        code = self.closed()
        self.sock.close()
        return code


def refused(*args, **kwargs):
    """(status, code) of an upgrade that must be refused."""
    try:
        Client(*args, **kwargs).sock.close()
    except Answer as e:
        return e.status, e.code
    return 101, None


def refused_by_close(session, subprotocol, **kwargs):
    """(close code, reason) of an upgrade that is accepted and refused by its first frame, or (status, code)."""
    try:
        c = Client(session, subprotocol, path=f'/api/v1{path_of(session)}/stream?refusal=close', **kwargs)
    except Answer as e:
        return e.status, e.code
    assert c.header('Sec-WebSocket-Protocol') == [subprotocol], 'the subprotocol is echoed'
    first, data = c.frame()
    assert first == 0x88, 'a close frame comes first'
    ended = c.ended()
    c.sock.close()
    return struct.unpack('>H', data[:2])[0], data[2:].decode() if ended else 'the connection stays'


def until(what, seconds=PATIENCE):
    """Whether it came true in time."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def free(session):
    """The slot of the stream before is on its way back until then."""
    return until(lambda: sql(f"SELECT count(*) FROM stream_slot WHERE session_uuid = '{session}'") == '0')


def again(session, seconds=PATIENCE):
    """A stream as soon as the slot of the one before is free."""
    end = time.monotonic() + seconds
    while True:
        try:
            return Client(session, ticket(session))
        except (Answer, OSError, EOFError) as e:
            if time.monotonic() > end or getattr(e, 'code', 'stream_already_active') not in (
                    'stream_already_active', 'service_unavailable'):
                raise
            time.sleep(0.05)


if __name__ == '__main__':
    sys.exit('a module')
