/* SPDX-License-Identifier: ISC */
/* The manifest: a file, replaced by rename, with the snapshot of the database that the segments
   contain, the tags, and each segment with its ordinals and its dead documents. state.c changes
   what it describes.

     manifest_header | snapshot | ntags, tags | nsegments, segments

   A child process stores its result in the same format, in a file of its family, and publishes
   nothing by it.

   Numbers are 64 bits, a string is its length and its bytes. The bits of dead documents follow
   their segment, but only when there is a dead one. */
#include "config.h"

#include "search/index/format/ordinals.h"
#include "search/index/format/files.h"
#include "search/index/format/manifest.h"
#include "search/index/format/set.h"
#include "search/index/format/words.h"

#include <errno.h>
#include <inttypes.h>

enum { SEGMENTS_MAX = 4096, TAGS_MAX = 1 << 24 };

size_t
index_words(uint32_t n)
{
	return ((size_t)n + INDEX_BLOCK - 1) / INDEX_BLOCK * INDEX_BLOCK_WORDS;
}

/* ---- tags ---- */

static int
by_slug(const void *a, const void *b)
{
	return str_cmp(((const struct tag *)a)->slug, ((const struct tag *)b)->slug);
}

static struct str
append_string(struct buf *text, struct str s)
{
	struct str out = { NULL, s.n };

	buf_str(text, s); /* cannot move: index_tags_set has made room for all strings */
	out.p = text->p + text->n - s.n;
	return out;
}

static size_t
tag_text(const struct tag *t)
{
	size_t n = t->slug.n + t->name.n + t->classification.n;

	for (size_t i = 0; i < t->ncategories; i++)
		n += t->categories[i].n;
	return n;
}

void
index_tags_set(struct index_tags *t, const struct tag *items, size_t n)
{
	struct index_tags fresh = { .items = mem_array(n, sizeof(*items)), .n = n };
	struct buf text = { 0 };
	size_t size = 1;

	for (size_t i = 0; i < n; i++)
		size += tag_text(&items[i]);
	fresh.text = text.p = mem_array(size, 1);
	text.room = size;
	for (size_t i = 0; i < n; i++) {
		struct tag *to = &fresh.items[i];

		*to = items[i];
		to->slug = append_string(&text, items[i].slug);
		to->name = append_string(&text, items[i].name);
		to->classification = append_string(&text, items[i].classification);
		for (size_t k = 0; k < items[i].ncategories; k++)
			to->categories[k] = append_string(&text, items[i].categories[k]);
	}
	qsort(fresh.items, n, sizeof(*fresh.items), by_slug);
	index_tags_free(t);
	*t = fresh;
}

void
index_tags_free(struct index_tags *t)
{
	free(t->items);
	free(t->text);
	*t = (struct index_tags){ .n = 0 };
}

const struct tag *
index_tags_find(const struct index_tags *t, struct str slug)
{
	struct tag key = { .slug = slug };

	return t->n == 0 ? NULL : bsearch(&key, t->items, t->n, sizeof(key), by_slug);
}

/* ---- writing ---- */

static void
put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void
put_manifest_str(struct buf *b, struct str s)
{
	put_u64(b, s.n);
	buf_str(b, s);
}

static void
put_tag(struct buf *b, const struct tag *t)
{
	put_manifest_str(b, t->slug);
	put_manifest_str(b, t->name);
	put_manifest_str(b, t->classification);
	put_u64(b, t->ncategories);
	for (size_t i = 0; i < t->ncategories; i++)
		put_manifest_str(b, t->categories[i]);
}

static void
put_file(struct buf *b, const struct index_file *f)
{
	put_u64(b, f->id);
	put_u64(b, f->checksum);
	put_u64(b, f->mark.device);
	put_u64(b, f->mark.inode);
	put_u64(b, f->mark.size);
	put_u64(b, (uint64_t)f->mark.modified);
	put_u64(b, (uint64_t)f->mark.status);
}

static void
put_segment(struct buf *b, const struct index_segment *s)
{
	put_file(b, &s->file);
	put_file(b, &s->ordinals);
	put_u64(b, s->documents);
	put_u64(b, s->ndead);
	if (s->ndead > 0)
		buf_add(b, s->dead, ((size_t)s->documents + 63) / 64 * sizeof(*s->dead));
}

static uint64_t
checksum_of(struct manifest_header h, const char *p, size_t n)
{
	h.checksum = 0;
	return index_checksum(p + sizeof(h), n - sizeof(h), index_checksum(&h, sizeof(h), 0));
}

