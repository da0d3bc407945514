/* SPDX-License-Identifier: ISC */
/* Two batches between two threads: the reader's thread fills one while the caller stores the other.

     reader:  fill 0 | fill 1 | wait, fill 0 | ...      full[i] under the mutex decides who owns batch i
     caller:  wait   | store 0 | store 1     | ...

   The threads share only the batches and the counter of bytes. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/names.h"
#include "cli/import/pipe.h"
#include "cli/import/source.h"

#include <pthread.h>
#include <unistd.h>

enum { BATCH_HOSTS = 5000, BATCH_BYTES = 8 * 1024 * 1024, MESSAGES = 100, TAGS = 65536 };

struct import_pipe {
	struct import_pipe_options o;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	struct import_batch batches[2];
	bool full[2], done, stop; /* protected by the mutex */
	unsigned reads,
	    writes; /* number of the reader's batch (reads) and of the caller's (writes) */
	bool given; /* the caller holds a batch */
	const char *failed;
	int stopper[2];
	/* used by the reader's thread only */
	struct source src;
	struct importer im;
	struct names *addresses, *tags;
	uint64_t counted, shown;
};

static void
lock(struct import_pipe *p)
{
	if (pthread_mutex_lock(&p->mutex) != 0)
		panic("pthread_mutex_lock failed");
}

static void
unlock(struct import_pipe *p)
{
	if (pthread_cond_broadcast(&p->cond) != 0 || pthread_mutex_unlock(&p->mutex) != 0)
		panic("pthread_mutex_unlock failed");
}

static void
wait_change(struct import_pipe *p)
{
	if (pthread_cond_wait(&p->cond, &p->mutex) != 0)
		panic("pthread_cond_wait failed");
}

/* ---- the reader's thread ---- */

static struct import_batch *
current_batch(struct import_pipe *p)
{
	return &p->batches[p->reads % 2];
}

/* Gives the batch to the caller and waits until the other batch is free. Ownership changes in the
   two locked sections and nowhere else:

     full[i] false   the reader's thread fills batch i; the caller does not look at it
     full[i] true    the caller reads batch i; the reader's thread waits before it takes the batch again

   The batch that is cleared below is therefore one that the caller has returned. After p->stop the
   caller takes no batch any more (import_pipe_end), so the reader may clear one that is still
   marked full and ends soon. The set of addresses is emptied for each batch, because rounds are
   counted within one transaction. */
static void
hand_over_batch(struct import_pipe *p)
{
	struct import_batch *b = current_batch(p);

	b->read = p->im.read - p->counted;
	p->counted = p->im.read;
	lock(p);
	p->full[p->reads % 2] = true;
	p->reads++;
	unlock(p);
	lock(p);
	while (p->full[p->reads % 2] && !p->stop)
		wait_change(p);
	p->im.stop = p->im.stop || p->stop;
	unlock(p);
	b = current_batch(p);
	buf_clear(&b->rows);
	buf_clear(&b->tags);
	buf_clear(&b->messages);
	b->hosts = b->rounds = 0;
	b->read = b->bad = 0;
	names_clear(p->addresses);
}

/* Collects the tags that the import has not met yet. The set is a cache that saves
   statements, nothing more: when it is full it is emptied, and a tag that is met
   again is sent again, which register_tags ignores. The set survives batches,
   whereas a batch that fails ends the import; so no tag can be lost between the
   two. */
static void
add_tags(struct import_pipe *p, const struct texts *t)
{
	for (size_t i = 0; i < t->n; i++) {
		uint32_t *at;

		if (names_full(p->tags))
			names_clear(p->tags);
		at = names_at(p->tags, t->p[i]);
		if (*at != 0)
			continue;
		*at = 1;
		buf_str(&current_batch(p)->tags, t->p[i]);
		buf_char(&current_batch(p)->tags, '\0');
	}
}

