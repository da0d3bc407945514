/* SPDX-License-Identifier: ISC */
/* The text of a PDF (pdf_text.h). All distances are compared with the height of a line, since a
   page may have any scale. */
#include "config.h"

#include "cli/report/pdf_text.h"

#include "address/start_url.h"
#include "base/ipnet.h"

#include <math.h>

enum {
	LOOK_AHEAD = 12,   /* pieces behind a broken value among which its rest is */
	COLUMN = 256,      /* pieces to either side that show how wide a column is */
	LONGEST_KEY = 200, /* bytes of a running head that are compared */
	LONGEST_VALUE = 4096,
	PROSE = 4, /* words of a line that is prose rather than a cell */
	SCRATCH = 1 << 20,
};

/* Shares of the height of a line. */
static const double no_gap = 0.1, same_line = 0.4, column_gap = 0.5, paragraph_gap = 0.75,
		    line_pitch = 1.35;

/* Shares of the height of a page: in the margin are heads and feet alone. */
static const double edge_of_page = 0.1, margin = 0.06;

/* Words without a gap: a line of prose, or a line of a cell. */
struct piece {
	double x0, y0, x1, y1;
	struct str text;
	size_t words;
	bool gone; /* it belongs to another piece, or to a running head */
};

struct page {
	double height;
	size_t from, to; /* its pieces */
};

struct layout {
	struct arena *a, *scratch;
	struct buf text; /* the texts of the pieces, one behind another */
	struct piece *p;
	size_t n;
	struct page *pages;
	size_t npages;
	double pitch; /* from a line of prose to the next one, in heights of a line */
};

/* ---- reading ---- */

