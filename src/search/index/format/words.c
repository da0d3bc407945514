/* SPDX-License-Identifier: ISC */
/* The kernels of words.h: plain C, the popcnt instruction, and AVX2.
 *
 * AVX2 has no instruction that counts bits. The kernel therefore adds up vectors of 256 bits as
 * columns of binary numbers, by carry-save adders, and counts bits only in the column of sixteens:
 *
 *   ones, twos, fours, eights      the lower bits of 256 sums
 *   sixteens                       the carry after each 16 vectors; its bits are counted, 16 for each
 *
 * One vector in 16 is counted by a table of 16 sums (count_vector), so most of the time is spent on
 * loading. */
#include "config.h"

#include "search/index/format/words.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { VECTOR_WORDS = 4, ROUND = 16 * VECTOR_WORDS };

/* One bitmap is counted, or two are combined. */
enum combination { ALONE, BOTH, ONE_OF };

static inline __attribute__((always_inline)) uint64_t
combined(const uint64_t *a, const uint64_t *b, size_t i, enum combination how)
{
	return how == ALONE ? a[i] : how == BOTH ? a[i] & b[i] : a[i] ^ b[i];
}

/* Defines the three functions of a kernel from one that is inlined with a constant combination. */
#define KERNEL(name, attribute)                                                                    \
	attribute static uint64_t name##_alone(const uint64_t *a, size_t n)                        \
	{                                                                                          \
		return name(a, a, n, ALONE);                                                       \
	}                                                                                          \
	attribute static uint64_t name##_both(const uint64_t *a, const uint64_t *b, size_t n)      \
	{                                                                                          \
		return name(a, b, n, BOTH);                                                        \
	}                                                                                          \
	attribute static uint64_t name##_one_of(const uint64_t *a, const uint64_t *b, size_t n)    \
	{                                                                                          \
		return name(a, b, n, ONE_OF);                                                      \
	}

/* ---- plain C ---- */

static inline __attribute__((always_inline)) uint64_t
count_plain(const uint64_t *a, const uint64_t *b, size_t n, enum combination how)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (unsigned)__builtin_popcountll(combined(a, b, i, how));
	return sum;
}

static bool
runs_everywhere(void)
{
	return true;
}

KERNEL(count_plain, )

#if defined(__x86_64__)

/* ---- popcnt ---- */

#define POPCNT __attribute__((target("popcnt")))

POPCNT static inline __attribute__((always_inline)) uint64_t
count_popcnt(const uint64_t *a, const uint64_t *b, size_t n, enum combination how)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (unsigned)__builtin_popcountll(combined(a, b, i, how));
	return sum;
}

static bool
runs_popcnt(void)
{
	return __builtin_cpu_supports("popcnt");
}

KERNEL(count_popcnt, POPCNT)

/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2,popcnt")))

/* Adds the vectors *sum, a and b as 256 binary numbers of one digit. *sum becomes the digit, the
   result is the carry. */
AVX2 static inline __attribute__((always_inline)) __m256i
add_vectors(__m256i *sum, __m256i a, __m256i b)
{
	__m256i half = _mm256_xor_si256(*sum, a);
	__m256i carry = _mm256_or_si256(_mm256_and_si256(*sum, a), _mm256_and_si256(half, b));

	*sum = _mm256_xor_si256(half, b);
	return carry;
}

AVX2 static inline __attribute__((always_inline)) __m256i
load_vector(const uint64_t *a, const uint64_t *b, size_t i, enum combination how)
{
	__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(a + i)), y;

	if (how == ALONE)
		return x;
	y = _mm256_loadu_si256((const __m256i *)(const void *)(b + i));
	return how == BOTH ? _mm256_and_si256(x, y) : _mm256_xor_si256(x, y);
}

/* The number of bits of each quarter: a table has the sums of all half bytes. */
AVX2 static inline __attribute__((always_inline)) __m256i
count_vector(__m256i v)
{
	const __m256i sums = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
	    1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(sums, _mm256_and_si256(v, low)),
	    _mm256_shuffle_epi8(sums, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));

	return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

