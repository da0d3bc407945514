/* SPDX-License-Identifier: ISC */
/* Starts a browser: the argument lists of bubblewrap and Chromium, and the child between fork and
   exec.

   One difficulty is that child. It must enter its namespaces before it can create the SOCKS5
   listener, send the listener back, and only then execute bubblewrap; and it may not allocate
   memory, so the parent has built the whole argument list before fork. Another one is the locale:
   see add_locale. */
#include "config.h"

#include "browser/runner/spawn.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ARGS_MAX = 160,
	ARG_BYTES = 16384,
	CDP_IN = 3, /* where Chromium with --remote-debugging-pipe reads its commands */
	CDP_OUT = 4,
	START_MS = 10000, /* from fork to the namespace */
};

#define HOME "/home/browser"
#define MEMORY_FILES "536870912" /* bytes of each tmpfs */

/* An argument list in one piece of memory, because the child must not allocate. */
struct args {
	const char *argv[ARGS_MAX + 1];
	size_t n;
	char text[ARG_BYTES];
	size_t used;
};

static void PRINTF(2, 3) add_argument(struct args *a, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(a->text + a->used, sizeof(a->text) - a->used, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(a->text) - a->used || a->n == ARGS_MAX)
		panic("the browser's arguments exceed %d or %d bytes", ARGS_MAX, ARG_BYTES);
	a->argv[a->n++] = a->text + a->used;
	a->used += (size_t)n + 1;
}

/* /bin, /lib and the like, which are symbolic links on a system with a merged /usr. */
static void
add_system_directories(struct args *a)
{
	static const char *const tops[] = { "/bin", "/lib", "/lib32", "/lib64", "/sbin" };
	char target[256];

	for (size_t i = 0; i < COUNT(tops); i++) {
		ssize_t n = readlink(tops[i], target, sizeof(target) - 1);

		if (n > 0) {
			target[n] = '\0';
			add_argument(a, "--symlink");
			add_argument(a, "%s", target);
		} else {
			add_argument(a, "--ro-bind-try");
			add_argument(a, "%s", tops[i]);
		}
		add_argument(a, "%s", tops[i]);
	}
}

/* Where Chromium looks for <locale>.pak: beside the program, or in the package's directory if the
   program is a script that starts the real one. False: this Chromium has no such files, and
   believes LANG without them. */
static bool
find_locales(char *out, size_t room)
{
	char pak[512];

	snprintf(out, room, "%.*slocales", (int)(strrchr(conf.browser, '/') + 1 - conf.browser),
	    conf.browser);
	snprintf(pak, sizeof(pak), "%s/en-US.pak", out);
	if (access(pak, R_OK) == 0)
		return true;
	snprintf(out, room, "/usr/lib/chromium/locales");
	return access("/usr/lib/chromium/locales/en-US.pak", R_OK) == 0;
}

/* Gives the browser its locale.

   A process of Chromium has one locale, which it resolves once, when it starts:

     LANG=ja_JP.UTF-8  -->  is there locales/ja-JP.pak?  -- yes -->  the zygote has ja-JP
                                                         -- no  -->  the zygote has en-US
     zygote  -- fork -->  every renderer, and in it each page, frame and worker

   So a process has the right locale before it runs a line of any site, and keeps it as long as it
   lives. Emulation.setLocaleOverride promises less. It changes a running process, on behalf of one
   page, and the locale is lost when that page closes or leaves the process: a service worker that
   shares the process sees the real locale until it is set again, and the site of the worker can
   read it.

   The .pak files hold the texts of the user interface. Debian installs those in English, and a
   headless browser displays none of them. The English file is therefore also shown under the name
   of the session's locale, in a tmpfs that hides the directory and becomes read-only. */
static void
add_locale(struct args *a, struct str locale)
{
	char locales[256], posix[16] = "";

	for (size_t i = 0; i < locale.n && i < sizeof(posix) - 1; i++)
		posix[i] = locale.p[i] == '-' ? '_' : locale.p[i];
	if (find_locales(locales, sizeof(locales))) {
		add_argument(a, "--tmpfs");
		add_argument(a, "%s", locales);
		add_argument(a, "--ro-bind");
		add_argument(a, "%s/en-US.pak", locales);
		add_argument(a, "%s/en-US.pak", locales);
		if (!str_is(locale, "en-US")) {
			add_argument(a, "--symlink");
			add_argument(a, "en-US.pak");
			add_argument(a, "%s/%.*s.pak", locales, (int)locale.n, locale.p);
		}
		add_argument(a, "--remount-ro");
		add_argument(a, "%s", locales);
	}
	add_argument(a, "--setenv");
	add_argument(a, "LANG");
	add_argument(a, "%s.UTF-8", posix);
}

/* bubblewrap's arguments. The browser sees programs, libraries and fonts of the host, read-only;
   everything that it writes is in a tmpfs that ends with it. */
