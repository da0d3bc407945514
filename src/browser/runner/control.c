/* SPDX-License-Identifier: ISC */
/* The link to the dispatcher. It brings the job, extends the lease, and closes the session; it
   carries the log of evidence and the state of the session back. Without a link the session
   continues until the lease ends, and on_control_tick tries to connect again.

   A restarted dispatcher does not know the runner yet: it reads hello, verifies it, and sends its
   first message (lease) only then. Evidence that is sent before that message is lost, so the runner
   waits for it (accepted). */
#include "config.h"

#include "browser/runner/browser.h"
#include "browser/runner/control.h"
#include "browser/runner/control_priv.h"
#include "browser/runner/network.h"
#include "browser/runner/ready.h"
#include "browser/runner/screencast.h"
#include "browser/runner/shots.h"
#include "browser/runner/tabs.h"
#include "browser/runner/viewer.h"
#include "daemon/conf.h"

#include <errno.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum {
	TICK_MS = 250,
	FEED_TICKS = 4,         /* ticks between two watchdog notifications */
	FIRST_LEASE_MS = 15000, /* for the job to come */
	CHECK_S = 60,           /* for a host check; the dispatcher waits no longer */
	UP_US = 30000000,       /* for the browser to start */
	PAGE_US = 10000000,     /* for the first page; then the session runs without it */
};

/* ---- the lease ---- */

static void
extend_lease(struct control *c, int64_t ms)
{
	const struct timeval left = ev_ms(ms);

	event_add(c->lease, &left);
}

static void
on_lease_end(int fd, short what, void *arg)
{
	struct control *c = arg;

	(void)fd;
	(void)what;
	c->abandoned = true;
	closing_check(c);
	runner_fail(c->r, "the lease ended");
}

/* ---- the job ---- */

static struct str
copy_for_session(struct runner *r, struct str s)
{
	return arena_str(r->keep, s);
}

/* If run_directory has the set-group-ID bit, the directory inherits its group, which
   surfaced-stream needs to reach the socket. */
static bool
make_socket_directory(const char *path)
{
	return mkdir(path, 0750) == 0 || errno == EEXIST;
}

static bool
listen_for_viewers(struct runner *r, char *err, size_t room)
{
	struct control *c = r->control;

	snprintf(c->directory, sizeof(c->directory), "%s/sessions", conf.run_directory);
	if (!make_socket_directory(c->directory)) {
		snprintf(err, room, "%s: %s", c->directory, strerror(errno));
		return false;
	}
	snprintf(c->directory, sizeof(c->directory), "%s/sessions/%s", conf.run_directory,
	    uuid_text(&r->job.session).z);
	snprintf(c->path, sizeof(c->path), "%s/%lld.sock", c->directory, (long long)r->job.epoch);
	if (make_socket_directory(c->directory))
		r->live = live_new(r->base, c->path, &viewer_ops, r);
	if (r->live == NULL)
		snprintf(err, room, "%s: %s", c->path, strerror(errno));
	return r->live != NULL;
}

static void
send_viewer_hello(struct runner *r)
{
	if (r->live != NULL)
		live_hello(r->live, &(struct stream_hello){ .session = r->job.session,
					.profile = r->job.profile,
					.country = r->job.country,
					.viewport = { r->job.width, r->job.height },
					.expires_at = r->control->expires_at,
					.idle_seconds = r->job.idle_ms / 1000 });
}

static void
send_socks_listener(struct control *c)
{
	if (c->link != NULL && c->r->process.pid != 0)
		link_send(c->link, "socks", NULL, NULL, c->r->process.socks);
}

static void
send_dispatcher_hello(struct control *c)
{
	const struct runner *r = c->r;

	link_send(c->link, "hello", runner_hello_fields,
	    &(struct runner_hello){
		r->job.session, r->job.epoch, getpid(), str_of(runner_stage_name(r)) },
	    -1);
}

/* Names the session in the log and in the status of the service. */
static void
log_session_start(const struct runner *r)
{
	const struct uuid_text session = uuid_text(&r->job.session);

	log_event(LOGP_INFO, "began", "session=%s epoch=%lld", session.z, (long long)r->job.epoch);
	sd_notifyf(0, "STATUS=session %s epoch %lld", session.z, (long long)r->job.epoch);
}

static bool
check_job_host(struct runner *r, char *err, size_t room)
{
	if (r->fault == NULL)
		return browser_may_run(err, room) && browser_version(r->version, err, room);
	snprintf(err, room, "%s", r->fault);
	return false;
}

/* Starts the session after its job. The steps are in the order in which they can fail without
 * leaving anything behind: the host, the start URL (checked again, although the API has checked
 * it), the profile, the socket for viewers, and the browser last. A failure ends the runner with
 * a reason, which the dispatcher logs. The calls to the browser are only queued here; the first
 * page is loaded when its tab has been set up (setup.c). */
