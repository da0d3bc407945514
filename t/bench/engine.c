/* SPDX-License-Identifier: ISC */
/* Builds an index of N synthetic hosts (default 1,000,000; -d DIR keeps it) and prints, for each query
   of the design's table, its hits and the median CPU time of six facets, limit 25: by columns alone and in the cheapest way. With -q QUERY it only
   prints that query's hits; with -s N the hosts are in N segments, each with every N-th address. With -f FILE the hosts are the documents of a file,
   one a line, such as those of t/helper/hostgen. With -b it prints the bytes a host of each field and of each kind
   of section (C-423), and with -o how long a worker takes to open the index of -d. */
#include "config.h"

#include "search/index/format/segment.h"
#include "search/index/read/cost.h"
#include "search/index/read/facet.h"
#include "search/index/read/request.h"
#include "search/index/write/build.h"
#include "search/index/write/gather.h"
#include "search/index/write/state.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 15, MEDIAN = RUNS / 2, SEGMENT_MEMORY = 1200, FACETS = 6 };

static uint64_t state = 42;

static double
uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* 0 to n-1, the first ones much more often. */
static unsigned
zipf(unsigned n)
{
	return (unsigned)(pow((double)n + 1, uniform()) - 1) % n;
}

static const char *const countries[] = { "US", "CN", "DE", "JP", "GB", "FR", "KR", "BR", "NL", "RU",
	"IN", "CA", "IT", "AU", "SG", "PL", "SE", "ES", "VN", "ID", "TR", "UA", "CH", "HK", "TW",
	"MX", "ZA", "AR", "FI", "CZ" };
static const unsigned ports[] = { 443, 80, 22, 8443, 25, 53, 3389, 8080, 21, 110, 143, 993, 995,
	3306, 5432, 6379 };
static const char *const products[] = { "nginx", "Apache httpd", "OpenSSH", "Microsoft IIS",
	"Postfix", "lighttpd", "Dropbear", "Exim", "BIND", "MySQL", "PostgreSQL", "Redis", "Tomcat",
	"Caddy", "HAProxy", "vsftpd" };
static const char *const tags[] = { "cdn", "login", "vpn", "malware", "phishing", "c2", "scanner",
	"iot", "camera", "router", "printer", "honeypot", "tor-exit", "mail", "database", "rare" };
static const char *const systems[] = { "Linux", "Windows", "FreeBSD", "RouterOS", "VxWorks", "IOS",
	"macOS", "OpenBSD" };

static void
put_service(struct buf *b, unsigned k)
{
	unsigned port = zipf(3) > 0 || k > 3 ? 1024 + zipf(60000) : ports[zipf(COUNT(ports))];
	const char *product = products[zipf(COUNT(products))];

	if (zipf(2) == 0)
		port = ports[(k + zipf(COUNT(ports))) % COUNT(ports)];
	buf_printf(b,
	    "%s{\"port\": %u, \"transport\": \"tcp\", \"product\": \"%s\", \"version\": "
	    "\"1.%u.%u\",",
	    k > 0 ? ", " : "", port, product, zipf(30), zipf(40));
	buf_printf(b, " \"protocol\": \"%s\", \"service_name\": \"%s\", \"tls_enabled\": %s,",
	    port == 443 ? "https" : "tcp", port == 22 ? "ssh" : "http",
	    port % 1000 == 443 ? "true" : "false");
	buf_printf(b,
	    " \"banner\": \"HTTP/1.1 200 OK\\r\\nServer: %s/1.%u\\r\\nContent-Length: "
	    "%u\\r\\nDate: %u\","
	    " \"banner_hash\": \"%016llx%016llx%016llx%016llx\",",
	    product, zipf(40), zipf(100000), zipf(100000), (unsigned long long)zipf(800000) * 7919,
	    (unsigned long long)zipf(9), 3ull, 4ull);
	if (zipf(3) == 0)
		buf_printf(b,
		    " \"http\": {\"status_code\": %u, \"title\": \"%s %u\", \"server\": "
		    "\"%s\"},",
		    zipf(3) ? 404 : 200, zipf(5) == 1 ? "Welcome page" : "Site", zipf(5000),
		    product);
	if (port % 1000 == 443)
		buf_printf(b,
		    " \"tls\": {\"version\": \"TLSv1.3\", \"certificate\": "
		    "{\"fingerprint_sha256\": \"%016llx%032u\","
		    " \"subject_cn\": \"h%u.example.net\", \"issuer_cn\": \"R%u\", "
		    "\"names\": [\"h%u.example.net\"],"
		    " \"not_after\": \"2027-%02u-01T00:00:00.000000Z\", \"self_signed\": "
		    "false}},",
		    (unsigned long long)state, zipf(1000000), zipf(500000), zipf(20), zipf(500000),
		    1 + zipf(12));
	buf_printf(b, " \"tags\": [\"%s\"], \"last_seen\": \"2026-11-%02uT03:04:05.000000Z\"}",
	    tags[zipf(COUNT(tags))], 1 + zipf(20));
}

