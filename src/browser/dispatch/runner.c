/* SPDX-License-Identifier: ISC */
/* What runners say. They are what an escaped page would speak as: each message is checked by its table, each
   runner speaks for one session alone, and what it says of itself is never believed of another. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

enum {
	STRANGER_US = 5000000, /* to say who it is */
	ACTIVITY_US = 1000000, /* between two that are stored */
	WAITING_US = 15000000, /* for the database, as long as its lease */
	STRANGERS_MAX = 64,
};

/* A service of which there is nothing but its connection ends with that. */
static void
close_caller(struct caller *c)
{
	if (c->held != NULL) {
		c->held->link = NULL;
		c->held->trusted_until = mono_us() + STRANGER_US;
		c->held->gone |= c->held->pidfd < 0;
	}
	if (c->socks >= 0)
		close(c->socks);
	link_free(c->link);
	LIST_REMOVE(c, next);
	free(c);
}

void
caller_forget(struct held *h)
{
	struct caller *c, *following;

	for (c = LIST_FIRST(&h->d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		if (c->held == h)
			close_caller(c);
	}
}

void
runner_say_close(struct held *h, struct str reason)
{
	const struct runner_close word = { reason };

	link_send(h->link, "close", runner_close_fields, &word, -1);
}

static void
send_away(struct caller *c, const char *why)
{
	static const struct runner_close word = { STR_INIT("failed") };
	char text[UUID_LEN + 1];

	uuid_print(&c->hello.session, text);
	log_event(LOGP_NOTICE, "refused", "session=%s epoch=%" PRId64 " why=\"%s\"", text,
	    c->hello.epoch, why);
	link_send(c->link, "close", runner_close_fields, &word, -1);
	close_caller(c);
}

static void
give_job(struct held *h)
{
	const struct runner_job word = {
		.session = h->row.uuid,
		.epoch = h->row.epoch,
		.start_url = h->row.start_url,
		.profile = h->row.browser_profile,
		.country = h->row.egress_country,
		.width = h->row.width,
		.height = h->row.height,
		.lifetime_ms = h->row.lifetime_seconds * 1000,
		.idle_ms = h->row.idle_seconds * 1000,
		.lease_ms = RUNNER_LEASE_MS - RENEW_MS, /* as old as it may be by now */
		.close_ms = h->row.close_seconds * 1000,
	};

	link_send(h->link, "job", runner_job_fields, &word, -1);
}

static void
take_socks_of(struct held *h, int fd)
{
	if (h->socks >= 0)
		close(h->socks);
	h->socks = fd;
	egress_open(h);
}

/* ---- hello ---- */

static void
attach(struct caller *c, struct held *h)
{
	if (h->link != NULL)
		caller_forget(h); /* it has not heard of its end yet */
	c->held = h;
	h->link = c->link;
	evidence_again(h);
	if (c->socks >= 0)
		take_socks_of(h, c->socks);
	c->socks = -1;
	if (h->state == HELD_CLOSING && h->close_by != 0)
		runner_say_close(h, h->row.reason);
	else if (h->state == HELD_STARTING && str_is(str_of(c->state), "running"))
		held_ready(h); /* the word was lost with another connection */
	else if (h->state == HELD_RUNNING)
		held_say_running(h);
}

static const struct held_row *
find_row(struct list rows, const struct caller *c)
{
	const struct held_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++)
		if (row[i].epoch == c->hello.epoch &&
		    uuid_cmp(&row[i].uuid, &c->hello.session) == 0)
			return &row[i];
	return NULL;
}

/* A session that this process knows, or one of this host's that a former self began. */
static void
let_in(struct caller *c)
{
	struct held *h = held_find(c->d, &c->hello.session, c->hello.epoch);
	pid_t pid = link_peer(c->link).pid;
	const struct held_row *row;
	struct list rows;

	if (h != NULL && (h->gone || h->given_up || h->pid != pid ||
			     (h->pidfd < 0 && !held_watch(h, pid, -1)))) {
		send_away(c, "another process has this session");
		return;
	}
	if (h == NULL) {
		if (!store_held(c->d, &rows))
			return; /* callers_tend asks again */
		row = find_row(rows, c);
		if (row == NULL) {
			send_away(c, "the session is not of this host and epoch");
			return;
		}
		h = held_adopt(c->d, row, pid);
	}
	attach(c, h);
	c->d->look_at = c->d->renew_at = 0;
}

static void
take_hello(void *arg, struct link *l, const void *in, int fd)
{
	const struct runner_hello *hello = in;
	struct caller *c = arg;

	(void)l;
	(void)fd;
	arena_reset(c->d->arena);
	if (c->held != NULL) {
		held_begun(c->held, (pid_t)hello->pid);
		return;
	}
	c->hello = *hello;
	c->hello.state = STR_NULL; /* of the message; kept in c->state */
	snprintf(c->state, sizeof(c->state), "%.*s", (int)hello->state.n, hello->state.p);
	c->until = mono_us() + WAITING_US;
	/* The database is asked once a tick, however often somebody calls. */
	if (held_find(c->d, &c->hello.session, c->hello.epoch) != NULL)
		let_in(c);
}

/* ---- the rest ---- */

static void
take_socks(void *arg, struct link *l, const void *in, int fd)
{
	struct caller *c = arg;

	(void)l;
	(void)in;
	if (fd < 0)
		return;
	if (c->sent_socks) { /* each would be a word to egress */
		close(fd);
		return;
	}
	c->sent_socks = true;
	if (c->held != NULL)
		take_socks_of(c->held, fd);
	else
		c->socks = fd;
}

/* The messages of a runner that has been let in; what one sends before is lost. What the message before it
   needed goes. */
