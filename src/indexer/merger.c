/* SPDX-License-Identifier: ISC */
/* Keeps the number of segments small. Small merges are part of a pass. A large one would stop the
   passes for minutes, so it runs in a child process (child.c), and a later pass replaces the inputs
   by the result. The child also makes the ordinals of the segments that the merge changes: its
   memory is a copy of the state, in which it replaces the inputs as the parent will.

   merger_abandon is called before a rebuild, after a failure and at the end of the process. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/beside.h"
#include "search/index/write/merge.h"
#include "search/index/write/state.h"

#include <inttypes.h>

enum { SMALL_DOCUMENTS = 20000, IDLE_SEGMENTS = 2 };
#define IDLE_US INT64_C(5000000)
#define IDLE_DOCUMENT_US 100

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

/* The bound of a merge of segments of s: it takes at most `documents` documents. */
struct merge_bound {
	const struct index_state *s;
	uint64_t documents;
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

/* Chooses how many of the smallest segments are merged: at least two, and the next one, too,
 * while it is at most twice as large as all smaller ones together. Live documents, ascending:
 *
 *   10  15  40  300  20000      10 + 15 = 25; 40 <= 50: 65; 300 > 130: three segments
 *
 * A document is therefore written again only when its segment grows by a factor, which is a
 * logarithmic number of times, and the large segments are left alone while small ones come and go.
 * At most the first `most` segments are merged, and at most as much as one segment can contain
 * (format/ceilings.h). Returns less than two when there is no such merge. */
static size_t
merge_width(const struct merge_bound *b, const struct merge_choice *c, size_t most, uint64_t *sum)
{
	struct merge_need need = { 0 };
	size_t width = 0;

	*sum = 0;
	while (width < most && (width < 2 || c[width].living <= 2 * *sum)) {
		merge_need_add(&need, &b->s->segments[c[width].at]);
		if (!merge_fits(&need) || *sum + c[width].living > b->documents)
			break;
		*sum += c[width++].living;
	}
	return width;
}

/* Whether the smallest segments, which have `documents` live documents, are merged although there
 * are not too many segments. A query reads each segment, so an index to which nothing is added is
 * merged down to IDLE_SEGMENTS. A change may come each minute for years, so the effort has a bound:
 * the index has to be unchanged for IDLE_DOCUMENT_US for each document, which is some ten times as
 * long as the merge takes.
 *
 *   live documents   900,000  60,000  20,000      the last change is 13 s ago
 *   merged           80,000 documents, which were due after 5 s + 8 s; 900,000 and 80,000 remain */
static bool
is_idle(const struct merger *g, size_t nsegments, uint64_t documents)
{
	return nsegments > IDLE_SEGMENTS &&
	       (uint64_t)g->unchanged_us >= IDLE_US + documents * IDLE_DOCUMENT_US;
}

/* Returns the merge that is due, or NULL. It excludes the inputs of the merge that runs in the
   child, the segments that a rebuild will replace, and the full segments, which are never
   merged. */
static struct index_merge *
choose_merge(
    const struct merger *g, const struct index_state *s, uint64_t most, uint64_t *documents)
{
	const struct merge_bound bound = { s, most };
	struct merge_choice *c = mem_array(s->nsegments, sizeof(*c));
	size_t *which = mem_array(s->nsegments, sizeof(*which)), n = 0, width = 0;
	struct index_merge *m = NULL;
	bool too_many;

	for (size_t i = 0; i < s->nsegments; i++)
		if (!s->segments[i].outdated && !segment_is_full(&s->segments[i]) &&
		    !is_input(g->merge, s->segments[i].file.id))
			c[n++] = (struct merge_choice){ live_documents(&s->segments[i]), i };
	too_many = n > (size_t)conf.index_segments;
	if (n > 1) {
		qsort(c, n, sizeof(*c), by_living);
		width = merge_width(&bound, c, too_many ? n : n - IDLE_SEGMENTS + 1, documents);
	}
	if (width > 1 && (too_many || is_idle(g, n, *documents))) {
		for (size_t i = 0; i < width; i++)
			which[i] = c[i].at;
		m = index_merge_begin(s, which, width);
	}
	free(which);
	free(c);
	return m;
}

/* ---- merges in this process ---- */

/* The result of a merge would exceed a ceiling of the format: its largest input is marked as
   full. */
static void
note_full(const struct index_merge *m, struct index_state *s, const char *err)
{
	struct index_segment *most = NULL;

	for (size_t i = 0; i < m->n; i++) {
		struct index_segment *t = index_state_find(s, m->inputs[i].file.id);

		if (t != NULL && (most == NULL || t->file.mark.size > most->file.mark.size))
			most = t;
	}
	if (most == NULL)
		return;
	most->full = true;
	log_event(LOGP_WARNING, "index", "dataset=%s full=%016" PRIx64 " why=\"%s\"",
	    schema_dataset_name(s->dataset), most->file.id, err);
}

static bool
merge_here(struct merger *g, struct index_state *s, struct index_merge *m, char err[INDEX_FAULT])
{
	struct index_segment fresh;
	bool ok = index_merge_write(m, g->directory, &fresh, err);

	if (!ok && m->full) {
		note_full(m, s, err);
		err[0] = '\0';
		return true;
	}
	return ok && index_merge_take(m, g->directory, s, fresh, err);
}

/* While no child can be started because the last one failed, only merges of few documents are
   chosen, and the segments that need a child wait. Otherwise every pass would add a segment. */
bool
merger_small(struct merger *g, struct index_state *s, char err[INDEX_FAULT])
{
	bool waits = g->merge == NULL && mono_us() < g->child.next;
	uint64_t documents = 0, most = waits && !g->no_child ? SMALL_DOCUMENTS : UINT64_MAX;
	struct index_merge *m;
	bool ok = true;

	while (ok && (m = choose_merge(g, s, most, &documents)) != NULL) {
		bool small = documents <= SMALL_DOCUMENTS || g->no_child;

		if (small)
			ok = merge_here(g, s, m, err);
		index_merge_free(m);
		if (!small)
			break;
	}
	return ok;
}

/* ---- merges in a child ---- */

static _Noreturn void
run_merge_child(const struct merger *g, struct index_state *s)
{
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";
	bool ok = index_merge_write(g->merge, g->directory, &fresh, err) &&
		  index_segment_verify(g->directory, &fresh, err) &&
		  index_merge_take(g->merge, g->directory, s, fresh, err);

	s->family = g->child.family;
	child_exit(g->directory, s,
	    ok               ? CHILD_DONE
	    : g->merge->full ? CHILD_FULL
			     : CHILD_FAILED,
	    err);
}

static void
drop_merge(struct merger *g, struct index_state *s)
{
	index_merge_free(g->merge);
	g->merge = NULL;
	s->children[INDEX_MERGE] = 0; /* the next publication removes unfinished files */
}

void
merger_start(struct merger *g, struct index_state *s)
{
	uint64_t documents = 0;

	if (g->merge != NULL || mono_us() < g->child.next)
		return;
	g->merge = choose_merge(g, s, UINT64_MAX, &documents);
	if (g->merge == NULL)
		return;
	if (child_fork(&g->child)) {
		g->merge->id = index_new_id(g->child.family);
		run_merge_child(g, s);
	}
	if (g->child.pid == 0) {
		drop_merge(g, s);
		return;
	}
	s->children[INDEX_MERGE] = g->child.family;
	log_event(LOGP_INFO, "index", "dataset=%s merging=%zu documents=%" PRIu64 " pid=%d",
	    schema_dataset_name(s->dataset), g->merge->n, documents, (int)g->child.pid);
}

/* Replaces the inputs by the segment that the child has written: it is the only one whose id has
   the family of the child. */
static bool
take_merged_segment(struct merger *g, struct index_state *s, char err[INDEX_FAULT])
{
	struct index_state made;
	const struct index_segment *fresh = NULL;
	bool ok;

	if (!index_state_fetch(g->directory, s->dataset, g->child.family, &made, err))
		return false;
	for (size_t i = 0; i < made.nsegments; i++)
		if (made.segments[i].file.id >> 32 == g->child.family)
			fresh = &made.segments[i];
	ok = fresh != NULL &&
	     index_merge_take(g->merge, g->directory, s,
		 (struct index_segment){
		     .dataset = s->dataset, .file = fresh->file, .documents = fresh->documents },
		 err);
	if (ok)
		index_state_adopt(s, &made);
	index_state_free(&made);
	return ok;
}

void
merger_collect(struct merger *g, struct index_state *s, bool *changed)
{
	char err[INDEX_FAULT] = "the child failed";
	enum child_rc rc = child_ended(&g->child);
	bool ok;

	if (rc == CHILD_NONE || rc == CHILD_RUNS)
		return;
	if (rc == CHILD_FULL) {
		snprintf(err, sizeof(err), "the merge would pass a ceiling");
		note_full(g->merge, s, err);
	}
	ok = rc == CHILD_DONE && take_merged_segment(g, s, err);
	if (!ok)
		log_event(LOGP_WARNING, "index", "dataset=%s merge_dropped=\"%s\"",
		    schema_dataset_name(s->dataset), err);
	*changed |= ok;
	drop_merge(g, s);
}

void
merger_abandon(struct merger *g, struct index_state *s)
{
	if (g->merge == NULL)
		return;
	child_kill(&g->child);
	drop_merge(g, s);
}
