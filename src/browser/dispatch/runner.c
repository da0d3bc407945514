/* SPDX-License-Identifier: ISC */
/* The messages of runners. A runner may have been taken over by a page, so each message is bounded
   by its table, and a runner only ever affects the session that its process has. A connection on
   dispatch.sock is a stranger until its hello is accepted: the kernel's peer process must be the
   one of the session, or the row must belong to this host and epoch (accept_caller). Strangers have
   limits in time and number. */
#include "config.h"

#include "browser/dispatch/caller.h"
#include "browser/dispatch/dispatch.h"
#include "browser/dispatch/evidence.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

enum {
	ACTIVITY_US = 1000000, /* between two stored activities */
	WAITING_US = 15000000, /* for the database after hello: the length of the lease */
	STRANGERS_MAX = 64,
};

static void
refuse_caller(struct caller *c, const char *why)
{
	static const struct runner_close message = { STR_INIT("failed") };
	char text[UUID_LEN + 1];

	uuid_print(&c->hello.session, text);
	log_event(LOGP_NOTICE, "refused", "session=%s epoch=%" PRId64 " why=\"%s\"", text,
	    c->hello.epoch, why);
	link_send(c->link, "close", runner_close_fields, &message, -1);
	caller_close(c);
}

static void
send_job(struct session *s)
{
	const struct runner_job message = {
		.session = s->row.uuid,
		.epoch = s->row.epoch,
		.start_url = s->row.start_url,
		.profile = s->row.browser_profile,
		.country = s->row.egress_country,
		.width = s->row.width,
		.height = s->row.height,
		.lifetime_ms = s->row.lifetime_seconds * 1000,
		.idle_ms = s->row.idle_seconds * 1000,
		.lease_ms = RUNNER_LEASE_MS - RENEW_MS, /* the claim may be that old */
		.close_ms = s->row.close_seconds * 1000,
	};

	link_send(s->link, "job", runner_job_fields, &message, -1);
}

static void
set_socks(struct session *s, int fd)
{
	if (s->socks >= 0)
		close(s->socks);
	s->socks = fd;
	egress_open(s);
}

/* ---- hello ---- */

static void
attach_caller(struct caller *c, struct session *s)
{
	if (s->link != NULL)
		caller_drop(s); /* the old connection's end was not noticed yet */
	c->session = s;
	s->link = c->link;
	evidence_drop_unanswered(s);
	if (c->socks >= 0)
		set_socks(s, c->socks);
	c->socks = -1;
	if (s->state == SESSION_CLOSING && s->close_by != 0)
		runner_send_close(s, s->row.reason);
	else if (s->state == SESSION_STARTING && str_is(str_of(c->state), "running"))
		session_store_ready(s); /* ready was lost with the former connection */
	else if (s->state == SESSION_RUNNING)
		session_send_running(s);
}

static const struct session_row *
find_caller_row(struct list rows, const struct caller *c)
{
	const struct session_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++)
		if (row[i].epoch == c->hello.epoch &&
		    uuid_cmp(&row[i].uuid, &c->hello.session) == 0)
			return &row[i];
	return NULL;
}

/* Accepts a caller for a session that this process knows, or that a former dispatcher of this
 * host started. The hello is only a claim. The proof is the kernel's: the peer of the connection
 * (SO_PEERCRED) must be the process that the session has.
 *
 *   session known, same pid     its runner has reconnected
 *   session known, another pid  refused, also when the session is gone or was given up
 *   session unknown             the row decides: of this host and epoch, it is adopted
 *
 * A session that a service manager has started has no pidfd yet; it is opened here, for the pid
 * that the kernel reports, which must be the one that the runner has claimed. */
static void
accept_caller(struct caller *c)
{
	struct session *s = session_find(c->d, &c->hello.session, c->hello.epoch);
	pid_t pid = link_peer(c->link).pid;
	const struct session_row *row;
	struct list rows;

	if (s != NULL && (s->gone || s->given_up || s->pid != pid ||
			     (s->pidfd < 0 && !session_watch_process(s, pid, -1)))) {
		refuse_caller(c, "another process has this session");
		return;
	}
	if (s == NULL) {
		if (!store_sessions(c->d, &rows))
			return; /* callers_tend tries again */
		row = find_caller_row(rows, c);
		if (row == NULL) {
			refuse_caller(c, "the session is not of this host and epoch");
			return;
		}
		s = session_adopt(c->d, row, pid);
	}
	attach_caller(c, s);
	c->d->look_at = c->d->renew_at = 0;
}

