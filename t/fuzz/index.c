/* SPDX-License-Identifier: ISC */
/* Files of an index that somebody changed: refused, or read within their bounds. The first byte chooses
   the dataset and the meaning of the rest: a whole manifest, segment or file of ordinals, or patches of a
   good one (three bytes of offset, one of content) whose checksums are made right again. */
#include "config.h"

#include "search/engine.h"
#include "search/index/format/manifest.h"
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

static char directory[64], work[ROOM], work_manifest[ROOM];
static struct naive naive;

/* The files of one dataset, and their content when they are whole. Hosts have addresses as keys, DNS records have other
   keys and addresses among their values, and certificates have dates that pass. */
static struct files {
	enum dataset dataset;
	char segment[4096], other[4096], ordinals[4096], manifest[4096];
	struct index_state state;
	char good_segment[ROOM], good_manifest[ROOM], good_ordinals[ROOM];
	size_t segment_size, manifest_size, ordinals_size;
} sets[] = { { .dataset = DATASET_HOSTS }, { .dataset = DATASET_DNS },
	{ .dataset = DATASET_CERTIFICATES } };

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
	for (size_t i = 0; i < COUNT(sets); i++) {
		unlink(sets[i].segment);
		unlink(sets[i].other);
		unlink(sets[i].ordinals);
		unlink(sets[i].manifest);
	}
	rmdir(directory);
}

/* The document with this number and its key, which is greater than that of the number before. */
static struct str
document(enum dataset d, unsigned i, struct segment_key *key)
{
	struct ipnet ip = { .bits = 128, .a = { 0x20, 0x01, 0x0d, 0xb8, [15] = (unsigned char)i } };
	struct naive_doc doc = { .nservices = 0 };

	if (d == DATASET_HOSTS) {
		naive_doc(&naive, &ip, &doc);
		(void)address_key(ip.a, key);
		return doc.json;
	}
	key->n =
	    (size_t)snprintf((char *)key->bytes, sizeof(key->bytes), "org\1example\1n%03u\1", i);
	if (d == DATASET_DNS)
		return arena_printf(naive.a,
		    "{\"host\":\"n%03u.example.org\",\"record_type\":\"A\",\"answer\":\"%u\","
		    "\"answer_ip\":\"%s%u\",\"ttl\":%u,\"source\":[\"a\",\"b%u\"]}",
		    i, i % 9, i % 3 ? "10.0.0." : "2001:db8::", i, i % 5, i);
	return arena_printf(naive.a,
	    "{\"names\":[\"n%u.example.org\",\"example.net\"],\"not_after\":\"2026-01-%02uT00:00:"
	    "00Z\","
	    "\"tags\":[\"c2\"],\"key_size\":%u}",
	    i, 1 + i % 28, i % 4);
}

static void
build(struct files *f, unsigned from, unsigned to)
{
	struct index_builder *b = index_build_new(f->dataset, &f->state.tags);
	struct index_segment made;
	char err[INDEX_FAULT];

	for (unsigned i = from; i < to; i++) {
		struct segment_key key;
		struct str json = document(f->dataset, i, &key);

		if (!index_build_add(b, segment_key_str(&key), json, err))
			panic("%s", err);
	}
	if (!index_build_write(b, directory, &made, err) ||
	    !index_state_add(directory, &f->state, made, err))
		panic("%s", err);
	index_build_free(b);
}

