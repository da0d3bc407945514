/* SPDX-License-Identifier: ISC */
/* t/bench/lookalikes: what src/lookalike says of the lists in t/bench/data/lookalike, and its speed.
 *
 *   lookalike judge LIST     lines of "kind watched found"; prints by kind and class how many names reach a threshold
 *                            with an address and nothing else known
 *   lookalike speed          10,000 watched labels against 1,000,000 names (C-184) */
#include "config.h"

#include "lookalike/lookalike.h"

enum { WATCHED = 10000, NAMES = 1000000, ADDRESS_POINTS = 10, KINDS = 2, LONG_BRAND = 5 };

static const char *const kinds[KINDS] = { "lookalike", "honest" };

struct count {
	size_t all, at_60, at_70;
};

static struct arena *arena;

/* ---- quality ---- */

/* The class of the name, or LOOKALIKE_CLASSES; *score is its score with an address. */
static size_t
judge(struct str watched, struct str found, int *score)
{
	struct lookalike_index *x = lookalike_index_new(arena);
	struct lookalike_match *m;

	*score = 0;
	lookalike_index_add(x, 0, watched, (struct strs){ NULL, 0 });
	if (lookalike_find(x, arena, found, &m) == 0)
		return LOOKALIKE_CLASSES;
	*score = lookalike_score(&m->reasons, &(struct lookalike_facts){
		.address = true, .created_at = TS_NULL, .certificate_at = TS_NULL });
	return m->class;
}

static void
count_score(struct count *c, int score)
{
	c->all++;
	c->at_60 += score >= 60;
	c->at_70 += score >= 70;
}

static void
print_count(const char *what, const struct count *c)
{
	if (c->all > 0)
		printf("  %-12s %5zu  at 60: %5.1f %%  at 70: %5.1f %%\n", what, c->all,
		    100.0 * (double)c->at_60 / (double)c->all,
		    100.0 * (double)c->at_70 / (double)c->all);
}

static int
judge_list(const char *path)
{
	struct count by[KINDS][LOOKALIKE_CLASSES + 1] = { 0 }, sum[KINDS] = { 0 };
	FILE *in = fopen(path, "r");
	char line[1024];

	if (in == NULL)
		return 1;
	while (fgets(line, sizeof(line), in) != NULL) {
		char kind[32], watched[256], found[512];
		size_t k, class;
		int score;

		if (line[0] == '#' || sscanf(line, "%31s %255s %511s", kind, watched, found) != 3)
			continue;
		for (k = 0; k < KINDS - 1 && strcmp(kind, kinds[k]) != 0;)
			k++;
		class = judge(str_of(watched), str_of(found), &score);
		count_score(&by[k][class], score);
		count_score(&sum[k], score);
		arena_reset(arena);
	}
	fclose(in);
	for (size_t k = 0; k < KINDS; k++) {
		printf("%s\n", kinds[k]);
		for (size_t c = 0; c <= LOOKALIKE_CLASSES; c++)
			print_count(c == LOOKALIKE_CLASSES
					? "no class"
					: lookalike_class_name((enum lookalike_class)c),
			    &by[k][c]);
		print_count("all", &sum[k]);
	}
	return 0;
}

/* ---- speed ---- */

static uint64_t state = 42;

static uint64_t
next_random(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

static void
add_syllables(struct buf *b, size_t n)
{
	static const char *const some[] = { "pay", "net", "lo", "mi", "cro", "book", "ama", "zon",
		"bank", "ver", "te", "ri", "sun", "co", "in", "ba", "fi", "del", "ta", "gro", "up",
		"al", "pha", "wal", "let", "shop", "er", "ne", "xo", "qui" };

	while (n-- > 0)
		buf_z(b, some[next_random(COUNT(some))]);
}

static struct str
random_name(struct arena *a)
{
	static const char *const suffixes[] = { ".com", ".net", ".top", ".co.uk", ".de", ".xyz" };
	struct buf b = { .a = a };

	if (next_random(3) == 0) {
		add_syllables(&b, 1);
		buf_char(&b, '.');
	}
	add_syllables(&b, 2 + next_random(3));
	if (next_random(4) == 0) {
		buf_char(&b, '-');
		add_syllables(&b, 2);
	}
	buf_z(&b, suffixes[next_random(COUNT(suffixes))]);
	return buf_done(&b);
}

static int
measure_speed(void)
{
	struct arena *a = arena_new(SIZE_MAX / 4);
	struct lookalike_index *x = lookalike_index_new(a);
	int64_t start = cpu_us(), built;
	size_t found = 0;

	for (uint32_t i = 0; i < WATCHED; i++) {
		struct buf b = { .a = a };

		add_syllables(&b, 3 + next_random(2));
		buf_printf(&b, "%s.com", i % 3 == 0 ? "s" : "");
		lookalike_index_add(x, i, buf_done(&b), (struct strs){ NULL, 0 });
	}
	built = cpu_us();
	for (size_t i = 0; i < NAMES; i++) {
		struct lookalike_match *m;

		found += lookalike_find(x, arena, random_name(arena), &m);
		if (i % 256 == 0)
			arena_reset(arena);
	}
	printf("%d watched labels were indexed in %.2f s; %d names took %.2f s of CPU time, with "
	       "%zu matches\n",
	    WATCHED, (double)(built - start) / 1e6, NAMES, (double)(cpu_us() - built) / 1e6, found);
	arena_free(a);
	return (cpu_us() - start) / 1000000 >= 60; /* C-184 */
}

int
main(int argc, char **argv)
{
	int status;

	arena = arena_new(SIZE_MAX / 4);
	status = argc > 2 ? judge_list(argv[2]) : measure_speed();
	arena_free(arena);
	return status;
}
