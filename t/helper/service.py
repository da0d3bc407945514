# SPDX-License-Identifier: ISC
"""Starts a program as a service manager does: service.py NOTES [SOCKET...] -- PROGRAM ARGUMENT...

The SOCKETs listen already (LISTEN_FDS); each datagram to NOTIFY_SOCKET becomes a line of NOTES. The
program has this process's id."""
import os
import socket
import sys


def collect(notes, sock, parent):
    """In a process that is nobody's child, so that the program does not wait for it."""
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            sock.settimeout(0.2)
            with open(notes, "a", encoding="utf-8", buffering=1) as f:
                while os.path.exists(f"/proc/{parent}"):
                    try:
                        f.write(sock.recv(4096).decode().replace("\n", " ") + "\n")
                    except TimeoutError:
                        pass
        os._exit(0)
    os.wait()


def main():
    at = sys.argv.index("--")
    notes, paths, command = sys.argv[1], sys.argv[2:at], sys.argv[at + 1:]
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(notes + ".sock")
    collect(notes, notify, os.getpid())
    # Descriptors from 3 on are free: Python keeps none of its own that a program would inherit.
    for number, path in enumerate(paths):
        s = socket.socket(socket.AF_UNIX)
        s.bind(path)
        os.chmod(path, 0o660)
        s.listen(511)
        os.dup2(s.detach(), 100 + number)
    for number in range(len(paths)):
        os.dup2(100 + number, 3 + number)
        os.close(100 + number)
    os.environ.update(NOTIFY_SOCKET=notes + ".sock", WATCHDOG_USEC="600000", WATCHDOG_PID=str(os.getpid()))
    if paths:
        os.environ.update(LISTEN_FDS=str(len(paths)), LISTEN_PID=str(os.getpid()))
    os.execv(command[0], command)


main()
