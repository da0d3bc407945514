/* SPDX-License-Identifier: ISC */
/* The master: forks workers, replaces dead workers, kills stuck workers, and executes the program
 * again on SIGHUP (the design note in daemon.h has the picture). The states of a worker as the
 * master sees it:
 *
 *               fork                    exit, signal or SIGKILL by kill_stuck
 *   free slot --------> running ---------------------------------------------------> free slot
 *                          |                                                            ^
 *                          | reload or stop: retire_all_workers                         |
 *                          +----------------> retired -- SIGTERM at every turn ---------+
 *                                                        of the loop until it ends
 *
 * A retired worker is not replaced and its death delays nothing. The master ends when it is
 * stopping and no retired worker is left. */
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
	TICK_US = 1000000,        /* longest turn of the loop when nothing happens */
	QUICK_TICK_US = 100000,   /* while a worker has yet to end or to be started */
	HEALTHY_US = 1000000,     /* a later death does not delay the next start */
	DELAY_MIN_US = 100000,    /* delay of the next start after an early death ... */
	DELAY_MAX_US = 5000000,   /* ... doubled with each further one, up to this */
	RELOAD_TEST_SECONDS = 30, /* limit for -t of the new program at a reload */
};

struct child {
	int64_t started; /* mono_us */
	bool retired;    /* a reload or a stop wants it to end */
};

/* The private half of a pool; the public half is in the shared mapping. */
struct pool_state {
	int listener;              /* -1: none */
	bool lent;                 /* see struct inherited */
	bool stored;               /* the service manager has a duplicate of the listener */
	int64_t delay, not_before; /* for the next start of a worker */
	dev_t dev;                 /* identity of the socket file */
	ino_t ino;
};

struct master {
	const struct daemon *d;
	char **argv;
	struct inherited h; /* exe, shared */
	struct shared *shared;
	struct child children[SLOTS_MAX];
	struct pool_state pool_states[POOLS_MAX];
	bool stopping;
	int64_t watchdog_us, watchdog_next;
};

static struct pool *
pool_at(struct master *m, uint32_t i)
{
	return &m->shared->pools[i];
}

/* The pool of a worker, for the log: "-" when a reload has removed the pool. */
static const char *
pool_name(const struct master *m, const struct worker_slot *slot)
{
	return slot->pool == POOL_REMOVED ? "-" : m->shared->pools[slot->pool].name;
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
close_foreign_descriptors(const struct master *m, uint32_t pool)
{
	for (uint32_t i = 0; i < m->shared->pool_count; i++)
		if (i != pool && m->pool_states[i].listener >= 0)
			close(m->pool_states[i].listener);
	close(m->h.shared);
}

/* Forks a worker of a pool. The slot is cleared before the fork, because the child writes into
 * it at once. Both processes store the pid, so neither depends on how soon the other one runs. A
 * child that dies at once is still found by its pid, because the master reaps in a later turn of
 * its loop.
 *
 * The child closes the listeners of the other pools: a worker that kept one open would hold the
 * socket for as long as it lives, even after a reload that removed the pool. `master` is read
 * before the fork, since the child uses it to notice a master that died in between (worker_run). */
static bool
start_worker(struct master *m, uint32_t pool)
{
	struct worker_slot *slot;
	int at = free_slot(m);
	pid_t master = getpid(), pid;

	if (at < 0)
		return false;
	slot = &m->shared->slots[at];
	atomic_store(&slot->busy_since, 0);
	atomic_store(&slot->searching, 0);
	atomic_store(&slot->hashing, 0);
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
		close_foreign_descriptors(m, pool);
		worker_run(
		    m->d, pool_at(m, pool), m->pool_states[pool].listener, m->shared, slot, master);
	}
	atomic_store(&slot->pid, pid);
	m->children[at] = (struct child){ .started = mono_us() };
	return true;
}

static unsigned
count_active_workers(const struct master *m, uint32_t pool)
{
	unsigned n = 0;

	for (int i = 0; i < SLOTS_MAX; i++)
		n += atomic_load(&m->shared->slots[i].pid) != 0 && !m->children[i].retired &&
		     m->shared->slots[i].pool == pool;
	return n;
}

