/* SPDX-License-Identifier: ISC */
/* Maps the files of the index. A worker keeps a file mapped for days, and the file may change
 * during that time: by a restore, a disk error, an administrator with dd. Two mechanisms prevent
 * a wrong answer and a crash of the worker:
 * - The descriptor stays open, so that fstat(2) before and after a request detects every write
 *   and every truncation.
 * - When a page can no longer be read, the kernel sends SIGBUS. The handler replaces the rest of
 *   the file by zeros and sets `lost`, and the interrupted request continues. mapped_intact then
 *   fails the request. Every reader of the format has to stay inside its arrays whatever the
 *   verified bytes have become (mapped.h).
 *
 * The handler may use only async-signal-safe functions. mmap is not in the list of POSIX, but on
 * Linux it is a plain system call. */
#include "config.h"

#include "search/index/format/copy.h"
#include "search/index/format/mapped.h"
#include "search/index/format/parity.h"
#include "search/index/format/sections.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	AHEAD_LEAST = 1 << 17, /* bytes that are worth a system call */
	AHEAD_SLICE = 1 << 20, /* the kernel may ignore more than this in one call */
};

static struct mapped *mappings; /* all mappings of the process, for on_bus_error */

static bool
replace_from(struct mapped *m, uintptr_t address)
{
	uintptr_t start = (uintptr_t)m->map, page = (uintptr_t)m->page;
	unsigned char *from = m->map + (address - start) / page * page;

	if (address < start || address - start >= m->size)
		return false;
	m->lost = 1;
	return mmap(from, m->size - (size_t)(from - m->map), PROT_READ,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* An access outside of the mappings faults again with the default handler, which ends the
   process. */
static void
on_bus_error(int number, siginfo_t *info, void *context)
{
	struct sigaction fatal = { .sa_handler = SIG_DFL };
	int error = errno;

	(void)context;
	for (struct mapped *m = mappings; m != NULL; m = m->next)
		if (replace_from(m, (uintptr_t)info->si_addr)) {
			errno = error;
			return;
		}
	sigaction(number, &fatal, NULL);
}

static void
register_mapping(struct mapped *m)
{
	struct sigaction act = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	m->page = sysconf(_SC_PAGESIZE);
	if (sigaction(SIGBUS, &act, NULL) < 0)
		panic("sigaction: %s", strerror(errno));
	m->next = mappings;
	mappings = m;
}

/* ---- marks ---- */

static int64_t
nanoseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct index_mark
mark_of(const struct stat *st)
{
	return (struct index_mark){ .device = st->st_dev,
		.inode = st->st_ino,
		.size = (uint64_t)st->st_size,
		.modified = nanoseconds(st->st_mtim),
		.status = nanoseconds(st->st_ctim) };
}

static bool
same_mark(const struct index_mark *a, const struct index_mark *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->modified == b->modified && a->status == b->status;
}

bool
mapped_changed(const char *path, const struct index_mark *mark)
{
	struct stat st;

	return stat(path, &st) == 0 &&
	       ((uint64_t)st.st_size != mark->size || nanoseconds(st.st_mtim) != mark->modified);
}

/* Ignores st_ctim, which changes when the writer removes the name of a file of an old
   generation. */
bool
mapped_intact(const struct mapped *m)
{
	struct stat st;

	return !m->lost && fstat(m->fd, &st) == 0 && (uint64_t)st.st_size == m->mark.size &&
	       nanoseconds(st.st_mtim) == m->mark.modified;
}

bool
mapped_is_named(const struct mapped *m, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == m->mark.device && st.st_ino == m->mark.inode;
}

/* ---- header and table ---- */

bool
mapped_fault(struct mapped *m, const char *what)
{
	snprintf(m->err, INDEX_FAULT, "%s %016" PRIx64 ": %s", m->kind, m->id, what);
	return false;
}

static bool
check_header(struct mapped *m)
{
	const struct segment_header *h = m->head;
	struct segment_header blank = *h;
	uint64_t sum;

	if (memcmp(h->magic, m->magic, sizeof(h->magic)) != 0)
		return mapped_fault(m, "not a file of this kind");
	if (h->version != INDEX_VERSION || h->endian != INDEX_ENDIAN)
		return mapped_fault(m, "written by another version");
	if (h->size != m->size)
		return mapped_fault(m, "truncated");
	if (h->table_at % 8 != 0 || h->table_at > h->size ||
	    (h->size - h->table_at) / sizeof(struct section) < h->nsections)
		return mapped_fault(m, "broken table");
	blank.checksum = 0;
	sum = index_checksum(&blank, sizeof(blank), 0);
	sum = index_checksum(m->map + h->table_at, h->nsections * sizeof(struct section), sum);
	if (sum != h->checksum)
		return mapped_fault(m, "broken header");
	if (h->id != m->id || h->checksum != m->checksum)
		return mapped_fault(m, "another file under this name");
	return h->nslots <= SLOTS_MAX && h->nfields <= h->nslots ? true
								 : mapped_fault(m, "broken header");
}

/* Whether the bytes up to the next section are zero; so every byte of a file is covered by some
   check. */
static bool
padding_is_zero(const unsigned char *base, uint64_t from, uint64_t limit)
{
	bool ok = true;

	for (; from % INDEX_ALIGN != 0 && from < limit; from++)
		ok &= base[from] == 0;
	return ok;
}

static const struct section *
table_of(const struct mapped *m)
{
	return (const struct section *)(const void *)(m->map + m->head->table_at);
}

static bool
section_is_inside(const struct segment_header *h, const struct section *t)
{
	return t->kind < SECTIONS && t->slot < h->nslots && t->at % INDEX_ALIGN == 0 &&
	       t->at <= h->table_at && t->n <= h->table_at - t->at;
}

static bool
section_is_valid(const struct mapped *m, const struct section *t)
{
	return index_checksum(m->map + t->at, t->n, t->kind) == t->checksum &&
	       padding_is_zero(m->map, t->at + t->n, m->head->table_at);
}

static bool
check_sections(struct mapped *m)
{
	const struct segment_header *h = m->head;

	if (!padding_is_zero(m->map, sizeof(*h), h->table_at))
		return mapped_fault(m, "broken header");
	m->nslots = h->nslots;
	m->spans = mem_array(m->nslots * SECTIONS, sizeof(*m->spans));
	for (uint32_t i = 0; i < h->nsections; i++) {
		const struct section *t = &table_of(m)[i];

		if (!section_is_inside(h, t))
			return mapped_fault(m, "broken table");
		if (!m->trusted && !section_is_valid(m, t))
			return mapped_fault(m, "checksum does not match");
		m->spans[t->slot * SECTIONS + t->kind] = (struct span){ m->map + t->at, t->n };
	}
	return true;
}

static bool
map_file(struct mapped *m, const char *path)
{
	struct stat st;

	m->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0 || fstat(m->fd, &st) < 0)
		return mapped_fault(m, strerror(errno));
	m->mark = mark_of(&st);
	m->size = (size_t)st.st_size;
	if (m->size < sizeof(struct segment_header))
		return mapped_fault(m, "truncated");
	m->map = mmap(NULL, m->size, PROT_READ, MAP_SHARED, m->fd, 0);
	if (m->map == MAP_FAILED) {
		m->map = NULL;
		return mapped_fault(m, strerror(errno));
	}
	m->head = (const struct segment_header *)(const void *)m->map;
	register_mapping(m);
	return true;
}

/* ---- reading from the disk ---- */

/* The sections that queries read in long runs. A query reads a few pages of the others, such as
   dictionaries. */
static bool
is_read_in_runs(enum section_kind kind)
{
	switch (kind) {
	case SECTION_COLUMN:
	case SECTION_COLUMN_NESTED:
	case SECTION_COMBINATIONS:
	case SECTION_MORE_WORDS:
	case SECTION_MORE_RANK:
	case SECTION_MORE_AT:
	case SECTION_MORE_IDS:
	case SECTION_FIRST:
	case SECTION_OWNER_STEP:
	case SECTION_COUNT:
	case SECTION_RARE:
	case SECTION_MAP:
	case SECTION_DATES:
	case SECTION_SECONDS:
	case SECTION_VALUE_AT:
		return true;
	default:
		return false;
	}
}

/* Advises only pages that belong completely to the range. */
static void
advise(const unsigned char *p, uint64_t n, int advice)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
		  from = ((uintptr_t)p + page - 1) / page * page;
	uintptr_t to = ((uintptr_t)p + n) / page * page;

	if (from < to)
		(void)!madvise((void *)from, to - from, advice);
}

