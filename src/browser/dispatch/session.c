/* SPDX-License-Identifier: ISC */
/* The sessions of this host: adopting, renewing leases, closing, giving up. dispatch.h
 * draws the life of a session. Three sources change one, and each is tended by one function:
 *
 *   its row      session_check_rows    closing: "close" to the runner; missing: given up
 *   its runner   messages, on_runner_exit
 *   time         tend_session          too long in starting or closing: given up
 *
 * A session that is gone stays in the list until store_lost has ended its row, which would
 * otherwise look alive until its lease expires. drop_session is the only end. */
#include "config.h"

#include "browser/dispatch/caller.h"
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
	HELLO_US = 10000000, /* a new runner has this long to connect and send hello */
};

void
session_log(const struct session *s, enum log_prio prio, const char *event, const char *why)
{
	log_event(prio, event, "session=%s epoch=%" PRId64 " pid=%d why=\"%s\"",
	    uuid_text(&s->row.uuid).z, s->row.epoch, (int)s->pid, why);
}

static enum session_state
row_state(const struct session_row *row)
{
	if (str_is(row->state, "running"))
		return SESSION_RUNNING;
	return str_is(row->state, "starting") ? SESSION_STARTING : SESSION_CLOSING;
}

struct session *
session_find(struct dispatcher *d, const struct uuid *uuid, int64_t epoch)
{
	struct session *s;

	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next))
		if (uuid_cmp(&s->row.uuid, uuid) == 0 && s->row.epoch == epoch)
			return s;
	return NULL;
}

static void
keep_row(struct session *s, const struct session_row *row)
{
	arena_reset(s->arena);
	s->row = *row;
	s->row.state = s->row.reason = STR_NULL; /* s->state replaces them */
	s->row.start_url = arena_str(s->arena, row->start_url);
	s->row.browser_profile = arena_str(s->arena, row->browser_profile);
	s->row.egress_country = arena_str(s->arena, row->egress_country);
	s->row.kind = arena_str(s->arena, row->kind);
	if (row->host.p != NULL)
		s->row.host = arena_str(s->arena, row->host);
	if (row->credential.p != NULL)
		s->row.credential = arena_str(s->arena, row->credential);
}

struct session *
session_new(struct dispatcher *d, const struct session_row *row)
{
	struct session *s = mem_zero(sizeof(*s));

	s->d = d;
	s->arena = arena_new(ROW_ARENA);
	s->state = row_state(row);
	s->pidfd = s->socks = -1;
	s->trusted_until = mono_us() + HELLO_US;
	s->start_by = mono_us() + conf.runner_start * 1000;
	s->expires_at = mono_us() + row->expires_ms * 1000;
	keep_row(s, row);
	LIST_INSERT_HEAD(&d->sessions, s, next);
	return s;
}

static void
on_runner_exit(int fd, short what, void *arg)
{
	struct session *s = arg;

	(void)fd;
	(void)what;
	event_del(s->exited);
	if (s->link != NULL)
		link_take_rest(s->link); /* the runner's last messages */
	if (s->link != NULL)
		caller_drop(s); /* a child of the runner still has the other end open */
	s->gone = true;
	session_tend_all(s->d);
}

bool
session_watch_process(struct session *s, pid_t pid, int pidfd)
{
	s->pid = pid;
	s->pidfd = pidfd >= 0 ? pidfd : (int)syscall(SYS_pidfd_open, pid, 0);
	if (s->pidfd < 0)
		return false;
	s->exited = event_new(s->d->base, s->pidfd, EV_READ | EV_PERSIST, on_runner_exit, s);
	if (s->exited == NULL || event_add(s->exited, NULL) != 0)
		panic("event_new or event_add failed for a pidfd");
	return true;
}

static void
drop_session(struct session *s)
{
	if (s->link != NULL)
		caller_drop(s);
	egress_shut(s);
	if (s->exited != NULL)
		event_free(s->exited);
	if (s->pidfd >= 0)
		close(s->pidfd);
	LIST_REMOVE(s, next);
	arena_free(s->arena);
	free(s);
}

/* ---- starting ---- */

void
session_note_hello(struct session *s, pid_t pid)
{
	if (s->greeted)
		return;
	s->greeted = true;
	if (s->pid == 0)
		s->pid = pid;
	session_log(s, LOGP_INFO, "started", "claimed");
}

struct session *
session_adopt(struct dispatcher *d, const struct session_row *row, pid_t pid)
{
	struct session *s = session_new(d, row);

	s->greeted = true;
	if (session_watch_process(s, pid, -1)) {
		session_log(s, LOGP_NOTICE, "adopted", "its runner has reconnected");
		return s;
	}
	s->gone = true; /* the process ended after its hello */
	return s;
}

/* ---- rows ---- */

static void
begin_close(struct session *s, const struct session_row *row)
{
	s->state = SESSION_CLOSING;
	s->close_by = mono_us() + row->close_seconds * SECOND_US;
	s->row.reason = arena_str(s->arena, row->reason);
	if (s->link != NULL)
		runner_send_close(s, s->row.reason);
}

static const struct session_row *
find_session_row(struct list rows, const struct session *s)
{
	const struct session_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++)
		if (row[i].epoch == s->row.epoch && uuid_cmp(&row[i].uuid, &s->row.uuid) == 0)
			return &row[i];
	return NULL;
}

