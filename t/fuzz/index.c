/* SPDX-License-Identifier: ISC */
/* Files of an index that somebody changed: refused, or read within their bounds. The first byte chooses
   the meaning of the rest: a whole manifest, segment or file of ordinals, or patches of a good one (three
   bytes of offset, one of content) whose checksums are made right again. */
#include "config.h"

#include "search/engine.h"
#include "search/index/format/ordinals.h"
#include "search/index/write/build.h"
#include "search/index/write/state.h"
#include "t/fuzz/fuzz.h"
#include "t/unit/index_naive.h"

#include <unistd.h>

enum mode {
	MANIFEST,
	SEGMENT,
	MANIFEST_PATCHES,
	SEGMENT_PATCHES,
	ORDINALS,
	ORDINALS_PATCHES,
	MODES
};
enum { DOCUMENTS = 70, ROOM = 1 << 22 };

static char directory[64], segment[4096], other[4096], ordinals[4096], manifest[4096];
static struct index_state state;
static struct naive naive;

/* What the files hold when they are whole. */
static char good_segment[ROOM], good_manifest[ROOM], good_ordinals[ROOM], work[ROOM],
    work_manifest[ROOM];
static size_t segment_size, manifest_size, ordinals_size;

static size_t
read_all(const char *path, char *out)
{
	FILE *f = fopen(path, "re");
	size_t n = f == NULL ? 0 : fread(out, 1, ROOM, f);

	if (n == 0 || n == ROOM)
		panic("%s: not read", path);
	fclose(f);
	return n;
}

static void
write_all(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "we");

	if (f == NULL || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		panic("%s: not written", path);
}

static void
remove_all(void)
{
	unlink(segment);
	unlink(other);
	unlink(ordinals);
	unlink(manifest);
	rmdir(directory);
}

static void
publish(void)
{
	char err[INDEX_FAULT];

	if (!index_publish(directory, &state, err))
		panic("%s", err);
}

static void
build(unsigned from, unsigned to)
{
	struct index_builder *b = index_build_new(DATASET_HOSTS, &state.tags);
	struct index_segment made;
	char err[INDEX_FAULT];

	for (unsigned i = from; i < to; i++) {
		struct ipnet ip = { .bits = 128 };
		struct naive_doc doc = { .nservices = 0 };
		struct segment_key key;

		memcpy(ip.a, "\x20\x01\x0d\xb8", 4);
		ip.a[15] = (unsigned char)i;
		naive_doc(&naive, &ip, &doc);
		if (!index_build_add(b, address_key(ip.a, &key), doc.json, err))
			panic("%s", err);
	}
	if (!index_build_write(b, directory, &made, err) ||
	    !index_state_add(directory, &state, made, err))
		panic("%s", err);
	index_build_free(b);
}

