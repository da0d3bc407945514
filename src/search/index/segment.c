/* SPDX-License-Identifier: ISC */
/* Opening a segment: everything that later code relies on is checked here, once. */
#include "config.h"

#include "search/index/index_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the sections of one slot (or, slot 0, of the segment) are. */
struct span {
	const unsigned char *p;
	uint64_t n;
};

struct opening {
	struct segment *s;
	struct span *spans; /* [slot][kind] */
	char *err;
};

static bool
fault(struct opening *o, const char *what)
{
	snprintf(o->err, INDEX_FAULT, "segment %016" PRIx64 ": %s", o->s->head->id, what);
	return false;
}

void
segment_path(const char *directory, uint64_t id, char *out, size_t room)
{
	int n = snprintf(out, room, "%s/hosts-%016" PRIx64 ".seg", directory, id);

	if (n < 0 || (size_t)n >= room)
		panic("index directory name too long");
}

static struct span
span(const struct opening *o, size_t slot, enum section_kind kind)
{
	return o->spans[slot * SECTIONS + kind];
}

/* ---- header and table ---- */

static bool
check_header(struct opening *o, const struct index_segment *want)
{
	const struct segment_header *h = o->s->head;
	struct segment_header blank = *h;
	uint64_t sum;

	if (memcmp(h->magic, SEGMENT_MAGIC, sizeof(h->magic)) != 0) {
		snprintf(o->err, INDEX_FAULT, "segment %016" PRIx64 ": not a segment",
		    want->id);
		return false;
	}
	if (h->version != INDEX_VERSION || h->endian != INDEX_ENDIAN)
		return fault(o, "written by another version");
	if (h->schema != index_schema_hash(DATASET_HOSTS))
		return fault(o, "built for other fields");
	if (h->size != o->s->size)
		return fault(o, "truncated");
	if (h->table_at % 8 != 0 || h->table_at > h->size ||
	    (h->size - h->table_at) / sizeof(struct section) < h->nsections)
		return fault(o, "broken table");
	blank.checksum = 0;
	sum = index_checksum(&blank, sizeof(blank), 0);
	sum = index_checksum((const char *)o->s->map + h->table_at,
	    h->nsections * sizeof(struct section), sum);
	if (sum != h->checksum)
		return fault(o, "broken header");
	if (h->id != want->id || h->checksum != want->checksum ||
	    h->ndocs != want->documents)
		return fault(o, "another segment under this name");
	return h->nslots == o->s->nslots && h->nv4 <= h->ndocs
		   ? true
		   : fault(o, "broken header");
}

/* What fills up to the next section is zero: every byte of a file is checked. */
static bool
padded(const unsigned char *base, uint64_t from, uint64_t limit)
{
	bool ok = true;

	for (; from % INDEX_ALIGN != 0 && from < limit; from++)
		ok &= base[from] == 0;
	return ok;
}

static bool
check_sections(struct opening *o, enum segment_check check)
{
	const struct segment_header *h = o->s->head;
	const unsigned char *base = o->s->map;
	const struct section *table =
	    (const struct section *)(const void *)(base + h->table_at);

	if (!padded(base, sizeof(*h), h->table_at))
		return fault(o, "broken header");
	for (uint32_t i = 0; i < h->nsections; i++) {
		const struct section *t = &table[i];

		if (t->kind >= SECTIONS || t->slot >= h->nslots ||
		    t->at % INDEX_ALIGN != 0 || t->at > h->table_at ||
		    t->n > h->table_at - t->at)
			return fault(o, "broken table");
		if (check == SEGMENT_VERIFY &&
		    (index_checksum(base + t->at, t->n, t->kind) != t->checksum ||
			!padded(base, t->at + t->n, h->table_at)))
			return fault(o, "checksum does not match");
		o->spans[t->slot * SECTIONS + t->kind] =
		    (struct span){ base + t->at, t->n };
	}
	return true;
}

/* ---- content ---- */

