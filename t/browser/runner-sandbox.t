#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The confinement of a browser's processes as the kernel reports it."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
os.environ["OUR_SECRET"] = "geheim"
from runner import *  # noqa

enter({"names": {"a.sites.net": {"A": ["93.184.216.34"]}},
       "pages": {"a.sites.net/": {"headers": {"Content-Type": "text/html"}, "body": "<title>here</title>x"}}})
d = Dispatch()
d.start_egress()
s = d.create("http://a.sites.net/")
s.shot("ready")


def read(pid, name):
    with open("/proc/%d/%s" % (pid, name), "rb") as f:
        return f.read().decode(errors="replace")


def status(pid):
    return dict(line.split(":\t", 1) for line in read(pid, "status").splitlines() if ":\t" in line)


def kind(pid):
    words = read(pid, "cmdline").replace("\0", " ").split()
    if "bwrap" in words[0]:
        return "bwrap"
    return next((w[7:] for w in words if w.startswith("--type=")), "browser")


pids = {}
for pid in browsers():
    with contextlib.suppress(OSError):
        pids.setdefault(kind(pid), []).append(pid)
ok({"bwrap", "browser", "renderer", "zygote"} <= set(pids),
   "bubblewrap, browser, zygotes and renderers are running", pids)
everybody = [pid for group in pids.values() for pid in group]
is_([pid for pid in everybody if "--no-sandbox" in read(pid, "cmdline") or "single-process" in read(pid, "cmdline")], [],
    "no process of the browser runs without the sandbox")
is_({status(pid)["NoNewPrivs"] for pid in everybody}, {"1"},
    "no process of the browser can get new privileges")
is_({status(pid)["CapEff"] for pid in pids["browser"] + pids["renderer"]}, {"0" * 16},
    "no process of the browser has a capability")
is_({status(pid)["Seccomp"] for pid in pids["renderer"]}, {"2"},
    "the renderers are in Chromium's own sandbox")
is_([pid for pid in everybody if "0" in status(pid)["Uid"].split()], [],
    "no process of the browser runs as root")
ours = {name: os.readlink("/proc/self/ns/" + name) for name in ("net", "user", "mnt", "pid", "ipc", "uts")}
for name in ours:
    # A renderer's are hidden behind its sandbox: what its browser has is the outer bound.
    is_([pid for pid in pids["browser"] if os.readlink("/proc/%d/ns/%s" % (pid, name)) == ours[name]], [],
        "the browser has its own namespace %s" % name)
browser = pids["browser"][0]
devices = [line.split(":")[0].strip() for line in read(browser, "net/dev").splitlines()[2:]]
is_(devices, ["lo"], "the browser has no network device except lo")
is_(len(read(browser, "net/route").splitlines()), 1, "the browser has no route to a network")
listening = [line.split()[1] for line in read(browser, "net/tcp").splitlines()[1:] if line.split()[3] == "0A"]
is_(listening, ["0100007F:0438"], "the SOCKS5 socket is the only one that listens")
root = "/proc/%d/root" % browser
is_(sorted(set(os.listdir(root)) - {"usr", "lib", "lib32", "lib64", "libx32", "bin", "sbin"}),
    ["dev", "etc", "home", "proc", "tmp", "var"], "the browser sees no other directories of the machine")
is_(sorted(set(os.listdir(root + "/etc")) - {"fonts", "ld.so.cache"}), [],
    "the browser sees nothing of /etc except fonts")
is_(os.listdir(root + "/home"), ["browser"], "the browser sees no home except its own")
is_([e for e in os.listdir(root + "/tmp") if "sites" in e or e.startswith("w.")], [],
    "the browser sees nothing of the test's /tmp")
mounts = [line.split()[:4] for line in read(browser, "mounts").splitlines()]
is_([m[1] for m in mounts if m[1].startswith(("/usr", "/lib", "/bin", "/sbin", "/etc", "/var")) and
     "ro" not in m[3].split(",")], [], "the browser can write to no system directory")
is_([pid for pid in everybody if "geheim" in read(pid, "environ")], [],
    "the browser does not get the runner's environment")
words = {line.split("=")[0] for line in read(browser, "environ").split("\0") if line}
ok(words <= {"HOME", "PATH", "LANG", "TZ", "PWD", "CHROME_HEADLESS", "XDG_CONFIG_HOME", "SBX_CHROME_API_PRV",
             "SBX_USER_NS", "SBX_PID_NS", "SBX_NET_NS", "GSETTINGS_BACKEND"},
             "the environment of the browser has no other variables", words)
links = [os.readlink("/proc/%d/fd/%s" % (browser, fd)) for fd in os.listdir("/proc/%d/fd" % browser)]
is_([link for link in links if os.environ["BROWSER_WORLD"] in link], [],
    "the browser has no descriptor of the test open")
is_({name: n for name, n in (("CapEff", status(s.process.pid)["CapEff"]),)}, {"CapEff": "0" * 16},
    "the runner has no capability either")
s.close()
d.finish()