static void
start_session(struct runner *r)
{
	char err[512] = "";
	struct str canonical;

	r->control->since = mono_us();
	if (!check_job_host(r, err, sizeof(err))) {
		runner_fail(r, "%s", err);
		return;
	}
	if (start_url_check_stored(r->keep, r->job.start_url, &canonical) != START_URL_OK) {
		runner_fail(r, "start_url is not one that a session may have");
		return;
	}
	r->job.start_url = canonical;
	r->profile = profile_new(r->job.profile, str_of(r->version), r->job.country);
	if (r->profile == NULL) {
		runner_fail(r, "there is no such profile");
		return;
	}
	if (!listen_for_viewers(r, err, sizeof(err)) || !browser_start(r, err, sizeof(err))) {
		runner_fail(r, "%s", err);
		return;
	}
	send_viewer_hello(r);
	runner_send_state(r);
	send_socks_listener(r->control);
	tabs_begin(r);
}

/* ---- messages of the dispatcher ---- */

/* The dispatcher has sent a message on this connection, so it knows the runner and stores its
   evidence. */
static void
accept_evidence(struct control *c)
{
	c->accepted = true;
	control_send_log(c);
}

static void
on_job(void *arg, const struct link_received *got)
{
	struct control *c = arg;
	struct runner *r = c->r;
	const struct runner_job *job = got->in;

	if (r->stage != STAGE_NEW)
		return;
	r->job = *job;
	r->job.start_url = copy_for_session(r, job->start_url);
	r->job.profile = copy_for_session(r, job->profile);
	r->job.country = copy_for_session(r, job->country);
	extend_lease(c, job->lease_ms);
	r->stage = STAGE_STARTING;
	send_dispatcher_hello(c);
	log_session_start(r);
	accept_evidence(c);
	start_session(r);
}

/* A host check instead of a session: the process sends the result and exits. */
static void
on_check(void *arg, const struct link_received *got)
{
	struct control *c = arg;
	const struct runner *r = c->r;
	struct runner_checked answer = { 0 };
	FILE *out;

	if (r->stage != STAGE_NEW)
		return;
	out = open_memstream(&c->check_output, &answer.said.n);
	if (out == NULL)
		panic("out of memory");
	sd_notifyf(0, "STATUS=dry run\nWATCHDOG_USEC=%d", CHECK_S * 1000000);
	alarm(CHECK_S);
	if (r->fault != NULL)
		fprintf(out, "missing configuration: %s\n", r->fault);
	else
		answer.good = ready_check(out);
	fclose(out);
	answer.said.p = c->check_output;
	link_send(got->link, "checked", runner_checked_fields, &answer, -1);
	event_base_loopbreak(r->base);
}

static void
on_lease(void *arg, const struct link_received *got)
{
	const struct runner_lease *lease = got->in;

	extend_lease(arg, lease->ms);
	accept_evidence(arg);
}

static void
on_running(void *arg, const struct link_received *got)
{
	struct control *c = arg;
	const struct runner_running *running = got->in;

	c->expires_us = mono_us() + running->expires_in_ms * 1000;
	c->expires_at = (struct ts){ ts_now().us + running->expires_in_ms * 1000 };
	send_viewer_hello(c->r);
	accept_evidence(c);
}

static void
on_close(void *arg, const struct link_received *got)
{
	const struct runner_close *close_in = got->in;
	struct control *c = arg;

	snprintf(c->reason, sizeof(c->reason), "%.*s", (int)close_in->reason.n, close_in->reason.p);
	accept_evidence(c);
	closing_begin(c);
}

static void
on_egress(void *arg, const struct link_received *got)
{
	struct control *c = arg;
	struct runner *r = c->r;
	const struct runner_egress *e = got->in;

	network_egress(r->network, e);
	if (str_is(e->event, "denied") && r->live != NULL)
		live_egress_denied(r->live,
		    &(struct stream_egress_denied){
			.host = e->host, .reason = e->reason, .port = e->port, .at = ts_now() });
}

static void
on_logged(void *arg, const struct link_received *got)
{
	const struct runner_logged *logged = got->in;
	struct control *c = arg;

	outbox_logged(c->r->outbox, logged->seq);
	closing_check(c);
}

static void
on_refused(void *arg, const struct link_received *got)
{
	struct control *c = arg;
	const struct runner_refused *refused = got->in;

	shots_refused(c->r->shots, refused->why);
}

static const struct link_message dispatcher_messages[] = {
	{ "job", runner_job_fields, sizeof(struct runner_job), on_job },
	{ "check", NULL, 0, on_check },
	{ "lease", runner_lease_fields, sizeof(struct runner_lease), on_lease },
	{ "running", runner_running_fields, sizeof(struct runner_running), on_running },
	{ "close", runner_close_fields, sizeof(struct runner_close), on_close },
	{ "egress", runner_egress_fields, sizeof(struct runner_egress), on_egress },
	{ "logged", runner_logged_fields, sizeof(struct runner_logged), on_logged },
	{ "refused", runner_refused_fields, sizeof(struct runner_refused), on_refused },
	{ 0 },
};