static bool
ascending(const uint32_t *at, uint32_t n, uint64_t limit)
{
	bool ok = at != NULL && at[0] == 0 && at[n] == limit;

	for (uint32_t i = 0; ok && i < n; i++)
		ok &= at[i] <= at[i + 1];
	return ok;
}

static bool
below(const void *ids, uint8_t width, uint64_t n, uint64_t limit)
{
	uint32_t max = 0;

	if (width == 1)
		for (uint64_t i = 0; i < n; i++)
			max = max > ((const uint8_t *)ids)[i] ? max
							      : ((const uint8_t *)ids)[i];
	else if (width == 2)
		for (uint64_t i = 0; i < n; i++)
			max = max > ((const uint16_t *)ids)[i]
				  ? max
				  : ((const uint16_t *)ids)[i];
	else
		for (uint64_t i = 0; i < n; i++)
			max = max > ((const uint32_t *)ids)[i]
				  ? max
				  : ((const uint32_t *)ids)[i];
	return n == 0 || max < limit;
}

static bool
u32s(struct span s, uint64_t n, const uint32_t **out)
{
	*out = (const uint32_t *)(const void *)s.p;
	return s.n == n * sizeof(uint32_t);
}

/* Present with n entries below limit, or absent. */
static bool
optional_ids(struct span s, uint64_t n, uint64_t limit, const uint32_t **out)
{
	*out = NULL;
	return s.p == NULL || s.n == 0 || (u32s(s, n, out) && below(*out, 4, n, limit));
}

static bool
open_documents(struct opening *o)
{
	struct segment *s = o->s;
	struct span ip6 = span(o, 0, SECTION_IP6);

	s->ndocs = s->head->ndocs;
	s->nv4 = s->head->nv4;
	s->nnested = s->head->nnested;
	s->ip6 = ip6.p;
	return s->ndocs < UINT32_MAX - INDEX_BLOCK &&
	       s->nnested < UINT32_MAX - INDEX_BLOCK &&
	       ip6.n == (uint64_t)(s->ndocs - s->nv4) * 16 &&
	       u32s(span(o, 0, SECTION_IP4), s->nv4, &s->ip4) &&
	       u32s(span(o, 0, SECTION_FIRST), s->ndocs + UINT64_C(1), &s->first) &&
	       ascending(s->first, s->ndocs, s->nnested) &&
	       u32s(span(o, 0, SECTION_OWNER), s->nnested, &s->owner) &&
	       below(s->owner, 4, s->nnested, s->ndocs);
}

static bool
open_dictionary(const struct opening *o, size_t slot, struct terms *t)
{
	struct span bytes = span(o, slot, SECTION_TERM_BYTES),
		    ints = span(o, slot, SECTION_TERM_INTS);

	if (t->form == FORM_NONE)
		return t->n == 0;
	if (t->form == FORM_INTS) {
		t->ints = (const int64_t *)(const void *)ints.p;
		return ints.n == t->n * sizeof(int64_t);
	}
	t->bytes = bytes.p == NULL ? "" : (const char *)bytes.p; /* empty texts alone */
	return u32s(span(o, slot, SECTION_TERM_AT), t->n + UINT64_C(1), &t->at) &&
	       ascending(t->at, t->n, bytes.n) &&
	       optional_ids(span(o, slot, SECTION_FOLD), t->n, t->n, &t->fold) &&
	       optional_ids(span(o, slot, SECTION_RANK), t->n, t->n, &t->rank);
}

static bool
open_postings(const struct opening *o, size_t slot, struct terms *t)
{
	static const enum section_kind counts[] = { SECTION_COUNT, SECTION_COUNT_NESTED };
	static const enum section_kind ats[] = { SECTION_AT, SECTION_AT_NESTED };
	struct span blob = span(o, slot, SECTION_POSTINGS);

	t->postings = blob.p;
	t->npostings = blob.n;
	for (int l = 0; l < LEVELS; l++) {
		struct span at = span(o, slot, ats[l]);

		if (at.n == 0)
			continue;
		t->level[l].at = (const uint64_t *)(const void *)at.p;
		if (at.n != (t->n + UINT64_C(1)) * sizeof(uint64_t) ||
		    !u32s(
			span(o, slot, counts[l]), t->n + UINT64_C(1), &t->level[l].count))
			return false;
	}
	return true;
}

