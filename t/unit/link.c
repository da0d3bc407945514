/* SPDX-License-Identifier: ISC */
/* browser/link.c: messages between the programs of the browser side. */
#include "config.h"

#include "browser/link.h"
#include "t/unit/tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct note {
	struct str text;
	int64_t number;
};

static const struct field note_fields[] = {
	TEXT(struct note, text, REQUIRED, 0, 60000),
	NUMBER(struct note, number, 0, 0, 1 << 20, 7),
	FIELD_END,
};

static struct event_base *base;
static struct link *ends[2];
static int taken, closings, passed_fd;
static int64_t last_number, sum;
static size_t last_length;

static void
take_note(void *arg, const struct link_received *got)
{
	const struct note *n = got->in;

	(void)arg;
	taken++;
	last_number = n->number;
	last_length = n->text.n;
	sum += n->number;
	passed_fd = got->fd;
}

static void
take_end(void *arg, const struct link_received *got)
{
	(void)arg;
	link_free(got->link);
	ends[1] = NULL;
	taken++;
}

static void
on_closed(void *arg, struct link *l)
{
	(void)arg;
	closings++;
	ends[l == ends[1]] = NULL;
	link_free(l);
}

static const struct link_message messages[] = {
	{ "note", note_fields, sizeof(struct note), take_note, true },
	{ "end", NULL, 0, take_end },
	{ 0 },
};
static const struct link_side side = { messages, on_closed };

static void
open_pair(int fds[2])
{
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	base = event_base_new();
	taken = closings = 0;
	sum = 0;
	ends[1] = link_new(base, fds[1], &side, NULL);
	ends[0] = NULL;
}

static void
close_pair(void)
{
	for (int i = 0; i < 2; i++)
		if (ends[i] != NULL)
			link_free(ends[i]);
	ends[0] = ends[1] = NULL;
	event_base_free(base);
}

static void
turn(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
}

static void
a_message_arrives(void)
{
	int fds[2];

	open_pair(fds);
	ends[0] = link_new(base, fds[0], &side, NULL);
	link_send(ends[0], "note", note_fields,
	    &(struct note){ .text = STR("x \"y\""), .number = 41 }, -1);
	turn();
	CU_ASSERT_EQUAL(taken, 1);
	CU_ASSERT_EQUAL(last_number, 41);
	CU_ASSERT_EQUAL(last_length, 5);
	CU_ASSERT_EQUAL(passed_fd, -1);
	CU_ASSERT_EQUAL(link_peer(ends[1]).uid, geteuid());
	close_pair();
}

static void
a_descriptor_goes_along(void)
{
	int fds[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct stat a, b;

	open_pair(fds);
	ends[0] = link_new(base, fds[0], &side, NULL);
	link_send(ends[0], "note", note_fields, &(struct note){ .text = STR("x") }, null);
	turn();
	CU_ASSERT_TRUE_FATAL(passed_fd >= 0);
	CU_ASSERT_EQUAL(fstat(null, &a), 0);
	CU_ASSERT_EQUAL(fstat(passed_fd, &b), 0);
	CU_ASSERT_EQUAL(a.st_rdev, b.st_rdev);
	CU_ASSERT_TRUE((fcntl(passed_fd, F_GETFD) & FD_CLOEXEC) != 0);
	close(passed_fd);
	close(null);
	close_pair();
}

/* The peer reads nothing for a while: all of it waits, in order. */
static void
a_slow_peer_loses_nothing(void)
{
	static char big[50000];
	struct note n = { .text = { big, sizeof(big) } };
	int fds[2];

	memset(big, 'a', sizeof(big));
	open_pair(fds);
	ends[0] = link_new(base, fds[0], &side, NULL);
	for (n.number = 1; n.number <= 100; n.number++)
		link_send(ends[0], "note", note_fields, &n, -1);
	CU_ASSERT_EQUAL(taken, 0);
	for (int i = 0; i < 1000 && taken < 100; i++)
		turn();
	CU_ASSERT_EQUAL(taken, 100);
	CU_ASSERT_EQUAL(last_number, 100);
	CU_ASSERT_EQUAL(sum, 5050);
	close_pair();
}

static void
a_peer_that_never_reads_is_given_up(void)
{
	static char big[50000];
	struct note n = { .text = { big, sizeof(big) } };
	int fds[2], other[2];

	memset(big, 'a', sizeof(big));
	open_pair(fds);
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, other), 0);
	ends[0] = link_new(base, other[0], &side, NULL);
	for (int i = 0; i < LINK_QUEUE_MAX + 10; i++)
		link_send(ends[0], "note", note_fields, &n, -1);
	CU_ASSERT_EQUAL(closings, 0);
	turn();
	CU_ASSERT_EQUAL(closings, 1);
	CU_ASSERT_PTR_NULL(ends[0]);
	close(other[1]);
	close(fds[0]);
	close_pair();
}

