/* SPDX-License-Identifier: ISC */
/* The checks of the column `check` of tbl/secrets.h: check digits, and conditions on parts of a
   secret. */
#include "config.h"

#include "json/tree.h"
#include "secret/secret_priv.h"

enum {
	CRC_DIGITS = 6,
	AWS_KEY = 40,
	AWS_NEAR = 200,
	OPENAI_SIDE = 20,
	URL_USER = 64,
	URL_PASSWORD = 128,
};

static struct str
secret_of(const struct candidate *c)
{
	return (struct str){ c->text.p + c->start, c->end - c->start };
}

/* The part of the secret after the anchor. */
static struct str
body_of(const struct candidate *c)
{
	size_t at = c->at + c->anchor->n;

	return (struct str){ c->text.p + at, c->end - at };
}

static bool
has_digit(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ascii_digit(s.p[i]))
			return true;
	return false;
}

/* ---- CRC-32 in base 62 ---- */

static uint32_t
crc32_of(struct str s)
{
	const uint32_t *steps = secret_index()->crc_steps;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < s.n; i++)
		crc = crc >> 8 ^ steps[(crc ^ (unsigned char)s.p[i]) & 255];
	return ~crc;
}

/* Whether the last six characters are the CRC-32 of the characters before them. */
static bool
has_crc62(struct str body)
{
	static const char digits[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	uint32_t crc;

	if (body.n <= CRC_DIGITS)
		return false;
	crc = crc32_of((struct str){ body.p, body.n - CRC_DIGITS });
	for (size_t i = 1; i <= CRC_DIGITS; i++, crc /= 62)
		if (body.p[body.n - i] != digits[crc % 62])
			return false;
	return true;
}

/* ---- the secret key beside the id of an AWS key ---- */

static bool
is_aws_key(struct str s)
{
	bool upper = false, lower = false, other = false;

	for (size_t i = 0; i < s.n; i++) {
		upper |= s.p[i] >= 'A' && s.p[i] <= 'Z';
		lower |= s.p[i] >= 'a' && s.p[i] <= 'z';
		other |= ascii_hex(s.p[i]) < 0;
	}
	return upper && lower && other && has_digit(s) && secret_has_entropy(s, 38) &&
	       !secret_is_placeholder(s);
}

static bool
is_base64(const struct candidate *c, size_t at)
{
	return (c->x->class_of[(unsigned char)c->text.p[at]] & CLASS_BASE64) != 0;
}

/* Remembers each run of exactly 40 base64 characters that begins before `to` and may be a secret
   key. Every run is read once and completely. */
static void
read_aws_keys(struct candidate *c, size_t from, size_t to)
{
	struct secret_memo *m = c->memo;
	size_t i = m->keys_read;

	if (i < from)
		for (i = from; i > 0 && from - i <= AWS_KEY && is_base64(c, i - 1);)
			i--;
	while (i < to) {
		size_t start = i;

		while (i < c->text.n && is_base64(c, i))
			i++;
		if (i - start == AWS_KEY &&
		    is_aws_key((struct str){ c->text.p + start, AWS_KEY })) {
			m->keys = arena_room(c->a, m->keys, m->nkeys, sizeof(m->keys[0]));
			m->keys[m->nkeys++] = start;
		}
		i += i == start;
	}
	if (m->keys_read < i)
		m->keys_read = i;
}

/* Takes the first key that lies completely between two offsets. */
static bool
find_aws_key(struct candidate *c, size_t from, size_t to)
{
	const struct secret_memo *m = c->memo;
	size_t i = m->nkeys;

	while (i > 0 && m->keys[i - 1] >= from)
		i--;
	if (i == m->nkeys || m->keys[i] + AWS_KEY > to)
		return false;
	c->second = m->keys[i];
	c->second_n = AWS_KEY;
	return true;
}

static bool
is_value(const struct candidate *c)
{
	size_t i = c->start;

	while (i > 0 && c->text.p[i - 1] == ' ')
		i--;
	return i > 0 && c->text.p[i - 1] != '\0' && strchr("=:\"'>", c->text.p[i - 1]) != NULL;
}

static bool
passes_aws(struct candidate *c)
{
	size_t from = c->start - c->done < AWS_NEAR ? c->done : c->start - AWS_NEAR;
	size_t to = c->text.n - c->end < AWS_NEAR ? c->text.n : c->end + AWS_NEAR;

	/* a placeholder is rejected before the search for a key */
	if (secret_is_placeholder(secret_of(c)))
		return false;
	read_aws_keys(c, from, to);
	/* a word in capitals without digits is an id only when it is a value, as in key = "WORD" */
	return find_aws_key(c, c->end, to) || find_aws_key(c, from, c->start) ||
	       has_digit(body_of(c)) || is_value(c);
}

/* ---- tokens with parts ---- */

static bool
passes_openai(const struct candidate *c)
{
	static const char inside[] = "T3BlbkFJ";
	struct str s = body_of(c);
	const char *p = memmem(s.p, s.n, inside, sizeof(inside) - 1);
	size_t before;

	if (p == NULL)
		return false;
	before = (size_t)(p - s.p);
	return before >= OPENAI_SIDE && s.n - before - (sizeof(inside) - 1) >= OPENAI_SIDE;
}

static struct json_value *
jwt_part(struct arena *a, struct str encoded)
{
	unsigned char *bytes = arena_alloc(a, encoded.n + 1);
	struct json_value *v;
	size_t n;

	if (!base64url_parse(encoded, bytes, encoded.n, &n))
		return NULL;
	v = json_parse(a, (struct str){ (const char *)bytes, n });
	return v != NULL && json_type(v) == JSON_OBJECT ? v : NULL;
}

static bool
is_sample_claim(const struct json_value *claims, const char *name, const char *value)
{
	const struct json_value *v = json_get(claims, name);

	return v != NULL && json_type(v) == JSON_STRING && str_is(json_text(v), value);
}

/* Whether the token has a header with an algorithm, and claims that have not expired and are not
   the well-known sample. */
static bool
is_good_jwt(struct candidate *c, struct arena *a)
{
	struct str rest = secret_of(c), header = str_until(&rest, '.');
	struct str claims_text = str_until(&rest, '.');
	struct json_value *h = jwt_part(a, header), *claims, *alg, *exp;
	int64_t now = c->now.us / SECOND_US;

	if (h == NULL || (alg = json_get(h, "alg")) == NULL || json_type(alg) != JSON_STRING ||
	    str_is_nocase(json_text(alg), "none"))
		return false;
	claims = jwt_part(a, claims_text);
	if (claims == NULL || is_sample_claim(claims, "name", "John Doe") ||
	    is_sample_claim(claims, "sub", "1234567890"))
		return false;
	exp = json_get(claims, "exp");
	return exp == NULL || json_type(exp) != JSON_NUMBER || json_num(exp) > (double)now;
}

static bool
passes_jwt(struct candidate *c)
{
	/* freed with this candidate, so that many candidates take no more memory than one */
	struct arena *a = arena_new(16 << 20);
	bool good = is_good_jwt(c, a);

	arena_free(a);
	return good;
}

/* ---- user and password of a URL ---- */

static bool
is_url_char(char c)
{
	return c > ' ' && c != 0x7f && c != '"' && c != '\'' && c != '<' && c != '>' && c != '/' &&
	       c != '\\' && c != '`' && c != '@' && c != '|' && c != ',';
}

static size_t
url_run(const struct candidate *c, size_t at, size_t most, char stop)
{
	size_t i = at;

	while (i < c->text.n && i - at <= most && is_url_char(c->text.p[i]) && c->text.p[i] != stop)
		i++;
	return i;
}

/* Matches ://user:password@host. The secret is the password. */
static bool
passes_url(struct candidate *c)
{
	size_t user = c->at + c->anchor->n, colon = url_run(c, user, URL_USER, ':');
	struct str password;

	if (c->at == 0 || !ascii_alnum(c->text.p[c->at - 1]) || colon == c->text.n ||
	    c->text.p[colon] != ':' || colon - user > URL_USER)
		return false;
	c->start = colon + 1;
	c->end = url_run(c, c->start, URL_PASSWORD, '@');
	if (c->end == c->text.n && !secret_is_weak_password(secret_of(c)))
		c->open = true;
	if (c->end + 1 >= c->text.n || c->text.p[c->end] != '@' || c->end - c->start > URL_PASSWORD)
		return false;
	password = secret_of(c);
	return (ascii_alnum(c->text.p[c->end + 1]) || c->text.p[c->end + 1] == '[') &&
	       !str_eq(password, (struct str){ c->text.p + user, colon - user }) &&
	       !secret_is_weak_password(password);
}

bool
secret_passes_check(struct candidate *c)
{
	switch (c->anchor->row->check) {
	case SECRET_CHECK_ANTHROPIC:
		return str_ends(secret_of(c), STR("AA"));
	case SECRET_CHECK_AWS:
		return passes_aws(c);
	case SECRET_CHECK_CRC62:
		return c->valid = has_crc62(body_of(c));
	case SECRET_CHECK_DIGIT:
		return has_digit(body_of(c));
	case SECRET_CHECK_JWT:
		return passes_jwt(c);
	case SECRET_CHECK_OPENAI:
		return passes_openai(c);
	case SECRET_CHECK_PASSWORD:
		return has_digit(secret_of(c)) && !secret_is_weak_password(secret_of(c));
	case SECRET_CHECK_PEM:
		return secret_key_block(c);
	case SECRET_CHECK_PUTTY:
		return secret_putty_block(c);
	case SECRET_CHECK_URL:
		return passes_url(c);
	case SECRET_CHECK_NONE:
		break;
	}
	return true;
}
