/* SPDX-License-Identifier: ISC */
/* Copies bytes between a browser's socket and the target's, as two flows:

     near --read--> [ kept: bytes that far did not accept ] --write--> far     flow 0
     near <--write-- [ kept: bytes that near did not accept ] <--read-- far    flow 1

   While a flow has kept bytes, its source is not read, so a flow stores at most one read.

   An end of file is passed on with shutdown(2) once everything before it is written; the other flow
   continues. An error on one side must not look like a normal end on the other side, so both
   sockets are closed with a reset (reset_both). The reset would destroy bytes that the kernel still
   has to deliver: the flow towards the good side (last) is finished first, which is checked with
   SIOCOUTQ every LAST_MS. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	CHUNK = 65536,
	TURNS = 4,    /* chunks of one flow before other events are handled */
	LAST_MS = 20, /* between two checks whether the last bytes were delivered */
};

struct flow {
	struct relay *r;
	int from, to;
	struct event *readable, *writable;
	unsigned char *kept; /* bytes that to did not accept; NULL: none */
	size_t kept_n, kept_at;
	bool ended;  /* from has sent its end of file */
	bool closed; /* to has got the end of file */
};

struct relay {
	struct flow flows[2];
	relay_fn *fn;
	void *arg;
	struct event *idle;
	int64_t moved_at;
	int queued;        /* unacknowledged bytes in the kernel at the last check */
	struct flow *last; /* a side failed, and this flow still delivers; or NULL */
};

static void
add_relay_event(struct event *e)
{
	if (event_add(e, NULL) != 0)
		panic("event_add failed for a relay");
}

static void
free_flow(struct flow *f)
{
	event_free(f->readable);
	event_free(f->writable);
	free(f->kept);
}

void
relay_cancel(struct relay *r)
{
	int fds[] = { r->flows[0].from, r->flows[1].from };

	free_flow(&r->flows[0]);
	free_flow(&r->flows[1]);
	event_free(r->idle);
	close(fds[0]);
	close(fds[1]);
	free(r);
}

static void
finish_relay(struct relay *r)
{
	relay_fn *fn = r->fn;
	void *arg = r->arg;

	relay_cancel(r);
	fn(arg);
}

/* Closes both sockets with a reset, so that an error on one side does not look like an end on the
   other. */
static void
reset_both(struct relay *r)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	for (int i = 0; i < 2; i++)
		(void)setsockopt(r->flows[i].from, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	finish_relay(r);
}

