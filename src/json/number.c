/* SPDX-License-Identifier: ISC */
/* Exact integers from the text of a JSON number, for fields of type FIELD_INT. A double would
 * turn 9007199254740993 into another number, and json-c turns 99999999999999999999 into
 * INT64_MAX.
 *
 * A number is an integer by its value and not by its spelling: 1.0, 1e3 and 10e-1 are integers,
 * 1.5 is not. So the digits around the point are read as one integer with a power of ten,
 * trailing zeros move into the power, and the rest is a fraction exactly when the power is still
 * negative:
 *
 *   12.50e1    digits 1250, power 1 - 2 = -1    ->  digits 125, power 0     125
 *   1.25e1     digits 125, power 1 - 2 = -1     ->  a fraction */
#include "config.h"

#include "json/json.h"
#include "json/json_priv.h"

/* The exponent stops growing here: no sensible number has as many digits. */
enum { EXPONENT_MAX = 1000000 };

/* A number as digits and a power of ten: whole and fraction, read as one integer, times ten to the
   power. */
struct decimal {
	bool minus;
	struct str whole, fraction; /* the digits before and after the point */
	int64_t power;
};

static int64_t
read_exponent(struct str s)
{
	bool minus = s.n > 0 && s.p[0] == '-';
	int64_t e = 0;

	for (size_t i = 0; i < s.n; i++)
		if (ascii_digit(s.p[i]) && e < EXPONENT_MAX)
			e = e * 10 + (s.p[i] - '0');
	return minus ? -e : e;
}

static struct str
take_digits(struct str *s)
{
	struct str d = { s->p, 0 };

	while (d.n < s->n && ascii_digit(s->p[d.n]))
		d.n++;
	s->p += d.n;
	s->n -= d.n;
	return d;
}

static bool
skip_number_char(struct str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	s->p++;
	s->n--;
	return true;
}

/* Digit i of whole and fraction, read as one integer. */
static int
digit_at(const struct decimal *d, size_t i)
{
	return (i < d->whole.n ? d->whole.p[i] : d->fraction.p[i - d->whole.n]) - '0';
}

static struct decimal
split_number(struct str lexeme)
{
	struct decimal d = { .minus = skip_number_char(&lexeme, '-'), .fraction = STR("") };

	d.whole = take_digits(&lexeme);
	if (skip_number_char(&lexeme, '.'))
		d.fraction = take_digits(&lexeme);
	if (skip_number_char(&lexeme, 'e') || skip_number_char(&lexeme, 'E'))
		d.power = read_exponent(lexeme);
	d.power -= (int64_t)d.fraction.n;
	return d;
}

enum lexeme
lexeme_int(struct str lexeme, int64_t *out)
{
	struct decimal d = split_number(lexeme);
	size_t n = d.whole.n + d.fraction.n, i = 0;
	int64_t v = 0;

	for (; n > 0 && digit_at(&d, n - 1) == 0; n--)
		d.power++;
	*out = 0;
	if (n == 0)
		return LEXEME_INT;
	if (d.power < 0)
		return LEXEME_FRACTION;
	while (digit_at(&d, i) == 0)
		i++;
	if ((int64_t)(n - i) + d.power > 19)
		return LEXEME_RANGE;
	for (size_t end = n + (size_t)d.power; i < end;
	     i++) /* v is negative: INT64_MIN has no positive counterpart */
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, i < n ? digit_at(&d, i) : 0, &v))
			return LEXEME_RANGE;
	if (!d.minus && v == INT64_MIN)
		return LEXEME_RANGE;
	*out = d.minus ? v : -v;
	return LEXEME_INT;
}