/* ---- the connection ---- */

static void
on_link_closed(void *arg, struct link *l)
{
	struct control *c = arg;

	link_free(l);
	c->link = NULL;
	c->accepted = false;
	if (c->r->stage == STAGE_NEW) /* no job can come any more */
		event_base_loopbreak(c->r->base);
	if (c->r->stage == STAGE_OVER) /* the dispatcher has received "ended" */
		closing_advance(c);
}

static const struct link_side dispatcher_side = { dispatcher_messages, on_link_closed };

/* Connects to the dispatcher again, after a restart of it, and sends everything that the new one
 * cannot know: hello, the SOCKS5 listener, and "ready", which the former one may not have
 * stored. Evidence follows only when the first message proves that hello was accepted
 * (accept_evidence); outbox_restart makes every piece that was not confirmed unsent again. The
 * database recognises a piece by its sequence number, so one that was stored and not confirmed
 * is not stored twice. */
static void
reconnect_dispatcher(struct control *c)
{
	struct runner *r = c->r;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/dispatch.sock", conf.run_directory);
	fd = link_connect(path);
	if (fd < 0)
		return;
	c->link = link_new(r->base, fd, &dispatcher_side, c);
	send_dispatcher_hello(c);
	send_socks_listener(c);
	/* The dispatcher may have missed the first "ready". */
	if (r->stage == STAGE_RUNNING)
		link_send(c->link, "ready", NULL, NULL, -1);
	outbox_restart(r->outbox);
}

/* ---- time ---- */

/* Warns the viewer once at each mark, in seconds before the end. of_ms is the whole time: a session
   of 60 seconds gets no warning at 300 or 60. */
static void
warn_viewer(struct runner *r, int64_t left_us, int64_t of_ms, size_t *warned, const char *reason)
{
	static const int64_t marks[] = { 300, 60, 10 };
	size_t passed = 0;

	while (passed < COUNT(marks) && left_us <= marks[passed] * 1000000)
		passed++;
	if (passed <= *warned)
		return;
	*warned = passed;
	if (r->live != NULL && left_us > 0 && of_ms > marks[passed - 1] * 1000)
		live_expiring(r->live, &(struct stream_expiring){ .reason = str_of(reason),
					   .seconds = (left_us + 999999) / 1000000 });
}

static void
check_deadlines(struct control *c)
{
	struct runner *r = c->r;
	int64_t now = mono_us();

	if (r->stage == STAGE_STARTING && now - c->since > UP_US)
		runner_fail(r, "the browser did not come up in time");
	else if (r->stage == STAGE_STARTING && now - c->since > PAGE_US && r->active != NULL)
		runner_ready(r);
	if (r->stage != STAGE_RUNNING)
		return;
	if (c->expires_us != 0)
		warn_viewer(r, c->expires_us - now, r->job.lifetime_ms, &c->warned, "expired");
	if (r->job.idle_ms > 0)
		warn_viewer(r, c->active_at + r->job.idle_ms * 1000 - now, r->job.idle_ms,
		    &c->idle_warned, "idle_timeout");
}

static void
on_control_tick(int fd, short what, void *arg)
{
	struct control *c = arg;
	struct runner *r = c->r;

	(void)fd;
	(void)what;
	if (c->link == NULL && r->stage != STAGE_OVER)
		reconnect_dispatcher(c);
	if (++c->ticks % FEED_TICKS == 0)
		sd_notify(0, "WATCHDOG=1");
	if (c->ticks % 2 == 0)
		network_tick(r->network);
	control_send_log(c);
	if (r->cdp == NULL)
		return;
	shots_tick(r->shots);
	screencast_tick(r->cast);
	tabs_tick(r);
	check_deadlines(c);
}

/* ---- the whole ---- */

struct control *
control_new(struct runner *r, int fd)
{
	struct control *c = mem_zero(sizeof(*c));

	r->control = c;
	c->r = r;
	c->expires_at = TS_NULL;
	c->lease = event_new(r->base, -1, 0, on_lease_end, c);
	c->tick = ev_every(r->base, TICK_MS, on_control_tick, c);
	if (c->lease == NULL || !closing_prepare(c))
		panic("event_new failed for the control of the session");
	extend_lease(c, FIRST_LEASE_MS);
	c->link = link_new(r->base, fd, &dispatcher_side, c);
	return c;
}

void
control_free(struct control *c)
{
	if (c->link != NULL)
		link_free(c->link);
	event_free(c->lease);
	event_free(c->tick);
	event_free(c->advance);
	event_free(c->step_timeout);
	free(c->check_output);
	free(c);
}
