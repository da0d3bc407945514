/* SPDX-License-Identifier: ISC */
/* The reader's thread of an import of records.

     source --> reader of the format --take_record--> batch (enriched, merged by key, printed) --> the caller stores it

   Parsing and printing cost about as much as storing, so the two threads use two cores. All trees
   of records are in arenas of this thread; a batch has texts alone. Messages about bad records end
   after the first hundred; the counts have all of them. */
#include "config.h"

#include "cli/import/pipe.h"

#include "address/start_url.h"
#include "cli/import/handover.h"
#include "cli/import/names.h"
#include "cli/import/secret_notes.h"

enum { MESSAGES = 100, TAGS = 65536 };

struct import_pipe {
	struct import_pipe_options o;
	struct handover turns;
	struct import_part parts[2];
	records_reader *reader; /* NULL: not started */
	/* used by the reader's thread only */
	struct source src;
	struct records rs;
	struct arena *scratch;
	struct names *tags; /* a cache: the tags that this import has already collected */
	uint64_t read, skipped, shown;
};

static struct import_part *
current_part(struct import_pipe *p)
{
	return &p->parts[handover_filling(&p->turns)];
}

static bool
hand_over_part(struct import_pipe *p)
{
	struct import_part *part = current_part(p);
	bool go_on;

	part->read = p->rs.read - p->read;
	part->skipped = p->rs.skipped - p->skipped;
	p->read = p->rs.read;
	p->skipped = p->rs.skipped;
	go_on = handover_give(&p->turns);
	part = current_part(p);
	for (enum dataset d = 0; d < DATASETS; d++)
		if (records_want(&p->rs, d))
			import_batch_clear(&part->batches[d]);
	buf_clear(&part->messages);
	part->read = part->bad = part->skipped = part->secrets = 0;
	return go_on;
}

static void
add_bad_message(void *arg, uint64_t line, struct str what)
{
	struct import_pipe *p = arg;
	struct import_part *part = current_part(p);

	part->bad++;
	if (p->shown++ < MESSAGES)
		buf_printf(&part->messages, "%s:%ju: %.*s\n", p->o.file, (uintmax_t)line,
		    (int)what.n, what.p);
	if (p->o.strict)
		p->rs.stop = true;
}

/* Collects the tags that the import has not met yet. The set is a cache that saves statements,
   nothing more: when it is full it is emptied, and a tag that is met again is sent again, which the
   store ignores. The set survives batches, whereas a batch that fails ends the import; so no tag
   can be lost between the two. */
static void
add_tags(struct import_pipe *p, struct import_batch *b, const struct record_object *o)
{
	const struct str *slugs;
	size_t n = record_texts(o, "tags", &slugs);

	for (size_t i = 0; i < n; i++) {
		uint32_t *at;

		if (names_full(p->tags))
			names_clear(p->tags);
		at = names_at(p->tags, slugs[i]);
		if (*at != 0)
			continue;
		*at = 1;
		import_batch_add_tag(b, slugs[i]);
	}
}

static void
add_host_tags(struct import_pipe *p, struct import_batch *b, const struct record *host)
{
	struct record_object *const *services;
	size_t n = record_nested_all(host, &services);

	add_tags(p, b, host->root);
	for (size_t i = 0; i < n; i++)
		add_tags(p, b, services[i]);
}

static bool
take_record(void *arg, struct record *r, struct str der)
{
	static const struct record_scan nothing = { .ports = NULL };
	struct import_pipe *p = arg;
	struct import_batch *b = &current_part(p)->batches[r->dataset];

	arena_reset(p->scratch);
	if (r->dataset == DATASET_HOSTS && p->o.enrich != NULL)
		(void)enrich_host(p->o.enrich, p->scratch, r, false);
	if (r->dataset == DATASET_HOSTS) {
		add_host_tags(p, b, r);
		current_part(p)->secrets +=
		    secret_notes_of_host(&b->notes, p->scratch, p->o.key, r);
	}
	if (!import_batch_add(b, p->scratch, r, der))
		add_bad_message(p, p->src.line, STR("the record would be too large"));
	else
		import_batch_prove(b, r->dataset == DATASET_HOSTS ? &p->rs.scan : &nothing);
	return !import_batch_full(b) || hand_over_part(p);
}

static void *
reader_main(void *arg)
{
	struct import_pipe *p = arg;

	p->reader(&p->rs);
	hand_over_part(p);
	handover_done(&p->turns);
	return NULL;
}

struct import_pipe *
import_pipe_open(const struct import_pipe_options *o)
{
	struct import_pipe *p = mem_zero(sizeof(*p));

	p->o = *o;
	source_open(&p->src, o->fd, handover_open(&p->turns));
	p->scratch = arena_new((size_t)1 << 30);
	p->tags = names_new(TAGS);
	p->rs = (struct records){ .dataset = o->dataset,
		.also = o->also,
		.src = &p->src,
		.a = arena_new((size_t)1 << 30),
		.kept = arena_new((size_t)1 << 20),
		.origin = o->origin,
		.seen = o->seen,
		.authoritative = o->authoritative,
		.whole_hosts = o->scanned != NULL,
		.scan = { .ports = o->scanned, .began = TS_NULL },
		.take = take_record,
		.bad = add_bad_message,
		.arg = p };
	for (enum dataset d = 0; d < DATASETS; d++)
		for (size_t i = 0; i < COUNT(p->parts) && records_want(&p->rs, d); i++)
			import_batch_open(&p->parts[i].batches[d], d);
	/* both threads finish records; the list of suffixes is loaded at its first use, which must
	   not be theirs */
	(void)host_registrable(p->scratch, STR("example.org"));
	return p;
}

const struct format *
import_pipe_guess(struct import_pipe *p)
{
	return format_guess(p->o.dataset, &p->src);
}

const struct format_foreign *
import_pipe_foreign(struct import_pipe *p)
{
	return format_foreign(&p->src);
}

struct format_options *
import_pipe_format_options(struct import_pipe *p)
{
	return &p->rs.options;
}

void
import_pipe_start(struct import_pipe *p, records_reader *reader)
{
	p->reader = reader;
	handover_start(&p->turns, reader_main, p);
}

struct import_part *
import_pipe_next(struct import_pipe *p)
{
	int which = handover_take(&p->turns);

	return which < 0 ? NULL : &p->parts[which];
}

const char *
import_pipe_failed(const struct import_pipe *p)
{
	return p->src.failed;
}

uint64_t
import_pipe_bytes(const struct import_pipe *p)
{
	return p->src.bytes;
}

void
import_pipe_end(struct import_pipe *p)
{
	if (p->reader != NULL)
		handover_stop(&p->turns);
	else
		handover_close(&p->turns);
	for (enum dataset d = 0; d < DATASETS; d++)
		for (size_t i = 0; i < COUNT(p->parts) && records_want(&p->rs, d); i++)
			import_batch_close(&p->parts[i].batches[d]);
	for (size_t i = 0; i < COUNT(p->parts); i++)
		buf_free(&p->parts[i].messages);
	names_free(p->tags);
	arena_free(p->rs.a);
	arena_free(p->rs.kept);
	arena_free(p->scratch);
	source_close(&p->src);
	free(p);
}