static void
on_hello(void *arg, const struct link_received *got)
{
	const struct runner_hello *hello = got->in;
	struct caller *c = arg;

	arena_reset(c->d->arena);
	if (c->session != NULL) {
		session_note_hello(c->session, (pid_t)hello->pid);
		return;
	}
	c->hello = *hello;
	c->hello.state = STR_NULL; /* points into the message; copied to c->state */
	snprintf(c->state, sizeof(c->state), "%.*s", (int)hello->state.n, hello->state.p);
	c->until = mono_us() + WAITING_US;
	/* Otherwise callers_tend asks the database: once a tick, however many callers there are. */
	if (session_find(c->d, &c->hello.session, c->hello.epoch) != NULL)
		accept_caller(c);
}

/* ---- other messages ---- */

static void
on_socks(void *arg, const struct link_received *got)
{
	struct caller *c = arg;

	if (got->fd < 0)
		return;
	if (c->sent_socks) { /* each one would be a message to egress */
		close(got->fd);
		return;
	}
	c->sent_socks = true;
	if (c->session != NULL)
		set_socks(c->session, got->fd);
	else
		c->socks = got->fd;
}

/* The session of an accepted caller; NULL: the message of a stranger is ignored. Also frees the
   memory that the previous message used. */
static struct session *
accepted_session(struct caller *c)
{
	arena_reset(c->d->arena);
	return c->session;
}

static void
on_ready(void *arg, const struct link_received *got)
{
	struct session *s = accepted_session(arg);

	(void)got;
	if (s != NULL && s->state == SESSION_STARTING)
		session_store_ready(s);
}

static void
on_activity(void *arg, const struct link_received *got)
{
	struct session *s = accepted_session(arg);

	(void)got;
	if (s == NULL || s->state != SESSION_RUNNING || mono_us() - s->active_at < ACTIVITY_US)
		return;
	s->active_at = mono_us();
	store_activity(s->d, s);
}

/* Closes the connection of a runner that sends more evidence than it may. */
static void
close_unless_queued(struct caller *c, bool queued)
{
	if (queued)
		return;
	log_event(LOGP_ERR, "link", "why=\"more evidence than it may send\" pid=%d",
	    (int)c->session->pid);
	caller_close(c);
}

static void
on_shot(void *arg, const struct link_received *got)
{
	struct session *s = accepted_session(arg);

	if (s != NULL)
		close_unless_queued(arg, evidence_shot(s, got->in, got->fd));
	else
		fd_close(got->fd);
}

static void
on_net(void *arg, const struct link_received *got)
{
	struct session *s = accepted_session(arg);

	if (s != NULL)
		close_unless_queued(arg, evidence_net(s, got->in));
}

static void
on_truncated(void *arg, const struct link_received *got)
{
	const struct runner_truncated *message = got->in;
	struct session *s = accepted_session(arg);

	if (s != NULL)
		close_unless_queued(arg, evidence_truncated(s, message->seq));
}

/* Only logged: the end of the process, which follows, is what ends the session. */
static void
on_ended(void *arg, const struct link_received *got)
{
	const struct runner_ended *ended = got->in;
	struct session *s = accepted_session(arg);
	char text[UUID_LEN + 1];

	if (s == NULL)
		return;
	uuid_print(&s->row.uuid, text);
	log_event(ended->failed ? LOGP_WARNING : LOGP_INFO, "ended",
	    "session=%s epoch=%" PRId64 " failed=%s detail=\"%s\"", text, s->row.epoch,
	    ended->failed ? "yes" : "no", log_text(ended->detail).z);
}

static void
on_caller_lost(void *arg, struct link *l)
{
	struct caller *c = arg;
	struct dispatcher *d = c->d;

	(void)l;
	caller_close(c);
	session_tend_all(d);
}