static void
put_host(struct buf *b, unsigned long long ip)
{
	unsigned as = zipf(30000), n = 1 + zipf(6);

	buf_printf(b,
	    "{\"ip\": \"%llu.%llu.%llu.%llu\", \"asn\": %u, \"as_name\": \"AS-NAME-%u\", "
	    "\"organisation\": \"Org %u\",",
	    ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255, as, as, as / 2);
	buf_printf(b,
	    " \"country_code\": \"%s\", \"city\": \"City %u\", \"prefix\": "
	    "\"%llu.%llu.0.0/16\", \"ip_version\": 4,",
	    countries[zipf(COUNT(countries))], zipf(3000), ip >> 24, ip >> 16 & 255);
	if (zipf(2) == 0)
		buf_printf(b, " \"os\": \"%s\", \"ptr\": \"h%llu.example.net\",",
		    systems[zipf(COUNT(systems))], ip);
	if (zipf(3) == 0)
		buf_printf(b,
		    " \"hostnames\": [\"h%u.example%u.com\"], \"apex_domains\": "
		    "[\"example%u.com\"],",
		    zipf(999), zipf(200000), zipf(200000));
	if (zipf(4) > 0) {
		buf_z(b, " \"tags\": [");
		for (unsigned k = 0, m = 1 + zipf(3); k < m; k++)
			buf_printf(b, "%s\"%s\"", k > 0 ? ", " : "",
			    tags[(zipf(COUNT(tags)) + k * 3) % COUNT(tags)]);
		buf_z(b, "],");
	}
	buf_printf(b,
	    " \"first_seen\": \"2026-01-02T03:04:05.000000Z\", \"last_seen\": "
	    "\"2026-11-%02uT03:04:05.000000Z\","
	    " \"service_count\": %u, \"services\": [",
	    1 + zipf(20), n);
	for (unsigned k = 0; k < n; k++)
		put_service(b, k);
	buf_z(b, "]}");
}

static void
die(const char *what)
{
	fprintf(stderr, "engine: %s\n", what);
	exit(1);
}

static void
flush(struct index_builder *b, const char *directory, struct index_state *st)
{
	char err[INDEX_FAULT];
	struct index_segment s;

	if (!index_build_write(b, directory, &s, err) || !index_state_add(directory, st, s, err))
		die(err);
}

/* ---- the hosts of a file ---- */

struct line {
	struct segment_key key;
	struct str json;
};

static struct line *lines;
static size_t nlines;

static int
by_key(const void *a, const void *b)
{
	return str_cmp(segment_key_str(&((const struct line *)a)->key),
	    segment_key_str(&((const struct line *)b)->key));
}

static void
read_hosts(const char *path)
{
	static const char ip[] = "\"ip\":";
	static struct buf b;
	size_t room = 0;

	if (!file_read(path, SIZE_MAX, &b))
		die(path);
	for (char *p = b.p, *end = b.p + b.n, *next; p < end; p = next + 1) {
		const char *from = memmem(p, (size_t)(end - p), ip, sizeof(ip) - 1), *to;
		struct ipnet net;

		next = memchr(p, '\n', (size_t)(end - p));
		from = from == NULL ? NULL : strchr(from + sizeof(ip) - 1, '"');
		to = from == NULL ? NULL : strchr(from + 1, '"');
		if (next == NULL || to == NULL ||
		    !ipnet_parse((struct str){ from + 1, (size_t)(to - from - 1) }, &net))
			die("a line has no address");
		lines = grow_array(lines, &room, nlines + 1, sizeof(*lines));
		lines[nlines].json = (struct str){ p, (size_t)(next - p) };
		(void)address_key(net.a, &lines[nlines++].key);
	}
	qsort(lines, nlines, sizeof(*lines), by_key);
}