static void
begin(void)
{
	snprintf(directory, sizeof(directory), "%s/fuzz-index-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (mkdtemp(directory) == NULL)
		panic("no temporary directory");
	atexit(remove_all);
	naive = (struct naive){ .a = arena_new((size_t)1 << 28), .random = 7 };
	index_tags_set(&state.tags,
	    &(struct tag){ STR_INIT("c2"), STR_INIT("C2"), STR_INIT("malicious"),
		{ STR_INIT("malware"), STR_INIT("malware/c2") }, 2 },
	    1);
	build(0, DOCUMENTS);
	build(DOCUMENTS / 2, DOCUMENTS + DOCUMENTS / 2);
	publish();
	segment_path(directory, DATASET_HOSTS, state.segments[0].file.id, segment, sizeof(segment));
	segment_path(directory, DATASET_HOSTS, state.segments[1].file.id, other, sizeof(other));
	ordinals_path(
	    directory, DATASET_HOSTS, state.segments[1].ordinals.id, ordinals, sizeof(ordinals));
	snprintf(manifest, sizeof(manifest), "%s/hosts.manifest", directory);
	segment_size = read_all(segment, good_segment);
	manifest_size = read_all(manifest, good_manifest);
	ordinals_size = read_all(ordinals, good_ordinals);
}

static void
patch(char *p, size_t n, const uint8_t *data, size_t size)
{
	for (; size >= 4; data += 4, size -= 4)
		p[(data[0] | data[1] << 8 | data[2] << 16) % n] = (char)data[3];
}

static void
seal_manifest(char *p, size_t n)
{
	struct manifest_header h;

	memcpy(&h, p, sizeof(h));
	h.checksum = 0;
	h.checksum = index_checksum(p + sizeof(h), n - sizeof(h), index_checksum(&h, sizeof(h), 0));
	memcpy(p, &h, sizeof(h));
}

/* The published manifest with another checksum of one of its files. */
static void
expect(uint64_t was, uint64_t checksum)
{
	char *at;

	memcpy(work_manifest, good_manifest, manifest_size);
	at = memmem(work_manifest, manifest_size, &was, sizeof(was));
	if (at == NULL)
		panic("the manifest does not hold the checksum");
	memcpy(at, &checksum, sizeof(checksum));
	seal_manifest(work_manifest, manifest_size);
	write_all(manifest, work_manifest, manifest_size);
}

/* As far as header and table allow; then the manifest expects this header. */
static void
seal_file(char *p, size_t n, const struct index_file *file)
{
	struct segment_header *h = (struct segment_header *)(void *)p;
	struct section *table;

	if (h->table_at % 8 != 0 || h->table_at > n ||
	    (n - h->table_at) / sizeof(*table) < h->nsections)
		return;
	table = (struct section *)(void *)(p + h->table_at);
	for (uint32_t i = 0; i < h->nsections; i++)
		if (table[i].at <= n && table[i].n <= n - table[i].at)
			table[i].checksum =
			    index_checksum(p + table[i].at, table[i].n, table[i].kind);
	h->checksum = 0;
	h->checksum =
	    index_checksum(table, h->nsections * sizeof(*table), index_checksum(h, sizeof(*h), 0));
	expect(file->checksum, h->checksum);
}

static void
ask(void)
{
	static const struct budget plenty = { INT64_MAX, UINT64_MAX };
	const struct schema_field *fields;
	size_t nfields = schema_fields(DATASET_HOSTS, &fields);
	struct engine *e = engine_open_index(directory);

	naive.random = 7;
	for (unsigned k = 0; k < 8; k++) {
		struct query q = { .dataset = DATASET_HOSTS,
			.root = naive_query(&naive, 2, false) };
		struct agg agg = { &fields[naive_random(&naive, (uint32_t)nfields)], 20 };
		struct page_request want = { .limit = 5 };
		struct group g;
		struct page page;

		if (agg.field->aggregatable)
			(void)!engine_aggregate(e, naive.a, &q, &plenty, &agg, 1, &g);
		(void)!engine_search(e, naive.a, &q, &plenty, &want, &page);
	}
	engine_close(e);
	arena_reset(naive.a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (directory[0] == '\0')
		begin();
	if (size == 0 || size > ROOM)
		return 0;
	write_all(segment, good_segment, segment_size);
	write_all(ordinals, good_ordinals, ordinals_size);
	write_all(manifest, good_manifest, manifest_size);
	switch ((enum mode)(data[0] % MODES)) {
	case MODES:
	case MANIFEST:
		write_all(manifest, (const char *)data + 1, size - 1);
		break;
	case SEGMENT:
		write_all(segment, (const char *)data + 1, size - 1);
		break;
	case MANIFEST_PATCHES:
		memcpy(work, good_manifest, manifest_size);
		patch(work, manifest_size, data + 1, size - 1);
		seal_manifest(work, manifest_size);
		write_all(manifest, work, manifest_size);
		break;
	case SEGMENT_PATCHES:
		memcpy(work, good_segment, segment_size);
		patch(work, segment_size, data + 1, size - 1);
		seal_file(work, segment_size, &state.segments[0].file);
		write_all(segment, work, segment_size);
		break;
	case ORDINALS:
		write_all(ordinals, (const char *)data + 1, size - 1);
		break;
	case ORDINALS_PATCHES:
		memcpy(work, good_ordinals, ordinals_size);
		patch(work, ordinals_size, data + 1, size - 1);
		seal_file(work, ordinals_size, &state.segments[1].ordinals);
		write_all(ordinals, work, ordinals_size);
		break;
	}
	ask();
	return 0;
}
