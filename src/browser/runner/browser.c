/* SPDX-License-Identifier: ISC */
/* The browser's process: start, end, standard error; and the way of each CDP event to its
   handler. */
#include "config.h"

#include "browser/runner/browser.h"
#include "browser/runner/control.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

REGISTRY(const struct event_handler, event_handlers);

static void
on_browser_event(void *arg, const struct cdp_event *event)
{
	for (const struct event_handler *const *h = event_handlers_first; h < event_handlers_end;
	     h++)
		if (str_is(event->method, (*h)->method)) {
			(*h)->handle(arg, event);
			return;
		}
}

static void
on_browser_closed(void *arg)
{
	struct runner *r = arg;
	size_t n = strlen(r->stderr_tail);

	control_browser_gone(r->control);
	while (n > 0 && (unsigned char)r->stderr_tail[n - 1] <= ' ')
		r->stderr_tail[--n] = '\0';
	runner_fail(r, "the browser ended%s%s", n > 0 ? ": " : "", r->stderr_tail);
}

static const struct cdp_side cdp_handlers = { on_browser_event, on_browser_closed };

/* Keeps the end of the browser's standard error, which explains why the browser ended. The text
   goes into the session's detail, so control characters and quotes are replaced. */
static void
on_stderr(int fd, short what, void *arg)
{
	struct runner *r = arg;
	size_t have = strlen(r->stderr_tail), room = sizeof(r->stderr_tail) - 1;
	char more[256];
	ssize_t n = read(fd, more, sizeof(more));

	(void)what;
	if (n <= 0) {
		event_del(r->errors);
		return;
	}
	if (have + (size_t)n > room) {
		size_t gone = have + (size_t)n - room;

		memmove(r->stderr_tail, r->stderr_tail + gone, have - gone);
		have -= gone;
	}
	for (ssize_t i = 0; i < n; i++)
		r->stderr_tail[have++] =
		    more[i] >= ' ' && more[i] < 127 && more[i] != '"' ? more[i] : ' ';
	r->stderr_tail[have] = '\0';
}

bool
browser_start(struct runner *r, char *err, size_t room)
{
	const struct browser_settings settings = {
		.user_agent = profile_user_agent(r->profile),
		.accept_languages = profile_languages(r->profile),
		.timezone = profile_timezone(r->profile),
		.locale = profile_locale(r->profile),
		.width = r->job.width,
		.height = r->job.height,
	};

	if (!browser_spawn(&settings, &r->process, err, room))
		return false;
	r->errors = event_new(r->base, r->process.errors, EV_READ | EV_PERSIST, on_stderr, r);
	if (r->errors == NULL || event_add(r->errors, NULL) != 0)
		panic("event_add failed for the browser's standard error");
	r->cdp = cdp_new(r->base, r->process.in, r->process.out, &cdp_handlers, r);
	return true;
}

bool
browser_kill(struct runner *r)
{
	/* The init of its PID namespace dies with bubblewrap, and with init every process. */
	return r->process.pid != 0 && !cdp_is_over(r->cdp) && kill(r->process.pid, SIGKILL) == 0;
}

void
browser_stop(struct runner *r)
{
	struct cdp *cdp = r->cdp;

	if (r->process.pid == 0)
		return;
	kill(r->process.pid, SIGKILL);
	waitpid(r->process.pid, NULL, 0);
	r->process.pid = 0;
	close(r->process.socks);
	if (r->errors != NULL) {
		event_free(r->errors);
		close(r->process.errors);
	}
	r->errors = NULL;
	r->cdp = NULL; /* done functions that run in cdp_free cannot send new calls */
	if (cdp != NULL)
		cdp_free(cdp);
}
