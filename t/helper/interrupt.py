#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""One FastCGI request that arrives in pieces: interrupt.py SOCKET WORKER PLACE SIGNAL PID BODY NAME=value...
WORKER is the pid of the worker that serves SOCKET. While it waits for the rest of the parameters (PLACE params) or of
the body (PLACE body), the process PID gets SIGNAL, and the rest is sent when WORKER has got the signal SIGUSR1.
Prints what fcgi.py prints."""
import fcntl
import os
import signal
import struct
import sys
import termios
import time

import fcgi


def status(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        return next(line.split()[1] for line in lines if line.startswith(name + ":"))


def until(what, condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    sys.exit(f"waited in vain: {what}")


def unread(peer):
    return struct.unpack("i", fcntl.ioctl(peer, termios.TIOCOUTQ, b"\0" * 4))[0]


def send_piece(peer, worker, piece):
    """The worker has read the whole piece when this returns, and waits."""
    peer.sendall(piece)
    until("the piece is read", lambda: unread(peer) == 0)
    until("the worker waits", lambda: status(worker, "State") == "S")


def has_got_signal(worker):
    """A worker that handles SIGUSR1 sends itself SIGTERM, which stays pending during a request."""
    pending = int(status(worker, "SigPnd"), 16) | int(status(worker, "ShdPnd"), 16)
    return pending & (1 << signal.SIGUSR1 - 1 | 1 << signal.SIGTERM - 1)


def main():
    path, worker, place, name, pid, body, *params = sys.argv[1:]
    head, body = fcgi.begin(params), body.encode()
    peer, third = fcgi.connect(path), len(body) // 3
    if place == "params":
        pieces = [head[:40], head[40:] + fcgi.record(fcgi.STDIN, body)]
    else:
        # The worker reads the first piece together with the head, and reads from the database before it needs the
        # second one. When it has read the second one as well, it waits for the third one and for nothing else.
        pieces = [head + fcgi.record(fcgi.STDIN, body[:third]), fcgi.record(fcgi.STDIN, body[third:-third]),
                  fcgi.record(fcgi.STDIN, body[-third:])]
    for piece in pieces[:-1]:
        send_piece(peer, worker, piece)
    os.kill(int(pid), getattr(signal, name))
    until("the worker has got the signal", lambda: has_got_signal(worker))
    peer.sendall(pieces[-1] + fcgi.record(fcgi.STDIN))
    fcgi.print_answer(peer)


main()
