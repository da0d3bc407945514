/* SPDX-License-Identifier: ISC */
/* JSON with elements that are none. A bundle of STIX or an event of MISP is one document, and a
   parser ends at the first fault; but each of its objects stands for itself. So an element that
   contains a fault is cut out and noted, and the text is parsed again:

     {"type":"bundle","objects":[{"id":"a"},{"id":"b",},{"id":"c"}]}
                                            ^ the fault is in this element of "objects"
     {"type":"bundle","objects":[{"id":"a"},{"id":"c"}]}

   Only elements of the lists in `parts` are cut: a smaller part, such as a tag, may be the marking
   by which its object is kept back. Up to the fault the text is valid, so the brackets before it can
   be counted; behind it, the element ends where json_values.h finds its end. */
#include "config.h"

#include "cli/import/json_values.h"
#include "cli/import/source.h"
#include "cli/report/reading.h"

enum { LEVELS = 64, CUTS = 1000 };

static const char *const parts[] = { "objects", "Attribute", "Object", "response" };

struct level {
	bool list;       /* of parts */
	size_t begin, n; /* the present element and its number from 1 */
};

struct place {
	struct level levels[LEVELS];
	size_t depth;
	struct str name; /* the last member */
};

static bool
is_part(struct str name)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		if (str_is(name, parts[i]))
			return true;
	return false;
}

/* Skips the string at s.p[i], and returns the place of its closing quote, or s.n. */
static size_t
end_of_string(struct str s, size_t i)
{
	for (i++; i < s.n && s.p[i] != '"'; i++)
		i += s.p[i] == '\\';
	return i < s.n ? i : s.n;
}

/* Follows the brackets up to the fault. False: they are nested too deep. */
static bool
follow_brackets(struct place *at, struct str s)
{
	bool list;

	for (size_t i = 0; i < s.n; i++) {
		struct level *l = at->depth == 0 ? NULL : &at->levels[at->depth - 1];
		size_t end;

		switch (s.p[i]) {
		case '"':
			end = end_of_string(s, i);
			at->name = (struct str){ s.p + i + 1, end > i ? end - i - 1 : 0 };
			i = end;
			break;
		case '[':
		case '{':
			if (at->depth == LEVELS)
				return false;
			list = s.p[i] == '[' && (at->depth == 0 || is_part(at->name));
			at->levels[at->depth++] = (struct level){ list, i + 1, 1 };
			break;
		case ']':
		case '}':
			at->depth -= at->depth > 0;
			at->name = STR_NULL;
			break;
		case ',':
			if (l != NULL) {
				l->begin = i + 1;
				l->n++;
			}
			at->name = STR_NULL;
			break;
		}
	}
	return true;
}

/* The end of the element at the beginning of s. */
static size_t
end_of_element(struct str s)
{
	struct source none = { .end = true };
	struct json_values v;
	struct str out;
	size_t left;

	json_values_open(&v, &none, NULL);
	v.rest = s;
	v.array = true;
	(void)json_values_next(&v, &out);
	left = v.rest.n;
	json_values_close(&v);
	return s.n - left;
}

static struct str
pass_blanks(struct str s)
{
	while (s.n > 0 && ascii_space(s.p[0]))
		s = (struct str){ s.p + 1, s.n - 1 };
	return s;
}

/* Returns the text without the element at l->begin. A comma that stands for no element is cut
   alone. STR_NULL: the element does not end, since the file was cut off. */
static struct str
without_element(struct report_reading *r, struct str text, const struct level *l)
{
	struct str rest = pass_blanks((struct str){ text.p + l->begin, text.n - l->begin });
	bool empty = rest.n > 0 && (rest.p[0] == ',' || rest.p[0] == ']');
	size_t used = empty ? 0 : end_of_element(rest);
	struct buf b = { .a = r->a };

	rest = pass_blanks((struct str){ rest.p + used, rest.n - used });
	if (rest.n == 0)
		return STR_NULL;
	if (!empty)
		report_note(r, NOTE_BROKEN,
		    arena_printf(r->a, "element %zu at byte %zu", l->n, l->begin + 1));
	buf_add(&b, text.p, l->begin);
	if (rest.p[0] == ',')
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	else if (rest.p[0] == ']' && b.p[b.n - 1] == ',')
		b.n--;
	buf_str(&b, rest);
	return buf_done(&b);
}

/* Cuts the element with the fault out of the text. False: it is in no such element. */
static bool
cut_broken_element(struct report_reading *r, struct str *text, size_t fault)
{
	struct place at = { .depth = 0 };

	if (fault > text->n || !follow_brackets(&at, (struct str){ text->p, fault }))
		return false;
	while (at.depth > 0 && !at.levels[at.depth - 1].list)
		at.depth--;
	if (at.depth == 0)
		return false;
	*text = without_element(r, *text, &at.levels[at.depth - 1]);
	return text->p != NULL;
}

struct json_value *
report_json(struct report_reading *r)
{
	struct str text = r->text;
	struct json_fault fault = { 0 };
	struct json_value *root = json_parse_with_fault(r->a, text, &fault);
	struct json_fault first = fault;

	for (int i = 0; root == NULL && i < CUTS && cut_broken_element(r, &text, fault.at); i++)
		root = json_parse_with_fault(r->a, text, &fault);
	if (root == NULL)
		r->fault = arena_printf(r->a, "is no JSON: byte %zu: %s", first.at, first.what);
	return root;
}