/* The ith of n hosts. */
static struct str
next_host(struct buf *json, unsigned long long i, unsigned long long n, struct segment_key *key)
{
	uint32_t ip = (uint32_t)(0x01000000u + i * (3500000000u / n));

	if (lines != NULL) {
		*key = lines[i].key;
		return lines[i].json;
	}
	buf_clear(json);
	put_host(json, ip);
	key->n = 5;
	key->bytes[0] = 4;
	for (int k = 0; k < 4; k++)
		key->bytes[1 + k] = (unsigned char)(ip >> (24 - 8 * k));
	return buf_done(json);
}

static void
build(const char *directory, unsigned long long hosts, unsigned segments)
{
	struct index_state st = { .published_at = TS_NULL };
	struct index_builder *b;
	char err[INDEX_FAULT];
	struct buf json = { 0 };
	int64_t start = mono_us(), text = 0, t;
	struct rusage use;
	size_t bytes = 0, from = 0;
	struct segment_key key;
	struct str host;

	if (!index_state_load(directory, DATASET_HOSTS, &st, err))
		die(err);
	if (st.generation > 0) {
		index_state_free(&st);
		return;
	}
	b = index_build_new(DATASET_HOSTS, &st.tags);
	for (unsigned long long n = 0, i = 0; n < hosts; n++, i += segments) {
		if (i >=
		    hosts) { /* the next segment has the neighbours of the addresses of this one */
			flush(b, directory, &st);
			i = ++from;
		}
		t = mono_us();
		host = next_host(&json, i, hosts, &key);
		bytes += host.n;
		text += mono_us() - t;
		if (!index_build_add(b, segment_key_str(&key), host, err))
			die(err);
		if (n + 1 < hosts && n % 4096 == 0 && index_build_memory(b) >> 20 > SEGMENT_MEMORY)
			flush(b, directory, &st);
	}
	t = mono_us();
	flush(b, directory, &st);
	t = mono_us() - t;
	if (!index_publish(directory, &st, err))
		die(err);
	getrusage(RUSAGE_SELF, &use);
	printf("built %llu hosts of %zu bytes in %.1f s (sorting and writing %.1f s), "
	       "%ld MiB of memory, %zu segments\n",
	    hosts, bytes / (size_t)hosts, (double)(mono_us() - start - text) / 1e6, (double)t / 1e6,
	    use.ru_maxrss / 1024, st.nsegments);
	index_build_free(b);
	index_state_free(&st);
	buf_free(&json);
}

/* ---- sizes ---- */

static const char *const kinds[SECTIONS] = { [SECTION_SLOTS] = "slots",
	[SECTION_IP4] = "addresses",
	[SECTION_IP6] = "addresses",
	[SECTION_FIRST] = "first",
	[SECTION_OWNER_BASE] = "owner",
	[SECTION_OWNER_STEP] = "owner",
	[SECTION_TERM_AT] = "term offsets",
	[SECTION_TERM_BYTES] = "term bytes",
	[SECTION_TERM_INTS] = "term integers",
	[SECTION_FOLD] = "fold",
	[SECTION_RANK] = "rank",
	[SECTION_COUNT] = "counts",
	[SECTION_PLACE] = "places",
	[SECTION_RARE] = "rare",
	[SECTION_RARE_BEFORE] = "rare",
	[SECTION_ONLY] = "only",
	[SECTION_POSTINGS] = "postings",
	[SECTION_DATES] = "dates",
	[SECTION_SECONDS] = "dates",
	[SECTION_EPOCH] = "dates",
	[SECTION_HASHES] = "hashes",
	[SECTION_HAS] = "bits of dates and hashes",
	[SECTION_HAS_BEFORE] = "bits of dates and hashes",
	[SECTION_PAIR_TERMS] = "pair totals",
	[SECTION_PAIR_SLOTS] = "pair totals",
	[SECTION_PAIR_AT] = "pair totals",
	[SECTION_PAIRS] = "pair totals",
	[SECTION_COMBINATIONS] = "combinations" };