/* Chooses how the kernel reads a file for queries. By default it reads ahead as much as the disk
 * is set to at each missing page, which may be megabytes, so that a search in a dictionary would
 * read all of it. Therefore the kernel reads single pages, except in sections that are read in
 * runs. mapped_ahead announces long postings. */
static void
advise_for_queries(const struct mapped *m)
{
	const struct section *t = table_of(m);

	(void)!madvise(m->map, m->size, MADV_RANDOM);
	for (uint32_t i = 0; i < m->head->nsections; i++)
		if (is_read_in_runs(t[i].kind) && t[i].n >= AHEAD_LEAST)
			advise(m->map + t[i].at, t[i].n, MADV_NORMAL);
}

void
mapped_in_order(const struct mapped *m)
{
	(void)!madvise(m->map, m->size, MADV_NORMAL);
}

void
mapped_ahead(const void *p, uint64_t n)
{
	const unsigned char *from = p;

	for (uint64_t at = 0; n >= AHEAD_LEAST && at < n; at += AHEAD_SLICE)
		advise(from + at, n - at < AHEAD_SLICE ? n - at : AHEAD_SLICE, MADV_WILLNEED);
}

/* ---- mending ---- */

/* Maps so many bytes of a file that may be shorter; the rest are zeros. */
static bool
map_again(struct mapped *m, uint64_t size)
{
	size_t have = m->mark.size < size ? (size_t)m->mark.size : (size_t)size;
	unsigned char *map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return false;
	if (m->map != NULL)
		munmap(m->map, m->size);
	m->map = map;
	m->size = (size_t)size;
	m->head = (const struct segment_header *)(const void *)map;
	if (m->page == 0)
		register_mapping(m);
	return have == 0 ||
	       mmap(map, have, PROT_READ, MAP_SHARED | MAP_FIXED, m->fd, 0) != MAP_FAILED;
}