static bool
width_ok(uint8_t width)
{
	return width == 1 || width == 2 || width == 4;
}

static bool
open_column(
    const struct opening *o, size_t slot, const struct slot_meta *m, struct terms *t)
{
	struct span ids = span(o, slot, SECTION_COLUMN),
		    nested = span(o, slot, SECTION_COLUMN_NESTED);
	struct span more = span(o, slot, SECTION_MORE_IDS);
	struct column *c = &t->column;
	const struct segment *s = o->s;

	if (nested.n > 0) {
		t->nested_column =
		    (struct column){ .width = m->nested_width, .k = 1, .ids = nested.p };
		if (!width_ok(m->nested_width) ||
		    nested.n != (uint64_t)s->nnested * m->nested_width ||
		    !below(nested.p, m->nested_width, s->nnested, t->n + UINT64_C(1)))
			return false;
	}
	if (ids.n == 0)
		return true;
	*c = (struct column){ m->width, m->k, ids.p, m->more, NULL, NULL, more.p };
	if (!width_ok(c->width) || c->k == 0 || c->k > COLUMN_K_MAX ||
	    (c->k & (c->k - 1)) != 0 || ids.n != (uint64_t)s->ndocs * c->k * c->width ||
	    !below(ids.p, c->width, (uint64_t)s->ndocs * c->k, t->n + (uint64_t)c->k))
		return false;
	if (c->nmore == 0)
		return true;
	return u32s(span(o, slot, SECTION_MORE_DOCS), c->nmore, &c->more_docs) &&
	       below(c->more_docs, 4, c->nmore, s->ndocs) &&
	       u32s(
		   span(o, slot, SECTION_MORE_AT), c->nmore + UINT64_C(1), &c->more_at) &&
	       ascending(c->more_at, c->nmore, more.n / c->width) &&
	       below(c->more_ids, c->width, more.n / c->width, t->n);
}

static bool
open_slot(const struct opening *o, size_t slot, const struct slot_meta *m)
{
	const struct schema_field *f;
	struct terms *t = &o->s->slots[slot];
	struct span dates = span(o, slot, SECTION_DATES);
	uint64_t names = 0;

	schema_fields(DATASET_HOSTS, &f);
	*t = (struct terms){ .n = m->n, .form = m->form };
	if (m->form > FORM_INTS || t->n == UINT32_MAX)
		return false;
	if (dates.n > 0) {
		t->dates = (const int64_t *)(const void *)dates.p;
		if (dates.n != (f[slot / PARTS].nested ? o->s->nnested : o->s->ndocs) *
				   sizeof(int64_t))
			return false;
	}
	if (strcmp(f[slot / PARTS].name, "asn") == 0) {
		const struct schema_field *as =
		    schema_find(DATASET_HOSTS, STR("as_name"));

		names = as == NULL ? 0
				   : ((const struct slot_meta *)(const void *)span(
					 o, 0, SECTION_SLOTS)
					     .p)[as->index * PARTS]
					 .n;
	}
	return open_dictionary(o, slot, t) && open_postings(o, slot, t) &&
	       open_column(o, slot, m, t) &&
	       optional_ids(span(o, slot, SECTION_LABEL), t->n, names + 1, &t->label);
}

static bool
open_content(struct opening *o)
{
	const struct slot_meta *meta =
	    (const struct slot_meta *)(const void *)span(o, 0, SECTION_SLOTS).p;

	if (span(o, 0, SECTION_SLOTS).n != o->s->nslots * sizeof(*meta))
		return fault(o, "broken slots");
	if (!open_documents(o))
		return fault(o, "broken documents");
	for (size_t i = 0; i < o->s->nslots; i++)
		if (!open_slot(o, i, &meta[i]))
			return fault(o, "broken field");
	return true;
}