struct size {
	char name[128];
	uint64_t bytes;
};

static int
by_size(const void *a, const void *b)
{
	uint64_t x = ((const struct size *)a)->bytes, y = ((const struct size *)b)->bytes;

	return (x < y) - (x > y);
}

static void
add_size(struct size *sizes, size_t n, const char *name, uint64_t bytes)
{
	size_t i = 0;

	while (i + 1 < n && sizes[i].name[0] != '\0' && strcmp(sizes[i].name, name) != 0)
		i++;
	snprintf(sizes[i].name, sizeof(sizes[i].name), "%s", name);
	sizes[i].bytes += bytes;
}

static void
print_sizes(struct size *sizes, size_t n, uint64_t hosts)
{
	qsort(sizes, n, sizeof(*sizes), by_size);
	for (size_t i = 0; i < n && sizes[i].bytes > hosts / 20; i++)
		printf("%10.2f  %s\n", (double)sizes[i].bytes / (double)hosts, sizes[i].name);
}

static void
print_bytes(const char *directory)
{
	static struct size kind[64], field[4096];
	const struct schema_field *fields;
	uint64_t hosts = 0, size = 0;
	struct index_state st;
	char err[INDEX_FAULT];

	(void)schema_fields(DATASET_HOSTS, &fields);
	if (!index_state_load(directory, DATASET_HOSTS, &st, err))
		die(err);
	for (size_t i = 0; i < st.nsegments; i++) {
		struct segment *s = segment_open(directory, &st.segments[i], SEGMENT_BY_MARK, err);
		const struct section *table;

		if (s == NULL)
			die(err);
		table = (const void *)(s->file.map + s->file.head->table_at);
		hosts += s->ndocs;
		size += s->file.size;
		for (uint32_t k = 0; k < s->file.head->nsections; k++) {
			const char *name =
			    kinds[table[k].kind] == NULL ? "columns" : kinds[table[k].kind];
			char what[128];

			snprintf(what, sizeof(what), "%s%s: %s", fields[table[k].slot / PARTS].name,
			    table[k].slot % PARTS ? " (tokens)" : "", name);
			add_size(kind, COUNT(kind), name, table[k].n);
			add_size(field, COUNT(field), what, table[k].n);
			snprintf(what, sizeof(what), "%s", fields[table[k].slot / PARTS].name);
			add_size(field, COUNT(field), what, table[k].n);
		}
		segment_close(s);
	}
	printf("%.1f bytes a host\n", (double)size / (double)hosts);
	print_sizes(kind, COUNT(kind), hosts);
	printf("\n");
	print_sizes(field, COUNT(field), hosts);
	index_state_free(&st);
}

static int
by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Opens the index RUNS times, as each worker does at its start, and prints the median (C-423). */
static int
print_opening(const char *directory)
{
	int64_t took[RUNS];

	for (int i = 0; i < RUNS; i++) {
		struct engine_status st;
		struct engine *e;

		took[i] = mono_us();
		e = engine_open_index(directory);
		engine_status(e, DATASET_HOSTS, &st);
		took[i] = mono_us() - took[i];
		engine_close(e);
	}
	qsort(took, RUNS, sizeof(*took), by_time);
	printf("opened in %.1f ms\n", (double)took[MEDIAN] / 1000);
	return 0;
}

/* CPU time of the facets in microseconds. */
static int64_t
time_facets(
    struct engine *e, struct arena *a, const struct query *q, const struct agg *aggs, size_t n)
{
	struct budget budget = { INT64_MAX, UINT64_MAX };
	struct group out[FACETS];
	int64_t t = cpu_us();

	if (engine_aggregate(e, a, q, &budget, aggs, n, out) != ENGINE_OK)
		die("aggregate");
	return cpu_us() - t;
}