/* Replaces the damaged pages by pages of this process with the right content. */
static bool
mend_blocks(struct mapped *m, const struct parity *p)
{
	size_t page = (size_t)m->page, at, last = SIZE_MAX;
	unsigned char block[PARITY_BLOCK];
	bool ok = true;

	for (uint32_t i = 0; ok && i < p->nbad; i++) {
		at = (size_t)p->bad[i] * PARITY_BLOCK;
		if (at / page != last) {
			last = at / page;
			ok = mmap(m->map + last * page, page, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
			if (ok) /* a damaged page may also contain whole blocks */
				(void)!pread(
				    m->fd, m->map + last * page, page, (off_t)(last * page));
		}
		ok = ok && parity_block(p, m->fd, i, block);
		if (ok)
			memcpy(m->map + at, block, sizeof(block));
	}
	return ok && mprotect(m->map, m->size, PROT_READ) == 0;
}

/* Mends the mapping of a damaged file, which the caller then verifies. */
static bool
mend(struct mapped *m, const char *path, const struct index_file *want)
{
	struct parity p;
	bool ok;

	if (m->fd < 0)
		return false;
	ok = parity_open(&p, path, want) && parity_find(&p, m->fd) && p.nbad > 0 &&
	     map_again(m, p.size) && mend_blocks(m, &p);
	m->mended = ok ? p.nbad : 0;
	parity_close(&p);
	m->trusted = false;
	m->lost = 0;
	free(m->spans);
	m->spans = NULL;
	return ok;
}

/* ---- opening ---- */

static bool
map_and_check(
    struct mapped *m, const char *path, const struct index_file *want, enum segment_check check)
{
	if (!map_file(m, path))
		return false;
	m->trusted = check == SEGMENT_BY_MARK && same_mark(&m->mark, &want->mark);
	(void)!madvise(m->map, m->size, m->trusted ? MADV_RANDOM : MADV_SEQUENTIAL);
	return check_header(m) && check_sections(m) && !m->lost;
}

/* Maps the copy of a lost file. The mapping counts as mended, so that the writer replaces the
   file. */
static bool
map_copy(struct mapped *m, const char *path, const struct index_file *want)
{
	char name[4096];

	mapped_close(m);
	m->map = NULL;
	m->page = 0;
	m->lost = 0;
	copy_path(path, name, sizeof(name));
	if (!map_and_check(m, name, want, SEGMENT_VERIFY))
		return false;
	m->mended = (uint32_t)(m->size / PARITY_BLOCK + 1);
	return true;
}

/* Maps a file and decides how much of it is verified. The mark decides: a file whose inode, size
 * and times are those that its writer recorded was verified by the writer, so only its header, its
 * table and the bounds of its sections are looked at. Any other file, such as one that was restored
 * from a backup, is read to its last byte, and its damaged blocks are mended by its parity, or its
 * copy is mapped. The last check is mapped_intact, for a file that changed while it was
 * verified. */
bool
mapped_open(
    struct mapped *m, const char *path, const struct index_file *want, enum segment_check check)
{
	m->fd = -1;
	m->id = want->id;
	m->checksum = want->checksum;
	if (!map_and_check(m, path, want, check)) {
		char why[INDEX_FAULT];

		if (check == SEGMENT_VERIFY)
			return false;
		memcpy(why, m->err, sizeof(why));
		if (!(mend(m, path, want) && check_header(m) && check_sections(m)) &&
		    !map_copy(m, path, want)) {
			memcpy(m->err, why, sizeof(why));
			return false;
		}
		m->err[0] = '\0';
	}
	advise_for_queries(m);
	return mapped_intact(m) || mapped_fault(m, "changed while it was read");
}

bool
mapped_unfinished(struct mapped *m, const struct segment_writer *w, const struct segment_header *h)
{
	m->fd = w->file.fd < 0 ? -1 : open(w->file.temporary, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0)
		return mapped_fault(m, "not written");
	m->size = w->at;
	m->map = mmap(NULL, m->size, PROT_READ, MAP_SHARED, m->fd, 0);
	if (m->map == MAP_FAILED) {
		m->map = NULL;
		return mapped_fault(m, strerror(errno));
	}
	m->trusted = true;
	m->head = h;
	m->nslots = h->nslots;
	m->spans = mem_array(m->nslots * SECTIONS, sizeof(*m->spans));
	for (uint32_t i = 0; i < w->nsections; i++) {
		struct section t;

		memcpy(&t, w->table.p + i * sizeof(t), sizeof(t));
		m->spans[t.slot * SECTIONS + t.kind] = (struct span){ m->map + t.at, t.n };
	}
	register_mapping(m);
	return true;
}

void
mapped_close(struct mapped *m)
{
	for (struct mapped **at = &mappings; *at != NULL; at = &(*at)->next)
		if (*at == m) {
			*at = m->next;
			break;
		}
	if (m->map != NULL)
		munmap(m->map, m->size);
	fd_close(m->fd);
	free(m->spans);
	m->spans = NULL;
}

struct span
mapped_span(const struct mapped *m, size_t slot, enum section_kind kind)
{
	return slot < m->nslots ? m->spans[slot * SECTIONS + kind] : (struct span){ NULL, 0 };
}

/* ---- verification in the background ---- */

/* Adds at most some bytes of a section to its checksum, and compares it after the last ones. */
static bool
verify_piece(const struct mapped *m, const struct section *t, struct verified *v, uint64_t *bytes)
{
	uint64_t whole = t->n - t->n % CHECKSUM_UNIT, n = whole - v->at;
	const unsigned char *p = m->map + t->at;

	if (v->at == 0)
		checksum_begin(&v->sum, t->n, t->kind);
	if (n > *bytes)
		n = (*bytes - 1) / CHECKSUM_UNIT * CHECKSUM_UNIT + CHECKSUM_UNIT;
	checksum_add(&v->sum, p + v->at, n);
	v->at += n;
	*bytes -= n < *bytes ? n : *bytes;
	if (v->at < whole)
		return true;
	v->at = 0;
	v->section++;
	return checksum_end(&v->sum, p + whole, t->n - whole) == t->checksum &&
	       padding_is_zero(m->map, t->at + t->n, m->head->table_at);
}

bool
mapped_verify(struct mapped *m, struct verified *v, uint64_t *bytes)
{
	const struct segment_header *h = m->head;

	if (!check_header(m))
		return false;
	while (*bytes > 0 && v->section < h->nsections) {
		const struct section t = table_of(m)[v->section]; /* read once: it may change */

		if (!section_is_inside(h, &t) || v->at > t.n || !verify_piece(m, &t, v, bytes))
			return mapped_fault(m, "checksum does not match");
	}
	return !m->lost || mapped_fault(m, "cannot be read");
}

/* Sections follow each other in the order of their table, each up to a multiple of INDEX_ALIGN. */
bool
mapped_verify_at(struct mapped *m, uint64_t from, uint64_t *to)
{
	const struct segment_header *h = m->head;

	if (!check_header(m))
		return false;
	if (!padding_is_zero(m->map, sizeof(*h), h->table_at))
		return mapped_fault(m, "broken header");
	for (uint32_t i = 0; i < h->nsections; i++) {
		const struct section *t = &table_of(m)[i];
		uint64_t end;

		if (!section_is_inside(h, t))
			return mapped_fault(m, "broken table");
		end = (t->at + t->n + INDEX_ALIGN - 1) / INDEX_ALIGN * INDEX_ALIGN;
		if (t->at >= *to || end <= from)
			continue;
		if (!section_is_valid(m, t))
			return mapped_fault(m, "checksum does not match");
		if (*to < end)
			*to = end;
	}
	if (*to > m->size)
		*to = m->size;
	return !m->lost || mapped_fault(m, "cannot be read");
}

/* Sets the modification time, so that mapped_intact fails in every process that maps the file. */
void
mapped_condemn(const struct mapped *m)
{
	(void)!futimens(m->fd, NULL);
}
