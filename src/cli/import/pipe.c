/* SPDX-License-Identifier: ISC */
/* The reader's thread fills one batch of hosts while the caller stores the other (handover.h). */
#include "config.h"

#include "cli/import/format.h"
#include "cli/import/handover.h"
#include "cli/import/import.h"
#include "cli/import/names.h"
#include "cli/import/pipe.h"
#include "cli/import/source.h"

enum { BATCH_HOSTS = 5000, BATCH_BYTES = 8 * 1024 * 1024, MESSAGES = 100, TAGS = 65536 };

struct import_pipe {
	struct import_pipe_options o;
	struct handover turns;
	struct import_batch batches[2];
	const char *failed;
	/* used by the reader's thread only */
	struct source src;
	struct importer im;
	struct names *addresses, *tags;
	uint64_t counted, shown;
};

/* ---- the reader's thread ---- */

static struct import_batch *
current_batch(struct import_pipe *p)
{
	return &p->batches[handover_filling(&p->turns)];
}

/* Gives the batch to the caller and empties the other one. The set of addresses is emptied for each batch, because
   rounds are counted within one transaction. */
static void
hand_over_batch(struct import_pipe *p)
{
	struct import_batch *b = current_batch(p);

	b->read = p->im.read - p->counted;
	p->counted = p->im.read;
	if (!handover_give(&p->turns))
		p->im.stop = true;
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
	const struct format *guess =
	    p->o.reader != NULL ? NULL : format_guess(DATASET_HOSTS, &p->src);
	import_reader *reader = guess == NULL ? p->o.reader : guess->hosts;

	if (reader != NULL)
		reader(&p->im);
	if (p->src.failed != NULL)
		p->failed = p->src.failed;
	else if (reader == NULL)
		p->failed = "is in no format known here; name one with --format";
	hand_over_batch(p);
	handover_done(&p->turns);
	return NULL;
}

/* ---- the caller's thread ---- */

struct import_pipe *
import_pipe_start(const struct import_pipe_options *o)
{
	struct import_pipe *p = mem_zero(sizeof(*p));

	p->o = *o;
	source_open(&p->src, o->fd, handover_open(&p->turns));
	p->addresses = names_new(BATCH_HOSTS);
	p->tags = names_new(TAGS);
	p->im = (struct importer){ .src = &p->src,
		.enrich = o->enrich,
		.host = add_host_row,
		.bad = add_bad_message,
		.arg = p,
		.window = IMPORT_WINDOW };
	p->im.arena = arena_new((size_t)1 << 30);
	handover_start(&p->turns, reader_main, p);
	return p;
}

const struct import_batch *
import_pipe_next(struct import_pipe *p)
{
	int which = handover_take(&p->turns);

	return which < 0 ? NULL : &p->batches[which];
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

void
import_pipe_end(struct import_pipe *p)
{
	handover_stop(&p->turns);
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