/* The number behind NAME=" in a tag; 0 where the tag has none. */
static double
read_attribute(struct str tag, const char *name)
{
	const char *at = memmem(tag.p, tag.n, name, strlen(name));
	double value = 0, scale = 1;
	bool fraction = false;
	size_t i;

	if (at == NULL)
		return 0;
	for (i = (size_t)(at - tag.p) + strlen(name); i < tag.n; i++) {
		if (tag.p[i] == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (!ascii_digit(tag.p[i]) || value > 1e9)
			break;
		value = value * 10 + (tag.p[i] - '0');
		scale = fraction ? scale * 10 : scale;
	}
	return value / scale;
}

static void
add_unescaped(struct buf *b, struct str s)
{
	static const struct {
		struct str from;
		char to;
	} names[] = { { STR_INIT("&amp;"), '&' }, { STR_INIT("&lt;"), '<' },
		{ STR_INIT("&gt;"), '>' }, { STR_INIT("&quot;"), '"' },
		{ STR_INIT("&apos;"), '\'' }, { STR_INIT("&#39;"), '\'' } };
	size_t i = 0;

	while (i < s.n) {
		size_t k = 0;

		while (k < COUNT(names) &&
		       !str_starts((struct str){ s.p + i, s.n - i }, names[k].from))
			k++;
		buf_char(b, k < COUNT(names) ? names[k].to : s.p[i]);
		i += k < COUNT(names) ? names[k].from.n : 1;
	}
}

static double
height_of(const struct piece *p)
{
	return p->y1 - p->y0 > 1 ? p->y1 - p->y0 : 1;
}

static bool
on_one_line(const struct piece *x, const struct piece *y)
{
	double apart = (x->y0 + x->y1 - y->y0 - y->y1) / 2;

	return fabs(apart) < same_line * height_of(x);
}

/* A bullet is apart, so that the lines of its item begin below one another. */
static bool
is_bullet(struct str s)
{
	return s.n > 0 && s.n <= 3 && !ascii_alnum(s.p[0]) && strchr("[(<\"'", s.p[0]) == NULL;
}

/* Adds a word to the last piece, or begins a piece with it. Texts are of the piece until all words
   are read: then the buffer does not move any more. */
static void
add_word(struct layout *l, struct piece word, struct str escaped)
{
	struct piece *last = l->n > l->pages[l->npages - 1].from ? &l->p[l->n - 1] : NULL;
	double gap = last == NULL ? 0 : word.x0 - last->x1;

	if (last != NULL && on_one_line(last, &word) && gap > -same_line * height_of(last) &&
	    gap < column_gap * height_of(last) &&
	    !is_bullet((struct str){ l->text.p + l->text.n - last->text.n, last->text.n })) {
		size_t before = l->text.n;

		/* a program that moves letters closer together cuts a word there */
		if (gap >= no_gap * height_of(last)) {
			buf_char(&l->text, ' ');
			last->words++;
		}
		add_unescaped(&l->text, escaped);
		last->text.n += l->text.n - before;
		last->x1 = word.x1;
		return;
	}
	word.text.n = l->text.n;
	add_unescaped(&l->text, escaped);
	word.text.n = l->text.n - word.text.n;
	l->p = arena_room(l->a, l->p, l->n, sizeof(*l->p));
	l->p[l->n++] = word;
	l->pages[l->npages - 1].to = l->n;
}

static void
begin_page(struct layout *l, double height)
{
	l->pages = arena_room(l->a, l->pages, l->npages, sizeof(*l->pages));
	l->pages[l->npages++] = (struct page){ height, l->n, l->n };
}

static void
read_words(struct layout *l, struct str in)
{
	struct str line;

	while (str_line(&in, &line)) {
		const char *tag, *text, *end;

		line = str_trim(line);
		if (str_starts(line, STR("<page ")))
			begin_page(l, read_attribute(line, "height=\""));
		tag = memmem(line.p, line.n, "\">", 2);
		if (!str_starts(line, STR("<word ")) || tag == NULL || l->npages == 0)
			continue;
		text = tag + 2;
		end = memmem(text, (size_t)(line.p + line.n - text), "</word>", 7);
		if (end == NULL || end == text)
			continue;
		line.n = (size_t)(tag + 1 - line.p);
		add_word(l,
		    (struct piece){ .x0 = read_attribute(line, "xMin=\""),
			.y0 = read_attribute(line, "yMin=\""),
			.x1 = read_attribute(line, "xMax=\""),
			.y1 = read_attribute(line, "yMax=\""),
			.words = 1 },
		    (struct str){ text, (size_t)(end - text) });
	}
	for (size_t i = 0, at = 0; i < l->n; i++) {
		l->p[i].text.p = l->text.p + at;
		at += l->p[i].text.n;
	}
}

static int
compare_numbers(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Measures the pitch at the lines of prose: the median of their distances. */
static void
measure_pitch(struct layout *l)
{
	double *steps = ARENA_ARRAY(l->a, l->n + 1, double);
	size_t n = 0;

	for (size_t i = 1; i < l->n; i++) {
		const struct piece *p = &l->p[i - 1], *q = &l->p[i];
		double step = (q->y0 - p->y0) / height_of(p);

		if (p->words >= PROSE && fabs(p->x0 - q->x0) < same_line * height_of(p) &&
		    step > same_line && step < 2)
			steps[n++] = step;
	}
	if (n > 1)
		qsort(steps, n, sizeof(*steps), compare_numbers);
	l->pitch = n == 0 ? line_pitch : 1.1 * steps[n / 2];
}

/* ---- running heads ---- */

static bool
is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_digit(s.p[i]))
			return false;
	return s.n > 0;
}

/* The text without the numbers of pages. */
static struct str
running_key(struct arena *a, struct str text)
{
	struct buf b = { .a = a };
	struct str word;

	text = str_cut_bytes(text, LONGEST_KEY);
	while (str_word(&text, " ", &word))
		if (!is_number(word)) {
			buf_str(&b, word);
			buf_char(&b, ' ');
		}
	return buf_done(&b);
}

static bool
at_edge_of_page(const struct page *page, const struct piece *p, double share)
{
	return p->y1 < share * page->height || p->y0 > (1 - share) * page->height;
}

/* A page of slides may have values in its margin, which their author has made no link. */
static bool
is_defanged(struct str s)
{
	return memmem(s.p, s.n, "[.", 2) != NULL || memmem(s.p, s.n, ".]", 2) != NULL ||
	       memmem(s.p, s.n, "xxp", 3) != NULL;
}

struct edge_line {
	struct str key;
	struct piece *piece;
};

static int
compare_edge_lines(const void *x, const void *y)
{
	return str_cmp(((const struct edge_line *)x)->key, ((const struct edge_line *)y)->key);
}

/* Leaves out lines in the margin, those that two pages have at their upper or lower edge, and
   numbers there. */
