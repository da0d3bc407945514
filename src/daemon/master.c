/* SPDX-License-Identifier: ISC */
/* The master: forks workers, replaces the dead, kills the stuck, becomes its own successor on SIGHUP.
   It handles no request and holds no lock, so nothing that a client sends can stop it. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum {
	TICK_US = 1000000, /* how often the master looks around when nothing happens */
	QUICK_TICK_US = 100000, /* while it waits for a worker to end or to be started */
	HEALTHY_US = 1000000,   /* a worker that lived this long died of something new */
	DELAY_MIN_US = 100000,  /* before a worker that died at once is replaced ... */
	DELAY_MAX_US = 5000000, /* ... doubled each time up to this */
	RELOAD_TEST_SECONDS = 30, /* for the new self to test its configuration */
};

struct child {
	int64_t started;
	bool
	    retired; /* of the master's former self, or of a stop: has been told to end */
};

struct squad { /* what the master keeps of a pool */
	int listener;
	bool lent;   /* see inherited */
	bool stored; /* the service manager has it too */
	int64_t delay, not_before;
	dev_t dev;
	ino_t ino;
};

struct master {
	const struct daemon *d;
	char **argv;
	struct inherited h; /* exe, shared */
	struct shared *shared;
	struct child children[SLOTS_MAX];
	struct squad squads[POOLS_MAX];
	bool stopping;
	int64_t watchdog_us, watchdog_next;
};

static struct pool *
pool_of(struct master *m, uint32_t i)
{
	return &m->shared->pools[i];
}

/* ---- workers ---- */

static int
free_slot(const struct master *m)
{
	for (int i = 0; i < SLOTS_MAX; i++)
		if (atomic_load(&m->shared->slots[i].pid) == 0)
			return i;
	return -1;
}

static void
close_in_child(const struct master *m, uint32_t pool)
{
	for (uint32_t i = 0; i < m->shared->pool_count; i++)
		if (i != pool && m->squads[i].listener >= 0)
			close(m->squads[i].listener);
	close(m->h.shared);
}

static bool
start_worker(struct master *m, uint32_t pool)
{
	struct worker_slot *slot;
	int at = free_slot(m);
	pid_t pid;

	if (at < 0)
		return false;
	slot = &m->shared->slots[at];
	atomic_store(&slot->busy_since, 0);
	atomic_store(&slot->searching, 0);
	atomic_store(&slot->served, 0);
	slot->pool = pool;
	if (atomic_load(&m->shared->high) <= (uint32_t)at)
		atomic_store(&m->shared->high, (uint32_t)at + 1);
	pid = fork();
	if (pid < 0) {
		log_event(LOGP_ERR, "fork", "why=\"%s\"", strerror(errno));
		return false;
	}
	if (pid == 0) {
		close_in_child(m, pool);
		worker_run(
		    m->d, pool_of(m, pool), m->squads[pool].listener, m->shared, slot);
	}
	atomic_store(&slot->pid, pid);
	m->children[at] = (struct child){ .started = mono_us() };
	return true;
}

static unsigned
living(const struct master *m, uint32_t pool)
{
	unsigned n = 0;

	for (int i = 0; i < SLOTS_MAX; i++)
		n += atomic_load(&m->shared->slots[i].pid) != 0 &&
		     !m->children[i].retired && m->shared->slots[i].pool == pool;
	return n;
}

/* True when every pool has its workers. */
static bool
fill(struct master *m)
{
	bool full = true;

	for (uint32_t p = 0; p < m->shared->pool_count; p++) {
		struct squad *s = &m->squads[p];
		unsigned missing = pool_of(m, p)->workers - living(m, p);

		if (pool_of(m, p)->path[0] != '\0' && s->listener < 0)
			continue;
		if (missing > 0 && mono_us() < s->not_before) {
			full = false;
			continue;
		}
		while (missing > 0 && start_worker(m, p))
			missing--;
		if (missing > 0) {
			s->not_before = mono_us() + DELAY_MIN_US;
			full = false;
		}
	}
	return full;
}

