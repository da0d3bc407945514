/* SPDX-License-Identifier: ISC */
/* browser/runner/outbox: what is sent, what is kept, what is sent again. */
#include "config.h"

#include "browser/runner/outbox.h"
#include "t/unit/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static struct event_base *base;
static struct link *to;
static int from;
static struct outbox *box;

static void
on_closed(void *arg, struct link *l)
{
	(void)arg;
	(void)l;
}

static void
connect_again(void)
{
	static const struct link_message none[] = { { 0 } };
	static const struct link_side side = { none, on_closed };
	int ends[2];

	if (to != NULL) {
		link_free(to);
		close(from);
	}
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	to = link_new(base, ends[0], &side, NULL);
	from = ends[1];
	fcntl(from, F_SETFL, O_NONBLOCK);
}

static void
begin(size_t max)
{
	base = event_base_new();
	box = outbox_new(max);
	connect_again();
}

static void
end(void)
{
	outbox_free(box);
	link_free(to);
	to = NULL;
	close(from);
	event_base_free(base);
}

/* The next message that has come; empty: none has. */
static const char *
heard(void)
{
	static char text[LINK_MESSAGE_MAX + 1];
	ssize_t n = recv(from, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

#define HEARD(text) CU_ASSERT_STRING_EQUAL(heard(), text)

static void
a_batch_is_closed_when_it_is_sent(void)
{
	begin(1000);
	outbox_event(box, STR("{\"a\":1}"));
	outbox_event(box, STR("2"));
	outbox_send(box, to);
	HEARD("net {\"seq\":1,\"events\":[{\"a\":1},2]}");
	outbox_event(box, STR("3"));
	outbox_send(box, to);
	HEARD("net {\"seq\":2,\"events\":[3]}");
	for (int i = 0; i < NET_BATCH_MAX + 1; i++)
		outbox_event(box, STR("4"));
	outbox_send(box, to);
	CU_ASSERT_EQUAL(
	    strlen(heard()), strlen("net {\"seq\":3,\"events\":[]}") + 2 * NET_BATCH_MAX - 1);
	HEARD("net {\"seq\":4,\"events\":[4]}");
	HEARD("");
	end();
}

static void
what_is_not_answered_comes_again(void)
{
	begin(1000);
	outbox_event(box, STR("1"));
	outbox_send(box, to);
	outbox_event(box, STR("2"));
	outbox_send(box, to);
	outbox_event(box, STR("3"));
	outbox_logged(box, 1);
	connect_again();
	outbox_restart(box);
	outbox_event(box, STR("4"));
	outbox_send(box, to);
	HEARD("net {\"seq\":2,\"events\":[2]}");
	HEARD("net {\"seq\":3,\"events\":[3,4]}");
	outbox_logged(box, 3);
	CU_ASSERT_TRUE(outbox_is_empty(box));
	outbox_event(box, STR("5"));
	outbox_logged(box, 99); /* nobody can have that */
	CU_ASSERT_FALSE(outbox_is_empty(box));
	outbox_send(box, to);
	HEARD("net {\"seq\":4,\"events\":[5]}");
	end();
}

static void
so_many_wait_for_an_answer(void)
{
	int n = 0;

	begin(1000);
	for (int i = 0; i < LOG_WINDOW + 2; i++) {
		outbox_event(box, STR("1"));
		outbox_send(box, to);
	}
	while (heard()[0] != '\0')
		n++;
	CU_ASSERT_EQUAL(n, LOG_WINDOW);
	outbox_logged(box, 1);
	outbox_send(box, to);
	HEARD("net {\"seq\":65,\"events\":[1,1]}");
	HEARD("");
	end();
}

static void
what_is_too_much_is_marked(void)
{
	begin(10);
	outbox_event(box, STR("12345"));
	outbox_event(box, STR("123456"));
	outbox_event(box, STR("12345"));
	outbox_event(box, STR("1"));
	CU_ASSERT_FALSE(outbox_shot(box, &(struct runner_shot){ .seq = 0 }, -1, 1));
	outbox_send(box, to);
	HEARD("net {\"seq\":1,\"events\":[12345]}");
	HEARD("truncated {\"seq\":2}");
	HEARD("net {\"seq\":3,\"events\":[12345]}");
	HEARD("");
	outbox_logged(box, 3);
	outbox_event(box, STR("1234567890"));
	outbox_event(box, STR("1")); /* the mark stands already */
	outbox_send(box, to);
	HEARD("net {\"seq\":4,\"events\":[1234567890]}");
	HEARD("");
	end();
}

static void
a_screenshot_is_one_of_them(void)
{
	static const char text[] =
	    "shot {\"seq\":2,\"id\":\"01000000-0000-0000-0000-000000000000\",\"reason\":"
	    "\"load\",\"tab\":1,\"url\":\"u v\",\"title\":\"t\",\"width\":1,\"height\":1,"
	    "\"mime\":\"image/jpeg\",\"taken_at\":\"1970-01-01T00:00:00.000000Z\"}";
	const struct runner_shot shot = { .id = { { 1 } },
		.reason = STR_INIT("load"),
		.tab = 1,
		.width = 1,
		.height = 1,
		.url = { "u\0v", 3 },
		.title = STR_INIT("t"),
		.mime = STR_INIT("image/jpeg") };
	int fd = memfd_create("shot", MFD_CLOEXEC);

	begin(1000);
	outbox_event(box, STR("1"));
	CU_ASSERT_TRUE(outbox_shot(box, &shot, fd, 500));
	outbox_event(box, STR("2"));
	for (int i = 0; i < 2; i++) {
		outbox_send(box, to);
		HEARD("net {\"seq\":1,\"events\":[1]}");
		HEARD(text);
		HEARD("net {\"seq\":3,\"events\":[2]}");
		connect_again();
		outbox_restart(box);
	}
	CU_ASSERT_NOT_EQUAL(fcntl(fd, F_GETFD), -1);
	outbox_logged(box, 3);
	CU_ASSERT_FALSE(outbox_is_empty(box));
	outbox_send(box, to);
	outbox_logged(box, 2);
	CU_ASSERT_EQUAL(fcntl(fd, F_GETFD), -1); /* it was the outbox's */
	end();
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "a batch is closed when it is sent", a_batch_is_closed_when_it_is_sent },
		{ "unanswered messages are sent again", what_is_not_answered_comes_again },
		{ "the number of unanswered messages is limited", so_many_wait_for_an_answer },
		{ "events above the limit are marked", what_is_too_much_is_marked },
		{ "a screenshot is a message with a number", a_screenshot_is_one_of_them },
		CU_TEST_INFO_NULL,
	};

	signal(SIGPIPE, SIG_IGN);
	return tap_main(tests);
}
