/* SPDX-License-Identifier: ISC */
/* The sessions that this host holds: as their rows say, as their runners say, and as time tells. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "daemon/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	ROW_ARENA = 1024 * 1024,
	HELLO_US = 10000000, /* for a runner to begin, or to come back */
};

static void
log_held(const struct held *h, enum log_prio prio, const char *event, const char *why)
{
	log_event(prio, event, "session=%s epoch=%" PRId64 " pid=%d why=\"%s\"",
	    uuid_text(&h->row.uuid).z, h->row.epoch, (int)h->pid, why);
}

static enum held_state
state_of(const struct held_row *row)
{
	if (str_is(row->state, "running"))
		return HELD_RUNNING;
	return str_is(row->state, "starting") ? HELD_STARTING : HELD_CLOSING;
}

struct held *
held_find(struct dispatcher *d, const struct uuid *session, int64_t epoch)
{
	struct held *h;

	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next))
		if (uuid_cmp(&h->row.uuid, session) == 0 && h->row.epoch == epoch)
			return h;
	return NULL;
}

static void
keep_row(struct held *h, const struct held_row *row)
{
	arena_reset(h->arena);
	h->row = *row;
	h->row.state = h->row.reason = STR_NULL; /* h->state is what is gone by */
	h->row.start_url = arena_str(h->arena, row->start_url);
	h->row.browser_profile = arena_str(h->arena, row->browser_profile);
	h->row.egress_country = arena_str(h->arena, row->egress_country);
	h->row.kind = arena_str(h->arena, row->kind);
	if (row->host.p != NULL)
		h->row.host = arena_str(h->arena, row->host);
	if (row->credential.p != NULL)
		h->row.credential = arena_str(h->arena, row->credential);
}

static struct held *
held_new(struct dispatcher *d, const struct held_row *row)
{
	struct held *h = mem_zero(sizeof(*h));

	h->d = d;
	h->arena = arena_new(ROW_ARENA);
	h->state = state_of(row);
	h->pidfd = h->socks = -1;
	h->trusted_until = mono_us() + HELLO_US;
	h->start_by = mono_us() + conf.runner_start * 1000;
	h->expires_at = mono_us() + row->expires_ms * 1000;
	keep_row(h, row);
	LIST_INSERT_HEAD(&d->helds, h, next);
	return h;
}

static void
on_exit_of_runner(int fd, short what, void *arg)
{
	struct held *h = arg;

	(void)fd;
	(void)what;
	event_del(h->exited);
	if (h->link != NULL)
		link_take_rest(h->link); /* its last words may still lie there */
	if (h->link != NULL)
		caller_forget(h); /* a child of it holds the other end */
	h->gone = true;
	held_tend(h->d);
}

bool
held_watch(struct held *h, pid_t pid, int pidfd)
{
	h->pid = pid;
	h->pidfd = pidfd >= 0 ? pidfd : (int)syscall(SYS_pidfd_open, pid, 0);
	if (h->pidfd < 0)
		return false;
	h->exited =
	    event_new(h->d->base, h->pidfd, EV_READ | EV_PERSIST, on_exit_of_runner, h);
	if (h->exited == NULL || event_add(h->exited, NULL) != 0)
		panic("no event");
	return true;
}

static void
drop_held(struct held *h)
{
	if (h->link != NULL)
		caller_forget(h);
	egress_shut(h);
	if (h->exited != NULL)
		event_free(h->exited);
	if (h->pidfd >= 0)
		close(h->pidfd);
	LIST_REMOVE(h, next);
	arena_free(h->arena);
	free(h);
}

/* ---- beginning ---- */

static void
start(struct dispatcher *d, const struct held_row *row)
{
	struct held *h = held_new(d, row);
	char err[512] = "";
	struct spawned s;

	if (!spawn_runner(d, &s, err, sizeof(err))) {
		log_held(h, LOGP_ERR, "started", err);
		h->gone = true;
		host_doubt(d, err);
		return;
	}
	if (s.pid > 0 && !held_watch(h, s.pid, s.pidfd))
		panic("a process without a descriptor");
	caller_begin(h, s.fd);
}

void
held_begun(struct held *h, pid_t pid)
{
	if (h->heard)
		return;
	h->heard = true;
	if (h->pid == 0)
		h->pid = pid;
	log_held(h, LOGP_INFO, "started", "claimed");
}

struct held *
held_adopt(struct dispatcher *d, const struct held_row *row, pid_t pid)
{
	struct held *h = held_new(d, row);

	h->heard = true;
	if (held_watch(h, pid, -1)) {
		log_held(h, LOGP_NOTICE, "adopted", "it has come back");
		return h;
	}
	h->gone = true; /* between its word and now */
	return h;
}

static bool
is_among(struct list uuids, const struct uuid *one)
{
	const struct uuid *u = uuids.items;

	for (size_t i = 0; i < uuids.n; i++)
		if (uuid_cmp(&u[i], one) == 0)
			return true;
	return false;
}

void
held_claim(struct dispatcher *d)
{
	struct list claimed, rows;
	const struct held_row *row;

	if (!d->begun || d->fault[0] != '\0' || !store_claim(d, &claimed) ||
	    claimed.n == 0 || !store_held(d, &rows))
		return;
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		if (is_among(claimed, &row[i].uuid) &&
		    held_find(d, &row[i].uuid, row[i].epoch) == NULL)
			start(d, &row[i]);
}

