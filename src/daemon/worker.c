/* SPDX-License-Identifier: ISC */
/* The worker: privileges, signals, the wait for work, and the slot that other processes read. The
   hard part is to end at the right moment: never inside a request, never too late, and not at all
   only because a wait was entered just after the signal arrived. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon_priv.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { ORPHANED = SIGUSR1 }; /* sent by the kernel when the master dies */

static volatile sig_atomic_t stop_seen, orphaned;

/* Outside daemon_main (unit tests) there is no mapping, and the process uses a slot of its own. */
static struct worker_slot private_slot;
static struct worker_slot *own_slot = &private_slot;
static struct shared *own_shared;
static int epoll = -1, epoll_listener = -1, epoll_extra = -1;

struct shared *
shared_map(int fd)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (s == MAP_FAILED)
		return NULL;
	if (s->magic == SHARED_MAGIC)
		return s;
	munmap(s, sizeof(*s));
	return NULL;
}

struct shared *
shared_new(int *fd)
{
	struct shared *s;

	*fd = memfd_create(SHARED_NAME, MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, sizeof(*s)) != 0)
		panic("memfd: %s", strerror(errno));
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (s == MAP_FAILED)
		panic("mmap: %s", strerror(errno));
	s->magic = SHARED_MAGIC;
	return s;
}

/* Changes to conf.user if the process is root. */
static bool
drop_privileges(char *err, size_t room)
{
	const struct passwd *pw;

	if (geteuid() != 0 || conf.user[0] == '\0')
		return true;
	pw = getpwnam(conf.user);
	if (pw == NULL) {
		snprintf(err, room, "user %s is unknown", conf.user);
		return false;
	}
	if (initgroups(conf.user, pw->pw_gid) == 0 && setgid(pw->pw_gid) == 0 &&
	    setuid(pw->pw_uid) == 0)
		return true;
	snprintf(err, room, "become %s: %s", conf.user, strerror(errno));
	return false;
}

static void
on_stop_signal(int sig)
{
	(void)sig;
	stop_seen = 1;
}

/* The master has died: the worker ends after its request. The alarm ends it if the request takes
   longer than the watchdog of the master would have allowed. */
static void
on_orphaned(int sig)
{
	(void)sig;
	stop_seen = orphaned = 1;
	alarm((unsigned)(conf.worker_stuck / 1000 + 1));
	raise(SIGTERM); /* stays pending, and ends the next daemon_wait */
}

/* SIGTERM is blocked except in epoll_pwait. SIGUSR1 is blocked only while a request is read
   (daemon_defer_orphan): a handler has to be interrupted, because the alarm of on_orphaned is what
   ends it if it is stuck. SIGINT and SIGHUP, which a terminal sends to the whole process group, are
   for the master only. */
static void
set_signals(void)
{
	struct sigaction stop = { .sa_handler = on_stop_signal },
			 orphan = { .sa_handler = on_orphaned, .sa_flags = SA_RESTART },
			 die = { .sa_handler = SIG_DFL }, ignore = { .sa_handler = SIG_IGN };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	if (sigaction(SIGTERM, &stop, NULL) != 0 || sigaction(ORPHANED, &orphan, NULL) != 0 ||
	    sigaction(SIGALRM, &die, NULL) != 0 || sigaction(SIGPIPE, &ignore, NULL) != 0 ||
	    sigaction(SIGINT, &ignore, NULL) != 0 || sigaction(SIGHUP, &ignore, NULL) != 0 ||
	    sigprocmask(SIG_SETMASK, &blocked, NULL) != 0)
		panic("signals: %s", strerror(errno));
}

static void
mask_orphan_signal(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, ORPHANED);
	if (sigprocmask(how, &set, NULL) != 0)
		panic("sigprocmask: %s", strerror(errno));
}

void
daemon_defer_orphan(void)
{
	mask_orphan_signal(SIG_BLOCK);
}

void
daemon_admit_orphan(void)
{
	mask_orphan_signal(SIG_UNBLOCK);
}

void
worker_run(const struct daemon *d, const struct pool *pool, int listener, struct shared *shared,
    struct worker_slot *slot, pid_t master)
{
	char err[256];

