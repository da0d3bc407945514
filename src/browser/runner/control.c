/* SPDX-License-Identifier: ISC */
/* The link to the dispatcher: it says what is to be done and for how long. Without it the session goes on
   until the lease ends. */
#include "config.h"

#include "browser/runner/control_priv.h"
#include "browser/runner/ready.h"
#include "daemon/conf.h"

#include <errno.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum {
	TICK_MS = 250,
	FEED_TICKS = 4,         /* between two words to a service manager's watchdog */
	FIRST_LEASE_MS = 15000, /* until there is a job */
	CHECK_S = 60,           /* for a dry run: nobody waits longer */
	UP_US = 30000000,       /* for a browser to come up */
	PAGE_US = 10000000,     /* for the first page, then the session runs without it */
	ACTIVITY_US = 2000000,
};

static const char *const stage_names[] = {
	[STAGE_STARTING] = "starting",
	[STAGE_RUNNING] = "running",
	[STAGE_CLOSING] = "closing",
	[STAGE_OVER] = "closing",
};

/* ---- the lease ---- */

static void
hold_for(struct control *c, int64_t ms)
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
	c->alone = true;
	closing_check(c);
	runner_fail(c->r, "the lease ended");
}

/* ---- the job ---- */

static struct str
keep(struct runner *r, struct str s)
{
	return arena_str(r->keep, s);
}

/* Folders inherit the group of run_directory where that is set so: it is the stream proxy's way in. */
static bool
make_folder(const char *path)
{
	return mkdir(path, 0750) == 0 || errno == EEXIST;
}

static bool
listen_for_viewers(struct runner *r, char *err, size_t room)
{
	struct control *c = r->control;

	snprintf(c->folder, sizeof(c->folder), "%s/sessions", conf.run_directory);
	if (!make_folder(c->folder)) {
		snprintf(err, room, "%s: %s", c->folder, strerror(errno));
		return false;
	}
	snprintf(c->folder, sizeof(c->folder), "%s/sessions/%s", conf.run_directory,
	    uuid_text(&r->job.session).z);
	snprintf(
	    c->path, sizeof(c->path), "%s/%lld.sock", c->folder, (long long)r->job.epoch);
	if (make_folder(c->folder))
		r->live = live_new(r->base, c->path, &viewer_ops, r);
	if (r->live == NULL)
		snprintf(err, room, "%s: %s", c->path, strerror(errno));
	return r->live != NULL;
}

static void
say_hello(struct runner *r)
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
say_state(struct runner *r)
{
	if (r->live != NULL)
		live_state(r->live,
		    &(struct stream_state){ .state = str_of(stage_names[r->stage]) });
}

static void
say_socks(struct control *c)
{
	if (c->link != NULL && c->r->process.pid != 0)
		link_send(c->link, "socks", NULL, NULL, c->r->process.socks);
}

static void
say_who(struct control *c)
{
	const struct runner *r = c->r;

	link_send(c->link, "hello", runner_hello_fields,
	    &(struct runner_hello){
		r->job.session, r->job.epoch, getpid(), str_of(stage_names[r->stage]) },
	    -1);
}

/* For who looks at the service, or its log. */
static void
say_what(const struct runner *r)
{
	const struct uuid_text session = uuid_text(&r->job.session);

	log_event(LOGP_INFO, "began", "session=%s epoch=%lld", session.z,
	    (long long)r->job.epoch);
	sd_notifyf(0, "STATUS=session %s epoch %lld", session.z, (long long)r->job.epoch);
}

static bool
may_start(struct runner *r, char *err, size_t room)
{
	if (r->fault == NULL)
		return browser_may_run(err, room) &&
		       browser_version(r->version, err, room);
	snprintf(err, room, "%s", r->fault);
	return false;
}

static void
start(struct runner *r)
{
	char err[512] = "";
	struct str canonical;

	r->control->since = mono_us();
	if (!may_start(r, err, sizeof(err))) {
		runner_fail(r, "%s", err);
		return;
	}
	if (start_url_check_stored(r->keep, r->job.start_url, &canonical) !=
	    START_URL_OK) {
		runner_fail(r, "start_url is not one that a session may have");
		return;
	}
	r->job.start_url = canonical;
	r->profile = profile_new(r->job.profile, str_of(r->version), r->job.country);
	if (r->profile == NULL) {
		runner_fail(r, "there is no such profile");
		return;
	}
	if (!listen_for_viewers(r, err, sizeof(err)) ||
	    !browser_start(r, err, sizeof(err))) {
		runner_fail(r, "%s", err);
		return;
	}
	say_hello(r);
	say_state(r);
	say_socks(r->control);
	tabs_begin(r);
}