/* Ends a session whose runner failed to do its part. A working runner ends itself after "close";
 * a hanging child is killed here, and a hanging service by its manager's watchdog. The socket is
 * taken from egress at once, so that the browser reaches nothing more. Its lease is not renewed
 * in any case: even if every other step fails, the row and the runner end by themselves. */
static void
give_up_session(struct session *s, const char *why)
{
	if (s->link != NULL)
		runner_send_close(s, STR("failed"));
	egress_shut(s);
	s->given_up = true;
	session_log(s, LOGP_WARNING, spawn_kill(s->pid, s->pidfd) ? "killed" : "given_up", why);
}

/* A session without a row is terminal, or belongs to another host because its lease had expired. */
void
session_check_rows(struct dispatcher *d)
{
	struct session *s;
	struct list rows;

	if (!store_sessions(d, &rows))
		return;
	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next)) {
		const struct session_row *row = find_session_row(rows, s);

		if (row == NULL && !s->gone && !s->given_up)
			give_up_session(s, "this host has no row for it");
		else if (row != NULL && row_state(row) == SESSION_CLOSING && s->close_by == 0)
			begin_close(s, row);
	}
}

void
session_send_running(const struct session *s)
{
	const struct runner_running message = { (s->expires_at - mono_us()) / 1000 };

	if (s->link != NULL && message.expires_in_ms >= 0)
		link_send(s->link, "running", runner_running_fields, &message, -1);
}

void
session_store_ready(struct session *s)
{
	int64_t expires_ms;
	enum db_rc rc = store_ready(s->d, s, &expires_ms);

	s->ready_unstored = rc == DB_DOWN || rc == DB_TIMEOUT; /* tried again later */
	if (rc != DB_OK)
		return;
	s->state = SESSION_RUNNING;
	s->expires_at = mono_us() + expires_ms * 1000;
	session_log(s, LOGP_INFO, "running", "ready");
	session_send_running(s);
}

/* ---- leases ---- */

bool
session_is_listed(struct list uuids, const struct uuid *one)
{
	const struct uuid *u = uuids.items;

	for (size_t i = 0; i < uuids.n; i++)
		if (uuid_cmp(&u[i], one) == 0)
			return true;
	return false;
}

/* Whether the lease may be renewed; otherwise it expires on both sides. */
static bool
is_trusted(const struct session *s, int64_t now)
{
	return !s->gone && !s->given_up &&
	       ((s->greeted && s->link != NULL) || now < s->trusted_until);
}

static size_t
list_trusted(struct dispatcher *d, struct str *uuids, struct str *epochs)
{
	int64_t now = mono_us();
	struct session *s;
	size_t n = 0;

	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next)) {
		if (!is_trusted(s, now))
			continue;
		if (uuids != NULL) {
			uuids[n] = arena_uuid(d->arena, &s->row.uuid);
			epochs[n] = arena_printf(d->arena, "%" PRId64, s->row.epoch);
		}
		n++;
	}
	return n;
}

/* Renews the leases of trusted sessions and informs their runners. The lease began at some time
 * during the call, so the runner gets what remains of it if it began with the call:
 *
 *   before ------- database: lease = 15 s from now ------- after
 *   |<-------------- RUNNER_LEASE_MS = 14 s ------------------->   the runner's lease ends first
 *
 * So a runner ends before its row can be claimed by another host, whatever the call took. A
 * session that the database did not renew gets no message: its runner ends with the lease that
 * it has. */
void
session_renew_leases(struct dispatcher *d)
{
	int64_t before = mono_us();
	size_t n = list_trusted(d, NULL, NULL);
	struct str *uuids = ARENA_ARRAY(d->arena, n + 1, struct str),
		   *epochs = ARENA_ARRAY(d->arena, n + 1, struct str);
	struct runner_lease message;
	struct list renewed;
	struct session *s;

	list_trusted(d, uuids, epochs);
	if (n == 0 || !store_renew(d, uuids, epochs, n, &renewed))
		return;
	message.ms = RUNNER_LEASE_MS - (mono_us() - before) / 1000;
	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next))
		if (s->link != NULL && s->greeted && message.ms > 0 &&
		    session_is_listed(renewed, &s->row.uuid))
			link_send(s->link, "lease", runner_lease_fields, &message, -1);
}

/* ---- time ---- */

static void
tend_session(struct session *s, int64_t now)
{
	if (s->ready_unstored)
		session_store_ready(s);
	if (s->state == SESSION_STARTING && now >= s->start_by && !s->gone && !s->given_up)
		give_up_session(s, "it does not come to its first page");
	if (s->close_by != 0 && now >= s->close_by && !s->gone && !s->given_up)
		give_up_session(s, "it does not close");
	if (!s->gone || !store_lost(s->d, s))
		return;
	/* A runner that ends before its hello has a fault of the host; the next one would end the
	   same way. */
	if (s->state == SESSION_STARTING && !s->greeted && s->d->fault[0] == '\0')
		host_report_fault(s->d, "missing runner: a runner ended before its first message; "
					"see its log: journalctl -u 'surfaced-runner@*' -u "
					"surfaced-dispatch");
	drop_session(s);
}

void
session_tend_all(struct dispatcher *d)
{
	int64_t now = mono_us();
	struct session *s, *following;

	for (s = LIST_FIRST(&d->sessions); s != NULL; s = following) {
		following = LIST_NEXT(s, next);
		tend_session(s, now);
	}
}
