/* SPDX-License-Identifier: ISC */
/* Reads rows of RowBinary (decode.h): integers are little-endian, texts and arrays begin with their
   length as a varint. */
#include "config.h"

#include "search/clickhouse/decode.h"

static uint64_t
take_integer(struct ch_rows *r, size_t bytes)
{
	uint64_t v = 0;

	if (r->bad || r->rest.n < bytes) {
		r->bad = true;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		v |= (uint64_t)(unsigned char)r->rest.p[i] << 8 * i;
	r->rest = (struct str){ r->rest.p + bytes, r->rest.n - bytes };
	return v;
}

/* Reads the length of a text or an array. It is at most the number of bytes left, since each
   element has at least one byte. */
static size_t
take_row_length(struct ch_rows *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		uint64_t c = take_integer(r, 1);

		v |= (c & 0x7f) << shift;
		if (c < 0x80) {
			r->bad |= v > r->rest.n;
			return r->bad ? 0 : (size_t)v;
		}
	}
	r->bad = true;
	return 0;
}

static struct ch_value
take_text(struct ch_rows *r)
{
	size_t n = take_row_length(r);
	struct ch_value v = { .s = { r->rest.p, n }, .set = true };

	r->rest = (struct str){ r->rest.p + n, r->rest.n - n };
	return v;
}

/* Reads an element of an array of arrays, and returns its first value. */
static struct ch_value
take_first(struct ch_rows *r, bool text)
{
	struct ch_value v = { .set = false }, next;
	size_t n = take_row_length(r);

	for (size_t i = 0; i < n && !r->bad; i++) {
		next =
		    text ? take_text(r) : (struct ch_value){ .n = take_integer(r, 8), .set = true };
		if (i == 0)
			v = next;
	}
	return v;
}

static struct ch_value
take_array(struct ch_rows *r, char type)
{
	struct ch_value v = { .length = take_row_length(r), .set = true };

	v.items = ARENA_ARRAY(r->a, v.length + 1, struct ch_value);
	for (size_t i = 0; i < v.length && !r->bad; i++)
		v.items[i] = type == 'S' ? take_text(r) : take_first(r, type == 'T');
	return v;
}

bool
ch_rows_next(struct ch_rows *r, const char *types, struct ch_value out[CH_VALUES_MAX])
{
	if (r->bad || r->rest.n == 0)
		return false;
	for (size_t i = 0; types[i] != '\0' && i < CH_VALUES_MAX && !r->bad; i++)
		switch (types[i]) {
		case 'b':
		case 'w':
		case 'q':
			out[i] = (struct ch_value){ .set = true };
			out[i].n = take_integer(r, types[i] == 'b' ? 1 : types[i] == 'w' ? 4 : 8);
			break;
		case 's':
			out[i] = take_text(r);
			break;
		default:
			out[i] = take_array(r, types[i]);
		}
	return !r->bad;
}