/* ---- what the dispatcher says ---- */

/* It says nothing before, and what it is told before is lost. */
static void
be_let_in(struct control *c)
{
	c->let_in = true;
	control_evidence(c);
}

static void
on_job(void *arg, struct link *l, const void *in, int fd)
{
	struct control *c = arg;
	struct runner *r = c->r;
	const struct runner_job *job = in;

	(void)l;
	(void)fd;
	if (r->stage != STAGE_NEW)
		return;
	r->job = *job;
	r->job.start_url = keep(r, job->start_url);
	r->job.profile = keep(r, job->profile);
	r->job.country = keep(r, job->country);
	hold_for(c, job->lease_ms);
	r->stage = STAGE_STARTING;
	say_who(c);
	say_what(r);
	be_let_in(c);
	start(r);
}

/* A dry run in place of a session. */
static void
on_check(void *arg, struct link *l, const void *in, int fd)
{
	struct control *c = arg;
	const struct runner *r = c->r;
	struct runner_checked answer = { 0 };
	FILE *out;

	(void)in;
	(void)fd;
	if (r->stage != STAGE_NEW)
		return;
	out = open_memstream(&c->said, &answer.said.n);
	if (out == NULL)
		panic("out of memory");
	sd_notifyf(0, "STATUS=dry run\nWATCHDOG_USEC=%d", CHECK_S * 1000000);
	alarm(CHECK_S);
	if (r->fault != NULL)
		fprintf(out, "missing configuration: %s\n", r->fault);
	else
		answer.good = ready_check(out);
	fclose(out);
	answer.said.p = c->said;
	link_send(l, "checked", runner_checked_fields, &answer, -1);
	event_base_loopbreak(r->base);
}

static void
on_lease(void *arg, struct link *l, const void *in, int fd)
{
	const struct runner_lease *lease = in;

	(void)l;
	(void)fd;
	hold_for(arg, lease->ms);
	be_let_in(arg);
}

static void
on_running(void *arg, struct link *l, const void *in, int fd)
{
	struct control *c = arg;
	const struct runner_running *running = in;

	(void)l;
	(void)fd;
	c->expires_us = mono_us() + running->expires_in_ms * 1000;
	c->expires_at = (struct ts){ ts_now().us + running->expires_in_ms * 1000 };
	say_hello(c->r);
	be_let_in(c);
}

static void
on_close(void *arg, struct link *l, const void *in, int fd)
{
	const struct runner_close *close_in = in;
	struct control *c = arg;

	(void)l;
	(void)fd;
	snprintf(c->reason, sizeof(c->reason), "%.*s", (int)close_in->reason.n,
	    close_in->reason.p);
	be_let_in(c);
	closing_begin(c);
}

static void
on_egress(void *arg, struct link *l, const void *in, int fd)
{
	struct control *c = arg;
	struct runner *r = c->r;
	const struct runner_egress *e = in;

	(void)l;
	(void)fd;
	network_egress(r->network, e);
	if (str_is(e->event, "denied") && r->live != NULL)
		live_egress_denied(
		    r->live, &(struct stream_egress_denied){ .host = e->host,
				 .reason = e->reason,
				 .port = e->port,
				 .at = ts_now() });
}

static void
on_logged(void *arg, struct link *l, const void *in, int fd)
{
	const struct runner_logged *logged = in;
	struct control *c = arg;

	(void)l;
	(void)fd;
	outbox_logged(c->r->outbox, logged->seq);
	closing_check(c);
}

static void
on_refused(void *arg, struct link *l, const void *in, int fd)
{
	struct control *c = arg;
	const struct runner_refused *refused = in;

	(void)l;
	(void)fd;
	shots_refused(c->r->shots, refused->why);
}