static void
add_host_row(void *arg, const struct import_host *h, struct str doc)
{
	struct import_pipe *p = arg;
	struct import_batch *b = current_batch(p);
	uint32_t *times;

	add_tags(p, &h->tags);
	for (size_t i = 0; i < h->nservices; i++)
		add_tags(p, &h->services[i].tags);
	times = names_at(p->addresses, h->ip);
	if (*times >= b->rounds)
		b->rounds = *times + 1;
	/* IMPORT_COPY quotes and separates with control characters, which JSON always escapes */
	buf_printf(&b->rows, "%u\002", (*times)++);
	buf_str(&b->rows, h->ip);
	buf_char(&b->rows, '\002');
	buf_str(&b->rows, doc);
	buf_char(&b->rows, '\n');
	b->hosts++;
	if (b->hosts == BATCH_HOSTS || b->rows.n >= BATCH_BYTES || b->rounds == IMPORT_ROUNDS)
		hand_over_batch(p);
}

static void
add_bad_message(void *arg, uint64_t line, struct str what)
{
	struct import_pipe *p = arg;
	struct import_batch *b = current_batch(p);

	b->bad++;
	if (p->shown++ < MESSAGES)
		buf_printf(&b->messages, "%s:%ju: %.*s\n", p->o.file, (uintmax_t)line, (int)what.n,
		    what.p);
	if (p->o.strict)
		p->im.stop = true;
}

static void *
reader_main(void *arg)
{
	struct import_pipe *p = arg;
	import_reader *reader = p->o.reader != NULL ? p->o.reader : import_guess(&p->src);

	if (reader != NULL)
		reader(&p->im);
	if (p->src.failed != NULL)
		p->failed = p->src.failed;
	else if (reader == NULL)
		p->failed = "is in no format known here; --format tells";
	hand_over_batch(p);
	lock(p);
	p->done = true;
	unlock(p);
	return NULL;
}

/* ---- the caller's thread ---- */

struct import_pipe *
import_pipe_start(const struct import_pipe_options *o)
{
	struct import_pipe *p = mem_zero(sizeof(*p));

	if (pipe(p->stopper) != 0)
		panic("no pipe");
	p->o = *o;
	source_open(&p->src, o->fd, p->stopper[0]);
	p->addresses = names_new(BATCH_HOSTS);
	p->tags = names_new(TAGS);
	p->im = (struct importer){ .src = &p->src,
		.enrich = o->enrich,
		.host = add_host_row,
		.bad = add_bad_message,
		.arg = p,
		.window = IMPORT_WINDOW };
	p->im.arena = arena_new((size_t)1 << 30);
	if (pthread_mutex_init(&p->mutex, NULL) != 0 || pthread_cond_init(&p->cond, NULL) != 0 ||
	    pthread_create(&p->thread, NULL, reader_main, p) != 0)
		panic("no thread");
	return p;
}

const struct import_batch *
import_pipe_next(struct import_pipe *p)
{
	const struct import_batch *b = NULL;

	lock(p);
	if (p->given) {
		p->full[p->writes++ % 2] = false;
		p->given = false;
	}
	unlock(p);
	lock(p);
	while (!p->full[p->writes % 2] && !p->done)
		wait_change(p);
	if (p->full[p->writes % 2]) {
		p->given = true;
		b = &p->batches[p->writes % 2];
	}
	unlock(p);
	return b;
}

const char *
import_pipe_failed(const struct import_pipe *p)
{
	return p->failed;
}

uint64_t
import_pipe_bytes(const struct import_pipe *p)
{
	return p->src.bytes;
}

/* Ends the thread wherever it is: waiting for a batch (stop is checked under the
   mutex, and unlock wakes all waiters), reading a pipe that never ends (closing
   the stopper makes poll return), or parsing (the next read or hand-over ends it).
   The buffers may be freed only after pthread_join. The other end of the stopper
   is closed last, since the thread polls it until it ends. */
void
import_pipe_end(struct import_pipe *p)
{
	lock(p);
	p->stop = true;
	unlock(p);
	close(p->stopper[1]);
	if (pthread_join(p->thread, NULL) != 0)
		panic("pthread_join failed");
	close(p->stopper[0]);
	pthread_mutex_destroy(&p->mutex);
	pthread_cond_destroy(&p->cond);
	for (size_t i = 0; i < COUNT(p->batches); i++) {
		buf_free(&p->batches[i].rows);
		buf_free(&p->batches[i].tags);
		buf_free(&p->batches[i].messages);
	}
	buf_free(&p->im.doc);
	names_free(p->addresses);
	names_free(p->tags);
	arena_free(p->im.arena);
	source_close(&p->src);
	free(p);
}
