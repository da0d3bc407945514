/* SPDX-License-Identifier: ISC */
/* Integers from the lexeme: a double would make 9007199254740993 another number, and json-c saturates. */
#include "config.h"

#include "json/json.h"
#include "json/json_priv.h"

enum {
	FAR = 1000000
}; /* an exponent beyond any number of digits that matters: it saturates here */

/* A number as digits and a power of ten; the digits have no zero at either end. */
struct decimal {
	bool minus;
	struct str whole, fraction; /* digits around the point */
	int64_t power;
};

static int64_t
exponent(struct str s)
{
	bool minus = s.n > 0 && s.p[0] == '-';
	int64_t e = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= '0' && s.p[i] <= '9' && e < FAR)
			e = e * 10 + (s.p[i] - '0');
	return minus ? -e : e;
}

static struct str
take_digits(struct str *s)
{
	struct str d = { s->p, 0 };

	while (d.n < s->n && s->p[d.n] >= '0' && s->p[d.n] <= '9')
		d.n++;
	s->p += d.n;
	s->n -= d.n;
	return d;
}

static bool
take(struct str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	s->p++;
	s->n--;
	return true;
}

/* Digit i of whole and fraction written together. */
static int
digit(const struct decimal *d, size_t i)
{
	return (i < d->whole.n ? d->whole.p[i] : d->fraction.p[i - d->whole.n]) - '0';
}

static struct decimal
split(struct str lexeme)
{
	struct decimal d = { .minus = take(&lexeme, '-'), .fraction = STR("") };

	d.whole = take_digits(&lexeme);
	if (take(&lexeme, '.'))
		d.fraction = take_digits(&lexeme);
	if (take(&lexeme, 'e') || take(&lexeme, 'E'))
		d.power = exponent(lexeme);
	d.power -= (int64_t)d.fraction.n;
	return d;
}

enum lexeme
lexeme_int(struct str lexeme, int64_t *out)
{
	struct decimal d = split(lexeme);
	size_t n = d.whole.n + d.fraction.n, i = 0;
	int64_t v = 0;

	for (; n > 0 && digit(&d, n - 1) == 0; n--)
		d.power++;
	*out = 0;
	if (n == 0)
		return LEXEME_INT;
	if (d.power < 0)
		return LEXEME_FRACTION;
	while (digit(&d, i) == 0)
		i++;
	if ((int64_t)(n - i) + d.power > 19)
		return LEXEME_RANGE;
	for (size_t end = n + (size_t)d.power; i < end;
	     i++) /* negative, so that INT64_MIN fits */
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, i < n ? digit(&d, i) : 0, &v))
			return LEXEME_RANGE;
	if (!d.minus && v == INT64_MIN)
		return LEXEME_RANGE;
	*out = d.minus ? v : -v;
	return LEXEME_INT;
}