/* Prints the median CPU time of the facets by columns alone and in the cheapest way, in turn. */
static void
measure(struct engine *e, struct arena *a, const char *text)
{
	static const char *const names[FACETS] = { "services.port", "services.product", "tags",
		"country_code", "asn", "os" };
	int64_t columns[RUNS], facets[RUNS], counts[RUNS], each[FACETS];
	struct budget budget = { INT64_MAX, UINT64_MAX };
	struct costs only_columns = *costs();
	struct agg aggs[FACETS];
	struct count count = { 0 };
	struct query_fault fault;
	struct query q;

	only_columns.term = only_columns.word = 1u << 30;
	for (size_t i = 0; i < FACETS; i++)
		aggs[i] = (struct agg){ schema_find(DATASET_HOSTS, str_of(names[i])), 25 };
	for (int i = 0; i < RUNS; i++) {
		arena_reset(a);
		if (!query_parse(a, DATASET_HOSTS, str_of(text), ts_now(), &q, &fault))
			die("query");
		costs_use(&only_columns);
		columns[i] = time_facets(e, a, &q, aggs, FACETS);
		costs_use(NULL);
		facets[i] = time_facets(e, a, &q, aggs, FACETS);
		counts[i] = cpu_us();
		if (engine_count(e, a, &q, &budget, &count) != ENGINE_OK)
			die("count");
		counts[i] = cpu_us() - counts[i];
	}
	qsort(columns, RUNS, sizeof(*columns), by_time);
	qsort(facets, RUNS, sizeof(*facets), by_time);
	qsort(counts, RUNS, sizeof(*counts), by_time);
	for (size_t i = 0; i < FACETS; i++)
		each[i] = time_facets(e, a, &q, &aggs[i], 1) - counts[MEDIAN];
	printf("%-50s %8llu hits, ms of CPU: columns %7.3f, now %7.3f, ratio %5.1f; count %6.3f; a "
	       "field:",
	    text, (unsigned long long)count.n, (double)columns[MEDIAN] / 1000,
	    (double)facets[MEDIAN] / 1000,
	    (double)columns[MEDIAN] / (double)(facets[MEDIAN] > 0 ? facets[MEDIAN] : 1),
	    (double)counts[MEDIAN] / 1000);
	for (size_t i = 0; i < FACETS; i++)
		printf(" %.2f", (double)each[i] / 1000);
	printf("\n");
}

/* CPU time of a large field's first facet in this generation, and of its second (C-409). */
static void
measure_first(struct engine *e, struct arena *a)
{
	static const char *const names[] = { "services.banner_hash",
		"services.tls.certificate.fingerprint_sha256", "ptr", "hostnames" };
	struct query q = { .dataset = DATASET_HOSTS, .root = &(struct node){ .type = NODE_ALL } };
	struct budget budget = { INT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct agg agg = { schema_find(DATASET_HOSTS, str_of(names[i])), 25 };
		clock_t took[2];
		struct group g;

		if (agg.field == NULL || !agg.field->aggregatable)
			continue;
		for (int k = 0; k < 2; k++) {
			took[k] = clock();
			if (engine_aggregate(e, a, &q, &budget, &agg, 1, &g) != ENGINE_OK)
				die("aggregate");
			took[k] = clock() - took[k];
		}
		printf("%-58s first %.1f ms of CPU, second %.1f ms\n", names[i],
		    (double)took[0] * 1e3 / CLOCKS_PER_SEC, (double)took[1] * 1e3 / CLOCKS_PER_SEC);
	}
}

/* ---- the cost model ---- */

/* Every `every`-th document, from a random sequence. */
static uint64_t *
random_hits(const struct set_space *sp, uint32_t every)
{
	uint64_t *words = pool_get(sp->pool);

	memset(words, 0, sp->nwords * sizeof(*words));
	for (uint32_t d = 0; d < sp->limit; d++)
		if (uniform() * every < 1)
			words[d >> 6] |= UINT64_C(1) << (d & 63);
	return words;
}

