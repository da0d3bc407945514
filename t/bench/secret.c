/* SPDX-License-Identifier: ISC */
/* t/bench/secrets: the quality of src/secret over the samples, and its speed in MB/s of CPU time over FILE... joined and
   over hostile bytes: random ones, anchors alone or with digits behind them, and for each row its near misses. Exits with 1 if a sample is missed,
   a trap is found, or a speed is under the first argument. */
#include "config.h"

#include "base/limits.h"
#include "secret/secret.h"
#include "t/unit/secret_samples.h"

enum { BODY = 1 << 20, SAMPLES = 50 };

static struct arena *arena;
static uint64_t state = 42;

static const char *const anchors[] = {
#define SECRET(type, provider, anchors, lead, shape, check, entropy, near, severity) anchors,
#include "tbl/secrets.h"
#undef SECRET
};

static struct secrets
find(struct str text)
{
	return secrets_find(arena, text, SAMPLES_NOW);
}

/* Prints how many samples were found, and returns how many judgements were wrong. */
static size_t
judge(void)
{
	size_t found = 0, all = 0, other = 0, silent = 0, traps = 0;

	for (size_t i = 0; i < secret_nsamples; i++)
		for (int k = 0; k < SAMPLES; k++, all++) {
			struct made m =
			    sample_make(arena, secret_samples[i].text, SAMPLE_TRUE, &state);
			struct secrets l = find(m.text);

			if (l.n == 1 && str_is(l.p[0].type, secret_samples[i].type) &&
			    l.p[0].offset == m.start)
				found++;
			else
				printf("missed: %s in %.*s\n", secret_samples[i].type,
				    (int)m.text.n, m.text.p);
			other += l.n > 1 ? l.n - 1 : 0;
			arena_reset(arena);
		}
	for (size_t i = 0; i < secret_ntraps; i++)
		for (int k = 0; k < SAMPLES; k++, traps++) {
			struct made m =
			    sample_make(arena, secret_traps[i].text, SAMPLE_TRUE, &state);

			silent += find(m.text).n == 0;
			arena_reset(arena);
		}
	printf("samples: %zu of %zu found, %zu other findings; traps: %zu of %zu silent\n", found,
	    all, other, silent, traps);
	/* an id of AWS without any digit is a word, which is what one in a few hundred random ones looks like */
	return (all - found) / (all / 500) + other + traps - silent;
}

/* Fills a body with a text again and again. */
static void
repeat(struct buf *b, struct str text)
{
	while (b->n + text.n <= BODY)
		buf_str(b, text);
}

/* The best of some runs: other work on the machine counts as time of this process in some virtual machines. */
static double
speed(struct str body, size_t runs)
{
	double best = 0;

	for (size_t i = 0; i < runs; i++) {
		int64_t start = cpu_us();
		double rate;

		(void)find(body);
		rate = (double)body.n / (double)(cpu_us() - start + 1);
		best = rate > best ? rate : best;
		arena_reset(arena);
	}
	return best;
}

/* A few runs suffice unless they seem too slow. */
static double
speed_at_least(struct str body, double least)
{
	double rate = speed(body, 3);

	for (int i = 0; i < 5 && rate < least; i++) {
		double again = speed(body, 10);

		rate = again > rate ? again : rate;
	}
	return rate;
}

static double
show(const char *what, struct str body)
{
	double rate = speed(body, 20);

	printf("%7.0f MB/s  %s\n", rate, what);
	return rate;
}

static double
lesser(double a, double b)
{
	return a < b ? a : b;
}

static double
show_files(int n, char **paths)
{
	struct buf b = { 0 };
	double slowest = 1e9;
	size_t findings = 0, done = 0;

	for (int i = 0; i < n; i++) {
		FILE *in = fopen(paths[i], "rb");
		char room[65536];
		size_t got;

		while (in != NULL && (got = fread(room, 1, sizeof(room), in)) > 0)
			buf_add(&b, room, got);
		if (in != NULL)
			fclose(in);
	}
	if (b.n > 0) {
		int64_t start = cpu_us();

		while (done < (100u << 20))
			for (size_t at = 0; at < b.n; at += BODY, done += BODY) {
				struct str part = { b.p + at, b.n - at < BODY ? b.n - at : BODY };

				findings += find(part).n;
				arena_reset(arena);
			}
		slowest = (double)done / (double)(cpu_us() - start);
		printf("%7.0f MB/s  ordinary text, %zu bytes of %d files, %zu findings\n", slowest,
		    b.n, n, findings);
	}
	buf_free(&b);
	return slowest;
}

