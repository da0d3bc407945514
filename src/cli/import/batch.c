/* SPDX-License-Identifier: ISC */
/* Collects the records of a batch and merges those of one key. */
#include "config.h"

#include "cli/import/batch.h"

#include "base/limits.h"
#include "cli/import/names.h"

void
import_batch_open(struct import_batch *b, enum dataset d)
{
	*b = (struct import_batch){ .dataset = d, .a = arena_new((size_t)1 << 30) };
	b->notes.a = b->a;
	b->items = mem_array(IMPORT_BATCH, sizeof(b->items[0]));
	b->keys = names_new(IMPORT_BATCH);
}

void
import_batch_close(struct import_batch *b)
{
	arena_free(b->a);
	free(b->items);
	names_free(b->keys);
}

void
import_batch_clear(struct import_batch *b)
{
	arena_reset(b->a);
	names_clear(b->keys);
	b->n = b->bytes = b->copied = b->ntags = 0;
	b->tags = NULL;
	b->notes = (struct buf){ .a = b->a };
}

void
import_batch_add_tag(struct import_batch *b, struct str slug)
{
	b->tags = arena_room(b->a, b->tags, b->ntags, sizeof(*b->tags));
	b->tags[b->ntags++] = arena_str(b->a, slug);
}

bool
import_batch_full(const struct import_batch *b)
{
	return b->n == IMPORT_BATCH || b->bytes >= IMPORT_BATCH_BYTES ||
	       b->copied + b->notes.n + b->ntags * sizeof(*b->tags) >= IMPORT_BATCH_ROOM;
}

bool
import_read_text(
    struct arena *a, enum dataset d, struct str text, struct record *r, struct str *what)
{
	return record_parse(a, d, text, RECORD_LENIENT, r, what) &&
	       record_finish(a, r, RECORD_LENIENT, what);
}

struct record
import_own_text(struct arena *a, enum dataset d, struct str text)
{
	struct record r;
	struct str what;

	if (!import_read_text(a, d, text, &r, &what))
		panic("a document of %s that was just printed: %.*s", record_dataset_name(d),
		    (int)what.n, what.p);
	return r;
}

struct str
import_write_text(struct arena *a, const struct record *r)
{
	struct buf b = { .a = a };

	record_print(&b, r, NULL);
	return b.n <= LIM_HOST_BYTES ? buf_done(&b) : STR_NULL;
}

void
import_report_kept(struct buf *to, struct arena *a, enum dataset d, struct str key, struct str what)
{
	struct str name = record_key_text(a, d, key);

	buf_printf(
	    to, "the stored document %.*s of %s ", (int)name.n, name.p, record_dataset_name(d));
	if (what.p == NULL)
		buf_printf(to, "stays as it is: it would be larger than %jd bytes\n",
		    (intmax_t)LIM_HOST_BYTES);
	else
		buf_printf(to, "cannot be read and stays as it is: %.*s\n", (int)what.n, what.p);
}

static struct ts
last_seen(const struct record *r)
{
	int64_t seen;

	return record_int(r->root, "last_seen", &seen) ? (struct ts){ seen } : TS_NULL;
}

/* Replaces the text of the item. An item that comes again and again gets twice the room that it
   needs, so that what the arena loses is in proportion to the texts that it has, and not to the
   records that were merged. */
static void
set_text(struct import_batch *b, struct import_item *item, struct str text)
{
	if (text.n > item->room) {
		item->room = item->text.p == NULL ? text.n : 2 * text.n;
		item->text.p = arena_alloc(b->a, item->room + 1);
		b->copied += item->room;
	}
	b->bytes += text.n - item->text.n;
	memcpy((char *)(uintptr_t)item->text.p, text.p, text.n);
	item->text.n = text.n;
}

bool
import_batch_add(
    struct import_batch *b, struct arena *scratch, const struct record *r, struct str der)
{
	struct str key = record_key(scratch, r), text;
	uint32_t *at = names_at(b->keys, record_key_identity(b->dataset, key));
	struct import_item *item = &b->items[*at == 0 ? b->n : *at - 1];
	struct record merged = *r;

	if (*at != 0) {
		struct record before = import_own_text(scratch, b->dataset, item->text);

		merged = record_merge(scratch, &before, r);
		key = record_key(scratch, &merged);
	}
	text = import_write_text(scratch, &merged);
	if (text.p == NULL)
		return false;
	if (*at == 0) {
		*at = (uint32_t)++b->n;
		*item =
		    (struct import_item){ .key = arena_str(b->a, key), .scan.known_only = true };
	} else if (!str_eq(item->key, key)) {
		item->key = arena_str(b->a, key); /* a report may take another key */
		b->copied += key.n;
	}
	item->seen = last_seen(&merged);
	set_text(b, item, text);
	if (item->der.p == NULL && der.p != NULL) {
		item->der = arena_str(b->a, der);
		b->bytes += der.n;
		b->copied += der.n;
	}
	b->last = item;
	return true;
}

/* When two records of a host are merged, the ports come from the later record that has a proof. The
   host is stored only for known hosts if both records require that. */
void
import_batch_prove(struct import_batch *b, const struct record_scan *scan)
{
	struct record_scan *own = &b->last->scan;
	bool known_only = own->known_only && scan->known_only;

	if (scan->ports != NULL)
		*own = *scan;
	own->known_only = known_only;
	if (scan->ports != NULL && scan->nsilent > 0) {
		uint16_t *silent = ARENA_ARRAY(b->a, scan->nsilent, uint16_t);

		memcpy(silent, scan->silent, scan->nsilent * sizeof(*silent));
		own->silent = silent;
		b->copied += scan->nsilent * sizeof(*silent);
	}
}