static void
drop_running(struct layout *l)
{
	struct edge_line *e = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->npages; i++)
		for (size_t k = l->pages[i].from; k < l->pages[i].to; k++) {
			if (!at_edge_of_page(&l->pages[i], &l->p[k], edge_of_page))
				continue;
			l->p[k].gone = at_edge_of_page(&l->pages[i], &l->p[k], margin) &&
				       !is_defanged(l->p[k].text);
			e = arena_room(l->a, e, n, sizeof(*e));
			e[n++] = (struct edge_line){ running_key(l->a, l->p[k].text), &l->p[k] };
		}
	if (n > 1)
		qsort(e, n, sizeof(*e), compare_edge_lines);
	for (size_t i = 0; i < n; i++)
		e[i].piece->gone = e[i].piece->gone || e[i].key.n == 0 ||
				   (i > 0 && str_eq(e[i].key, e[i - 1].key)) ||
				   (i + 1 < n && str_eq(e[i].key, e[i + 1].key));
}

/* ---- broken values ---- */

static bool
is_hexadecimal(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ascii_hex(s.p[i]) < 0)
			return false;
	return s.n > 0;
}

static bool
has_any_of(struct str s, const char *const *parts)
{
	for (; *parts != NULL; parts++)
		if (memmem(s.p, s.n, *parts, strlen(*parts)) != NULL)
			return true;
	return false;
}

static bool
begins_with_scheme(struct str s)
{
	static const char *const schemes[] = { "://", "[:]//", "[://]", ":\\\\", NULL };

	return has_any_of((struct str){ s.p, s.n < 12 ? s.n : 12 }, schemes);
}

/* A part of a value, or a value: a hash, a URL, an address of mail, a name with a dot. */
static bool
is_valuelike(struct str s)
{
	static const char *const parts[] = { "[.", "(.", "[dot", "(dot", "@", "[at", "(at", NULL };

	return (s.n >= 16 && is_hexadecimal(s)) || begins_with_scheme(s) || has_any_of(s, parts) ||
	       (s.n > 3 && memchr(s.p + 1, '.', s.n - 2) != NULL);
}

static bool
ends_open(struct str s)
{
	return strchr("-/[(.@_=&?%:", s.p[s.n - 1]) != NULL || str_ends(s, STR("[.]"));
}

/* The name without the spelling of its dots and its "@". */
static struct str
plain_name(struct arena *a, struct str s)
{
	struct buf b = { .a = a };

	for (size_t i = 0; i < s.n; i++)
		if (i > 0 && i + 3 < s.n && strchr("[({", s.p[i - 1]) != NULL &&
		    str_is_nocase((struct str){ s.p + i, 2 }, "at")) {
			buf_char(&b, '@');
			i++;
		} else if (strchr("[](){}", s.p[i]) == NULL)
			buf_char(&b, s.p[i]);
	return arena_lower(a, buf_done(&b));
}

/* True for a hash of a usual length, a URL, and a name or an address that is whole. */
static bool
is_whole(struct arena *a, struct str s)
{
	struct ipnet net;
	const char *at, *dot;
	struct str top;

	if (is_hexadecimal(s))
		return s.n == 32 || s.n == 40 || s.n == 64 || s.n == 128;
	if (s.n == 0 || s.n > LONGEST_VALUE || ends_open(s))
		return false;
	if (begins_with_scheme(s))
		return true;
	s = plain_name(a, s);
	at = memrchr(s.p, '@', s.n);
	if (at != NULL)
		s = (struct str){ at + 1, s.n - (size_t)(at + 1 - s.p) };
	if (ipnet_parse(s, &net))
		return true;
	dot = memrchr(s.p, '.', s.n);
	if (dot == NULL || dot == s.p)
		return false;
	top = (struct str){ dot + 1, s.n - (size_t)(dot + 1 - s.p) };
	return top.n >= 2 && ascii_letter(top.p[0]) && host_delegated(a, top);
}

/* The right edge of the column in which the piece is: that of the longest cell that begins below or
   above it. */
static double
column_edge(const struct layout *l, const struct page *page, const struct piece *p)
{
	size_t at = (size_t)(p - l->p), from = at - page->from > COLUMN ? at - COLUMN : page->from;
	size_t to = page->to - at > COLUMN ? at + COLUMN : page->to;
	double edge = p->x1;

	for (size_t i = from; i < to; i++)
		if (l->p[i].words == 1 && l->p[i].x1 > edge &&
		    fabs(l->p[i].x0 - p->x0) < same_line * height_of(p) &&
		    fabs(height_of(&l->p[i]) - height_of(p)) < no_gap * height_of(p))
			edge = l->p[i].x1;
	return edge;
}