/* The digits of the sums so far. */
struct columns {
	__m256i ones, twos, fours, eights;
};

/* Each of these adds 2, 4, 8 or 16 vectors from word i on, and returns the carry. */
AVX2 static inline __attribute__((always_inline)) __m256i
add_2(struct columns *c, const uint64_t *a, const uint64_t *b, size_t i, enum combination how)
{
	return add_vectors(&c->ones, load_vector(a, b, i, how), load_vector(a, b, i + 4, how));
}

AVX2 static inline __attribute__((always_inline)) __m256i
add_4(struct columns *c, const uint64_t *a, const uint64_t *b, size_t i, enum combination how)
{
	__m256i first = add_2(c, a, b, i, how);

	return add_vectors(&c->twos, first, add_2(c, a, b, i + 8, how));
}

AVX2 static inline __attribute__((always_inline)) __m256i
add_8(struct columns *c, const uint64_t *a, const uint64_t *b, size_t i, enum combination how)
{
	__m256i first = add_4(c, a, b, i, how);

	return add_vectors(&c->fours, first, add_4(c, a, b, i + 16, how));
}

AVX2 static inline __attribute__((always_inline)) __m256i
add_16(struct columns *c, const uint64_t *a, const uint64_t *b, size_t i, enum combination how)
{
	__m256i first = add_8(c, a, b, i, how);

	return add_vectors(&c->eights, first, add_8(c, a, b, i + 32, how));
}

AVX2 static inline __attribute__((always_inline)) uint64_t
count_avx2(const uint64_t *a, const uint64_t *b, size_t n, enum combination how)
{
	__m256i zero = _mm256_setzero_si256(), total = zero;
	struct columns c = { zero, zero, zero, zero };
	uint64_t quarters[VECTOR_WORDS], sum = 0;
	size_t i = 0;

	for (; i + ROUND <= n; i += ROUND)
		total = _mm256_add_epi64(total, count_vector(add_16(&c, a, b, i, how)));
	total = _mm256_slli_epi64(total, 4);
	total = _mm256_add_epi64(total, _mm256_slli_epi64(count_vector(c.eights), 3));
	total = _mm256_add_epi64(total, _mm256_slli_epi64(count_vector(c.fours), 2));
	total = _mm256_add_epi64(total, _mm256_slli_epi64(count_vector(c.twos), 1));
	total = _mm256_add_epi64(total, count_vector(c.ones));
	_mm256_storeu_si256((__m256i *)(void *)quarters, total);
	for (; i < n; i++)
		sum += (unsigned)__builtin_popcountll(combined(a, b, i, how));
	for (size_t k = 0; k < VECTOR_WORDS; k++)
		sum += quarters[k];
	return sum;
}

static bool
runs_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

KERNEL(count_avx2, AVX2)

#endif

/* ---- the choice ---- */

static const struct words_kernel kernels[] = {
#if defined(__x86_64__)
	{ "avx2", runs_avx2, count_avx2_alone, count_avx2_both, count_avx2_one_of },
	{ "popcnt", runs_popcnt, count_popcnt_alone, count_popcnt_both, count_popcnt_one_of },
#endif
	{ "plain", runs_everywhere, count_plain_alone, count_plain_both, count_plain_one_of },
};
static const struct words_kernel *chosen;

const struct words_kernel *
words_kernels(size_t *n)
{
	*n = COUNT(kernels);
	return kernels;
}

void
words_use(const struct words_kernel *kernel)
{
	chosen = kernel;
}

static const struct words_kernel *
best_kernel(void)
{
	const struct words_kernel *k = kernels;

	if (chosen != NULL)
		return chosen;
	while (!k->runs())
		k++;
	chosen = k;
	return k;
}

uint64_t
words_count(const uint64_t *words, size_t n)
{
	return best_kernel()->count(words, n);
}

uint64_t
words_count_and(const uint64_t *a, const uint64_t *b, size_t n)
{
	return best_kernel()->count_and(a, b, n);
}

uint64_t
words_count_xor(const uint64_t *a, const uint64_t *b, size_t n)
{
	return best_kernel()->count_xor(a, b, n);
}