/* True when every pool has all its workers; false when a pool has to wait. */
static bool
start_missing_workers(struct master *m)
{
	bool full = true;

	for (uint32_t p = 0; p < m->shared->pool_count; p++) {
		struct pool_state *s = &m->pool_states[p];
		unsigned missing = pool_at(m, p)->workers - count_active_workers(m, p);

		if (pool_at(m, p)->path[0] != '\0' && s->listener < 0)
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

/* Delays the next start in the pool after an early death: the next worker would probably die as
   soon. A worker that was killed from outside (the administrator, the OOM killer, kill_stuck)
   proves nothing about the next one, so its replacement waits for the shortest delay only. */
static void
delay_next_start(struct master *m, int at, int status)
{
	bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	struct pool_state *s;

	if (m->children[at].retired)
		return;
	s = &m->pool_states[m->shared->slots[at].pool];
	if (clean || mono_us() - m->children[at].started >= HEALTHY_US) {
		s->delay = 0;
		return;
	}
	if (s->delay == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		s->delay = DELAY_MIN_US;
	else
		s->delay = s->delay * 2 < DELAY_MAX_US ? s->delay * 2 : DELAY_MAX_US;
	s->not_before = mono_us() + s->delay;
}

static void
reap_worker(struct master *m, int at, pid_t pid, int status)
{
	struct worker_slot *slot = &m->shared->slots[at];

	if (WIFSIGNALED(status))
		log_event(LOGP_ERR, "worker_died", "pid=%d pool=%s signal=%d", (int)pid,
		    pool_name(m, slot), WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		log_event(LOGP_ERR, "worker_died", "pid=%d pool=%s status=%d", (int)pid,
		    pool_name(m, slot), WEXITSTATUS(status));
	delay_next_start(m, at, status);
	atomic_store(&slot->busy_since, 0);
	atomic_store(&slot->searching, 0);
	atomic_store(&slot->hashing, 0);
	atomic_store(&slot->pid, 0);
}

static void
reap_dead_workers(struct master *m)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < SLOTS_MAX; i++)
			if (atomic_load(&m->shared->slots[i].pid) == pid) {
				reap_worker(m, i, pid, status);
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
		log_event(LOGP_ERR, "worker_stuck", "pid=%d pool=%s ms=%" PRId64, (int)pid,
		    pool_name(m, slot), (now - since) / 1000);
		kill(pid, SIGKILL);
	}
}

/* Sends SIGTERM to every retired worker, at every turn of the loop: libfcgi has a window in which a
   signal is received and yet does not end the wait that follows. True: such workers are left. */
static bool
signal_retired_workers(struct master *m)
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
retire_all_workers(struct master *m)
{
	for (int i = 0; i < SLOTS_MAX; i++)
		m->children[i].retired = true;
}

/* ---- sockets ---- */

static bool
open_pool(struct master *m, uint32_t i, char *err, size_t room)
{
	struct pool_state *s = &m->pool_states[i];
	const char *path = pool_at(m, i)->path;
	struct stat st;

	s->listener = -1;
	if (path[0] == '\0')
		return true;
	s->listener = inherited_socket(&m->h, path, &s->lent);
	if (s->listener < 0)
		s->listener = listen_open(path, err, room);
	else if (!s->lent)
		s->listener = listen_repair(s->listener, path, err, room);
	s->stored = s->listener >= 0 && listen_store(s->listener, path);
	if (s->listener >= 0 && stat(path, &st) == 0) {
		s->dev = st.st_dev;
		s->ino = st.st_ino;
	}
	return s->listener >= 0;
}

/* Opens the sockets of all pools, and closes the inherited sockets that no pool uses any more. At a
   first start a pool that cannot listen is fatal. After a reload it is logged and left out, because
   to exit would end the pools that work. */
static bool
open_pools(struct master *m, bool fresh)
{
	char err[256];

	for (uint32_t i = 0; i < m->shared->pool_count; i++)
		if (!open_pool(m, i, err, sizeof(err))) {
			log_event(
			    LOGP_ERR, "listen", "pool=%s why=\"%s\"", pool_at(m, i)->name, err);
			if (fresh)
				return false;
		}
	for (size_t i = 0; i < m->h.count; i++) {
		listen_forget(m->h.socks[i].path);
		if (!m->h.socks[i].lent)
			unlink(m->h.socks[i].path);
		close(m->h.socks[i].fd);
	}
	m->h.count = 0;
	return true;
}

/* Removes the socket files at the end, except those that the service manager holds, since
   connections wait in their queue for the next start, and those that another process has replaced
   (another inode). */
static void
remove_sockets(const struct master *m)
{
	struct stat st;

	for (uint32_t i = 0; i < m->shared->pool_count; i++) {
		const char *path = m->shared->pools[i].path;

		if (m->pool_states[i].listener >= 0 && !m->pool_states[i].lent &&
		    !m->pool_states[i].stored && stat(path, &st) == 0 &&
		    st.st_dev == m->pool_states[i].dev && st.st_ino == m->pool_states[i].ino)
			unlink(path);
	}
}

/* ---- reload ---- */

/* Runs "PROGRAM -t" with the arguments of this master. The file on disk may be a newer version, and
   only that version knows whether the configuration is good for it. */
static bool
test_new_program(const struct master *m)
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
list_open_sockets(struct master *m)
{
	m->h.count = 0;
	for (uint32_t i = 0; i < m->shared->pool_count; i++) {
		if (m->pool_states[i].listener < 0)
			continue;
		m->h.socks[m->h.count].fd = m->pool_states[i].listener;
		m->h.socks[m->h.count].lent = m->pool_states[i].lent;
		snprintf(m->h.socks[m->h.count].path, sizeof(m->h.socks[0].path), "%s",
		    pool_at(m, i)->path);
		m->h.count++;
	}
}

/* Reloads by executing the program again, in the same process: systemd sees the same pid, and
 * the sockets stay open all the time, so no connection is refused. The workers are retired by
 * the new program (attach_mapping), and each ends after its request.
 *
 * The new program is tested first (-t), because an exec cannot be undone. When the exec itself
 * fails, everything that was prepared for it is taken back: the descriptors get close-on-exec
 * again, and the old program continues with the old configuration. */
static void
reload_program(struct master *m)
{
	if (!test_new_program(m)) {
		log_event(LOGP_ERR, "reload_refused", "exe=%s: the running workers stay", m->h.exe);
		return;
	}
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, mono_us());
	list_open_sockets(m);
	if (inherited_write(&m->h))
		execv(m->h.exe, m->argv);
	log_event(LOGP_ERR, "reload_failed", "exe=%s why=\"%s\"", m->h.exe, strerror(errno));
	for (size_t i = 0; i < m->h.count; i++)
		fd_cloexec(m->h.socks[i].fd);
	fd_cloexec(m->h.shared);
	m->h.count = 0;
	sd_notify(0, "READY=1");
}

/* ---- the loop ---- */

static void
start_stopping(struct master *m, int sig)
{
	if (m->stopping)
		return;
	log_event(LOGP_NOTICE, "stopping", "signal=%d", sig);
	sd_notify(0, "STOPPING=1");
	m->stopping = true;
	atomic_store(&m->shared->ending, true);
	retire_all_workers(m);
}

static void
handle_signal(struct master *m, int sig)
{
	if (sig == SIGTERM || sig == SIGINT)
		start_stopping(m, sig);
	if (sig == SIGHUP && !m->stopping)
		reload_program(m);
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
loop_wait_us(const struct master *m, bool quick)
{
	int64_t us = quick ? QUICK_TICK_US : TICK_US;

	if (conf.worker_stuck * 1000 / 4 < us)
		us = conf.worker_stuck * 1000 / 4;
	if (m->watchdog_us > 0 && m->watchdog_us / 4 < us)
		us = m->watchdog_us / 4;
	return us;
}

static void
block_signals(sigset_t *set)
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
run_loop(struct master *m, const sigset_t *set)
{
	for (;;) {
		bool full = true, waiting;
		struct timespec wait = { 0 };
		int64_t us;
		int sig;

		reap_dead_workers(m);
		kill_stuck(m);
		waiting = signal_retired_workers(m);
		if (m->stopping && !waiting)
			return;
		if (!m->stopping)
			full = start_missing_workers(m);
		feed_watchdog(m);
		us = loop_wait_us(m, waiting || !full);
		wait.tv_sec = us / 1000000;
		wait.tv_nsec = us % 1000000 * 1000;
		sig = sigtimedwait(set, NULL, &wait);
		if (sig > 0)
			handle_signal(m, sig);
	}
}

/* A reload may remove pools and change their order, but workers of the former pools still run. The
   slot of such a worker gets the new index of its pool, which is the one with the same path. */
static void
renumber_pools_of_slots(struct master *m, const struct pool *pools, size_t n)
{
	uint32_t now_at[POOLS_MAX];

	for (uint32_t i = 0; i < POOLS_MAX; i++) {
		now_at[i] = POOL_REMOVED;
		for (uint32_t k = 0; i < m->shared->pool_count && k < n; k++)
			if (strcmp(pool_at(m, i)->path, pools[k].path) == 0)
				now_at[i] = k;
	}
	for (int i = 0; i < SLOTS_MAX; i++) {
		struct worker_slot *slot = &m->shared->slots[i];

		slot->pool = slot->pool < POOLS_MAX ? now_at[slot->pool] : POOL_REMOVED;
	}
}

static void
attach_mapping(struct master *m, const struct pool *pools, size_t n)
{
	m->shared = m->h.shared >= 0 ? shared_map(m->h.shared) : NULL;
	if (m->shared == NULL)
		m->shared = shared_new(&m->h.shared);
	fd_cloexec(m->h.shared); /* an exec has inherited it */
	retire_all_workers(m);   /* every worker in a slot was started before the reload */
	atomic_store(&m->shared->ending, false);
	renumber_pools_of_slots(m, pools, n);
	m->shared->pool_count = (uint32_t)n;
	memcpy(m->shared->pools, pools, n * sizeof(*pools));
}

int
master_run(
    const struct daemon *d, char **argv, const struct pool *pools, size_t n, struct inherited *h)
{
	static struct master m; /* too large for the stack */
	bool fresh = h->shared < 0;
	uint64_t watchdog = 0;
	sigset_t set;

	m = (struct master){ .d = d, .argv = argv, .h = *h };
	block_signals(&set);
	attach_mapping(&m, pools, n);
	if (!open_pools(&m, fresh))
		return 1;
	if (sd_watchdog_enabled(0, &watchdog) > 0)
		m.watchdog_us = (int64_t)watchdog;
	start_missing_workers(&m);
	log_event(LOGP_NOTICE, fresh ? "started" : "reloaded", "program=%s version=%s", d->name,
	    PACKAGE_VERSION);
	sd_notifyf(0, "READY=1\nMAINPID=%d", (int)getpid());
	run_loop(&m, &set);
	remove_sockets(&m);
	log_event(LOGP_NOTICE, "stopped", "program=%s", d->name);
	return 0;
}
