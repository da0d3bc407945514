#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Only root, egress's own user and dispatch_user may command egress, even if others can open its socket."""
import os, pwd, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
from egress import *  # noqa

if os.geteuid() != 0:
    skip_all("only root can be several users")
ASK = """
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(sys.argv[1])
s.send(b'probe {"id":"1","kind":"direct","target_host":"localhost","target_port":80}')
print(s.recv(1000).decode())
"""
w = tempfile.mkdtemp(prefix="t.", dir="/tmp")
os.chmod(w, 0o755)
program = w + "/surfaced-egress"  # where others can enter
shutil.copy(BUILD + "/surfaced-egress", program)


def as_user(name):
    user = pwd.getpwnam(name)
    return ["setpriv", "--reuid=%d" % user.pw_uid, "--regid=%d" % user.pw_gid, "--clear-groups"]


def ask(name):
    """The answer of egress to that user; "" when it closes the connection."""
    return subprocess.run([*as_user(name), sys.executable, "-c", ASK, w + "/egress.sock"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()


def mode():
    try:
        return os.stat(w + "/egress.sock").st_mode & 0o777
    except FileNotFoundError:
        return None


ANSWER = 'probed {"id":"1","answered":false,"ms":0,"why":"name"}'
for dispatcher, wanted in (("", ["", ANSWER, ANSWER]), ("nobody", [ANSWER, ANSWER, ANSWER]), ("root", ["", ANSWER, ANSWER])):
    os.chown(w, pwd.getpwnam("daemon").pw_uid, -1)
    with open(w + "/conf", "w", encoding="utf-8") as f:
        f.write("run_directory = %s\negress_dns = 127.0.0.1\ndispatch_user = %s\n" % (w, dispatcher))
    with open(w + "/log", "a", encoding="utf-8") as log:
        daemon = subprocess.Popen([*as_user("daemon"), program, "-c", w + "/conf"], stderr=log)
    ok(until(lambda: mode() == 0o660), "the socket has the mode 0660")
    os.chmod(w + "/egress.sock", 0o666)
    is_([ask(name) for name in ("nobody", "daemon", "root")], wanted, "egress answers only its allowed users with dispatch_user = %r" % dispatcher)
    daemon.terminate()
    daemon.wait()
    os.unlink(w + "/egress.sock")
with open(w + "/conf", "w", encoding="utf-8") as f:
    f.write("dispatch_user = no-such-user\n")
bad = subprocess.run([program, "-t", "-c", w + "/conf"], capture_output=True, text=True, check=False)
ok(bad.returncode != 0 and "dispatch_user no-such-user" in bad.stderr,
   "the test of the configuration names an unknown dispatch_user", bad.stderr)
with open(w + "/log", encoding="utf-8") as f:
    is_(f.read().count("peer refused uid=%d" % pwd.getpwnam("nobody").pw_uid), 2,
        "the log has each refused peer with its user")
shutil.rmtree(w)
done()
