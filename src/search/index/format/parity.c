/* SPDX-License-Identifier: ISC */
/* Makes and uses files of parity (parity.h). Everything is read by pread and nothing is mapped: a
   block that the disk cannot read is then an error of a call and no signal. */
#include "config.h"

#include "search/index/format/parity.h"
#include "search/index/format/files.h"
#include "search/index/format/format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARITY_MAGIC "SFPARITY"

enum { PARITY_VERSION = 1, RUN = 256 /* blocks that are read at once */ };

struct parity_head {
	char magic[8];
	uint32_t version, endian;
	uint64_t id, file_checksum, size;
	uint32_t blocks, groups;
	uint64_t checksum; /* covers the head with 0 in this place, then the sums */
};

void
parity_path(const char *path, char *out, size_t room)
{
	int n = snprintf(out, room, "%s%s", path, PARITY_SUFFIX);

	if (n < 0 || (size_t)n >= room)
		panic("index directory name too long");
}

static uint64_t
head_checksum(struct parity_head h, const uint64_t *sums)
{
	h.checksum = 0;
	return index_checksum(sums, ((uint64_t)h.blocks + h.groups) * sizeof(*sums),
	    index_checksum(&h, sizeof(h), 0));
}

static uint64_t
block_checksum(const unsigned char *block)
{
	return index_checksum(block, PARITY_BLOCK, 0);
}

static uint64_t
parity_at(const struct parity *p, uint32_t group)
{
	return sizeof(struct parity_head) + ((uint64_t)p->blocks + p->groups) * sizeof(*p->sums) +
	       (uint64_t)group * PARITY_BLOCK;
}

static void
set_size(struct parity *p, uint64_t size)
{
	p->size = size;
	p->blocks = (uint32_t)((size + PARITY_BLOCK - 1) / PARITY_BLOCK);
	p->groups = (p->blocks + PARITY_WIDTH - 1) / PARITY_WIDTH;
}

/* Reads n bytes. Bytes after the end of the file and unreadable bytes become zeros. Returns false
   when some could not be read. */
static bool
read_or_zeros(int fd, unsigned char *out, size_t n, uint64_t at)
{
	while (n > 0) {
		ssize_t k = pread(fd, out, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			memset(out, 0, n);
			return k == 0;
		}
		out += k;
		n -= (size_t)k;
		at += (uint64_t)k;
	}
	return true;
}

/* Reads a run of blocks, block after block where the disk cannot read all of them. */
static void
read_blocks(int fd, unsigned char *out, uint32_t from, uint32_t n)
{
	if (read_or_zeros(fd, out, (size_t)n * PARITY_BLOCK, (uint64_t)from * PARITY_BLOCK))
		return;
	for (uint32_t i = 0; i < n; i++)
		(void)!read_or_zeros(fd, out + (size_t)i * PARITY_BLOCK, PARITY_BLOCK,
		    (uint64_t)(from + i) * PARITY_BLOCK);
}

static void
add_block(unsigned char *to, const unsigned char *block)
{
	for (size_t i = 0; i < PARITY_BLOCK; i++)
		to[i] ^= block[i];
}

/* ---- writing ---- */

/* Makes the parity of n adjacent groups. Their blocks at the same place in the groups are one run
   of the file. */
