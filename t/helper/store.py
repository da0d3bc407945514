#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A service manager with a descriptor store, as systemd's: store.py SOCKET PROGRAM ARGUMENT...

Starts the program with NOTIFY_SOCKET and keeps what it stores. SIGUSR1 restarts it: SIGTERM, its end, and a
new start with LISTEN_FDS. SIGUSR2 kills it first. SIGTERM ends both. Writes a line for each event."""
import fcntl, os, select, signal, socket, sys

path, argv = sys.argv[1], sys.argv[2:]
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(path)
store, child = [], 0  # pairs of a name, which need not be the only one, and a descriptor
wake_r, wake_w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
signal.set_wakeup_fd(wake_w)
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGCHLD):
    signal.signal(number, lambda *_: None)


def start():
    names, fds = [name for name, _ in store], [fd for _, fd in store]
    pid = os.fork()
    if pid:
        return pid
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in fds]  # above the numbers they are to get
    for i, fd in enumerate(moved):
        os.dup2(fd, 3 + i)
    os.closerange(3 + len(moved), 256)
    os.environ["NOTIFY_SOCKET"] = path
    if names:
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(names)), LISTEN_FDNAMES=":".join(names))
    os.execv(argv[0], argv)


def is_same(a, b):
    return os.fstat(a).st_ino == os.fstat(b).st_ino


def hear():
    global store
    text, fds, _, _ = socket.recv_fds(notify, 4096, 16)
    fields = dict(line.split("=", 1) for line in text.decode().splitlines() if "=" in line)
    name = fields.get("FDNAME")
    if "FDSTORE" in fields and fds:
        if any(is_same(fds[0], fd) for _, fd in store):
            os.close(fds[0])
        else:
            store.append((name, fds[0]))
    if "FDSTOREREMOVE" in fields:
        for fd in (fd for stored, fd in store if stored == name):
            os.close(fd)
        store = [(stored, fd) for stored, fd in store if stored != name]
    if "READY" in fields:
        print("ready stored=%d" % len(store), flush=True)


def restart(number):
    global child
    os.kill(child, number)
    os.waitpid(child, 0)
    while select.select([notify], [], [], 0)[0]:
        hear()
    print("ended", flush=True)
    child = start()


child = start()
while True:
    ready, _, _ = select.select([notify, wake_r], [], [])
    if notify in ready:
        hear()
    if wake_r in ready:
        for number in os.read(wake_r, 64):
            if number == signal.SIGUSR1:
                restart(signal.SIGTERM)
            elif number == signal.SIGUSR2:
                restart(signal.SIGKILL)
            elif number == signal.SIGTERM:
                os.kill(child, signal.SIGTERM)
                os.waitpid(child, 0)
                sys.exit(0)