/* The least time of five, in microseconds of CPU. */
static double
time_facet(struct run *r, const struct set *hits, const struct terms *t, bool scan)
{
	double best = 0;

	for (int i = 0; i < 5; i++) {
		struct facet f = { .t = t, .counts = mem_array(column_room(t), sizeof(*f.counts)) };
		int64_t start;

		arena_reset(r->arena);
		pool_counters(r->pool, r->arena, 1, 1); /* warms the arena */
		start = cpu_us();
		if (scan)
			facet_scan(r, hits, &f, 1);
		else
			facet_intersect(r, hits->words, &f);
		start = cpu_us() - start;
		best = i == 0 || (double)start < best ? (double)start : best;
		free(f.counts);
	}
	return best;
}

static void
compare_costs(const char *directory)
{
	static const uint32_t every[] = { 3, 30, 300 };
	struct budget budget = { INT64_MAX, UINT64_MAX };
	struct run r = { .arena = arena_new(SIZE_MAX / 4),
		.pool = pool_new(),
		.budget = &budget,
		.rc = ENGINE_OK };
	char err[INDEX_FAULT];
	struct view *v = view_open(directory, DATASET_HOSTS, NULL, SEGMENT_BY_MARK, err);
	const struct schema_field *fields;
	size_t nfields = schema_fields(DATASET_HOSTS, &fields);
	struct set_space sp;

	if (v == NULL)
		die(err);
	r.seg = v->segments[0].seg;
	sp = run_space(&r, LEVEL_DOCUMENT);
	pool_fit(r.pool, sp.nwords);
	printf("%-44s %8s %9s %2s %12s %8s %7s  us of columns: model, measured  us of postings\n",
	    "field", "terms", "pairs", "k", "combinations", "more", "hits");
	for (size_t e = 0; e < COUNT(every); e++) {
		struct set hits = { .form = SET_WORDS, .words = random_hits(&sp, every[e]) };
		uint32_t n = set_count(&sp, &hits);

		for (size_t i = 0; i < nfields; i++) {
			const struct terms *t = segment_terms(r.seg, &fields[i], PART_VALUES);
			uint64_t pairs = 0;

			if (t->column.ids == NULL)
				continue;
			for (uint32_t id = 0, common = 0; id < t->n; id++)
				pairs += terms_next_count(t, id, &common);
			printf("%-44s %8u %9llu %2u %12u %8u %7u  %9.0f %9.0f  %9.0f %9.0f\n",
			    fields[i].name, t->n, (unsigned long long)pairs, t->column.k,
			    t->column.comb.n, t->column.nmore, n, (double)cost_scan(t, n) / 1e6,
			    time_facet(&r, &hits, t, true),
			    (double)cost_intersect(t, sp.nwords, UINT64_MAX) / 1e6,
			    time_facet(&r, &hits, t, false));
		}
		pool_put(r.pool, hits.words);
	}
	view_free(v);
	pool_free(r.pool);
	arena_free(r.arena);
}

/* Answers the queries of standard input, one a line: for each the microseconds from its text to its six facets of limit
   25. Other programs then measure the engine alone, as they do those that run in their own process. */
static void
serve(const char *directory)
{
	static const char *const names[FACETS] = { "services.port", "country_code", "tags",
		"services.tags", "services.product", "asn" };
	struct engine *e = engine_open_index(directory);
	struct arena *a = arena_new(SIZE_MAX / 4);
	struct budget budget = { INT64_MAX, UINT64_MAX };
	struct group out[FACETS];
	struct agg aggs[FACETS];
	struct query_fault fault;
	struct query q;
	char line[4096];

	for (size_t i = 0; i < FACETS; i++)
		aggs[i] = (struct agg){ schema_find(DATASET_HOSTS, str_of(names[i])), 25 };
	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct timespec from, to;

		line[strcspn(line, "\n")] = '\0';
		arena_reset(a);
		engine_refresh(e);
		clock_gettime(CLOCK_MONOTONIC, &from);
		if (!query_parse(a, DATASET_HOSTS, str_of(line), ts_now(), &q, &fault))
			die("query");
		if (engine_aggregate(e, a, &q, &budget, aggs, FACETS, out) != ENGINE_OK)
			die("aggregate");
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%.3f\n", (double)(to.tv_sec - from.tv_sec) * 1e6 +
				     (double)(to.tv_nsec - from.tv_nsec) / 1e3);
		fflush(stdout);
	}
	engine_close(e);
	arena_free(a);
}