static bool
map_file(struct segment *s, const char *directory, uint64_t id, char *err)
{
	char path[4096];
	struct stat st;
	int fd;

	segment_path(directory, id, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(
		    err, INDEX_FAULT, "segment %016" PRIx64 ": %s", id, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	s->size = (size_t)st.st_size;
	s->map = s->size < sizeof(struct segment_header)
		     ? MAP_FAILED
		     : mmap(NULL, s->size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	close(fd);
	if (s->map == MAP_FAILED) {
		snprintf(err, INDEX_FAULT, "segment %016" PRIx64 ": truncated", id);
		s->map = NULL;
		return false;
	}
	s->head = s->map;
	return true;
}

struct segment *
segment_open(const char *directory, const struct index_segment *want,
    enum segment_check check, char err[INDEX_FAULT])
{
	const struct schema_field *fields;
	struct segment *s = mem_zero(sizeof(*s));
	struct opening o = { .s = s, .err = err };
	bool ok;

	s->refs = 1;
	s->nslots = schema_fields(DATASET_HOSTS, &fields) * PARTS;
	s->slots = mem_array(s->nslots, sizeof(*s->slots));
	o.spans = mem_array(s->nslots * SECTIONS, sizeof(*o.spans));
	ok = map_file(s, directory, want->id, err) && check_header(&o, want) &&
	     check_sections(&o, check) && open_content(&o);
	free(o.spans);
	if (ok)
		return s;
	segment_close(s);
	return NULL;
}

void
segment_close(struct segment *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	if (s->map != NULL)
		munmap(s->map, s->size);
	free(s->slots);
	free(s);
}

/* ---- reading ---- */

const struct terms *
segment_terms(const struct segment *s, const struct schema_field *f, enum part p)
{
	return &s->slots[(size_t)f->index * PARTS + p];
}

uint32_t
segment_level(const struct segment *s, enum level l)
{
	return l == LEVEL_NESTED ? s->nnested : s->ndocs;
}

static const unsigned char v4_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

bool
ip_is_v4(const unsigned char ip[16])
{
	return memcmp(ip, v4_prefix, sizeof(v4_prefix)) == 0;
}

static uint32_t
v4_of(const unsigned char ip[16])
{
	return (uint32_t)ip[12] << 24 | (uint32_t)ip[13] << 16 | (uint32_t)ip[14] << 8 |
	       ip[15];
}

void
segment_ip(const struct segment *s, uint32_t doc, unsigned char out[16])
{
	if (doc >= s->nv4) {
		memcpy(out, s->ip6 + (size_t)(doc - s->nv4) * 16, 16);
		return;
	}
	memcpy(out, v4_prefix, sizeof(v4_prefix));
	for (int i = 0; i < 4; i++)
		out[12 + i] = (unsigned char)(s->ip4[doc] >> (24 - 8 * i));
}

uint32_t
segment_lower(const struct segment *s, const unsigned char ip[16])
{
	bool four = ip_is_v4(ip);
	uint32_t lo = four ? 0 : s->nv4, hi = four ? s->nv4 : s->ndocs,
		 v = four ? v4_of(ip) : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		bool before =
		    four ? s->ip4[mid] < v
			 : memcmp(s->ip6 + (size_t)(mid - s->nv4) * 16, ip, 16) < 0;

		if (before)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A prefix of IPv6 never holds IPv4 addresses, as everywhere else. */
void
segment_net(const struct segment *s, const struct ipnet *net, uint32_t *lo, uint32_t *hi)
{
	unsigned char last[16];
	bool four = ip_is_v4(net->a) && net->bits >= 96;
	uint32_t end = four ? s->nv4 : s->ndocs;

	memcpy(last, net->a, 16);
	for (unsigned bit = net->bits; bit < 128; bit++)
		last[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	*lo = segment_lower(s, net->a);
	if (!four && *lo < s->nv4)
		*lo = s->nv4;
	*hi = segment_lower(s, last);
	if (*hi < end) {
		unsigned char at[16];

		segment_ip(s, *hi, at);
		*hi += memcmp(at, last, 16) == 0;
	}
	if (!four && *hi < s->nv4)
		*hi = s->nv4;
}