/* A worker that dies at once will do it again: its pool waits a little longer each time. */
static void
mind_death(struct master *m, int at, int status)
{
	struct squad *s = &m->squads[m->shared->slots[at].pool];
	bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;

	if (m->children[at].retired)
		return;
	if (clean || mono_us() - m->children[at].started >= HEALTHY_US) {
		s->delay = 0;
		return;
	}
	if (s->delay == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		s->delay = DELAY_MIN_US; /* killed from outside: no fault of its own */
	else
		s->delay = s->delay * 2 < DELAY_MAX_US ? s->delay * 2 : DELAY_MAX_US;
	s->not_before = mono_us() + s->delay;
}

static void
bury(struct master *m, int at, pid_t pid, int status)
{
	struct worker_slot *slot = &m->shared->slots[at];

	if (WIFSIGNALED(status))
		log_event(LOGP_ERR, "worker_died", "pid=%d pool=%s signal=%d", (int)pid,
		    pool_of(m, slot->pool)->name, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		log_event(LOGP_ERR, "worker_died", "pid=%d pool=%s status=%d", (int)pid,
		    pool_of(m, slot->pool)->name, WEXITSTATUS(status));
	mind_death(m, at, status);
	atomic_store(&slot->busy_since, 0);
	atomic_store(&slot->searching, 0);
	atomic_store(&slot->pid, 0);
}

static void
reap(struct master *m)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < SLOTS_MAX; i++)
			if (atomic_load(&m->shared->slots[i].pid) == pid) {
				bury(m, i, pid, status);
				break;
			}
}

static void
kill_stuck(struct master *m)
{
	int64_t now = mono_us();

	for (int i = 0; i < SLOTS_MAX; i++) {
		struct worker_slot *slot = &m->shared->slots[i];
		int64_t since = atomic_load(&slot->busy_since);
		pid_t pid = atomic_load(&slot->pid);

		if (pid <= 0 || since == 0 || now - since <= conf.worker_stuck * 1000)
			continue;
		log_event(LOGP_ERR, "worker_stuck", "pid=%d pool=%s ms=%" PRId64,
		    (int)pid, pool_of(m, slot->pool)->name, (now - since) / 1000);
		kill(pid, SIGKILL);
	}
}

/* Again and again: libfcgi has a window in which a signal is noted and yet waited through. */
static bool
end_retired(struct master *m)
{
	bool any = false;

	for (int i = 0; i < SLOTS_MAX; i++) {
		pid_t pid = atomic_load(&m->shared->slots[i].pid);

		if (pid > 0 && m->children[i].retired) {
			kill(pid, SIGTERM);
			any = true;
		}
	}
	return any;
}

static void
retire_all(struct master *m)
{
	for (int i = 0; i < SLOTS_MAX; i++)
		m->children[i].retired = true;
}

/* ---- sockets ---- */

static bool
open_pool(struct master *m, uint32_t i, char *err, size_t room)
{
	struct squad *s = &m->squads[i];
	const char *path = pool_of(m, i)->path;
	struct stat st;

	s->listener = -1;
	if (path[0] == '\0')
		return true;
	s->listener = inherited_sock(&m->h, path, &s->lent);
	if (s->listener < 0)
		s->listener = listen_open(path, err, room);
	else if (!s->lent)
		s->listener = listen_mend(s->listener, path, err, room);
	s->stored = s->listener >= 0 && listen_store(s->listener, path);
	if (s->listener >= 0 && stat(path, &st) == 0) {
		s->dev = st.st_dev;
		s->ino = st.st_ino;
	}
	return s->listener >= 0;
}

/* A reload must not end what runs: there a pool that cannot listen is left out, loudly. */
static bool
open_pools(struct master *m, bool fresh)
{
	char err[256];

	for (uint32_t i = 0; i < m->shared->pool_count; i++)
		if (!open_pool(m, i, err, sizeof(err))) {
			log_event(LOGP_ERR, "listen", "pool=%s why=\"%s\"",
			    pool_of(m, i)->name, err);
			if (fresh)
				return false;
		}
	for (size_t i = 0; i < m->h.count;
	     i++) { /* of pools that the file no longer has */
		listen_forget(m->h.socks[i].path);
		if (!m->h.socks[i].lent)
			unlink(m->h.socks[i].path);
		close(m->h.socks[i].fd);
	}
	m->h.count = 0;
	return true;
}

/* Only what is still ours: what the service manager holds, or a successor, stays. A restart finds the
   requests that have come meanwhile in its queue; after a stop the file refuses. */
static void
remove_sockets(const struct master *m)
{
	struct stat st;

	for (uint32_t i = 0; i < m->shared->pool_count; i++) {
		const char *path = m->shared->pools[i].path;

		if (m->squads[i].listener >= 0 && !m->squads[i].lent &&
		    !m->squads[i].stored && stat(path, &st) == 0 &&
		    st.st_dev == m->squads[i].dev && st.st_ino == m->squads[i].ino)
			unlink(path);
	}
}

/* ---- reload ---- */

