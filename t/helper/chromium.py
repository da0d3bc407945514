# SPDX-License-Identifier: ISC
"""The real chromium-headless-shell in a browser's empty namespace, over its debugging pipe: for tests of what a
browser reaches, without the runner. Its sandbox is on."""
import fcntl, itertools, json, os, queue, subprocess, threading

SHELL = "/usr/lib/chromium/chromium-headless-shell"


class Chromium:
    """Lives in namespace (helper/egress.py), its proxy being what listens there on port 1080."""

    def __init__(self, namespace, *flags, log):
        command = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-ipc",
                   "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr", "--symlink",
                   "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin",
                   "--ro-bind-try", "/etc/fonts", "/etc/fonts", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
                   "--dir", "/tmp/home", "--clearenv", "--setenv", "HOME", "/tmp/home", "--setenv", "PATH", "/usr/bin",
                   "--", SHELL, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=/tmp/home/profile",
                   "--proxy-server=socks5://127.0.0.1:1080", "--proxy-bypass-list=<-loopback>", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--disable-extensions", "--disable-default-apps", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-breakpad", "--disable-quic", "--mute-audio",
                   "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", *flags]
        self.log = log
        # That it starts is not what is tested, and under load it sometimes ends at once: what it said is in the log.
        for tries in (3, 2, 1):
            self.start(namespace, command)
            try:
                self.call("Browser.getVersion")
                break
            except (RuntimeError, OSError):
                if tries == 1:
                    raise
                self.end()

    def start(self, namespace, command):
        # From within both pipes: what it reads as 3 and writes as 4.
        in_r, self.into = os.pipe()
        self.out, out_w = os.pipe()

        def pipes():
            # Both may stand where the other is to go, and so may what is duplicated to the lowest number free.
            a, b = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (in_r, out_w))
            os.dup2(a, 3)
            os.dup2(b, 4)
            os.closerange(5, 256)

        with open(self.log, "ab") as err:
            self.process = namespace.run(lambda: subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=err, stderr=err, preexec_fn=pipes, close_fds=False))
        os.close(in_r)
        os.close(out_w)
        self.ids, self.waiting, self.events = itertools.count(1), {}, queue.Queue()
        threading.Thread(target=self.hear, daemon=True).start()

    def hear(self):
        data = b""
        while got := os.read(self.out, 1 << 20):
            *messages, data = (data + got).split(b"\0")
            for text in messages:
                message = json.loads(text)
                if "id" in message:
                    self.waiting.pop(message["id"]).put(message)
                else:
                    self.events.put(message)
        for box in list(self.waiting.values()):
            box.put({"error": "the browser has ended"})

    def call(self, method, session=None, seconds=60, **params):
        """The result of a command."""
        number, box = next(self.ids), queue.Queue()
        self.waiting[number] = box
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self.into, json.dumps(message).encode() + b"\0")
        answer = box.get(timeout=seconds)
        if "error" in answer:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                raise RuntimeError("%s: %s\n%s" % (method, answer["error"], log.read()[-2000:]))
        return answer["result"]

    def page(self, url="about:blank"):
        """A tab: its session."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable", session)
        if url != "about:blank":
            self.go(session, url)
        return session

    def go(self, session, url):
        """Navigates; what went wrong, or "" when the page has come."""
        fault = self.call("Page.navigate", session, url=url).get("errorText", "")
        if not fault:
            self.run(session, """new Promise((done) => document.readyState === "complete" ? done(1)
                : addEventListener("load", () => done(1)))""")
        return fault

    def run(self, session, script):
        """The value of an expression, awaited."""
        answer = self.call("Runtime.evaluate", session, expression=script, awaitPromise=True, returnByValue=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def end(self):
        self.process.kill()
        self.process.wait()