/* Near misses of one row after another, apart by a line feed and by nothing. */
static double
show_rows(double least)
{
	double slowest = 1e9;
	const char *which = "";

	for (size_t i = 0; i < secret_nsamples + secret_ntraps; i++) {
		const char *text = i < secret_nsamples ? secret_samples[i].text
						       : secret_traps[i - secret_nsamples].text;

		for (int form = i < secret_nsamples ? SAMPLE_WEAK : SAMPLE_TRUE;
		     form < (i < secret_nsamples ? SAMPLE_FORMS : SAMPLE_WEAK); form++) {
			struct buf b = { 0 };
			double rate;

			while (b.n < BODY - 16384) {
				struct made m =
				    sample_make(arena, text, (enum sample_form)form, &state);

				buf_str(&b, m.text);
				buf_char(&b, '\n');
				arena_reset(arena);
			}
			rate = speed_at_least(buf_done(&b), least);
			if (rate < least)
				printf(
				    "%7.0f MB/s  near misses of form %d of %s\n", rate, form, text);
			if (rate < slowest) {
				slowest = rate;
				which = text;
			}
			buf_free(&b);
		}
	}
	printf("%7.0f MB/s  near misses of one row, the slowest: %s\n", slowest, which);
	return slowest;
}

/* Writes one of the texts of an anchor to room and returns its length. Of a class it takes the first character. */
static size_t
anchor_text(struct str anchor, char room[64])
{
	size_t n = 0;

	for (size_t k = 0; k < anchor.n && n < 64; k++) {
		if (anchor.p[k] == '[') {
			const char *close = memchr(anchor.p + k, ']', anchor.n - k);

			room[n++] = anchor.p[k + 1];
			k = (size_t)(close - anchor.p);
		} else {
			room[n++] = anchor.p[k] == '^' ? ' ' : anchor.p[k];
		}
	}
	return n;
}

static double
show_anchors(double least)
{
	double slowest = 1e9, worst = 1e9;
	const char *which = "";

	for (size_t i = 0; i < COUNT(anchors); i++) {
		struct str rest = str_of(anchors[i]), one;

		while (str_word(&rest, " ", &one)) {
			struct buf b = { 0 };
			char text[64];
			size_t n = anchor_text(one, text);
			double rate, ratio;

			repeat(&b, (struct str){ text, n });
			rate = speed_at_least(buf_done(&b), least);
			if (rate < least)
				printf("%7.0f MB/s  again and again %.*s\n", rate, (int)n, text);
			if (rate < slowest) {
				slowest = rate;
				which = anchors[i];
			}
			/* A scanner that is not linear is slower on a longer text */
			b.n /= 16;
			ratio = rate / speed(buf_done(&b), 5);
			worst = lesser(worst, ratio);
			buf_free(&b);
		}
	}
	printf("%7.0f MB/s  one anchor again and again, the slowest: %s\n", slowest, which);
	printf("%7.2f times the speed on a text 16 times as long, at the worst of the anchors\n",
	    worst);
	return slowest;
}

/* Each anchor with some digits behind it, which all classes of a secret have: as many rows as possible must look at them. */
static double
show_beginnings(double least)
{
	static const size_t lengths[] = { 1, 4, 8, 12, 24, 40 };
	double slowest = 1e9;
	char text[64];

	for (size_t i = 0; i < COUNT(anchors) * COUNT(lengths); i++) {
		struct str rest = str_of(anchors[i / COUNT(lengths)]), one;

		while (str_word(&rest, " ", &one)) {
			size_t n = anchor_text(one, text), digits = lengths[i % COUNT(lengths)];
			struct buf b = { 0 };
			double rate;

			while (b.n < BODY / 8) {
				buf_add(&b, text, n);
				for (size_t k = 0; k < digits; k++)
					buf_char(&b, "372"[k % 3]);
				buf_char(&b, '\n');
			}
			rate = speed_at_least(buf_done(&b), least);
			if (rate < least)
				printf("%7.0f MB/s  %zu digits behind %.*s\n", rate, digits, (int)n,
				    text);
			slowest = lesser(slowest, rate);
			buf_free(&b);
		}
	}
	printf("%7.0f MB/s  an anchor with some digits behind it, at the slowest\n", slowest);
	return slowest;
}

int
main(int argc, char **argv)
{
	double least = argc > 1 ? strtod(argv[1], NULL) : 0, slowest;
	struct buf random = { 0 };
	size_t wrong;

	arena = arena_new(SIZE_MAX / 2);
	setvbuf(stdout, NULL, _IOLBF, 0);
	wrong = judge();
	slowest = show_files(argc - 2, argv + 2);
	for (size_t i = 0; i < BODY; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		buf_char(&random, (char)(state >> 33));
	}
	slowest = lesser(slowest, show("random bytes", buf_done(&random)));
	slowest = lesser(slowest, show_anchors(least));
	slowest = lesser(slowest, show_beginnings(least));
	slowest = lesser(slowest, show_rows(least));
	printf("%zu wrong judgements; the slowest of all: %.0f MB/s\n", wrong, slowest);
	buf_free(&random);
	arena_free(arena);
	return wrong > 0 || slowest < least; /* C-190 */
}
