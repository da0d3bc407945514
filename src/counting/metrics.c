/* SPDX-License-Identifier: ISC */
/* The mapping of counting/metrics.h, and its form for Prometheus. Every process that counts adds
 * to the same file with relaxed atomic increments, and surfaced-meter reads it for a scrape.
 *
 * The file outlives every process, so counters continue after a restart of the service. The lock
 * guards only the two things that are not an increment: making the file, and giving an operation
 * its row. A process that cannot map the file counts nothing and works on, because metrics must
 * not be able to stop the service. */
#include "config.h"

#include "counting/metrics.h"
#include "daemon/conf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x3173727474656d73)

const int64_t metrics_bounds_us[METRICS_BUCKETS - 1] = { 1000, 2500, 5000, 10000, 25000, 50000,
	100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000 };

const int metrics_statuses[METRICS_STATUSES] = { 200, 201, 202, 400, 401, 403, 404, 405, 409, 413,
	415, 426, 429, 500, 502, 503, 504, 0 };

static const struct {
	const char *name, *help;
} counters[COUNTERS] = {
#define COUNTER(id, name, help) { name, help },
#include "tbl/counters.h"
#undef COUNTER
};

/* ---- the file ---- */

/* Opens the file and locks it until the descriptor is closed. The size is part of the name, so that
   a version with other counters uses another file and an upgrade need not wait for a reboot. */
static int
open_metrics_locked(int flags)
{
	char path[256];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/metrics-%zu.map", conf.run_directory,
		sizeof(struct metrics)) >= sizeof(path))
		return -1; /* UNCOVERED: tbl/params.h bounds the directory's name */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0660);
	if (fd < 0)
		return -1;
	(void)!fchmod(fd,
	    0660); /* against the umask; fails for a file of another user, which has this mode */
	if (flock(fd, LOCK_EX) == 0)
		return fd;
	close(fd); /* UNCOVERED: tmpfs supports locks */
	return -1; /* UNCOVERED: as above */
}

static struct metrics *
map_metrics(int fd)
{
	struct metrics *m = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && (st.st_size == 0 || st.st_size == (off_t)sizeof(*m)) &&
	    posix_fallocate(fd, 0, (off_t)sizeof(*m)) == 0)
		m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m != MAP_FAILED && m->magic == 0)
		m->magic = MAGIC;
	flock(fd, LOCK_UN); /* the mapping keeps the file open, and its lock with it */
	close(fd);
	if (m == MAP_FAILED || m->magic == MAGIC)
		return m == MAP_FAILED ? NULL : m;
	metrics_close(m);
	return NULL;
}

struct metrics *
metrics_open(void)
{
	return map_metrics(open_metrics_locked(O_CREAT));
}

struct metrics *
metrics_view(void)
{
	return map_metrics(open_metrics_locked(0));
}

void
metrics_close(struct metrics *m)
{
	if (m != NULL)
		munmap(m, sizeof(*m));
}

static int
find_operation(const struct metrics *m, const char *name)
{
	uint32_t n = atomic_load(&m->operations);

	for (uint32_t i = 0; i < n && i < METRICS_OPERATIONS; i++)
		if (strncmp(m->names[i], name, METRICS_NAME - 1) == 0)
			return (int)i;
	return -1;
}

int
metrics_operation(struct metrics *m, const char *name)
{
	int at, fd;
	uint32_t n;

	if (m == NULL || (at = find_operation(m, name)) >= 0)
		return m == NULL ? -1 : at;
	fd = open_metrics_locked(0);
	if (fd < 0)
		return -1;
	at = find_operation(m, name);
	n = atomic_load(&m->operations);
	if (at < 0 && n < METRICS_OPERATIONS) {
		snprintf(m->names[n], METRICS_NAME, "%s", name);
		atomic_store(&m->operations,
		    n + 1); /* after the name: readers look at names below this number */
		at = (int)n;
	}
	close(fd);
	return at;
}

/* ---- counting ---- */

static size_t
status_index(int status)
{
	size_t i = 0;

	while (i < METRICS_STATUSES - 1 && metrics_statuses[i] != status)
		i++;
	return i;
}

void
metrics_request(struct metrics *m, int operation, int status, int64_t us)
{
	struct histogram *h;
	size_t i = 0;

	if (m == NULL || operation < 0)
		return;
	h = &m->requests[operation][status_index(status)];
	while (i < METRICS_BUCKETS - 1 && us > metrics_bounds_us[i])
		i++;
	atomic_fetch_add_explicit(&h->buckets[i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&h->sum_us, (uint64_t)us, memory_order_relaxed);
}

void
metrics_add(struct metrics *m, enum counter c)
{
	if (m != NULL)
		atomic_fetch_add_explicit(&m->counters[c], 1, memory_order_relaxed);
}

double
metrics_quantile_ms(const uint64_t buckets[METRICS_BUCKETS], double part)
{
	uint64_t total = 0, seen = 0;

	for (size_t i = 0; i < METRICS_BUCKETS; i++)
		total += buckets[i];
	for (size_t i = 0; total > 0 && i < METRICS_BUCKETS; i++) {
		seen += buckets[i];
		if ((double)seen >= part * (double)total)
			return (double)metrics_bounds_us[i < METRICS_BUCKETS - 1 ? i : i - 1] /
			       1000;
	}
	return 0;
}

/* ---- Prometheus ---- */

static void
write_histogram(struct buf *b, const char *operation, int status, const struct histogram *h)
{
	char labels[METRICS_NAME + 64], other[] = "other", code[16];
	uint64_t seen = 0;

	snprintf(code, sizeof(code), "%d", status);
	snprintf(labels, sizeof(labels), "operation=\"%s\",status=\"%s\"", operation,
	    status == 0 ? other : code);
	for (size_t i = 0; i < METRICS_BUCKETS; i++) {
		seen += atomic_load(&h->buckets[i]);
		if (i < METRICS_BUCKETS - 1)
			buf_printf(b, "surfaced_request_seconds_bucket{%s,le=\"%g\"} %" PRIu64 "\n",
			    labels, (double)metrics_bounds_us[i] / 1e6, seen);
	}
	buf_printf(
	    b, "surfaced_request_seconds_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", labels, seen);
	buf_printf(b, "surfaced_request_seconds_sum{%s} %.6f\n", labels,
	    (double)atomic_load(&h->sum_us) / 1e6);
	buf_printf(b, "surfaced_request_seconds_count{%s} %" PRIu64 "\n", labels, seen);
}

static bool
is_used(const struct histogram *h)
{
	for (size_t i = 0; i < METRICS_BUCKETS; i++)
		if (atomic_load(&h->buckets[i]) > 0)
			return true;
	return false;
}

void
metrics_write(struct buf *b, const struct metrics *m)
{
	uint32_t n = atomic_load(&m->operations);

	for (enum counter c = 0; c < COUNTERS; c++)
		buf_printf(b, "# HELP %s %s\n# TYPE %s counter\n%s %" PRIu64 "\n", counters[c].name,
		    counters[c].help, counters[c].name, counters[c].name,
		    (uint64_t)atomic_load(&m->counters[c]));
	buf_z(b, "# HELP surfaced_request_seconds Time from the worker's first byte to "
		 "its answer\n"
		 "# TYPE surfaced_request_seconds histogram\n");
	for (uint32_t i = 0; i < n && i < METRICS_OPERATIONS; i++)
		for (size_t k = 0; k < METRICS_STATUSES; k++)
			if (is_used(&m->requests[i][k]))
				write_histogram(
				    b, m->names[i], metrics_statuses[k], &m->requests[i][k]);
}
