/* SPDX-License-Identifier: ISC */
/* surfaced-index(8): a pass after every notification of the database, and one at least every
   index_poll. A notification may be lost with a connection, so the poll is needed; it also verifies
   some of the files. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "indexer/indexer.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static bool rebuild_first; /* --rebuild was given and no rebuild has succeeded yet */

/* The descriptor `epoll` is readable when a notification may have arrived or the poll is due.
   daemon_wait waits for it. */
struct alarm {
	int epoll, timer;
};

static void
watch_alarm_descriptor(struct alarm *a, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (fd >= 0 && epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &e) < 0 && errno != EEXIST)
		panic("epoll_ctl: %s", strerror(errno));
}

static void
alarm_set(struct alarm *a)
{
	struct itimerspec every = { { conf.index_poll / 1000, conf.index_poll % 1000 * 1000000 },
		{ conf.index_poll / 1000, conf.index_poll % 1000 * 1000000 } };

	a->epoll = epoll_create1(EPOLL_CLOEXEC);
	a->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (a->epoll < 0 || a->timer < 0 || timerfd_settime(a->timer, 0, &every, NULL) < 0)
		panic("timerfd_settime failed: %s", strerror(errno));
	watch_alarm_descriptor(a, a->timer);
}

/* Waits for the next pass. The socket of the database is added each time, because a new connection
   may have the descriptor of the old one, which epoll removed when it was closed. If the socket is
   still watched, epoll_ctl fails with EEXIST. */
static bool
alarm_wait(struct alarm *a, struct db *db)
{
	uint64_t ticks;
	bool go;

	watch_alarm_descriptor(a, db_socket(db));
	go = daemon_wait(-1, a->epoll);
	if (read(a->timer, &ticks, sizeof(ticks)) < 0 && errno != EAGAIN)
		panic("reading the timer failed: %s", strerror(errno));
	return go;
}

static void
run_indexer(const struct pool *pool, int listener)
{
	struct followers *f = followers_open(conf.index_directory);
	struct alarm a;

	(void)pool;
	(void)listener;
	if (f == NULL)
		exit(1);
	alarm_set(&a);
	do {
		if (followers_once(f, rebuild_first) == FOLLOW_DONE)
			rebuild_first = false;
	} while (alarm_wait(&a, followers_db(f)) && !daemon_stopping());
	close(a.epoll);
	close(a.timer);
	followers_close(f);
}

static const struct daemon program = {
	.name = "surfaced-index",
	.dump = stmts_dump,
	.usage = " [--once] [--rebuild]",
	.work = run_indexer,
};

/* --once: makes one pass in the foreground, because the caller waits for its end and its exit
   status. */
static int
run_once(int argc, char **argv)
{
	struct options o;
	char err[512];
	struct followers *f;
	enum follow_rc rc;
	int status = options_take(&program, argc, argv, &o);

	if (status >= 0)
		return status;
	if (o.dump != NULL)
		return stmts_dump(program.name, o.dump);
	if (!conf_load(program.name, o.file, err, sizeof(err))) {
		fprintf(stderr, "surfaced-index: %s\n", err);
		return 1;
	}
	if (o.test)
		return 0;
	f = followers_open(conf.index_directory);
	if (f == NULL)
		return 1;
	followers_without_child(f);
	rc = followers_once(f, rebuild_first);
	followers_close(f);
	return rc == FOLLOW_DONE ? 0 : 1;
}

/* Removes the two long options of this program from argv; daemon_main parses the others. */
int
main(int argc, char **argv)
{
	bool only_once = false;
	int n = 1;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--once") == 0)
			only_once = true;
		else if (strcmp(argv[i], "--rebuild") == 0)
			rebuild_first = true;
		else
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return only_once ? run_once(n, argv) : daemon_main(n, argv, &program);
}