static struct held *
held_of(struct caller *c)
{
	arena_reset(c->d->arena);
	return c->held;
}

static void
take_ready(void *arg, struct link *l, const void *in, int fd)
{
	struct held *h = held_of(arg);

	(void)l;
	(void)fd;
	(void)in;
	if (h != NULL && h->state == HELD_STARTING)
		held_ready(h);
}

static void
take_activity(void *arg, struct link *l, const void *in, int fd)
{
	struct held *h = held_of(arg);

	(void)l;
	(void)fd;
	(void)in;
	if (h == NULL || h->state != HELD_RUNNING ||
	    mono_us() - h->active_at < ACTIVITY_US)
		return;
	h->active_at = mono_us();
	store_activity(h->d, h);
}

/* Of one that sends more than it may, nothing more is heard here. */
static void
take_evidence(struct caller *c, bool taken)
{
	if (taken)
		return;
	log_event(LOGP_ERR, "link", "why=\"more evidence than it may send\" pid=%d",
	    (int)c->held->pid);
	close_caller(c);
}

static void
take_shot(void *arg, struct link *l, const void *in, int fd)
{
	struct held *h = held_of(arg);

	(void)l;
	if (h != NULL)
		take_evidence(arg, evidence_shot(h, in, fd));
	else
		fd_close(fd);
}

static void
take_net(void *arg, struct link *l, const void *in, int fd)
{
	struct held *h = held_of(arg);

	(void)l;
	(void)fd;
	if (h != NULL)
		take_evidence(arg, evidence_net(h, in));
}

static void
take_truncated(void *arg, struct link *l, const void *in, int fd)
{
	const struct runner_truncated *word = in;
	struct held *h = held_of(arg);

	(void)l;
	(void)fd;
	if (h != NULL)
		take_evidence(arg, evidence_truncated(h, word->seq));
}

/* It exits now, which is what counts. */
static void
take_ended(void *arg, struct link *l, const void *in, int fd)
{
	const struct runner_ended *ended = in;
	struct held *h = held_of(arg);
	char text[UUID_LEN + 1];

	(void)l;
	(void)fd;
	if (h == NULL)
		return;
	uuid_print(&h->row.uuid, text);
	log_event(ended->failed ? LOGP_WARNING : LOGP_INFO, "ended",
	    "session=%s epoch=%" PRId64 " failed=%s detail=\"%s\"", text, h->row.epoch,
	    ended->failed ? "yes" : "no", log_text(ended->detail).z);
}

static void
hung_up(void *arg, struct link *l)
{
	struct caller *c = arg;
	struct dispatcher *d = c->d;

	(void)l;
	close_caller(c);
	held_tend(d);
}

#define WORD(name)                                                                       \
#name, runner_##name##_fields, sizeof(struct runner_##name), take_##name
#define BARE(name) #name, NULL, 0, take_##name

static const struct link_side side = {
	.messages =
	    (const struct link_message[]){
		{ WORD(hello) },
		{ BARE(socks), true },
		{ BARE(ready) },
		{ BARE(activity) },
		{ WORD(shot), true },
		{ WORD(net) },
		{ WORD(truncated) },
		{ WORD(ended) },
		{ NULL },
	    },
	.closed = hung_up,
};

/* ---- the socket ---- */

static bool
is_known(struct dispatcher *d, pid_t pid)
{
	struct held *h;

	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next))
		if (h->pid == pid)
			return true;
	return false;
}

/* Of those that have not said who they are a process has one, the latest; and all together have a limit, which
   does not hold for the runners that we know. */
static bool
has_room(struct dispatcher *d, const struct caller *fresh)
{
	pid_t pid = link_peer(fresh->link).pid;
	struct caller *c, *following;
	size_t strangers = 0;

	for (c = LIST_FIRST(&d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		if (c == fresh || c->held != NULL)
			continue;
		if (link_peer(c->link).pid == pid)
			close_caller(c);
		else
			strangers++;
	}
	return strangers < STRANGERS_MAX || is_known(d, pid);
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
caller_begin(struct held *h, int fd)
{
	struct caller *c = caller_new(h->d, fd);

	c->held = h;
	h->link = c->link;
	give_job(h);
}

static void
on_call(int listener, short what, void *arg)
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
		log_event(LOGP_WARNING, "refused", "uid=%d why=\"no runner of ours\"",
		    (int)who.uid);
	else if (has_room(d, c))
		return;
	close_caller(c);
}

bool
callers_open(struct dispatcher *d, char *err, size_t room)
{
	bool shared = d->runner_uid != geteuid(); /* on_call looks at who it is */
	char path[128];

	if ((size_t)snprintf(path, sizeof(path), "%s/dispatch.sock",
		conf.run_directory) >= sizeof(path)) {
		snprintf(err, room, "the name of run_directory is too long for a socket");
		return false;
	}
	d->listener = link_listen(path, shared ? 0666 : 0600);
	if (d->listener < 0) {
		snprintf(err, room, "%s: %s", path, strerror(errno));
		return false;
	}
	d->accepting = event_new(d->base, d->listener, EV_READ | EV_PERSIST, on_call, d);
	if (d->accepting == NULL || event_add(d->accepting, NULL) != 0)
		panic("no event");
	return true;
}

void
callers_tend(struct dispatcher *d)
{
	int64_t now = mono_us();
	struct caller *c, *following;

	for (c = LIST_FIRST(&d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		if (c->held != NULL)
			continue;
		if (now >= c->until)
			send_away(c, "it is too late");
		else if (c->state[0] != '\0')
			let_in(c);
	}
}

void
callers_close(struct dispatcher *d)
{
	struct caller *c, *following;

	for (c = LIST_FIRST(&d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		close_caller(c);
	}
	event_free(d->accepting);
	close(d->listener);
}