/* The file on disk, perhaps a newer version, judges the configuration it would start with. */
static bool
successor_is_fit(const struct master *m)
{
	char *argv[64];
	size_t n = 0;
	int status;
	pid_t pid;

	for (; m->argv[n] != NULL && n < COUNT(argv) - 2; n++)
		argv[n] = m->argv[n];
	argv[n++] = (char[]){ "-t" };
	argv[n] = NULL;
	pid = fork();
	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		alarm(RELOAD_TEST_SECONDS);
		execv(m->h.exe, argv);
		_exit(127);
	}
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
keep_descriptors(struct master *m)
{
	m->h.count = 0;
	for (uint32_t i = 0; i < m->shared->pool_count; i++) {
		if (m->squads[i].listener < 0)
			continue;
		m->h.socks[m->h.count].fd = m->squads[i].listener;
		m->h.socks[m->h.count].lent = m->squads[i].lent;
		snprintf(m->h.socks[m->h.count].path, sizeof(m->h.socks[0].path), "%s",
		    pool_of(m, i)->path);
		m->h.count++;
	}
}

static void
reload(struct master *m)
{
	if (!successor_is_fit(m)) {
		log_event(LOGP_ERR, "reload_refused", "exe=%s: the running workers stay",
		    m->h.exe);
		return;
	}
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, mono_us());
	keep_descriptors(m);
	if (inherited_give(&m->h))
		execv(m->h.exe, m->argv);
	log_event(
	    LOGP_ERR, "reload_failed", "exe=%s why=\"%s\"", m->h.exe, strerror(errno));
	for (size_t i = 0; i < m->h.count; i++)
		listen_adopt(m->h.socks[i].fd); /* close on exec again */
	m->h.count = 0;
	sd_notify(0, "READY=1");
}

/* ---- the loop ---- */

static void
begin_stop(struct master *m, int sig)
{
	if (m->stopping)
		return;
	log_event(LOGP_NOTICE, "stopping", "signal=%d", sig);
	sd_notify(0, "STOPPING=1");
	m->stopping = true;
	atomic_store(&m->shared->ending, true);
	retire_all(m);
}

static void
on_signal(struct master *m, int sig)
{
	if (sig == SIGTERM || sig == SIGINT)
		begin_stop(m, sig);
	if (sig == SIGHUP && !m->stopping)
		reload(m);
}

static void
feed_watchdog(struct master *m)
{
	if (m->watchdog_us == 0 || mono_us() < m->watchdog_next)
		return;
	sd_notify(0, "WATCHDOG=1");
	m->watchdog_next = mono_us() + m->watchdog_us / 3;
}

static int64_t
tick(const struct master *m, bool quick)
{
	int64_t us = quick ? QUICK_TICK_US : TICK_US;

	if (conf.worker_stuck * 1000 / 4 < us)
		us = conf.worker_stuck * 1000 / 4;
	if (m->watchdog_us > 0 && m->watchdog_us / 4 < us)
		us = m->watchdog_us / 4;
	return us;
}

static void
master_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, set, NULL) != 0)
		panic("sigprocmask: %s", strerror(errno));
}

static void
loop(struct master *m, const sigset_t *set)
{
	for (;;) {
		bool full = true, waiting;
		struct timespec wait = { 0 };
		int64_t us;
		int sig;

		reap(m);
		kill_stuck(m);
		waiting = end_retired(m);
		if (m->stopping && !waiting)
			return;
		if (!m->stopping)
			full = fill(m);
		feed_watchdog(m);
		us = tick(m, waiting || !full);
		wait.tv_sec = us / 1000000;
		wait.tv_nsec = us % 1000000 * 1000;
		sig = sigtimedwait(set, NULL, &wait);
		if (sig > 0)
			on_signal(m, sig);
	}
}

static void
take_over(struct master *m, const struct pool *pools, size_t n)
{
	m->shared = m->h.shared >= 0 ? shared_map(m->h.shared) : NULL;
	if (m->shared == NULL)
		m->shared = shared_new(&m->h.shared);
	listen_adopt(m->h.shared);
	retire_all(m); /* whoever lives in a slot is of the former self */
	atomic_store(&m->shared->ending, false);
	m->shared->pool_count = (uint32_t)n;
	memcpy(m->shared->pools, pools, n * sizeof(*pools));
}

int
master_run(const struct daemon *d, char **argv, const struct pool *pools, size_t n,
    struct inherited *h)
{
	static struct master m; /* large, and there is one */
	bool fresh = h->shared < 0;
	uint64_t watchdog = 0;
	sigset_t set;

	m = (struct master){ .d = d, .argv = argv, .h = *h };
	master_signals(&set);
	take_over(&m, pools, n);
	if (!open_pools(&m, fresh))
		return 1;
	if (sd_watchdog_enabled(0, &watchdog) > 0)
		m.watchdog_us = (int64_t)watchdog;
	fill(&m);
	log_event(LOGP_NOTICE, fresh ? "started" : "reloaded", "program=%s version=%s",
	    d->name, PACKAGE_VERSION);
	sd_notifyf(0, "READY=1\nMAINPID=%d", (int)getpid());
	loop(&m, &set);
	remove_sockets(&m);
	log_event(LOGP_NOTICE, "stopped", "program=%s", d->name);
	return 0;
}