static const struct link_message messages[] = {
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
	c->let_in = false;
	if (c->r->stage == STAGE_NEW) /* nobody knows any more what it is for */
		event_base_loopbreak(c->r->base);
	if (c->r->stage == STAGE_OVER) /* it has heard that */
		closing_go_on(c);
}

static const struct link_side side = { messages, on_link_closed };

static void
try_to_connect(struct control *c)
{
	struct runner *r = c->r;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/dispatch.sock", conf.run_directory);
	fd = link_connect(path);
	if (fd < 0)
		return;
	c->link = link_new(r->base, fd, &side, c);
	say_who(c);
	say_socks(c);
	if (r->stage == STAGE_RUNNING) /* it may have missed that */
		link_send(c->link, "ready", NULL, NULL, -1);
	outbox_again(r->outbox);
}

/* ---- what the runner says ---- */

void
control_evidence(struct control *c)
{
	if (c->link != NULL && c->let_in)
		outbox_send(c->r->outbox, c->link);
}

void
runner_ready(struct runner *r)
{
	struct control *c = r->control;

	if (r->stage != STAGE_STARTING)
		return;
	r->stage = STAGE_RUNNING;
	r->ready_at = c->active_at = mono_us();
	if (c->link != NULL)
		link_send(c->link, "ready", NULL, NULL, -1);
	say_state(r);
}

void
runner_activity(struct runner *r)
{
	struct control *c = r->control;
	int64_t now = mono_us();

	c->active_at = now;
	c->idle_warned = 0;
	if (c->link == NULL || now - c->told_active_at < ACTIVITY_US)
		return;
	c->told_active_at = now;
	link_send(c->link, "activity", NULL, NULL, -1);
}

/* ---- time ---- */

/* Once at each of these many seconds before the end, but for those that it never was away from. */
static void
warn(struct runner *r, int64_t left_us, int64_t of_ms, size_t *warned, const char *reason)
{
	static const int64_t marks[] = { 300, 60, 10 };
	size_t passed = 0;

	while (passed < COUNT(marks) && left_us <= marks[passed] * 1000000)
		passed++;
	if (passed <= *warned)
		return;
	*warned = passed;
	if (r->live != NULL && left_us > 0 && of_ms > marks[passed - 1] * 1000)
		live_expiring(
		    r->live, &(struct stream_expiring){ .reason = str_of(reason),
				 .seconds = (left_us + 999999) / 1000000 });
}

static void
check_times(struct control *c)
{
	struct runner *r = c->r;
	int64_t now = mono_us();

	if (r->stage == STAGE_STARTING && now - c->since > UP_US)
		runner_fail(r, "the browser did not come up in time");
	else if (r->stage == STAGE_STARTING && now - c->since > PAGE_US &&
		 r->active != NULL)
		runner_ready(r);
	if (r->stage != STAGE_RUNNING)
		return;
	if (c->expires_us != 0)
		warn(r, c->expires_us - now, r->job.lifetime_ms, &c->warned, "expired");
	if (r->job.idle_ms > 0)
		warn(r, c->active_at + r->job.idle_ms * 1000 - now, r->job.idle_ms,
		    &c->idle_warned, "idle_timeout");
}

static void
on_tick(int fd, short what, void *arg)
{
	struct control *c = arg;
	struct runner *r = c->r;

	(void)fd;
	(void)what;
	if (c->link == NULL && r->stage != STAGE_OVER)
		try_to_connect(c);
	if (++c->ticks % FEED_TICKS == 0)
		sd_notify(0, "WATCHDOG=1");
	if (c->ticks % 2 == 0)
		network_tick(r->network);
	control_evidence(c);
	if (r->cdp == NULL)
		return;
	shots_tick(r->shots);
	screencast_tick(r->cast);
	tabs_tick(r);
	check_times(c);
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
	c->tick = ev_every(r->base, TICK_MS, on_tick, c);
	if (c->lease == NULL || !closing_prepare(c))
		panic("no event");
	hold_for(c, FIRST_LEASE_MS);
	c->link = link_new(r->base, fd, &side, c);
	return c;
}

void
control_free(struct control *c)
{
	if (c->link != NULL)
		link_free(c->link);
	event_free(c->lease);
	event_free(c->tick);
	event_free(c->step);
	event_free(c->late);
	free(c->said);
	free(c);
}
