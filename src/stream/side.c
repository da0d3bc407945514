/* SPDX-License-Identifier: ISC */
/* One socket of a stream: whether it is read, and the bytes that it has not yet accepted. Nothing
   here decides what an end means; pump.c does. */
#include "config.h"

#include "stream/side.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void
side_start_reading(struct side *s)
{
	if (s->fd < 0 || s->reading)
		return;
	s->reading = true;
	if (event_add(&s->readable, NULL) != 0)
		panic("event_add failed for a stream");
}

void
side_stop_reading(struct side *s)
{
	if (s->fd < 0 || !s->reading)
		return;
	s->reading = false;
	if (event_del(&s->readable) != 0)
		panic("event_del failed for a stream");
}

void
side_close(struct side *s)
{
	side_stop_reading(s);
	if (s->fd < 0)
		return;
	if (s->writing)
		event_del(&s->writable);
	s->writing = false;
	close(s->fd);
	s->fd = -1;
	free(s->wait);
	s->wait = NULL;
}

/* Queues the bytes of v behind those that wait already, except the first skip bytes, which were
   sent. */
static void
queue_unsent(struct side *s, const struct iovec *v, int n, size_t skip)
{
	size_t all = s->wait_end - s->wait_at;
	unsigned char *room;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	room = mem_alloc(all - skip);
	all = s->wait_end - s->wait_at;
	if (s->wait != NULL)
		memcpy(room, s->wait + s->wait_at, all);
	for (int i = 0; i < n; i++) {
		size_t drop = skip < v[i].iov_len ? skip : v[i].iov_len;

		memcpy(room + all, (char *)v[i].iov_base + drop, v[i].iov_len - drop);
		all += v[i].iov_len - drop;
		skip -= drop;
	}
	free(s->wait);
	s->wait = room;
	s->wait_at = 0;
	s->wait_end = all;
}

enum side_rc
side_write(struct side *to, const struct iovec *v, int n)
{
	size_t all = 0;
	ssize_t sent = 0;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	if (all == 0)
		return SIDE_SENT;
	if (to->wait == NULL) {
		struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)v,
			.msg_iovlen = (size_t)n };

		sent = sendmsg(to->fd, &m, MSG_NOSIGNAL);
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return SIDE_LOST;
		if (sent < 0)
			sent = 0;
		if ((size_t)sent == all)
			return SIDE_SENT;
	}
	queue_unsent(to, v, n, (size_t)sent);
	return SIDE_WAITS;
}

enum side_rc
side_flush(struct side *to)
{
	ssize_t n = send(to->fd, to->wait + to->wait_at, to->wait_end - to->wait_at, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? SIDE_WAITS : SIDE_LOST;
	to->wait_at += (size_t)n;
	if (to->wait_at < to->wait_end)
		return SIDE_MOVED;
	event_del(&to->writable);
	to->writing = false;
	free(to->wait);
	to->wait = NULL;
	to->wait_at = to->wait_end = 0;
	return SIDE_SENT;
}