static void
add_bubblewrap(struct args *a, const struct browser_settings *settings)
{
	static const char *const fixed[] = { "--unshare-user", "--unshare-ipc", "--unshare-pid",
		"--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--new-session",
		"--cap-drop", "ALL", "--hostname", "localhost", "--proc", "/proc", "--dev", "/dev",
		"--size", MEMORY_FILES, "--tmpfs", "/tmp", "--size", MEMORY_FILES, "--tmpfs",
		"/home", "--dir", HOME, "--chdir", HOME, "--ro-bind", "/usr", "/usr",
		"--ro-bind-try", "/etc/fonts", "/etc/fonts", "--ro-bind-try", "/etc/ld.so.cache",
		"/etc/ld.so.cache", "--ro-bind-try", "/var/cache/fontconfig",
		"/var/cache/fontconfig", "--clearenv", "--setenv", "HOME", HOME, "--setenv", "PATH",
		"/usr/bin:/bin" };

	add_argument(a, "%s", conf.bubblewrap);
	for (size_t i = 0; i < COUNT(fixed); i++)
		add_argument(a, "%s", fixed[i]);
	add_system_directories(a);
	if (!str_starts(str_of(conf.browser), STR("/usr/"))) { /* installed in /opt, for example */
		int n = (int)(strrchr(conf.browser, '/') - conf.browser);

		add_argument(a, "--ro-bind");
		add_argument(a, "%.*s", n, conf.browser);
		add_argument(a, "%.*s", n, conf.browser);
	}
	add_locale(a, settings->locale);
	if (settings->timezone.n > 0) {
		add_argument(a, "--setenv");
		add_argument(a, "TZ");
		add_argument(a, "%.*s", (int)settings->timezone.n, settings->timezone.p);
	}
}

/* Prerender2: a prerendered page would send requests before setup.c has set it up. */
static const char feature_flags[] = "--disable-features=Translate,OptimizationHints,MediaRouter,"
				    "AsyncDns,DnsOverHttps,Prerender2";