/* ---- what the rows say ---- */

static void
begin_to_close(struct held *h, const struct held_row *row)
{
	h->state = HELD_CLOSING;
	h->close_by = mono_us() + row->close_seconds * SECOND_US;
	h->row.reason = arena_str(h->arena, row->reason);
	if (h->link != NULL)
		runner_say_close(h, h->row.reason);
}

static const struct held_row *
row_of(struct list rows, const struct held *h)
{
	const struct held_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++)
		if (row[i].epoch == h->row.epoch &&
		    uuid_cmp(&row[i].uuid, &h->row.uuid) == 0)
			return &row[i];
	return NULL;
}

/* One that can hear goes by itself. One that cannot is killed where it is ours to kill: a child. A service is
   killed by its manager, whom it has not told for too long that it lives. Either way nothing is done for it. */
static void
give_up(struct held *h, const char *why)
{
	if (h->link != NULL)
		runner_say_close(h, STR("failed"));
	egress_shut(h);
	h->given_up = true;
	log_held(
	    h, LOGP_WARNING, spawn_kill(h->pid, h->pidfd) ? "killed" : "given_up", why);
}

/* One that has no row here any more is terminal, or another's: its lease has ended. */
void
held_look(struct dispatcher *d)
{
	struct held *h;
	struct list rows;

	if (!store_held(d, &rows))
		return;
	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next)) {
		const struct held_row *row = row_of(rows, h);

		if (row == NULL && !h->gone && !h->given_up)
			give_up(h, "its row is not ours");
		else if (row != NULL && state_of(row) == HELD_CLOSING && h->close_by == 0)
			begin_to_close(h, row);
	}
}

void
held_say_running(const struct held *h)
{
	const struct runner_running word = { (h->expires_at - mono_us()) / 1000 };

	if (h->link != NULL && word.expires_in_ms >= 0)
		link_send(h->link, "running", runner_running_fields, &word, -1);
}

void
held_ready(struct held *h)
{
	int64_t expires_ms;
	enum db_rc rc = store_ready(h->d, h, &expires_ms);

	h->ready = rc == DB_DOWN || rc == DB_TIMEOUT; /* again later */
	if (rc != DB_OK)
		return;
	h->state = HELD_RUNNING;
	h->expires_at = mono_us() + expires_ms * 1000;
	log_held(h, LOGP_INFO, "running", "ready");
	held_say_running(h);
}

/* ---- leases ---- */

/* One that is not heard of has its lease run out on both sides. */
static bool
is_trusted(const struct held *h, int64_t now)
{
	return !h->gone && !h->given_up &&
	       ((h->heard && h->link != NULL) || now < h->trusted_until);
}

static size_t
trusted(struct dispatcher *d, struct str *uuids, struct str *epochs)
{
	int64_t now = mono_us();
	struct held *h;
	size_t n = 0;

	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next)) {
		if (!is_trusted(h, now))
			continue;
		if (uuids != NULL) {
			uuids[n] = arena_uuid(d->arena, &h->row.uuid);
			epochs[n] = arena_printf(d->arena, "%" PRId64, h->row.epoch);
		}
		n++;
	}
	return n;
}

/* What is left of it where the word arrives: it began no earlier than the call. */
void
held_renew(struct dispatcher *d)
{
	int64_t before = mono_us();
	size_t n = trusted(d, NULL, NULL);
	struct str *uuids = ARENA_ARRAY(d->arena, n + 1, struct str),
		   *epochs = ARENA_ARRAY(d->arena, n + 1, struct str);
	struct runner_lease word;
	struct list renewed;
	struct held *h;

	trusted(d, uuids, epochs);
	if (n == 0 || !store_renew(d, uuids, epochs, n, &renewed))
		return;
	word.ms = RUNNER_LEASE_MS - (mono_us() - before) / 1000;
	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next))
		if (h->link != NULL && h->heard && word.ms > 0 &&
		    is_among(renewed, &h->row.uuid))
			link_send(h->link, "lease", runner_lease_fields, &word, -1);
}

/* ---- what only time tells ---- */

static void
tend(struct held *h, int64_t now)
{
	if (h->ready)
		held_ready(h);
	if (h->state == HELD_STARTING && now >= h->start_by && !h->gone && !h->given_up)
		give_up(h, "it does not come to its first page");
	if (h->close_by != 0 && now >= h->close_by && !h->gone && !h->given_up)
		give_up(h, "it does not close");
	if (!h->gone || !store_lost(h->d, h))
		return;
	/* Whatever session it was for: the next would have to end like it. */
	if (h->state == HELD_STARTING && !h->heard && h->d->fault[0] == '\0')
		host_doubt(h->d, "missing runner: one ended before its first word; its "
				 "log says why: journalctl -u 'surfaced-runner@*' -u "
				 "surfaced-dispatch");
	drop_held(h);
}

void
held_tend(struct dispatcher *d)
{
	int64_t now = mono_us();
	struct held *h, *following;

	for (h = LIST_FIRST(&d->helds); h != NULL; h = following) {
		following = LIST_NEXT(h, next);
		tend(h, now);
	}
}
