/* SPDX-License-Identifier: ISC */
/* Keeps the number of segments small. Small merges are part of a pass. A large one would stop the passes for minutes, so
   it runs in a child process, and a later pass replaces the inputs by the result. The child has its own address space and
   reads only immutable files, so it needs no lock. When the child dies, nothing is lost: the merge is tried again later.

     IDLE ----- merger_start: fork -----> CHILD RUNS ----- merger_collect: it has ended -----> IDLE
                                             |
                                             +------------ merger_abandon: kill --------------> IDLE

   merger_abandon is called before a rebuild, after a failure and at the end of the process. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/indexer.h"
#include "search/index/write/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL_DOCUMENTS = 20000, AGAIN_US = 10000000 };

static uint64_t
live_documents(const struct index_segment *s)
{
	return s->documents - s->ndead;
}

/* ---- which segments ---- */

struct merge_choice {
	uint64_t living;
	size_t at;
};

static int
by_living(const void *a, const void *b)
{
	const struct merge_choice *x = a, *y = b;

	return (x->living > y->living) - (x->living < y->living);
}

static bool
is_input(const struct index_merge *m, uint64_t id)
{
	for (size_t i = 0; m != NULL && i < m->n; i++)
		if (m->inputs[i].file.id == id)
			return true;
	return false;
}

/* Chooses how many of the smallest segments are merged: at least two, and the next one, too, while it is at most twice as
   large as all smaller ones together. So a document is written again only a logarithmic number of times. */
static size_t
merge_width(const struct merge_choice *c, size_t n, uint64_t *sum)
{
	size_t width = 2;

	*sum = c[0].living + c[1].living;
	while (width < n && c[width].living <= 2 * *sum)
		*sum += c[width++].living;
	return width;
}

/* Returns the merge that is due, or NULL. Inputs of the merge that runs in the child do not count. */
static struct index_merge *
choose_merge(const struct merger *g, const struct index_state *s, uint64_t *documents)
{
	struct merge_choice *c = mem_array(s->nsegments, sizeof(*c));
	size_t *which = mem_array(s->nsegments, sizeof(*which)), n = 0;
	struct index_merge *m = NULL;

	for (size_t i = 0; i < s->nsegments; i++)
		if (!is_input(g->merge, s->segments[i].file.id))
			c[n++] = (struct merge_choice){ live_documents(&s->segments[i]), i };
	if (n > (size_t)conf.index_segments) {
		qsort(c, n, sizeof(*c), by_living);
		n = merge_width(c, n, documents);
		for (size_t i = 0; i < n; i++)
			which[i] = c[i].at;
		m = index_merge_begin(s, which, n);
	}
	free(which);
	free(c);
	return m;
}

/* ---- merges in this process ---- */

bool
merger_small(struct merger *g, struct index_state *s, char err[INDEX_FAULT])
{
	struct index_segment fresh;
	struct index_merge *m;
	uint64_t documents = 0;
	bool ok = true;

	while (ok && (m = choose_merge(g, s, &documents)) != NULL) {
		bool small = documents <= SMALL_DOCUMENTS || g->no_child;

		if (small)
			ok = index_merge_write(m, g->directory, &fresh, err) &&
			     index_merge_take(m, g->directory, s, fresh, err);
		index_merge_free(m);
		if (!small)
			break;
	}
	return ok;
}

/* ---- merges in a child ---- */

/* Writes and verifies the segment, and sends its description to the parent; or logs the reason of the failure. */
static _Noreturn void
run_child(const struct merger *g, int to)
{
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";
	bool ok = index_merge_write(g->merge, g->directory, &fresh, err) &&
		  index_segment_verify(g->directory, &fresh, err);

	if (!ok)
		log_event(LOGP_ERR, "index", "merge_failed=\"%s\"", err);
	_exit(ok && write(to, &fresh, sizeof(fresh)) == sizeof(fresh) ? 0 : 1);
}

static void
fork_merge(struct merger *g, struct index_state *s, uint64_t documents)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		panic("pipe2: %s", strerror(errno));
	g->pid = fork();
	if (g->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)!nice(5); /* may fail: the service unit can forbid it */
		if (getppid() != parent)
			_exit(1);
		run_child(g, fds[1]);
	}
	close(fds[1]);
	g->result = fds[0];
	if (g->pid < 0) {
		log_event(LOGP_ERR, "index", "fork=\"%s\"", strerror(errno));
		merger_abandon(g, s);
		return;
	}
	s->merging = g->merge->id;
	log_event(LOGP_INFO, "index", "merging=%zu documents=%" PRIu64 " pid=%d", g->merge->n,
	    documents, (int)g->pid);
}

void
merger_start(struct merger *g, struct index_state *s)
{
	uint64_t documents = 0;

	if (g->merge != NULL || mono_us() < g->next)
		return;
	g->merge = choose_merge(g, s, &documents);
	if (g->merge != NULL)
		fork_merge(g, s, documents);
}

static void
drop_merge(struct merger *g, struct index_state *s)
{
	index_merge_free(g->merge);
	g->merge = NULL;
	if (g->result >= 0)
		close(g->result);
	g->result = -1;
	g->pid = 0;
	s->merging = 0; /* the next publication removes an unfinished file */
}

void
merger_collect(struct merger *g, struct index_state *s, bool *changed)
{
	struct index_segment fresh;
	char err[INDEX_FAULT] = "the child failed";
	int status = 0;
	pid_t ended;
	bool ok;

	if (g->merge == NULL)
		return;
	ended = waitpid(g->pid, &status, WNOHANG);
	if (ended == 0)
		return;
	ok = ended == g->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	     read(g->result, &fresh, sizeof(fresh)) == sizeof(fresh) &&
	     index_merge_take(g->merge, g->directory, s, fresh, err);
	if (!ok) {
		log_event(LOGP_WARNING, "index", "merge_dropped=\"%s\"", err);
		g->next = mono_us() + AGAIN_US;
	}
	*changed |= ok;
	drop_merge(g, s);
}

void
merger_abandon(struct merger *g, struct index_state *s)
{
	if (g->merge == NULL)
		return;
	if (g->pid > 0) {
		kill(g->pid, SIGKILL);
		waitpid(g->pid, NULL, 0);
	}
	drop_merge(g, s);
	g->next = mono_us() + AGAIN_US;
}