#define WITH_FIELDS(name) #name, runner_##name##_fields, sizeof(struct runner_##name), on_##name
#define WITHOUT_FIELDS(name) #name, NULL, 0, on_##name

static const struct link_side side = {
	.messages =
	    (const struct link_message[]){
		{ WITH_FIELDS(hello) },
		{ WITHOUT_FIELDS(socks), true },
		{ WITHOUT_FIELDS(ready) },
		{ WITHOUT_FIELDS(activity) },
		{ WITH_FIELDS(shot), true },
		{ WITH_FIELDS(net) },
		{ WITH_FIELDS(truncated) },
		{ WITH_FIELDS(ended) },
		{ NULL },
	    },
	.closed = on_caller_lost,
};

/* ---- the socket ---- */

static bool
is_runner(struct dispatcher *d, pid_t pid)
{
	struct session *s;

	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next))
		if (s->pid == pid)
			return true;
	return false;
}

/* Limits strangers: a process has one such connection, the latest; all together have STRANGERS_MAX,
   a limit that does not apply to the processes of known runners. */
static bool
admit_stranger(struct dispatcher *d, const struct caller *fresh)
{
	pid_t pid = link_peer(fresh->link).pid;
	struct caller *c, *following;
	size_t strangers = 0;

	for (c = LIST_FIRST(&d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		if (c == fresh || c->session != NULL)
			continue;
		if (link_peer(c->link).pid == pid)
			caller_close(c);
		else
			strangers++;
	}
	return strangers < STRANGERS_MAX || is_runner(d, pid);
}

static struct caller *
caller_new(struct dispatcher *d, int fd)
{
	struct caller *c = mem_zero(sizeof(*c));

	c->d = d;
	c->socks = -1;
	c->until = mono_us() + STRANGER_US;
	c->link = link_new(d->base, fd, &side, c);
	LIST_INSERT_HEAD(&d->callers, c, next);
	return c;
}

void
caller_new_runner(struct session *s, int fd)
{
	struct caller *c = caller_new(s->d, fd);

	c->session = s;
	s->link = c->link;
	send_job(s);
}

static void
on_runner_connection(int listener, short what, void *arg)
{
	struct dispatcher *d = arg;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct caller *c;
	struct ucred who;

	(void)what;
	if (fd < 0)
		return;
	c = caller_new(d, fd);
	who = link_peer(c->link);
	if (who.uid != 0 && who.uid != geteuid() && who.uid != d->runner_uid)
		log_event(LOGP_WARNING, "refused", "uid=%d why=\"not a user that runs runners\"",
		    (int)who.uid);
	else if (admit_stranger(d, c))
		return;
	caller_close(c);
}

bool
callers_open(struct dispatcher *d, char *err, size_t room)
{
	bool shared = d->runner_uid != geteuid(); /* on_runner_connection checks the user */
	char path[128];

	if ((size_t)snprintf(path, sizeof(path), "%s/dispatch.sock", conf.run_directory) >=
	    sizeof(path)) {
		snprintf(err, room, "the name of run_directory is too long for a socket");
		return false;
	}
	d->listener = link_listen(path, shared ? 0666 : 0600);
	if (d->listener < 0) {
		snprintf(err, room, "%s: %s", path, strerror(errno));
		return false;
	}
	d->accepting =
	    event_new(d->base, d->listener, EV_READ | EV_PERSIST, on_runner_connection, d);
	if (d->accepting == NULL || event_add(d->accepting, NULL) != 0)
		panic("event_new or event_add failed for %s", path);
	return true;
}

void
callers_tend(struct dispatcher *d)
{
	int64_t now = mono_us();
	struct caller *c, *following;

	for (c = LIST_FIRST(&d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		if (c->session != NULL)
			continue;
		if (now >= c->until)
			refuse_caller(c, "no session was found in time");
		else if (c->state[0] != '\0')
			accept_caller(c);
	}
}

void
callers_close(struct dispatcher *d)
{
	struct caller *c, *following;

	for (c = LIST_FIRST(&d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		caller_close(c);
	}
	event_free(d->accepting);
	close(d->listener);
}
