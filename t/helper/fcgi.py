#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""One FastCGI request without a web server: fcgi.py SOCKET NAME=value...
Prints the answer's records as "TYPE LENGTH" lines, whether the peer accepts bytes after its last record ("open" or
"closed"), an empty line, and the answer."""
import socket
import struct
import sys

BEGIN_REQUEST, END_REQUEST, PARAMS, STDIN = 1, 3, 4, 5
REQUEST = 258  # both bytes of the number differ from 0


def record(kind, content=b""):
    return struct.pack(">BBHHBB", 1, kind, REQUEST, len(content), 0, 0) + content


def param(text):
    name, _, value = text.encode().partition(b"=")
    return struct.pack(">BI", len(name), len(value) | 1 << 31) + name + value


def read_exactly(stream, n):
    got = stream.read(n)
    if len(got) != n:
        sys.exit(f"the answer ends after {len(got)} of {n} bytes")
    return got


def connect(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(60)
    peer.connect(path)
    return peer


def begin(params):
    """The records of a request up to its body."""
    return (record(BEGIN_REQUEST, struct.pack(">HB5x", 1, 0)) + record(PARAMS, b"".join(map(param, params))) +
            record(PARAMS))


def print_answer(peer):
    stream, answer, kind = peer.makefile("rb"), b"", 0
    while kind != END_REQUEST:
        version, kind, request, length, padding, _ = struct.unpack(">BBHHBB", read_exactly(stream, 8))
        if (version, request) != (1, REQUEST):
            sys.exit(f"a record of version {version} for request {request}")
        content = read_exactly(stream, length + padding)[:length]
        print(kind, length)
        answer += content if kind != END_REQUEST else b""
    if stream.read(1):
        sys.exit("bytes follow the last record")
    try:
        peer.send(b"\0")
        print("open\n")
    except OSError:
        print("closed\n")
    sys.stdout.flush()
    sys.stdout.buffer.write(answer)


def main():
    peer = connect(sys.argv[1])
    peer.sendall(begin(sys.argv[2:]) + record(STDIN))
    print_answer(peer)


if __name__ == "__main__":
    main()