static int
print_hits(const char *directory, enum dataset d, const char *text)
{
	struct engine *e = engine_open_index(directory);
	struct arena *a = arena_new(SIZE_MAX / 4);
	struct budget budget = { INT64_MAX, UINT64_MAX };
	struct query_fault fault;
	struct count count;
	struct query q;

	if (!query_parse(a, d, str_of(text), ts_now(), &q, &fault))
		die("query");
	if (engine_count(e, a, &q, &budget, &count) != ENGINE_OK)
		die("no index");
	printf("%llu\n", (unsigned long long)count.n);
	engine_close(e);
	arena_free(a);
	return 0;
}

int
main(int argc, char **argv)
{
	static const char *const queries[] = { "*", "country_code:US",
		"services.port:443 AND tags:malware", "services.port:22 AND NOT country_code:CN",
		"(tags:c2 OR tags:phishing) AND services.port:8443", "tags:rare",
		"services.http.title:welcome", "10.0.0.0/9",
		"services:(port:443 AND product:nginx)", "services.port:>8000",
		"services.product:*ht*", "last_seen:>2026-11-10", "apex_domains:example7.com" };
	char directory[] = "/tmp/engine-XXXXXX", path[4096];
	const char *keep = NULL, *one = NULL;
	enum dataset d = DATASET_HOSTS;
	unsigned long long hosts = 1000000;
	unsigned segments = 1;
	bool model = false, serves = false, bytes = false, opens = false;
	struct engine_status st;
	struct engine *e;
	struct arena *a;
	int64_t t;
	int opt;

	while ((opt = getopt(argc, argv, "bcD:d:f:n:oq:Ss:")) != -1) {
		if (opt == 'c')
			model = true;
		else if (opt == 'S')
			serves = true;
		else if (opt == 'D')
			d = record_dataset(str_of(optarg));
		else if (opt == 'b')
			bytes = true;
		else if (opt == 'd')
			keep = optarg;
		else if (opt == 'f')
			read_hosts(optarg);
		else if (opt == 'o')
			opens = true;
		else if (opt == 'q')
			one = optarg;
		else if (opt == 's')
			segments = (unsigned)strtoul(optarg, NULL, 10);
		else if (opt == 'n')
			hosts = strtoull(optarg, NULL, 10);
		else
			die("usage: engine [-b | -c | -o | -S] [-n hosts | -f file] [-s segments] "
			    "[-d "
			    "directory "
			    "[-D dataset] [-q "
			    "query]]");
	}
	if (serves && keep != NULL) {
		serve(keep);
		return 0;
	}
	if (opens && keep != NULL)
		return print_opening(keep);
	if (keep != NULL)
		mkdir(keep, 0700);
	else if (mkdtemp(directory) == NULL)
		die("no temporary directory");
	if (d == DATASETS)
		die("no such dataset");
	if (one != NULL && d != DATASET_HOSTS)
		return print_hits(keep != NULL ? keep : directory, d, one);
	hosts = lines != NULL ? nlines : hosts;
	build(keep != NULL ? keep : directory, hosts > 0 ? hosts : 1, segments > 0 ? segments : 1);
	if (one != NULL)
		return print_hits(keep != NULL ? keep : directory, d, one);
	if (model)
		compare_costs(keep != NULL ? keep : directory);
	if (bytes)
		print_bytes(keep != NULL ? keep : directory);
	t = mono_us();
	e = engine_open_index(keep != NULL ? keep : directory);
	engine_status(e, DATASET_HOSTS, &st);
	printf("opened and verified in %.1f ms\n", (double)(mono_us() - t) / 1000);
	a = arena_new(SIZE_MAX / 4);
	measure_first(e, a);
	for (size_t i = 0; i < COUNT(queries); i++)
		measure(e, a, queries[i]);
	engine_close(e);
	arena_free(a);
	if (keep == NULL && snprintf(path, sizeof(path), "rm -r %s", directory) > 0)
		return system(path) != 0; /* NOLINT(cert-env33-c): our own folder */
	return 0;
}