static void
state_print(struct buf *b, const struct index_state *s)
{
	struct manifest_header h = { .version = INDEX_VERSION, .endian = INDEX_ENDIAN };

	buf_add(b, &h, sizeof(h));
	put_manifest_str(b, str_of(s->snapshot == NULL ? "" : s->snapshot));
	put_u64(b, s->tags.n);
	for (size_t i = 0; i < s->tags.n; i++)
		put_tag(b, &s->tags.items[i]);
	put_u64(b, s->nsegments);
	for (size_t i = 0; i < s->nsegments; i++)
		put_segment(b, &s->segments[i]);
	memcpy(h.magic, MANIFEST_MAGIC, sizeof(h.magic));
	h.generation = s->generation;
	h.published_us = s->published_at.us;
	h.damages = s->damage.n;
	h.damaged_us = s->damage.last_us;
	h.size = b->n;
	h.checksum = checksum_of(h, b->p, b->n);
	memcpy(b->p, &h, sizeof(h));
}

/* ---- reading ---- */

struct manifest_reader {
	const char *p, *end;
	bool bad;
};

static uint64_t
get_u64(struct manifest_reader *r)
{
	uint64_t v = 0;

	if (r->end - r->p < (ptrdiff_t)sizeof(v)) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->p, sizeof(v));
	r->p += sizeof(v);
	return v;
}

static struct str
get_str(struct manifest_reader *r)
{
	uint64_t n = get_u64(r);
	struct str s = { r->p, (size_t)n };

	if (n > (uint64_t)(r->end - r->p)) {
		r->bad = true;
		return STR("");
	}
	r->p += n;
	return s;
}

/* Reads the number of the items that follow. Every item has at least eight bytes, so a number
 * above an eighth of the rest cannot be true. This check comes before the allocation: the
 * checksum protects from damage and not from a file that a faulty release wrote, which must not
 * make a worker allocate gigabytes. */
static uint64_t
get_count(struct manifest_reader *r, uint64_t max)
{
	uint64_t n = get_u64(r);

	if (n > max || n > (uint64_t)(r->end - r->p) / 8) {
		r->bad = true;
		return 0;
	}
	return n;
}

static void
get_tags(struct manifest_reader *r, struct index_tags *out)
{
	size_t n = (size_t)get_count(r, TAGS_MAX);
	struct tag *items = mem_array(n, sizeof(*items));

	for (size_t i = 0; i < n && !r->bad; i++) {
		struct tag *t = &items[i];

		t->slug = get_str(r);
		t->name = get_str(r);
		t->classification = get_str(r);
		t->ncategories = (size_t)get_u64(r);
		if (t->ncategories > COUNT(t->categories)) {
			r->bad = true;
			break;
		}
		for (size_t k = 0; k < t->ncategories; k++)
			t->categories[k] = get_str(r);
	}
	if (!r->bad)
		index_tags_set(out, items, n);
	free(items);
}

static void
get_file(struct manifest_reader *r, struct index_file *f)
{
	f->id = get_u64(r);
	f->checksum = get_u64(r);
	f->mark.device = get_u64(r);
	f->mark.inode = get_u64(r);
	f->mark.size = get_u64(r);
	f->mark.modified = (int64_t)get_u64(r);
	f->mark.status = (int64_t)get_u64(r);
}

static void
get_segment(struct manifest_reader *r, enum dataset d, struct index_segment *s)
{
	size_t bytes;

	s->dataset = d;
	get_file(r, &s->file);
	get_file(r, &s->ordinals);
	s->documents = (uint32_t)get_u64(r);
	s->ndead = (uint32_t)get_u64(r);
	s->dead = mem_array(index_words(s->documents), sizeof(*s->dead));
	if (s->ndead == 0)
		return;
	bytes = ((size_t)s->documents + 63) / 64 * sizeof(*s->dead);
	if (s->ndead > s->documents || (size_t)(r->end - r->p) < bytes) {
		r->bad = true;
		return;
	}
	memcpy(s->dead, r->p, bytes);
	r->p += bytes;
	if (s->documents % 64 != 0)
		s->dead[s->documents / 64] &= ~(UINT64_MAX << s->documents % 64);
	r->bad |= words_count(s->dead, index_words(s->documents)) != s->ndead;
}

static const char *
header_fault(const struct manifest_header *h, const char *p, size_t n)
{
	if (n < sizeof(*h) || memcmp(h->magic, MANIFEST_MAGIC, sizeof(h->magic)) != 0)
		return "not a manifest";
	if (h->version != INDEX_VERSION || h->endian != INDEX_ENDIAN)
		return "written by another version";
	if (h->size != n)
		return "truncated";
	if (h->generation == 0 || checksum_of(*h, p, n) != h->checksum)
		return "checksum does not match";
	return NULL;
}