static void
junk_ends_the_connection(void)
{
	static const char *const junk[] = { "", "note", "note {}", "note {\"text\":1}",
		"note {\"text\":\"x\",\"y\":1}", "other {}", " {}", "note x" };

	for (size_t i = 0; i < COUNT(junk); i++) {
		int fds[2];

		open_pair(fds);
		CU_ASSERT_TRUE(send(fds[0], junk[i], strlen(junk[i]), 0) >= 0);
		turn();
		CU_ASSERT_EQUAL(taken, 0);
		CU_ASSERT_EQUAL(closings, 1);
		close(fds[0]);
		close_pair();
	}
}

/* "end" takes none: an end that is given one closes it, and the connection. */
static void
a_descriptor_that_nobody_takes_ends_the_connection(void)
{
	int fds[2], ours[2];
	char byte;

	open_pair(fds);
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ours), 0);
	ends[0] = link_new(base, fds[0], &side, NULL);
	link_send(ends[0], "end", NULL, NULL, ours[1]);
	close(ours[1]);
	turn();
	CU_ASSERT_EQUAL(taken, 0);
	CU_ASSERT_PTR_NULL(ends[1]);
	CU_ASSERT_EQUAL(recv(ours[0], &byte, 1, MSG_DONTWAIT), 0); /* nobody has its other end */
	close(ours[0]);
	close_pair();
}

static void
a_taker_may_free_the_link(void)
{
	int fds[2];

	open_pair(fds);
	ends[0] = link_new(base, fds[0], &side, NULL);
	link_send(ends[0], "end", NULL, NULL, -1);
	link_send(ends[0], "note", note_fields, &(struct note){ .text = STR("x") }, -1);
	turn();
	turn();
	CU_ASSERT_EQUAL(taken, 1);
	CU_ASSERT_PTR_NULL(ends[1]);
	close_pair();
}

/* Bytes of ours that the peer has not read are reported first, as ECONNRESET. */
static void
the_last_words_of_one_that_goes_are_taken(void)
{
	int fds[2];

	open_pair(fds);
	link_send(ends[1], "end", NULL, NULL, -1);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_TRUE(send(fds[0], "note {\"text\":\"x\"}", 17, 0) >= 0);
	close(fds[0]);
	turn();
	CU_ASSERT_EQUAL(taken, 3);
	CU_ASSERT_EQUAL(closings, 1);
	close_pair();
}

/* As many as there are, whatever the turn of one peer is. */
static void
the_rest_is_taken_at_once(void)
{
	int fds[2];

	open_pair(fds);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_TRUE(send(fds[0], "note {\"text\":\"x\"}", 17, 0) >= 0);
	link_take_rest(ends[1]);
	CU_ASSERT_EQUAL(taken, 3);
	CU_ASSERT_EQUAL(closings, 0);
	close(fds[0]);
	link_take_rest(ends[1]);
	CU_ASSERT_EQUAL(closings, 1);
	CU_ASSERT_PTR_NULL(ends[1]);
	close_pair();
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "a message arrives at the peer whole", a_message_arrives },
		{ "a descriptor arrives with its message", a_descriptor_goes_along },
		{ "a slow peer loses no message", a_slow_peer_loses_nothing },
		{ "a peer that never reads is disconnected", a_peer_that_never_reads_is_given_up },
		{ "a malformed message ends the connection", junk_ends_the_connection },
		{ "a descriptor that nobody takes ends the connection",
		    a_descriptor_that_nobody_takes_ends_the_connection },
		{ "a handler may free its link", a_taker_may_free_the_link },
		{ "the last messages of a closing peer are read",
		    the_last_words_of_one_that_goes_are_taken },
		{ "the remaining messages are read at once", the_rest_is_taken_at_once },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
