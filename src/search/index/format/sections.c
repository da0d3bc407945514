/* SPDX-License-Identifier: ISC */
/* The writer's side of the frame of format.h; mapped.c reads it. */
#include "config.h"

#include "search/index/format/sections.h"
#include "search/index/format/copy.h"
#include "search/index/format/parity.h"

void
sections_begin(struct segment_writer *w, const char *path)
{
	size_t head = sizeof(struct segment_header);

	*w = (struct segment_writer){ .at = (head + INDEX_ALIGN - 1) / INDEX_ALIGN * INDEX_ALIGN };
	file_begin(&w->file, path);
}

void
section_write(
    struct segment_writer *w, enum section_kind kind, size_t slot_index, const void *p, size_t n)
{
	struct section s = { .kind = kind, .slot = (uint32_t)slot_index, .at = w->at, .n = n };

	if (n == 0)
		return;
	s.checksum = index_checksum(p, n, kind);
	file_write(&w->file, p, n, w->at);
	buf_add(&w->table, &s, sizeof(s));
	w->nsections++;
	w->at = (w->at + n + INDEX_ALIGN - 1) / INDEX_ALIGN * INDEX_ALIGN;
}

bool
sections_end(struct segment_writer *w, const char *magic, struct segment_header *h,
    const char *directory, char err[INDEX_FAULT])
{
	bool ok;

	memcpy(h->magic, magic, sizeof(h->magic));
	h->version = INDEX_VERSION;
	h->endian = INDEX_ENDIAN;
	h->table_at = w->at;
	h->nsections = w->nsections;
	h->size = w->at + w->table.n;
	h->checksum = 0;
	h->checksum = index_checksum(w->table.p, w->table.n, index_checksum(h, sizeof(*h), 0));
	file_write(&w->file, w->table.p, w->table.n, w->at);
	file_write(&w->file, h, sizeof(*h), 0);
	ok = file_end(&w->file, directory, err);
	buf_free(&w->table);
	/* a file without parity and copy is complete: the writer makes them later
	   (index_state_verify) */
	if (ok)
		(void)!parity_write(w->file.path,
		    &(struct index_file){ .id = h->id, .checksum = h->checksum }, err);
	if (ok)
		(void)!copy_complete(w->file.path, err);
	return ok;
}

void
sections_abandon(struct segment_writer *w)
{
	file_abandon(&w->file);
	buf_free(&w->table);
}
