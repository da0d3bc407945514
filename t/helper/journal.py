# SPDX-License-Identifier: ISC
"""Starts a program whose standard error is connected to a journal: journal.py ENTRIES PROGRAM ARGUMENT...

Runs in a mount namespace of its own (unshare --user --map-root-user --mount). Each entry that the program sends to
/run/systemd/journal/socket becomes a line of ENTRIES: a JSON object of its fields. The program has this process's id."""
import json
import os
import socket
import struct
import subprocess
import sys

SOCKET = "/run/systemd/journal/socket"


def fields(datagram):
    """NAME=value and a line end; or NAME, a line end, eight bytes of length, the value and a line end."""
    found = {}
    while datagram:
        head, _, rest = datagram.partition(b"\n")
        name, sign, value = head.partition(b"=")
        if not sign:
            (size,) = struct.unpack_from("<Q", rest)
            value, rest = rest[8:8 + size], rest[8 + size + 1:]
        found[name.decode()] = value.decode("utf-8", "replace")
        datagram = rest
    return found


def collect(entries, journal, parent):
    """In a process that is nobody's child, so that the program does not wait for it."""
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            journal.settimeout(0.2)
            with open(entries, "a", encoding="utf-8", buffering=1) as f:
                while os.path.exists(f"/proc/{parent}"):
                    try:
                        f.write(json.dumps(fields(journal.recv(65536))) + "\n")
                    except TimeoutError:
                        pass
        os._exit(0)
    os.wait()


def main():
    entries, command = sys.argv[1], sys.argv[2:]
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    os.makedirs(os.path.dirname(SOCKET))
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    journal.bind(SOCKET)
    collect(entries, journal, os.getpid())
    journal.close()
    at = os.fstat(2)
    os.environ["JOURNAL_STREAM"] = f"{at.st_dev}:{at.st_ino}"
    os.execv(command[0], command)


main()