static void
make_groups(struct parity *p, int file, uint32_t from, uint32_t n, unsigned char *parity)
{
	unsigned char *run = mem_alloc((size_t)RUN * PARITY_BLOCK);

	memset(parity, 0, (size_t)n * PARITY_BLOCK);
	for (uint64_t first = from; first < p->blocks; first += p->groups) {
		uint32_t have = p->blocks - (uint32_t)first < n ? p->blocks - (uint32_t)first : n;

		read_blocks(file, run, (uint32_t)first, have);
		for (uint32_t i = 0; i < have; i++) {
			const unsigned char *block = run + (size_t)i * PARITY_BLOCK;

			p->sums[first + i] = block_checksum(block);
			add_block(parity + (size_t)i * PARITY_BLOCK, block);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		p->sums[p->blocks + from + i] = block_checksum(parity + (size_t)i * PARITY_BLOCK);
	free(run);
}

static void
write_groups(struct parity *p, int file, struct file_writer *w)
{
	unsigned char *parity = mem_alloc((size_t)RUN * PARITY_BLOCK);

	for (uint32_t from = 0; from < p->groups; from += RUN) {
		uint32_t n = p->groups - from < RUN ? p->groups - from : RUN;

		make_groups(p, file, from, n, parity);
		file_write(w, parity, (size_t)n * PARITY_BLOCK, parity_at(p, from));
	}
	free(parity);
}

bool
parity_write(const char *path, const struct index_file *f, char err[INDEX_FAULT])
{
	struct parity_head h = { .version = PARITY_VERSION,
		.endian = INDEX_ENDIAN,
		.id = f->id,
		.file_checksum = f->checksum };
	struct parity p = { .fd = -1 };
	struct file_writer w;
	char name[4096];
	struct stat st;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0 || fstat(file, &st) < 0) {
		snprintf(err, INDEX_FAULT, "%.200s: %s", path, strerror(errno));
		fd_close(file);
		return false;
	}
	set_size(&p, (uint64_t)st.st_size);
	p.sums = mem_array((size_t)p.blocks + p.groups, sizeof(*p.sums));
	parity_path(path, name, sizeof(name));
	file_begin(&w, name);
	write_groups(&p, file, &w);
	memcpy(h.magic, PARITY_MAGIC, sizeof(h.magic));
	h.size = p.size;
	h.blocks = p.blocks;
	h.groups = p.groups;
	h.checksum = head_checksum(h, p.sums);
	file_write(&w, &h, sizeof(h), 0);
	file_write(&w, p.sums, ((size_t)p.blocks + p.groups) * sizeof(*p.sums), sizeof(h));
	fd_close(file);
	free(p.sums);
	return file_end_unsynced(&w, err);
}

/* ---- reading ---- */

bool
parity_open(struct parity *p, const char *path, const struct index_file *f)
{
	struct parity_head h;
	char name[4096];
	size_t nsums;
	struct stat st;

	*p = (struct parity){ .fd = -1 };
	parity_path(path, name, sizeof(name));
	p->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st) < 0 || st.st_size < (off_t)sizeof(h) ||
	    !read_or_zeros(p->fd, (unsigned char *)&h, sizeof(h), 0))
		return false;
	if (memcmp(h.magic, PARITY_MAGIC, sizeof(h.magic)) != 0 || h.version != PARITY_VERSION ||
	    h.endian != INDEX_ENDIAN || h.id != f->id || h.file_checksum != f->checksum ||
	    h.size / PARITY_BLOCK >= UINT32_MAX / 2)
		return false;
	set_size(p, h.size);
	nsums = (size_t)p->blocks + p->groups;
	if (h.blocks != p->blocks || h.groups != p->groups ||
	    (uint64_t)st.st_size != parity_at(p, p->groups))
		return false;
	p->sums = mem_array(nsums, sizeof(*p->sums));
	return read_or_zeros(
		   p->fd, (unsigned char *)p->sums, nsums * sizeof(*p->sums), sizeof(h)) &&
	       head_checksum(h, p->sums) == h.checksum;
}

void
parity_close(struct parity *p)
{
	fd_close(p->fd);
	free(p->sums);
	free(p->bad);
	*p = (struct parity){ .fd = -1 };
}

bool
parity_find(struct parity *p, int fd)
{
	unsigned char *run = mem_alloc((size_t)RUN * PARITY_BLOCK);

	p->bad = mem_array(p->groups + UINT64_C(1), sizeof(*p->bad));
	for (uint32_t from = 0; from < p->blocks && p->nbad <= p->groups; from += RUN) {
		uint32_t n = p->blocks - from < RUN ? p->blocks - from : RUN;

		read_blocks(fd, run, from, n);
		for (uint32_t i = 0; i < n && p->nbad <= p->groups; i++)
			if (block_checksum(run + (size_t)i * PARITY_BLOCK) != p->sums[from + i])
				p->bad[p->nbad++] = from + i;
	}
	free(run);
	return p->nbad <= p->groups;
}

bool
parity_block(const struct parity *p, int fd, uint32_t i, unsigned char out[PARITY_BLOCK])
{
	unsigned char block[PARITY_BLOCK];
	uint32_t group = p->bad[i] % p->groups;

	if (!read_or_zeros(p->fd, out, PARITY_BLOCK, parity_at(p, group)))
		return false;
	for (uint64_t other = group; other < p->blocks; other += p->groups) {
		if (other == p->bad[i])
			continue;
		read_blocks(fd, block, (uint32_t)other, 1);
		add_block(out, block);
	}
	return block_checksum(out) == p->sums[p->bad[i]];
}

bool
parity_is_whole(const struct parity *p)
{
	unsigned char block[PARITY_BLOCK];
	bool whole = true;

	for (uint32_t g = 0; whole && g < p->groups; g++)
		whole = read_or_zeros(p->fd, block, sizeof(block), parity_at(p, g)) &&
			block_checksum(block) == p->sums[p->blocks + g];
	return whole;
}