	own_shared = shared;
	own_slot = slot;
	atomic_store(&slot->pid, getpid());
	set_signals();
	if (!drop_privileges(err, sizeof(err)))
		panic("%s", err);
	/* A change of user clears the death signal, so set it afterwards. A master that died before
	   this line causes no signal, so check the parent as well. The master itself wrote down its
	   pid, before the fork: here getppid might already return the pid of init. */
	if (prctl(PR_SET_PDEATHSIG, ORPHANED) != 0 || getppid() != master)
		_exit(1);
	prctl(PR_SET_NAME, pool->name);
	d->work(pool, listener);
	atomic_store(&slot->busy_since, 0);
	atomic_store(&slot->searching, 0);
	atomic_store(&slot->hashing, 0);
	exit(0);
}

/* Also checks for a pending SIGTERM: when descriptors are ready, epoll_pwait returns without
   delivering the signal, so under constant load the handler would never run. */
bool
daemon_stopping(void)
{
	sigset_t pending;

	return stop_seen || (sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1);
}

bool
daemon_ending(void)
{
	return orphaned || (own_shared != NULL && atomic_load(&own_shared->ending));
}

static void
watch_descriptor(int fd, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0)
		panic("epoll_ctl: %s", strerror(errno));
}

/* Replaces the extra descriptor of the epoll set. The caller may pass another descriptor, or a new
   one with the number of the old one, which the kernel has already removed from the set. */
static void
watch_extra_descriptor(int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_extra >= 0 && epoll_extra != fd)
		epoll_ctl(epoll, EPOLL_CTL_DEL, epoll_extra,
		    NULL); /* fails if the descriptor is closed, which is fine */
	epoll_extra = fd;
	if (fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &e) != 0)
		watch_descriptor(fd, EPOLLIN);
}

/* Waits for a connection, or for the extra descriptor, or for the order to stop. SIGTERM is
 * blocked everywhere but in epoll_pwait, so that no request is interrupted; a signal that
 * arrives between the check and the wait is pending, and epoll_pwait returns at once:
 *
 *   daemon_stopping() false --> SIGTERM arrives: pending --> epoll_pwait unblocks it --> EINTR
 *
 * Under constant load epoll_pwait returns events without delivering the signal, and
 * daemon_stopping therefore looks at the pending signals, too. EPOLLEXCLUSIVE spares most of the
 * other workers of a pool a wake-up for a connection that they cannot get. */
bool
daemon_wait(int listener, int extra)
{
	struct epoll_event event;
	sigset_t open;
	int n;

	if (epoll < 0 && (epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
		panic("epoll: %s", strerror(errno));
	if (listener >= 0 && epoll_listener != listener) {
		watch_descriptor(listener, EPOLLIN | EPOLLEXCLUSIVE);
		epoll_listener = listener;
	}
	watch_extra_descriptor(extra);
	sigemptyset(&open);
	do {
		if (daemon_stopping())
			return false;
		n = epoll_pwait(epoll, &event, 1, -1, &open);
		if (n < 0 && errno != EINTR)
			panic("epoll_pwait: %s", strerror(errno));
	} while (n <= 0);
	return true;
}

struct worker_slot *
daemon_slot(void)
{
	return own_slot;
}

const struct shared *
worker_shared(void)
{
	return own_shared;
}

const struct pool *
daemon_pool(const char *name)
{
	if (own_shared == NULL)
		return NULL;
	for (uint32_t i = 0; i < own_shared->pool_count; i++)
		if (strcmp(own_shared->pools[i].name, name) == 0)
			return &own_shared->pools[i];
	return NULL;
}

/* The other workers change their slots at any time, so the two values may belong to different
   requests. The count is used to limit searches and may be off by one for a moment. */
static bool
search_matches(const struct search_filter *f, const struct worker_slot *slot)
{
	uint32_t account = atomic_load_explicit(&slot->searching, memory_order_relaxed);
	int64_t since = atomic_load_explicit(&slot->busy_since, memory_order_relaxed);

	if (slot == own_slot || account == 0 || (f->account != 0 && account != f->account) ||
	    (f->before != 0 && since >= f->before))
		return false;
	return f->pool == NULL || (slot->pool < own_shared->pool_count &&
				      strcmp(own_shared->pools[slot->pool].name, f->pool) == 0);
}

unsigned
daemon_searches(const struct search_filter *f)
{
	unsigned n = 0;
	uint32_t high;

	if (own_shared == NULL)
		return 0;
	high = atomic_load(&own_shared->high);
	for (uint32_t i = 0; i < high && i < SLOTS_MAX; i++)
		n += search_matches(f, &own_shared->slots[i]);
	return n;
}
