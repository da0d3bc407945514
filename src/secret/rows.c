/* SPDX-License-Identifier: ISC */
/* Compiles tbl/secrets.h: expands the classes in anchors, splits shapes into parts, and makes the
   set of three-byte sequences at which the scanner stops. */
#include "config.h"

#include "secret/secret_priv.h"

#include <math.h>
#include <pthread.h>

static struct secret_row rows[] = {
#define SECRET(type, provider, anchors, lead, shape, check, entropy, near, severity)               \
	{ STR_INIT(#type), STR_INIT(provider), STR_INIT(near), anchors, lead, shape,               \
		SECRET_CHECK_##check, entropy, SECRET_##severity, { 0 }, { { { { 0 } }, 0 } }, 0,  \
		0, false },
#include "tbl/secrets.h"
#undef SECRET
};

_Static_assert(COUNT(rows) <= ROWS, "the scanner has room for the rows");

static struct secret_index index_of_rows;

/* ---- classes of characters ---- */

static const char class_letters[] = "dxXuUlnvwbaesqcp";

_Static_assert(sizeof(class_letters) - 1 == CLASSES, "secret_memo has a run of each class");

static unsigned
class_bit(char letter)
{
	const char *p = strchr(class_letters, letter);

	if (letter == '\0' || p == NULL)
		panic("tbl/secrets.h: there is no class %c", letter);
	return 1u << (p - class_letters);
}

static bool
in_class(char letter, char c)
{
	switch (letter) {
	case 'd':
		return ascii_digit(c);
	case 'x':
		return ascii_digit(c) || (c >= 'a' && c <= 'f');
	case 'X':
		return ascii_hex(c) >= 0;
	case 'u':
		return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7');
	case 'U':
		return (c >= 'A' && c <= 'Z') || ascii_digit(c);
	case 'l':
		return (c >= 'a' && c <= 'z') || ascii_digit(c);
	case 'v':
		return ascii_alnum(c) || c == '_';
	case 'w':
		return ascii_alnum(c) || c == '_' || c == '-';
	case 'a':
		return ascii_alnum(c) || c == '_' || c == '-' || c == '.' || c == '~';
	case 'b':
		return ascii_alnum(c) || c == '+' || c == '/';
	case 'e':
		return ascii_alnum(c) || c == '+' || c == '/' || c == '%';
	case 'q':
		return ascii_alnum(c) || (c != '\0' && strchr("_-+/", c) != NULL);
	case 'c':
		return ascii_alnum(c) || (c != '\0' && strchr("_-+/=,", c) != NULL);
	case 'p':
		return c > ' ' && c < 0x7f && strchr("\"'`<>&;,\\{}|()", c) == NULL;
	case 's':
		return c != '\0' && strchr(" \"':=>,[(\t", c) != NULL;
	default:
		return ascii_alnum(c);
	}
}

static void
set_classes(struct secret_index *x)
{
	for (int c = 0; c < 256; c++)
		for (const char *l = class_letters; *l != '\0'; l++)
			if (in_class(*l, (char)c))
				x->class_of[c] |= (uint16_t)class_bit(*l);
	if (class_bit('n') != CLASS_ALNUM || class_bit('b') != CLASS_BASE64)
		panic("secret_priv.h names a class wrongly");
}

/* ---- shapes ---- */

/* Parses one part of a shape: "w22-40", "<s1-8", "w40" or "=.". */
static struct secret_part
part_of(struct str s)
{
	struct secret_part p = { 0 };
	struct str low;
	int64_t min = 0, max = 0;

	if (s.p[0] == '=') {
		p.literal = (struct str){ s.p + 1, s.n - 1 };
		return p;
	}
	if (s.p[0] == '<') {
		p.before = true;
		s = (struct str){ s.p + 1, s.n - 1 };
	}
	p.class = (uint16_t)class_bit(s.p[0]);
	s = (struct str){ s.p + 1, s.n - 1 };
	low = str_until(&s, '-');
	if (!str_int64(low, &min) || (s.p != NULL && !str_int64(s, &max)))
		panic("tbl/secrets.h: %.*s is no number", (int)low.n, low.p);
	p.min = (uint16_t)min;
	p.max = (uint16_t)(s.p == NULL ? min : max);
	return p;
}

static void
set_shapes(struct secret_row *r)
{
	struct str rest = str_of(r->shape_text), one, word;

	if (r->lead_text[0] != '\0')
		r->lead = part_of(str_of(r->lead_text));
	while (str_part(&rest, '|', &one)) {
		struct secret_shape *s = &r->shapes[r->nshapes++];

		if (r->nshapes > SHAPES)
			panic("tbl/secrets.h: %s has too many shapes", r->type.p);
		while (str_word(&one, " ", &word)) {
			if (s->n == PARTS)
				panic("tbl/secrets.h: %s has too many parts", r->type.p);
			s->parts[s->n++] = part_of(word);
		}
	}
	if (r->nshapes == 0)
		r->nshapes = 1;
}

/* ---- anchors ---- */

/* Rates how common three bytes are in text: the scanner is fastest when it looks for rare bytes.
   Among equally rare bytes, an anchor with a class uses the last ones: they differ between the
   anchors into which the class expands, so these anchors do not share a bucket. */
static int
rarity(const char *p)
{
	int sum = p[0] == p[1] && p[1] == p[2] ? 20 : 0; /* padding has long runs of one byte */

	for (int i = 0; i < 3; i++) {
		char c = p[i];

		sum += c >= 'a' && c <= 'z' ? 5 : c == ' ' || c == '/' ? 4 : c == '-' ? 3 : 1;
	}
	return sum;
}

/* Returns the classes of the byte after an anchor: those with which the row's shapes begin. 0: a
   shape begins with a literal or may be empty. */
static uint16_t
class_behind(const struct secret_row *r)
{
	uint16_t classes = 0;

	for (size_t i = 0; i < r->nshapes; i++) {
		const struct secret_part *p = &r->shapes[i].parts[0];

		if (r->shapes[i].n == 0 || p->literal.n > 0 || p->min == 0)
			return 0;
		classes |= p->class;
	}
	return classes;
}

/* Returns the class with which all shapes of the row begin. 0: they begin with different classes,
   or with characters before the secret. */
static uint16_t
common_class(const struct secret_row *r)
{
	uint16_t class = r->shapes[0].parts[0].class;

	for (size_t i = 0; i < r->nshapes; i++)
		if (r->shapes[i].parts[0].class != class || r->shapes[i].parts[0].before)
			return 0;
	return class;
}

enum { LOOK_AHEAD = 12 };

/* Returns the number of characters of class_behind() with which each shape of the row begins, at
   most LOOK_AHEAD. */
static unsigned char
count_behind(const struct secret_row *r)
{
	unsigned least = LOOK_AHEAD;

	for (size_t i = 0; i < r->nshapes; i++)
		if (r->shapes[i].parts[0].min < least)
			least = r->shapes[i].parts[0].min;
	return (unsigned char)least;
}

static void
add_row_anchor(struct secret_index *x, const struct secret_row *r, struct str text, size_t fixed)
{
	struct secret_anchor *n = &x->anchors[x->n];

	if (x->n == ANCHORS || text.n < 3 || text.n > sizeof(n->text))
		panic("tbl/secrets.h: the anchor %.*s does not fit", (int)text.n, text.p);
	*n = (struct secret_anchor){ .row = r, .n = (unsigned char)text.n };
	n->fixed = (unsigned char)(fixed < text.n ? fixed : text.n);
	n->class_before = r->check == SECRET_CHECK_URL ? CLASS_ALNUM : r->lead.class;
	n->class_behind = class_behind(r);
	n->behind = n->class_behind == 0 ? 0 : count_behind(r);
	if (r->lead.max == 0 && ascii_alnum(text.p[0]))
		n->class_word = CLASS_ALNUM | common_class(r);
	memcpy(n->text, text.p, text.n);
	for (size_t i = 1; i + 3 <= text.n; i++)
		if (rarity(text.p + i) < rarity(text.p + n->probe) + (n->fixed < n->n))
			n->probe = (unsigned char)i;
	x->n++;
}

/* Adds each text into which an anchor with classes expands. made: the beginning that is expanded
   already. */
static void
expand(struct secret_index *x, const struct secret_row *r, struct str rest, struct str made,
    size_t fixed)
{
	char text[64];
	size_t n = made.n, close;

	memcpy(text, made.p, made.n);
	while (rest.n > 0 && rest.p[0] != '[') {
		if (n + 1 >= sizeof(text))
			panic("tbl/secrets.h: an anchor of %s is too long", r->type.p);
		text[n++] = rest.p[0] == '^' ? ' ' : rest.p[0];
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	}
	if (rest.n == 0) {
		add_row_anchor(x, r, (struct str){ text, n }, fixed);
		return;
	}
	close = (size_t)((const char *)memchr(rest.p, ']', rest.n) - rest.p);
	for (size_t i = 1; i < close; i++) {
		bool range = i + 2 < close && rest.p[i + 1] == '-';
		char last = rest.p[range ? i + 2 : i];

		for (char c = rest.p[i]; c <= last; c++) {
			text[n] = c;
			expand(x, r, (struct str){ rest.p + close + 1, rest.n - close - 1 },
			    (struct str){ text, n + 1 }, fixed < n ? fixed : n);
		}
		i += range ? 2 : 0;
	}
}

/* ---- buckets ---- */

static uint32_t
probe_of(const struct secret_anchor *n)
{
	return secret_probe(n->text + n->probe) & (PROBE_BITS - 1);
}

/* Whether a byte suits an anchor at an offset from its first byte. */
static bool
suits_anchor(
    const struct secret_index *x, const struct secret_anchor *n, int at, unsigned char byte)
{
	uint16_t classes = x->class_of[byte];

	if (at >= 0 && at < n->n)
		return n->text[at] == (char)byte;
	if (at >= n->n)
		return at >= n->n + n->behind || (classes & n->class_behind) != 0;
	if (at < -1 || (n->class_before != 0 && (classes & n->class_before) == 0))
		return at < -1;
	/* a byte that may end an escape, as the n of \n, is decided by is_at() */
	return (classes & n->class_word) == 0 || ascii_hex((char)byte) >= 0 ||
	       (byte != '\0' && strchr("nrt", byte) != NULL);
}

/* Sets a bit of the filter for all bytes that suit the anchor. */
static void
filter_anchor(const struct secret_index *x, struct secret_filter *f, const struct secret_anchor *n,
    uint32_t bit)
{
	for (int i = 0; i < FILTER_BYTES; i++)
		for (int c = 0; c < 256; c++)
			if (suits_anchor(x, n, n->probe + secret_filter_place(i), (unsigned char)c))
				f->may[i][c] |= bit;
}

static void
add_filter(struct secret_index *x, struct secret_bucket *b)
{
	struct secret_filter *f = &x->filters[x->nfilters++];

	if (x->nfilters > FILTERS || b->n > 32)
		panic("tbl/secrets.h: too many anchors are like %s", x->anchors[b->first].text);
	b->filter = (uint8_t)x->nfilters;
	for (int i = 0; i < b->n; i++)
		filter_anchor(x, f, &x->anchors[b->first + i], UINT32_C(1) << i);
}

/* Sorts the anchors by their buckets, where the order of the rows remains. */
static void
set_buckets(struct secret_index *x)
{
	static struct secret_anchor sorted[ANCHORS];
	uint16_t sum = 0;

	for (size_t i = 0; i < x->n; i++) {
		uint32_t probe = probe_of(&x->anchors[i]);

		x->probes[probe / 64] |= UINT64_C(1) << (probe % 64);
		x->buckets[probe % BUCKETS].n++;
	}
	for (size_t i = 0; i < BUCKETS; i++) {
		x->buckets[i].first = sum;
		sum = (uint16_t)(sum + x->buckets[i].n);
		x->buckets[i].n = 0;
	}
	for (size_t i = 0; i < x->n; i++) {
		struct secret_bucket *b = &x->buckets[probe_of(&x->anchors[i]) % BUCKETS];

		sorted[b->first + b->n++] = x->anchors[i];
	}
	memcpy(x->anchors, sorted, sizeof(sorted));
	for (size_t i = 0; i < BUCKETS; i++)
		if (x->buckets[i].n >= FILTERED)
			add_filter(x, &x->buckets[i]);
}

static void
set_crc_steps(uint32_t *steps)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		steps[byte] = byte;
		for (int bit = 0; bit < 8; bit++)
			steps[byte] = steps[byte] >> 1 ^ ((steps[byte] & 1) != 0 ? 0xEDB88320 : 0);
	}
}

static void
set_near(struct secret_index *x, struct secret_row *r)
{
	struct str rest = r->near, word;

	if (rest.n > 0 && rest.p[0] == '!') {
		r->unwanted = true;
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	}
	while (str_word(&rest, " ", &word))
		r->near_words |= secret_words_add(&x->near, word);
}

static void
compile(void)
{
	struct secret_index *x = &index_of_rows;

	set_classes(x);
	set_crc_steps(x->crc_steps);
	x->placeholders_at_end = secret_placeholders_compile(&x->placeholders);
	for (size_t n = 0; n < ENTROPY_MOST; n++)
		x->entropy_steps[n] = (double)(n + 1) * log2((double)(n + 1)) -
				      (n == 0 ? 0 : (double)n * log2((double)n));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str rest = str_of(rows[i].anchors), anchor;

		set_shapes(&rows[i]);
		set_near(x, &rows[i]);
		while (str_word(&rest, " ", &anchor))
			expand(x, &rows[i], anchor, STR(""), SIZE_MAX);
	}
	set_buckets(x);
}

const struct secret_index *
secret_index(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (pthread_once(&once, compile) != 0)
		panic("pthread_once failed");
	return &index_of_rows;
}
