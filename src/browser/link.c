/* SPDX-License-Identifier: ISC */
/* Implements links: decoding by table, queueing for slow readers, and passing descriptors.
   Difficult is ownership during callbacks: a message handler may free its own link, so link_free
   during a delivery only marks the link, and receive_until frees it afterwards. The peer may be
   hostile (a runner whose browser was taken over): its packets are bounded, decoded by table, and
   stray descriptors are closed. */
#include "config.h"

#include "base/limits.h"
#include "browser/link.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
	LINK_ARENA = 16 * 1024 * 1024,
	LINK_BACKLOG = 64,
	TURN_US = 10000,   /* for one peer's messages before other events are handled */
	REST_US = 2000000, /* for the messages that a dead peer left behind */
};

/* A message for a peer whose socket is full. */
struct queued_message {
	STAILQ_ENTRY(queued_message) next;
	int fd;
	size_t n;
	char text[];
};

struct link {
	const struct link_side *side;
	void *arg;
	struct event_base *base;
	struct event *readable, *writable, *broken;
	struct arena *arena;
	STAILQ_HEAD(, queued_message) queue;
	size_t queued;
	int fd;
	bool delivering; /* handlers run: link_free is deferred */
	bool freed;      /* link_free was called while delivering */
};

int
link_listen(const char *path, unsigned mode)
{
	int fd = daemon_bind(path, SOCK_SEQPACKET, mode);

	if (fd >= 0 && listen(fd, LINK_BACKLOG) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

int
link_connect(const char *path)
{
	return fd_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK);
}

/* Decodes one message by its row and calls the handler. Returns false for a message that no row
   permits. */
static bool
deliver_message(struct link *l, struct str text, int fd)
{
	struct str body = text, name = str_until(&body, ' ');
	struct decoded how = { 0 };
	const char *why = "not understood";

	if (body.p == NULL)
		body = STR("{}");
	for (const struct link_message *m = l->side->messages; m->name != NULL; m++) {
		void *in;

		if (!str_is(name, m->name))
			continue;
		if (fd >= 0 && !m->takes_fd) {
			why = "a descriptor that it does not take";
			break;
		}
		in = arena_alloc(l->arena, m->size > 0 ? m->size : 1);
		if (m->fields != NULL &&
		    json_decode(l->arena, body, m->fields, ts_now(), in, &how) != JSON_OK)
			break;
		m->take(l->arg, &(struct link_received){ l, in, fd });
		return true;
	}
	log_event(LOGP_ERR, "link", "why=\"%s\" message=\"%s\" field=\"%s\"", why, log_text(name).z,
	    log_text(how.nerrors > 0 ? how.errors[0].field : STR_NULL).z);
	if (fd >= 0)
		close(fd);
	return false;
}

/* Extracts the descriptor of a packet. Returns false, and closes them, if there are several or any
   was cut off. */
static bool
extract_descriptor(struct msghdr *m, int *fd)
{
	int fds[8];
	size_t n = 0;

	*fd = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
			n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			memcpy(fds, CMSG_DATA(c), n * sizeof(int));
		}
	if (n == 1 && (m->msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0) {
		*fd = fds[0];
		return true;
	}
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	return n == 0 && (m->msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0;
}

/* Receives and delivers one message. Returns false when the connection has ended or a message was
   bad. When the peer closes with unread bytes, the kernel reports ECONNRESET once, before the
   peer's last messages: that error is skipped so that those messages are still received. */
static bool
receive_message(struct link *l, bool *more)
{
	static char room[LINK_MESSAGE_MAX];
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control;
	struct iovec iov = { room, sizeof(room) };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(l->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int fd;

	*more = n > 0 || (n < 0 && errno == ECONNRESET);
	if (n < 0)
		return *more || errno == EAGAIN || errno == EINTR;
	if (n == 0 || !extract_descriptor(&m, &fd))
		return false;
	return deliver_message(l, (struct str){ room, (size_t)n }, fd);
}

static void
receive_until(struct link *l, int64_t until)
{
	bool more = true, good = true;

	l->delivering = true;
	do {
		good = receive_message(l, &more);
		arena_reset(l->arena);
	} while (more && good && !l->freed && mono_us() < until);
	l->delivering = false;
	if (l->freed)
		link_free(l);
	else if (!good)
		l->side->closed(l->arg, l);
}

static void
on_link_readable(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	receive_until(arg, mono_us() + TURN_US);
}

void
link_take_rest(struct link *l)
{
	receive_until(l, mono_us() + REST_US);
}

static bool
send_packet(struct link *l, const char *text, size_t n, int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char *copy = (char *)(uintptr_t)text; /* sendmsg does not write to it */
	struct iovec iov = { copy, n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *c;

		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(l->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static bool
send_would_block(void)
{
	return errno == EAGAIN || errno == ENOBUFS || errno == EINTR || errno == ETOOMANYREFS;
}

static void
drop_first_queued(struct link *l)
{
	struct queued_message *w = STAILQ_FIRST(&l->queue);

	STAILQ_REMOVE_HEAD(&l->queue, next);
	l->queued--;
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

static void
on_link_writable(int fd, short what, void *arg)
{
	struct link *l = arg;
	const struct queued_message *w;

	(void)fd;
	(void)what;
	while ((w = STAILQ_FIRST(&l->queue)) != NULL) {
		if (!send_packet(l, w->text, w->n, w->fd) && send_would_block())
			return;
		/* Sent; or the peer is gone, which on_link_readable notices. */
		drop_first_queued(l);
	}
	event_del(l->writable);
}

static void
on_broken(int fd, short what, void *arg)
{
	struct link *l = arg;

	(void)fd;
	(void)what;
	l->side->closed(l->arg, l);
}

static void
queue_message(struct link *l, struct str text, int fd)
{
	struct queued_message *w;

	/* The caller of link_send does not expect closed(), so on_broken calls it from the event
	   loop. */
	if (l->queued >= LINK_QUEUE_MAX) {
		event_active(l->broken, EV_TIMEOUT, 0);
		return;
	}
	w = mem_alloc(sizeof(*w) + text.n);
	w->n = text.n;
	memcpy(w->text, text.p, text.n);
	w->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	STAILQ_INSERT_TAIL(&l->queue, w, next);
	if (l->queued++ == 0)
		event_add(l->writable, NULL);
}

void
link_send(struct link *l, const char *name, const struct field *fields, const void *out, int fd)
{
	struct buf b = { 0 };
	struct str text;

	buf_z(&b, name);
	if (fields != NULL) {
		buf_char(&b, ' ');
		json_write(&b, fields, out);
	}
	text = buf_done(&b);
	if (text.n > LINK_MESSAGE_MAX)
		panic("message %s has %zu bytes, more than LINK_MESSAGE_MAX", name, text.n);
	if (l->queued > 0 || (!send_packet(l, text.p, text.n, fd) && send_would_block()))
		queue_message(l, text, fd);
	buf_free(&b);
}

struct ucred
link_peer(const struct link *l)
{
	struct ucred who = { .pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1 };
	socklen_t n = sizeof(who);

	if (getsockopt(l->fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0)
		panic("peer credentials: %s", strerror(errno));
	return who;
}

struct link *
link_new(struct event_base *base, int fd, const struct link_side *side, void *arg)
{
	struct link *l = mem_zero(sizeof(*l));

	if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
		panic("fcntl(O_NONBLOCK) of a link: %s", strerror(errno));
	l->side = side;
	l->arg = arg;
	l->base = base;
	l->fd = fd;
	l->arena = arena_new(LINK_ARENA);
	STAILQ_INIT(&l->queue);
	l->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_link_readable, l);
	l->writable = event_new(base, fd, EV_WRITE | EV_PERSIST, on_link_writable, l);
	l->broken = event_new(base, -1, 0, on_broken, l);
	if (l->readable == NULL || l->writable == NULL || l->broken == NULL ||
	    event_add(l->readable, NULL) != 0)
		panic("event_new or event_add failed for a link");
	return l;
}

void
link_free(struct link *l)
{
	l->freed = true;
	if (l->delivering)
		return;
	while (!STAILQ_EMPTY(&l->queue))
		drop_first_queued(l);
	event_free(l->readable);
	event_free(l->writable);
	event_free(l->broken);
	close(l->fd);
	arena_free(l->arena);
	free(l);
}
