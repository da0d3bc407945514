# SPDX-License-Identifier: ISC
"""GET over HTTP/2 with a target that curl refuses to send (64 kB): get-h2.py SOCKET CACERT TARGET_FILE [HEADER]

Prints the status, then the body; none where the server hung up before."""
import contextlib
import socket
import ssl
import sys

import h2.config
import h2.connection
import h2.events


def connect(path, ca):
    context = ssl.create_default_context(cafile=ca)
    context.set_alpn_protocols(["h2"])
    raw = socket.socket(socket.AF_UNIX)
    raw.settimeout(120)
    raw.connect(path)
    s = context.wrap_socket(raw, server_hostname="localhost")
    assert s.selected_alpn_protocol() == "h2"
    return s


def main():
    path, ca, target_file, *headers = sys.argv[1:]
    with open(target_file, encoding="ascii") as f:
        target = f.read()
    s = connect(path, ca)
    c = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    c.initiate_connection()
    fields = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", target)]
    c.send_headers(1, fields + [tuple(h.split(": ", 1)) for h in headers], end_stream=True)
    status, body, over = "none", b"", False
    with contextlib.suppress(OSError):
        s.sendall(c.data_to_send())
        while not over and (data := s.recv(65536)):
            for event in c.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    status = dict(event.headers)[":status"]
                elif isinstance(event, h2.events.DataReceived):
                    body += event.data
                    c.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset, h2.events.ConnectionTerminated)):
                    over = True
            s.sendall(c.data_to_send())
    print(status)
    sys.stdout.flush()
    sys.stdout.buffer.write(body)


main()