static bool
state_parse(const char *p, size_t n, struct index_state *out, char err[INDEX_FAULT])
{
	struct manifest_header h = { 0 };
	struct manifest_reader r;
	const char *what;

	if (n < sizeof(h)) {
		snprintf(err, INDEX_FAULT, "manifest: truncated");
		return false;
	}
	memcpy(&h, p, sizeof(h));
	r = (struct manifest_reader){ p + sizeof(h), p + n, false };
	what = header_fault(&h, p, n);
	if (what == NULL) {
		size_t nsegments;

		index_state_snapshot(out, get_str(&r));
		get_tags(&r, &out->tags);
		nsegments = (size_t)get_count(&r, SEGMENTS_MAX);
		out->segments = mem_array(nsegments, sizeof(*out->segments));
		while (out->nsegments < nsegments && !r.bad)
			get_segment(&r, out->dataset, &out->segments[out->nsegments++]);
		what = r.bad ? "broken" : NULL;
	}
	out->generation = h.generation;
	out->published_at.us = h.published_us;
	out->damage = (struct index_damage){ h.damages, h.damaged_us };
	if (what != NULL)
		snprintf(err, INDEX_FAULT, "manifest: %s", what);
	return what == NULL;
}

void
manifest_path(const char *directory, enum dataset d, uint32_t family, char *out, size_t room)
{
	const char *name = schema_dataset_name(d);
	int n = family == 0
		    ? snprintf(out, room, "%s/%s.manifest", directory, name)
		    : snprintf(out, room, "%s/%s-%08" PRIx32 ".state", directory, name, family);

	if (n < 0 || (size_t)n >= room)
		panic("index directory name too long");
}

bool
index_state_load(
    const char *directory, enum dataset d, struct index_state *out, char err[INDEX_FAULT])
{
	return index_state_fetch(directory, d, 0, out, err);
}

bool
index_state_fetch(const char *directory, enum dataset d, uint32_t family, struct index_state *out,
    char err[INDEX_FAULT])
{
	char path[4096];
	struct buf b = { 0 };
	bool ok = false;

	*out = (struct index_state){ .dataset = d, .published_at = TS_NULL };
	manifest_path(directory, d, family, path, sizeof(path));
	if (file_read(path, SIZE_MAX, &b))
		ok = state_parse(b.p, b.n, out, err);
	else if (errno != ENOENT)
		snprintf(err, INDEX_FAULT, "%.200s: %s", path, strerror(errno));
	else
		ok = snprintf(err, INDEX_FAULT, "nothing is published") > 0 && family == 0;
	buf_free(&b);
	if (!ok)
		index_state_free(out);
	return ok;
}

void
index_state_snapshot(struct index_state *s, struct str text)
{
	free(s->snapshot);
	s->snapshot = strndup(text.p == NULL ? "" : text.p, text.n);
	if (s->snapshot == NULL)
		panic("out of memory");
}

struct index_segment *
index_state_find(const struct index_state *s, uint64_t id)
{
	size_t i = 0;

	while (i < s->nsegments && s->segments[i].file.id != id)
		i++;
	return i < s->nsegments ? &s->segments[i] : NULL;
}

void
index_drop_former(struct index_segment *s)
{
	if (s->former == NULL)
		return;
	mapped_condemn(&s->former->file);
	segment_close(s->former);
	s->former = NULL;
}

void
index_state_drop(struct index_state *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		index_drop_former(&s->segments[i]);
		segment_close(s->segments[i].open);
		ordinals_close(s->segments[i].map);
		free(s->segments[i].dead);
	}
	if (s->nsegments > to)
		memmove(s->segments + from, s->segments + to,
		    (s->nsegments - to) * sizeof(*s->segments));
	s->nsegments -= to - from;
}

void
index_state_free(struct index_state *s)
{
	index_state_drop(s, 0, s->nsegments);
	free(s->segments);
	free(s->snapshot);
	index_tags_free(&s->tags);
	*s = (struct index_state){ .dataset = s->dataset, .published_at = TS_NULL };
}

bool
manifest_write(const char *directory, const struct index_state *s, char err[INDEX_FAULT])
{
	char path[4096];
	struct buf b = { 0 };
	bool ok;

	state_print(&b, s);
	manifest_path(directory, s->dataset, s->family, path, sizeof(path));
	ok = file_replace(directory, path, &b, err);
	buf_free(&b);
	return ok;
}
