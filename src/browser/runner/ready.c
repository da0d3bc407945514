/* SPDX-License-Identifier: ISC */
/* The host check: one function for each requirement, and a table of them in their order. A
 * browser that fails for lack of a namespace reports something unrelated, so each requirement is
 * checked by itself before a browser is started, and the first that fails is the one to fix.
 *
 * The dispatcher has this run as a dry run before it claims sessions (on_check in control.c).
 * The last check starts a browser in its sandbox with the same arguments as a session and waits
 * for one answer: nothing less shows that the sandbox works on this kernel. */
#include "config.h"

#include "browser/runner/cdp.h"
#include "browser/runner/profile.h"
#include "browser/runner/ready.h"
#include "browser/runner/spawn.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_S = 15, STDERR_MS = 500 };

/* A requirement; each check may rely on the earlier ones. */
struct requirement_check {
	const char *requirement;
	bool (*holds)(char *err, size_t room);
};

static bool
is_not_root(char *err, size_t room)
{
	if (geteuid() != 0)
		return true;
	snprintf(err, room, "browsers are never run as root: run as an ordinary user");
	return false;
}

static bool
has_bubblewrap(char *err, size_t room)
{
	if (access(conf.bubblewrap, X_OK) == 0)
		return true;
	snprintf(err, room,
	    "%s: %s; install the package bubblewrap, or set bubblewrap in "
	    "surfaced.conf(5)",
	    conf.bubblewrap, strerror(errno));
	return false;
}

static bool
has_browser(char *err, size_t room)
{
	char version[64];

	return browser_version(version, err, room);
}

/* In a child process, because a process cannot leave a namespace that it has entered. */
static bool
has_namespaces(char *err, size_t room)
{
	int fds[2], status = 1;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		snprintf(err, room, "a process: %s", strerror(errno));
		return false;
	}
	if (pid == 0) {
		char why[512] = "";
		bool good = namespace_enter(why, sizeof(why)) >= 0;

		_exit(write(fds[1], why, strlen(why)) < 0 || !good);
	}
	close(fds[1]);
	n = read(fds[0], err, room - 1);
	err[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* ---- a browser that answers a call ---- */

struct trial {
	struct event_base *base;
	bool answered;
};

static void
on_version_reply(void *arg, const struct json_value *result)
{
	struct trial *t = arg;

	t->answered = t->answered || result != NULL;
	event_base_loopbreak(t->base);
}

static void
on_trial_closed(void *arg)
{
	event_base_loopbreak(((struct trial *)arg)->base);
}

static bool
answers_version(const struct browser_process *p)
{
	static const struct cdp_side handlers = { NULL, on_trial_closed };
	const struct timeval most = { ANSWER_S, 0 };
	struct trial t = { .base = event_base_new() };
	struct cdp *cdp;

	if (t.base == NULL)
		panic("event_base_new failed");
	cdp = cdp_new(t.base, p->in, p->out, &handlers, &t);
	cdp_send(cdp, &(struct cdp_call){
			  .method = "Browser.getVersion", .done = on_version_reply, .arg = &t });
	event_base_loopexit(t.base, &most);
	event_base_dispatch(t.base);
	cdp_free(cdp);
	event_base_free(t.base);
	return t.answered;
}

/* Reads the error output of the browser or bubblewrap into err, on one line. */
static void
read_stderr(int fd, char *err, size_t room)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[4096];
	ssize_t n = poll(&p, 1, STDERR_MS) == 1 ? read(fd, text, sizeof(text) - 1) : 0;

	text[n > 0 ? n : 0] = '\0';
	for (char *c = text; *c != '\0'; c++)
		if (*c < ' ')
			*c = ' ';
	snprintf(err, room, "it does not start: %s",
	    n > 0 ? text : "it says nothing; is there memory for it?");
}

static bool
browser_answers(char *err, size_t room)
{
	const struct browser_settings settings = { .user_agent = STR("check"),
		.accept_languages = STR("en"),
		.timezone = STR(""),
		.locale = STR("en-US"),
		.width = 800,
		.height = 600 };
	struct browser_process p;
	bool good;

	if (!browser_spawn(&settings, &p, err, room))
		return false;
	good = answers_version(&p);
	kill(p.pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		; /* the runner is a subreaper, so the browser's orphans become its children */
	if (!good)
		read_stderr(p.errors, err, room);
	close(p.errors);
	close(p.socks);
	return good;
}

static const struct requirement_check requirement_checks[] = {
	{ "an ordinary user", is_not_root },
	{ "the browser", has_browser },
	{ "bubblewrap", has_bubblewrap },
	{ "user and network namespaces", has_namespaces },
	{ "a browser in its sandbox", browser_answers },
};

bool
browser_may_run(char *err, size_t room)
{
	return is_not_root(err, room) && has_bubblewrap(err, room);
}

bool
ready_check(FILE *out)
{
	char err[1024];

	for (size_t i = 0; i < COUNT(requirement_checks); i++) {
		err[0] = '\0';
		if (!requirement_checks[i].holds(err, sizeof(err))) {
			fprintf(out, "missing %s: %s\n", requirement_checks[i].requirement, err);
			return false;
		}
		fprintf(out, "ok %s\n", requirement_checks[i].requirement);
		fflush(out);
	}
	return true;
}
