/* SPDX-License-Identifier: ISC */
/* t/bench/lookalikes: what src/lookalike says of lists of names, and its speed.
 *
 *   lookalike judge LIST     reads lines of "kind watched found [class]", and prints each with its score, registrable
 *                            domain and reasons when it has an address and nothing else is known; a line without a
 *                            class gets that of the likeness
 *   lookalike speed          10,000 watched labels against 1,000,000 names (C-184) */
#include "config.h"

#include "lookalike/lookalike.h"

enum { WATCHED = 10000, NAMES = 1000000 };

static struct arena *arena;

/* ---- quality ---- */

static void
judge_name(const char *kind, const char *watched, const char *found, const char *class)
{
	struct lookalike_index *x = lookalike_index_new(arena);
	struct lookalike_match *m;

	lookalike_index_add(x, 0, str_of(watched), (struct strs){ NULL, 0 });
	if (lookalike_find(x, arena, str_of(found), &m) == 0) {
		printf("%s %s %s %s 0 -\n", kind, watched, found, *class != '\0' ? class : "none");
		return;
	}
	(void)lookalike_score(&m->reasons, &(struct lookalike_facts){
		.address = true, .created_at = TS_NULL, .certificate_at = TS_NULL });
	printf("%s %s %s %s %d %.*s", kind, watched, found,
	    *class != '\0' ? class : lookalike_class_name(m->class), m->reasons.sum,
	    (int)m->registrable.n, m->registrable.p);
	for (size_t i = 0; i < m->reasons.n; i++)
		printf(" %s:%d", lookalike_weight_code(m->reasons.p[i].code),
		    m->reasons.p[i].points);
	putchar('\n');
}

static int
judge_list(const char *path)
{
	FILE *in = fopen(path, "r");
	char line[1024];

	if (in == NULL)
		return 1;
	while (fgets(line, sizeof(line), in) != NULL) {
		char kind[32], watched[256], found[512], class[32] = "";

		if (line[0] == '#' ||
		    sscanf(line, "%31s %255s %511s %31s", kind, watched, found, class) < 3)
			continue;
		judge_name(kind, watched, found, class);
		arena_reset(arena);
	}
	fclose(in);
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
