/* SPDX-License-Identifier: ISC */
/* Measures the first answers of a new worker on an index directory, for t/bench/cold. Each answer is asked by a process of its
   own that opens the index first: once with the files of the index out of the page cache, and once with them in it, where
   the same question came before. Prints milliseconds, the CPU time, what was read from the disk, and major page faults. */
#include "config.h"

#include "search/index/read/request.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FACETS = 6 };

enum question { QUESTION_OPEN, QUESTION_PAGE, QUESTION_COUNT, QUESTION_FACETS, QUESTIONS };

static const char *const questions[QUESTIONS] = { "opening alone", "page", "count", "facets" };

static void
die(const char *what)
{
	fprintf(stderr, "opening: %s\n", what);
	exit(1);
}

/* Removes the files of the index from the page cache. Nothing has them mapped now. */
static void
evict(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *f;

	if (d == NULL)
		die(directory);
	while ((f = readdir(d)) != NULL) {
		int fd = openat(dirfd(d), f->d_name, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			(void)!fsync(fd);
		if (fd >= 0)
			(void)!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		fd_close(fd);
	}
	closedir(d);
}

/* The bytes that this process made the disk read. */
static unsigned long long
bytes_read(void)
{
	unsigned long long n = 0;
	char line[256];
	FILE *f = fopen("/proc/self/io", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "read_bytes: ", 12) == 0)
			n = strtoull(line + 12, NULL, 10);
	if (f != NULL)
		fclose(f);
	return n;
}

static void
ask(struct engine *e, enum question what, const char *text)
{
	static const char *const names[FACETS] = { "services.port", "services.product", "tags",
		"country_code", "asn", "os" };
	struct arena *a = arena_new(SIZE_MAX / 4);
	struct budget budget = { INT64_MAX, UINT64_MAX };
	struct group groups[FACETS];
	enum engine_rc rc = ENGINE_OK;
	struct agg aggs[FACETS];
	struct query_fault fault;
	struct count count;
	struct query q;
	struct page page;

	for (size_t i = 0; i < FACETS; i++)
		aggs[i] = (struct agg){ schema_find(DATASET_HOSTS, str_of(names[i])), 25 };
	if (!query_parse(a, DATASET_HOSTS, str_of(text), ts_now(), &q, &fault))
		die(text);
	if (what == QUESTION_PAGE)
		rc =
		    engine_search(e, a, &q, &budget, &(struct page_request){ .limit = 100 }, &page);
	else if (what == QUESTION_COUNT)
		rc = engine_count(e, a, &q, &budget, &count);
	else if (what == QUESTION_FACETS)
		rc = engine_aggregate(e, a, &q, &budget, aggs, FACETS, groups);
	if (rc != ENGINE_OK)
		die("the index gives no answer");
	arena_free(a);
}

static void
work(const char *directory, enum question what, const char *text, const char *cache)
{
	unsigned long long read = bytes_read();
	int64_t from = mono_us(), cpu = cpu_us();
	struct rusage before, after;
	struct engine *e;

	getrusage(RUSAGE_SELF, &before);
	e = engine_open_index(directory);
	ask(e, what, text);
	getrusage(RUSAGE_SELF, &after);
	printf("%-14s %-36s %-5s %10.1f ms %9.1f ms of CPU %9.1f MiB read %6ld faults\n",
	    questions[what], what == QUESTION_OPEN ? "" : text, cache,
	    (double)(mono_us() - from) / 1e3, (double)(cpu_us() - cpu) / 1e3,
	    (double)(bytes_read() - read) / (1 << 20), after.ru_majflt - before.ru_majflt);
	fflush(stdout);
	engine_close(e);
}

static void
measure(const char *directory, enum question what, const char *text, const char *cache)
{
	int status = 0;
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child == 0) {
		work(directory, what, text, cache);
		_exit(0);
	}
	if (waitpid(child, &status, 0) < 0 || status != 0)
		die("a process has failed");
}

int
main(int argc, char **argv)
{
	static const char *const texts[] = { "*", "country_code:US",
		"services.port:443 AND services.product:nginx", "hostnames:example7.com",
		"services.http.title:welcome", "NOT services.port:22", "10.0.0.0/9" };

	if (argc != 2)
		die("usage: opening DIRECTORY");
	for (int what = 0; what < QUESTIONS; what++)
		for (size_t i = 0; i < (what == QUESTION_OPEN ? 1 : COUNT(texts)); i++) {
			evict(argv[1]);
			measure(argv[1], (enum question)what, texts[i], "cold");
			measure(argv[1], (enum question)what, texts[i], "warm");
		}
	return 0;
}