/* True when rest stands on the line below the value, which its column has broken. */
static bool
goes_on_below(const struct layout *l, const struct page *page, const struct piece *value,
    const struct piece *rest)
{
	double h = height_of(value), step = rest->y0 - value->y0;
	double width = rest->x1 - rest->x0, letter = width / (double)rest->text.n;
	double edge;

	if (rest->gone || rest->words != 1 || fabs(rest->x0 - value->x0) >= same_line * h ||
	    step < same_line * h || step > l->pitch * h ||
	    fabs(height_of(rest) - h) > same_line * h)
		return false;
	edge = column_edge(l, page, value);
	return value->x1 + (ends_open(value->text) ? width : 2 * letter) > edge;
}

/* Whether rest makes the value longer. To a whole value only another whole value is a better one:
   1[.]2[.]3[.]4 and 5, but not evil[.]com and a word below it. */
static bool
is_rest_of(struct arena *a, struct str value, struct str rest)
{
	struct buf both = { .a = a };
	bool whole = is_whole(a, value);

	if (!is_valuelike(value) || begins_with_scheme(rest) || is_bullet(rest) ||
	    value.n + rest.n > LONGEST_VALUE || (is_hexadecimal(value) && !is_hexadecimal(rest)))
		return false;
	if (!whole)
		return true;
	buf_str(&both, value);
	buf_str(&both, rest);
	return !is_whole(a, rest) && is_whole(a, buf_done(&both));
}

/* Joins the lines of one value. */
static void
join_value(struct layout *l, const struct page *page, size_t at)
{
	struct piece *value = &l->p[at];
	size_t end = at + 1 + LOOK_AHEAD < page->to ? at + 1 + LOOK_AHEAD : page->to;
	struct buf b = { .a = l->a };

	for (size_t i = at + 1; i < end; i++) {
		struct piece *rest = &l->p[i];

		arena_reset(l->scratch);
		if (!goes_on_below(l, page, value, rest) ||
		    !is_rest_of(l->scratch, value->text, rest->text))
			continue;
		buf_clear(&b);
		buf_str(&b, value->text);
		buf_str(&b, rest->text);
		value->text = arena_str(l->a, buf_done(&b));
		value->x1 = rest->x1;
		value->y0 = rest->y0;
		value->y1 = rest->y1;
		rest->gone = true;
		end = i + 1 + LOOK_AHEAD < page->to ? i + 1 + LOOK_AHEAD : page->to;
	}
}

/* ---- writing ---- */

static void
write_piece(struct buf *b, const struct piece *last, const struct piece *p)
{
	double h = last == NULL ? 1 : height_of(last);

	if (last == NULL)
		;
	else if (on_one_line(last, p) && p->x0 > last->x1 - same_line * h)
		buf_z(b, is_bullet(last->text) ? " " : "  ");
	else if (p->y0 - last->y1 > paragraph_gap * h || p->y0 < last->y0 - h ||
		 fabs(height_of(p) - h) > 0.15 * h)
		buf_z(b, "\n\n");
	else
		buf_char(b, '\n');
	buf_str(b, p->text);
}

struct str
pdf_text(struct arena *a, struct str words)
{
	struct layout l = { .a = a, .scratch = arena_new(SCRATCH), .text = { .a = a } };
	struct buf b = { .a = a };

	read_words(&l, words);
	measure_pitch(&l);
	drop_running(&l);
	for (size_t i = 0; i < l.npages; i++) {
		const struct piece *last = NULL;

		if (i > 0)
			buf_z(&b, "\n\n");
		for (size_t k = l.pages[i].from; k < l.pages[i].to; k++)
			if (!l.p[k].gone && l.p[k].words == 1)
				join_value(&l, &l.pages[i], k);
		for (size_t k = l.pages[i].from; k < l.pages[i].to; k++)
			if (!l.p[k].gone) {
				write_piece(&b, last, &l.p[k]);
				last = &l.p[k];
			}
	}
	arena_free(l.scratch);
	buf_char(&b, '\n');
	return buf_done(&b);
}