/* The number of written bytes that the peer has not acknowledged yet. */
static int
kernel_queued(int fd)
{
	int n = 0;

	return ioctl(fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

static bool
flow_delivered(const struct flow *f)
{
	return f->kept == NULL && kernel_queued(f->to) == 0;
}

static void
schedule_check(struct relay *r, int64_t ms)
{
	const struct timeval in = { ms / 1000, ms % 1000 * 1000 };

	event_add(r->idle, &in);
}

/* Handles an error of one side. last is the flow towards the other side. If a flow is finishing
   already, both sides have failed. */
static void
handle_side_error(struct relay *r, struct flow *last)
{
	if (r->last != NULL || flow_delivered(last)) {
		reset_both(r);
		return;
	}
	r->last = last;
	for (int i = 0; i < 2; i++) {
		event_del(r->flows[i].readable);
		if (&r->flows[i] != last)
			event_del(r->flows[i].writable);
	}
	schedule_check(r, LAST_MS);
}

static struct flow *
opposite_flow(struct flow *f)
{
	return &f->r->flows[f == &f->r->flows[0]];
}

static bool
error_is_transient(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void
store_unsent(struct flow *f, const unsigned char *p, size_t n)
{
	f->kept = mem_alloc(n);
	memcpy(f->kept, p, n);
	f->kept_n = n;
	f->kept_at = 0;
	event_del(f->readable);
	add_relay_event(f->writable);
}

/* Writes what the socket accepts and stores the rest. Returns false when the receiver's connection
   is lost. */
static bool
send_or_store(struct flow *f, const unsigned char *p, size_t n)
{
	ssize_t sent = send(f->to, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && !error_is_transient())
		return false;
	sent = sent < 0 ? 0 : sent;
	if ((size_t)sent < n)
		store_unsent(f, p + sent, n - (size_t)sent);
	return true;
}

/* Notes the end of file of from and passes it on if nothing is stored. Returns whether both flows
   are closed. */
static bool
end_flow(struct flow *f)
{
	f->ended = true;
	event_del(f->readable);
	if (f->kept == NULL && !f->closed) {
		shutdown(f->to, SHUT_WR);
		f->closed = true;
	}
	return f->r->flows[0].closed && f->r->flows[1].closed;
}

static void
relay_readable(int fd, short what, void *arg)
{
	static unsigned char room[CHUNK];
	struct flow *f = arg;
	ssize_t n = 0;

	(void)what;
	f->r->moved_at = mono_us();
	for (int i = 0; i < TURNS && f->kept == NULL; i++) {
		n = recv(fd, room, sizeof(room), MSG_DONTWAIT);
		if (n <= 0)
			break;
		if (!send_or_store(f, room, (size_t)n)) {
			handle_side_error(f->r, opposite_flow(f));
			return;
		}
		if ((size_t)n < sizeof(room))
			return;
	}
	if (n < 0 && !error_is_transient())
		handle_side_error(f->r, f);
	else if (n == 0 && end_flow(f))
		finish_relay(f->r);
}

static void
relay_writable(int fd, short what, void *arg)
{
	struct flow *f = arg;
	ssize_t n =
	    send(fd, f->kept + f->kept_at, f->kept_n - f->kept_at, MSG_NOSIGNAL | MSG_DONTWAIT);

	(void)what;
	if (n < 0 && error_is_transient())
		return;
	if (n < 0) {
		handle_side_error(f->r, opposite_flow(f));
		return;
	}
	f->r->moved_at = mono_us();
	f->kept_at += (size_t)n;
	if (f->kept_at < f->kept_n)
		return;
	free(f->kept);
	f->kept = NULL;
	event_del(f->writable);
	if (f->r->last != NULL)
		return;
	if (!f->ended)
		add_relay_event(f->readable);
	else if (end_flow(f))
		finish_relay(f->r);
}

/* Ends an idle relay. Bytes that the kernel delivers meanwhile count as activity, although no event
   reports them. */
static void
on_idle(int fd, short what, void *arg)
{
	struct relay *r = arg;
	int64_t left = r->moved_at / 1000 + conf.egress_idle * 1000 - mono_us() / 1000;
	int n = kernel_queued(r->flows[0].to) + kernel_queued(r->flows[1].to);

	(void)fd;
	(void)what;
	if (n != r->queued) {
		r->moved_at = mono_us();
		left = conf.egress_idle * 1000;
	}
	r->queued = n;
	if (left <= 0 || (r->last != NULL && flow_delivered(r->last)))
		reset_both(r);
	else
		schedule_check(r, r->last != NULL ? LAST_MS : left);
}

static void
start_flow(struct event_base *base, struct relay *r, struct flow *f, int from, int to)
{
	f->r = r;
	f->from = from;
	f->to = to;
	f->readable = event_new(base, from, EV_READ | EV_PERSIST, relay_readable, f);
	f->writable = event_new(base, to, EV_WRITE | EV_PERSIST, relay_writable, f);
	if (f->readable == NULL || f->writable == NULL)
		panic("event_new failed for a flow");
	add_relay_event(f->readable);
}

struct relay *
relay_start(struct event_base *base, int near, int far, relay_fn *fn, void *arg)
{
	struct relay *r = mem_zero(sizeof(*r));

	r->fn = fn;
	r->arg = arg;
	r->moved_at = mono_us();
	start_flow(base, r, &r->flows[0], near, far);
	start_flow(base, r, &r->flows[1], far, near);
	r->idle = event_new(base, -1, 0, on_idle, r);
	if (r->idle == NULL)
		panic("event_new failed for a relay");
	schedule_check(r, conf.egress_idle * 1000);
	return r;
}

void
relay_early(struct relay *r, const unsigned char *early, size_t n)
{
	if (n > 0)
		store_unsent(&r->flows[1], early, n);
}