static void
begin_files(struct files *f)
{
	char err[INDEX_FAULT];

	f->state.dataset = f->dataset;
	index_tags_set(&f->state.tags,
	    &(struct tag){ STR_INIT("c2"), STR_INIT("C2"), STR_INIT("malicious"),
		{ STR_INIT("malware"), STR_INIT("malware/c2") }, 2 },
	    1);
	build(f, 0, DOCUMENTS);
	build(f, DOCUMENTS / 2, DOCUMENTS + DOCUMENTS / 2);
	if (!index_publish(directory, &f->state, err))
		panic("%s", err);
	segment_path(
	    directory, f->dataset, f->state.segments[0].file.id, f->segment, sizeof(f->segment));
	segment_path(
	    directory, f->dataset, f->state.segments[1].file.id, f->other, sizeof(f->other));
	ordinals_path(directory, f->dataset, f->state.segments[1].ordinals.id, f->ordinals,
	    sizeof(f->ordinals));
	manifest_path(directory, f->dataset, 0, f->manifest, sizeof(f->manifest));
	f->segment_size = read_all(f->segment, f->good_segment);
	f->manifest_size = read_all(f->manifest, f->good_manifest);
	f->ordinals_size = read_all(f->ordinals, f->good_ordinals);
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
	for (size_t i = 0; i < COUNT(sets); i++)
		begin_files(&sets[i]);
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
expect(const struct files *f, uint64_t was, uint64_t checksum)
{
	char *at;

	memcpy(work_manifest, f->good_manifest, f->manifest_size);
	at = memmem(work_manifest, f->manifest_size, &was, sizeof(was));
	if (at == NULL)
		panic("the manifest does not hold the checksum");
	memcpy(at, &checksum, sizeof(checksum));
	seal_manifest(work_manifest, f->manifest_size);
	write_all(f->manifest, work_manifest, f->manifest_size);
}

/* As far as header and table allow; then the manifest expects this header. */
static void
seal_file(const struct files *f, char *p, size_t n, const struct index_file *file)
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
	expect(f, file->checksum, h->checksum);
}

static void
ask(enum dataset d)
{
	static const struct budget plenty = { INT64_MAX, UINT64_MAX };
	static const struct naive_doc nothing;
	const struct schema_field *fields;
	size_t nfields = schema_fields(d, &fields);
	struct engine *e = engine_open_index(directory);

	naive.random = 7;
	naive.dataset = d;
	naive.samples = d == DATASET_HOSTS ? NULL : &nothing;
	naive.nsamples = 1;
	for (unsigned k = 0; k < 8; k++) {
		struct query q = { .dataset = d,
			.now = { INT64_C(1768435200000000) }, /* in the middle of the dates */
			.root = naive_query(&naive, 2, false) };
		struct agg agg = { &fields[naive_random(&naive, (uint32_t)nfields)], 20 };
		struct page_request want = { .limit = 5 };
		struct group g;
		struct page page;

		if (agg.field->aggregatable)
			(void)!engine_aggregate(e, naive.a, &q, &plenty, &agg, 1, &g);
		if (engine_search(e, naive.a, &q, &plenty, &want, &page) == ENGINE_OK &&
		    page.nhits > 0)
			want.after = page.hits[page.nhits - 1].key;
		(void)!engine_search(e, naive.a, &q, &plenty, &want, &page);
	}
	engine_close(e);
	arena_reset(naive.a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct files *f;

	if (directory[0] == '\0')
		begin();
	if (size == 0 || size > ROOM)
		return 0;
	f = &sets[data[0] / MODES % COUNT(sets)];
	write_all(f->segment, f->good_segment, f->segment_size);
	write_all(f->ordinals, f->good_ordinals, f->ordinals_size);
	write_all(f->manifest, f->good_manifest, f->manifest_size);
	switch ((enum mode)(data[0] % MODES)) {
	case MODES:
	case MANIFEST:
		write_all(f->manifest, (const char *)data + 1, size - 1);
		break;
	case SEGMENT:
		write_all(f->segment, (const char *)data + 1, size - 1);
		break;
	case MANIFEST_PATCHES:
		memcpy(work, f->good_manifest, f->manifest_size);
		patch(work, f->manifest_size, data + 1, size - 1);
		seal_manifest(work, f->manifest_size);
		write_all(f->manifest, work, f->manifest_size);
		break;
	case SEGMENT_PATCHES:
		memcpy(work, f->good_segment, f->segment_size);
		patch(work, f->segment_size, data + 1, size - 1);
		seal_file(f, work, f->segment_size, &f->state.segments[0].file);
		write_all(f->segment, work, f->segment_size);
		break;
	case ORDINALS:
		write_all(f->ordinals, (const char *)data + 1, size - 1);
		break;
	case ORDINALS_PATCHES:
		memcpy(work, f->good_ordinals, f->ordinals_size);
		patch(work, f->ordinals_size, data + 1, size - 1);
		seal_file(f, work, f->ordinals_size, &f->state.segments[1].ordinals);
		write_all(f->ordinals, work, f->ordinals_size);
		break;
	}
	ask(f->dataset);
	return 0;
}