static void
add_chromium(struct args *a, const struct browser_settings *settings)
{
	static const char *const fixed[] = { "--headless=new", "--remote-debugging-pipe",
		"--proxy-bypass-list=<-loopback>", "--no-first-run", "--no-default-browser-check",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-extensions", "--disable-default-apps", "--disable-domain-reliability",
		"--disable-client-side-phishing-detection", "--disable-breakpad",
		"--disable-crash-reporter", "--no-pings", "--metrics-recording-only",
		"--mute-audio", "--disable-gpu", "--password-store=basic", "--use-mock-keychain",
		"--disable-quic", "--disable-dev-shm-usage", "--noerrdialogs",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-blink-features=AutomationControlled" };

	add_argument(a, "--");
	add_argument(a, "%s", conf.browser);
	for (size_t i = 0; i < COUNT(fixed); i++)
		add_argument(a, "%s", fixed[i]);
	add_argument(a, "%s", feature_flags);
	add_argument(a, "--user-data-dir=%s/profile", HOME);
	add_argument(a, "--proxy-server=socks5://127.0.0.1:%d", SOCKS_PORT);
	add_argument(
	    a, "--window-size=%lld,%lld", (long long)settings->width, (long long)settings->height);
	add_argument(a, "--user-agent=%.*s", (int)settings->user_agent.n, settings->user_agent.p);
	add_argument(a, "--accept-lang=%.*s", (int)settings->accept_languages.n,
	    settings->accept_languages.p);
	add_argument(a, "about:blank");
}

/* ---- the child, up to its exec ---- */

struct browser_child {
	int in, out, errors, report; /* the child's ends of the pipes and of the socket */
	const struct args *args;
};

/* Sends the parent the listener's descriptor, or the reason why there is none. */
static void
send_listener(int fd, int passed, const char *text)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { (char *)(uintptr_t)text, strlen(text) + 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (passed >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &passed, sizeof(passed));
	}
	if (sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
		_exit(127);
}

/* Moves the descriptors to their places. A descriptor may have the number of another one's place,
   so all are duplicated above 100 first. */
static bool
place_descriptors(const struct browser_child *c)
{
	int in = fcntl(c->in, F_DUPFD, 100), out = fcntl(c->out, F_DUPFD, 100);
	int errors = fcntl(c->errors, F_DUPFD, 100);
	int null = open("/dev/null", O_RDWR);

	return in >= 0 && out >= 0 && errors >= 0 && null >= 0 && dup2(null, 0) >= 0 &&
	       dup2(null, 1) >= 0 && dup2(errors, 2) >= 0 && dup2(in, CDP_IN) >= 0 &&
	       dup2(out, CDP_OUT) >= 0 && close_range(CDP_OUT + 1, ~0U, 0) == 0;
}

static void
reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Becomes the browser, in the child of a fork. The order is forced by the kernel:
 *
 *   namespace_enter       first: the listener has to be made inside; it clears the death signal
 *   PR_SET_PDEATHSIG      then; the parent may have died before it, so getppid is compared
 *   send_listener         while the descriptor of the parent's socket is still open
 *   setsid, limits, signals, descriptors; then execve with an empty environment
 *
 * bubblewrap stays as the parent of the browser, which could read that environment. The head of
 * this file explains why nothing here allocates memory. */
_Noreturn static void
exec_browser(const struct browser_child *c, pid_t parent)
{
	const struct rlimit no_core = { 0, 0 };
	char err[512] = "";
	int socks = namespace_enter(err, sizeof(err));

	/* After the namespace was entered, which clears PR_SET_PDEATHSIG. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(127);
	send_listener(c->report, socks, err);
	if (socks < 0)
		_exit(127);
	setsid();
	setrlimit(RLIMIT_CORE, &no_core);
	reset_signals();
	if (!place_descriptors(c))
		_exit(127);
	/* The environment is empty: bubblewrap stays as a parent of the browser, which could read
	   it there. */
	execve(c->args->argv[0], (char *const *)(uintptr_t)c->args->argv, (char *[]){ NULL });
	dprintf(2, "%s: %s", c->args->argv[0], strerror(errno));
	_exit(127);
}

/* ---- the parent ---- */

/* Receives the listener from the child; -1 with the child's reason. */
static int
receive_listener(int fd, char *err, size_t room)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char text[512] = "";
	struct iovec iov = { text, sizeof(text) - 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int got = -1;

	if (poll(&p, 1, START_MS) != 1 || recvmsg(fd, &m, MSG_CMSG_CLOEXEC) <= 0) {
		snprintf(err, room, "the browser's namespace did not come to be");
		return -1;
	}
	if (CMSG_FIRSTHDR(&m) != NULL && control.head.cmsg_type == SCM_RIGHTS)
		memcpy(&got, CMSG_DATA(&control.head), sizeof(got));
	snprintf(err, room, "%s", text);
	return got;
}

static void
close_descriptors(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

enum {
	TO_READ,
	TO_WRITE,
	FROM_READ,
	FROM_WRITE,
	ERR_READ,
	ERR_WRITE,
	LISTENER_WRITE,
	LISTENER_READ,
	FDS
};

static bool
open_channels(int fds[FDS])
{
	for (size_t i = 0; i < FDS; i++)
		fds[i] = -1;
	return pipe2(fds + TO_READ, O_CLOEXEC) == 0 && pipe2(fds + FROM_READ, O_CLOEXEC) == 0 &&
	       pipe2(fds + ERR_READ, O_CLOEXEC) == 0 &&
	       socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds + LISTENER_WRITE) == 0;
}

bool
browser_spawn(
    const struct browser_settings *settings, struct browser_process *out, char *err, size_t room)
{
	static struct args args;
	int fds[FDS];
	pid_t parent = getpid(), pid;

	args.n = args.used = 0;
	add_bubblewrap(&args, settings);
	add_chromium(&args, settings);
	args.argv[args.n] = NULL;
	if (!open_channels(fds) || (pid = fork()) < 0) {
		snprintf(err, room, "a process: %s", strerror(errno));
		close_descriptors(fds, FDS);
		return false;
	}
	if (pid == 0)
		exec_browser(&(struct browser_child){ fds[TO_READ], fds[FROM_WRITE], fds[ERR_WRITE],
				 fds[LISTENER_WRITE], &args },
		    parent);
	close_descriptors(
	    (int[]){ fds[TO_READ], fds[FROM_WRITE], fds[ERR_WRITE], fds[LISTENER_WRITE] }, 4);
	*out = (struct browser_process){ pid, fds[FROM_READ], fds[TO_WRITE], fds[ERR_READ],
		receive_listener(fds[LISTENER_READ], err, room) };
	close(fds[LISTENER_READ]);
	if (out->socks >= 0)
		return true;
	close_descriptors((int[]){ out->in, out->out, out->errors }, 3);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return false;
}

/* The first line that a program prints, if the program exits with 0. */
static bool
read_first_line(const char *const argv[], char *out, size_t room)
{
	int fds[2], status;
	size_t n = 0;
	ssize_t got = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		return false;
	if (pid == 0) {
		reset_signals();
		if (dup2(fds[1], 1) >= 0)
			execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(fds[1]);
	while (n < room - 1 && (got = read(fds[0], out + n, room - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	close(fds[0]);
	return waitpid(pid, &status, 0) == pid && status == 0 && out[0] != '\0';
}

bool
browser_version(char out[64], char *err, size_t room)
{
	char line[256];
	const char *digits;

	if (access(conf.browser, X_OK) != 0) {
		snprintf(err, room,
		    "%s: %s; install the package chromium-headless-shell, or set browser "
		    "in surfaced.conf(5)",
		    conf.browser, strerror(errno));
		return false;
	}
	if (!read_first_line(
		(const char *const[]){ conf.browser, "--version", NULL }, line, sizeof(line)) ||
	    (digits = strpbrk(line, "0123456789")) == NULL) {
		snprintf(err, room, "%s --version does not answer", conf.browser);
		return false;
	}
	snprintf(out, 64, "%.*s", (int)strspn(digits, "0123456789."), digits);
	return true;
}
