/* SPDX-License-Identifier: ISC */
/* Runs of hexadecimal digits by their length, and addresses of Bitcoin by their checksum. */
#include "config.h"

#include "extract/extract_priv.h"

#include <openssl/sha.h>

static const struct {
	enum find_type type;
	size_t digits;
} lengths[] = {
	{ FIND_MD5, 32 },
	{ FIND_SHA1, 40 },
	{ FIND_JARM, 62 },
	{ FIND_SHA256, 64 },
	{ FIND_SHA512, 128 },
};

/* True when the value is in a column of a table that has certificates. */
static bool
in_certificate_cell(const struct run *r, size_t at)
{
	size_t cell = 1;

	if (r->place.certificate_cell == 0)
		return false;
	for (size_t i = r->place.from; i < at && i - r->place.from < 4 * (size_t)NEAR; i++)
		cell += r->text.p[i] == '|';
	return cell == r->place.certificate_cell;
}

static bool
set_type(const struct run *r, size_t digits, struct find *f)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (lengths[i].digits == digits) {
			f->type =
			    digits == 64 && (r->place.certificate || in_certificate_cell(r, f->at))
				? FIND_CERTIFICATE
				: lengths[i].type;
			return true;
		}
	return false;
}

static size_t
hex_run(const struct run *r, size_t at)
{
	size_t n = 0;

	while (n <= 128 && at + n < r->text.n && ascii_hex(r->text.p[at + n]) >= 0)
		n++;
	return at + n < r->text.n && ascii_alnum(r->text.p[at + n]) ? 0 : n;
}

/* The first hexadecimal digit of the next line, behind blanks; 0: the run does not end its line. */
static size_t
next_hash_line(const struct run *r, size_t end)
{
	size_t i = end, newlines = 0;

	while (i < r->text.n && i < end + NEAR && strchr(" \t\n", r->text.p[i]) != NULL)
		newlines += r->text.p[i++] == '\n';
	return newlines == 1 ? i : 0;
}

/* Two halves of 32 digits below "SHA-256": a narrow column broke the hash. */
static bool
join_halves(struct run *r, size_t at, size_t end, struct find *f)
{
	struct str heading = r->place.heading;
	size_t next = end - at == 32 ? next_hash_line(r, end) : 0;
	struct str all;

	if (next == 0 || hex_run(r, next) != 32 || heading.p == NULL ||
	    !(text_has_word(heading, "sha-256") || text_has_word(heading, "sha256")) ||
	    text_has_word(heading, "md5"))
		return false;
	r->joined = next + 32;
	r->steps += 32;
	f->type = FIND_SHA256;
	all = arena_printf(r->scratch, "%.32s%.32s", r->text.p + at, r->text.p + next);
	f->value = arena_lower(r->scratch, all);
	return true;
}

/* A hash that its author's program broke at the end of a line: no part is as long as a hash, and
   all are together. */
static bool
join_hash_lines(struct run *r, size_t at, size_t end, struct find *f)
{
	char
	    room[256]; /* before each part b has less than 128 digits, and a part has at most 128 */
	struct buf b = { .p = room, .room = sizeof(room) };
	struct find other = { .at = at };

	buf_add(&b, r->text.p + at, end - at);
	for (int parts = 1; parts < 4 && b.n < 128; parts++) {
		size_t next = next_hash_line(r, end), n = next == 0 ? 0 : hex_run(r, next);

		if (n == 0 || set_type(r, n, &other) || (n == 4 && b.n < 28))
			return false;
		buf_add(&b, r->text.p + next, n);
		end = next + n;
		r->steps += n;
		if (set_type(r, b.n, f) && f->type != FIND_JARM) {
			f->value = arena_lower(r->scratch, arena_str(r->scratch, buf_done(&b)));
			return true;
		}
	}
	return false;
}

static bool
one_digit(struct str s)
{
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i] != s.p[0])
			return false;
	return true;
}

bool
hash_at(struct run *r, size_t at, size_t end, struct find *f)
{
	struct str run = { r->text.p + at, end - at };

	if (run.n < 8 || run.n > 128 || at < r->joined || one_digit(run))
		return false;
	f->at = at;
	f->end = end;
	sections_words(r);
	if (join_halves(r, at, end, f))
		return true;
	if (!set_type(r, run.n, f))
		return join_hash_lines(r, at, end, f);
	f->value = arena_lower(r->scratch, run);
	return true;
}

/* Base58Check: 25 bytes, of which the last four are the beginning of the SHA-256 of the SHA-256 of
   the others. */
bool
bitcoin_check(struct str s)
{
	static const char digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
	unsigned char bytes[25] = { 0 }, sum[SHA256_DIGEST_LENGTH];

	if (s.n < 26 || s.n > 35 || (s.p[0] != '1' && s.p[0] != '3'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		const char *digit = strchr(digits, s.p[i]);
		unsigned carry;

		if (digit == NULL || *digit == '\0')
			return false;
		carry = (unsigned)(digit - digits);
		for (size_t k = sizeof(bytes); k-- > 0;) {
			carry += 58u * bytes[k];
			bytes[k] = (unsigned char)carry;
			carry >>= 8;
		}
		if (carry != 0)
			return false;
	}
	SHA256(bytes, 21, sum);
	SHA256(sum, sizeof(sum), sum);
	return (bytes[0] == 0 || bytes[0] == 5) && memcmp(sum, bytes + 21, 4) == 0;
}
