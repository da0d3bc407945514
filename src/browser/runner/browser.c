/* SPDX-License-Identifier: ISC */
/* The browser's process: start, end, standard error; and the table that gives each CDP event to the part of
   the runner that handles it. */
#include "config.h"

#include "browser/runner/browser.h"
#include "browser/runner/control.h"
#include "browser/runner/network.h"
#include "browser/runner/page.h"
#include "browser/runner/screencast.h"
#include "browser/runner/setup.h"
#include "browser/runner/tabs.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cdp_event cdp_events[] = {
	{ "Target.attachedToTarget", on_target_attached },
	{ "Target.detachedFromTarget", on_target_detached },
	{ "Target.targetInfoChanged", on_target_changed },
	{ "Fetch.requestPaused", on_request_paused },
	{ "Page.frameNavigated", on_page_navigated },
	{ "Page.navigatedWithinDocument", on_page_moved },
	{ "Page.frameStartedLoading", on_page_loading },
	{ "Page.frameStoppedLoading", on_page_stopped },
	{ "Page.loadEventFired", on_page_loaded },
	{ "Page.javascriptDialogOpening", on_dialog_open },
	{ "Page.javascriptDialogClosed", on_dialog_closed },
	{ "Page.screencastFrame", on_screencast_frame },
	{ "Browser.downloadWillBegin", on_download },
	{ "Inspector.targetCrashed", on_crash },
	{ "Network.requestWillBeSent", on_request },
	{ "Network.requestWillBeSentExtraInfo", on_request_extra },
	{ "Network.responseReceived", on_response },
	{ "Network.responseReceivedExtraInfo", on_response_extra },
	{ "Network.dataReceived", on_data },
	{ "Network.loadingFinished", on_finished },
	{ "Network.loadingFailed", on_failed },
	{ "Network.webSocketCreated", on_socket },
	{ "Network.webSocketWillSendHandshakeRequest", on_socket_request },
	{ "Network.webSocketHandshakeResponseReceived", on_socket_response },
	{ "Network.webSocketFrameError", on_socket_error },
	{ "Network.webSocketClosed", on_socket_closed },
	{ 0 },
};

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

static const struct cdp_side cdp_handlers = { cdp_events, on_browser_closed };

/* Keeps the end of the browser's standard error, which explains why the browser ended. The text goes into the
   session's detail, so control characters and quotes are replaced. */
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
	return r->process.pid != 0 && !cdp_is_over(r->cdp) &&
	       kill(r->process.pid, SIGKILL) ==
		   0; /* the init of its PID namespace dies with bubblewrap, and with init every process */
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
