/* SPDX-License-Identifier: ISC */
/* The reader of STIX patterns: one pass over the text. Brackets are counted instead of nested
   calls, so a hostile pattern costs no stack. */
#include "config.h"

#include "cli/report/pattern.h"

struct reader {
	struct arena *a;
	struct str s; /* unread */
	struct stix_pattern out;
	unsigned observation;
	bool alternatives; /* the observation has an OR */
};

static void
skip_bytes(struct reader *r, size_t n)
{
	r->s.p += n;
	r->s.n -= n;
}

static char
next_pattern_char(struct reader *r)
{
	while (r->s.n > 0 && ascii_space(r->s.p[0]))
		skip_bytes(r, 1);
	return r->s.n > 0 ? r->s.p[0] : '\0';
}

static bool
take_char(struct reader *r, char c)
{
	if (next_pattern_char(r) != c || r->s.n == 0)
		return false;
	skip_bytes(r, 1);
	return true;
}

/* A word of letters in any case, such as AND. */
static bool
take_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	next_pattern_char(r);
	if (r->s.n < n || !str_is_nocase((struct str){ r->s.p, n }, word) ||
	    (r->s.n > n && (ascii_alnum(r->s.p[n]) || r->s.p[n] == '_' || r->s.p[n] == ':' ||
			       r->s.p[n] == '-')))
		return false;
	skip_bytes(r, n);
	return true;
}

static bool
fail_pattern(struct reader *r, const char *fault)
{
	if (r->out.fault == NULL)
		r->out.fault = fault;
	return false;
}

/* ---- values ---- */

/* A text in single quotes, in which "\" protects a quote and itself. */
static bool
take_pattern_text(struct reader *r, struct str *out)
{
	size_t end = 1, n = 0;
	char *text;

	while (end < r->s.n && r->s.p[end] != '\'')
		end += r->s.p[end] == '\\' ? 2 : 1;
	if (end >= r->s.n)
		return fail_pattern(r, "a text does not end");
	text = arena_alloc(r->a, end);
	for (size_t i = 1; i < end; i++) {
		i += r->s.p[i] == '\\';
		text[n++] = r->s.p[i];
	}
	*out = (struct str){ text, n };
	skip_bytes(r, end + 1);
	return true;
}

/* true, false, or a number such as -1.5; another word without quotes is no value of STIX. */
static bool
is_bare_value(struct str s)
{
	size_t digits = 0;

	if (str_is_nocase(s, "true") || str_is_nocase(s, "false"))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_digit(s.p[i]) && s.p[i] != '.' &&
		    !(i == 0 && (s.p[i] == '-' || s.p[i] == '+')))
			return false;
		digits += ascii_digit(s.p[i]);
	}
	return digits > 0;
}

/* A text, a number, a boolean, or a constant with a prefix such as t'2026-01-01T00:00:00Z'. */
static bool
take_value(struct reader *r, struct str *out)
{
	size_t n = 0;

	if (next_pattern_char(r) == '\'')
		return take_pattern_text(r, out);
	if (r->s.n > 1 && ascii_letter(r->s.p[0]) && r->s.p[1] == '\'') {
		skip_bytes(r, 1);
		return take_pattern_text(r, out);
	}
	while (n < r->s.n && (ascii_alnum(r->s.p[n]) || strchr("+-.", r->s.p[n]) != NULL) &&
	       r->s.p[n] != '\0')
		n++;
	*out = (struct str){ r->s.p, n };
	if (n > 0 && !is_bare_value(*out))
		return fail_pattern(r, "a text has no quotes");
	skip_bytes(r, n);
	return n > 0 || fail_pattern(r, "a value is missing");
}

/* ---- comparisons ---- */

/* A path ends before a blank or an operator; quotes and brackets protect both. */
static size_t
path_length(struct str s)
{
	char quote = '\0';
	size_t n = 0;

	for (; n < s.n; n++) {
		char c = s.p[n];

		if (quote != '\0') {
			quote = c == quote ? '\0' : quote;
			continue;
		}
		if (c == '\'' || c == '"')
			quote = c;
		else if (c == '[' && n > 0)
			quote = ']';
		else if (!ascii_alnum(c) && memchr("_-.:*", c, 5) == NULL)
			break;
	}
	return quote == '\0' ? n : 0;
}

static bool
take_path(struct reader *r, struct stix_comparison *c)
{
	struct str path;
	const char *colon;

	next_pattern_char(r);
	path = (struct str){ r->s.p, path_length(r->s) };
	colon = path.n > 0 ? memchr(path.p, ':', path.n) : NULL;
	if (colon == NULL || colon == path.p || colon == path.p + path.n - 1)
		return fail_pattern(r, "a path such as file:hashes.MD5 is missing");
	c->object = (struct str){ path.p, (size_t)(colon - path.p) };
	c->path = (struct str){ colon + 1, path.n - c->object.n - 1 };
	skip_bytes(r, path.n);
	return true;
}

static void
add_comparison(struct reader *r, struct stix_comparison c)
{
	r->out.p = arena_room(r->a, r->out.p, r->out.n, sizeof(*r->out.p));
	r->out.p[r->out.n++] = c;
}

static bool
take_list(struct reader *r, struct stix_comparison c)
{
	if (!take_char(r, '('))
		return fail_pattern(r, "IN has no list");
	do {
		if (!take_value(r, &c.value))
			return false;
		add_comparison(r, c);
	} while (take_char(r, ','));
	r->alternatives = true;
	return take_char(r, ')') || fail_pattern(r, "a list does not end");
}

/* True when the operator names the value; *in: a list follows. */
static bool
take_operator(struct reader *r, bool *names, bool *in)
{
	static const char *const words[] = { "LIKE", "MATCHES", "ISSUPERSET" };
	static const char *const signs[] = { "!=", "<>", "<=", ">=", "<", ">" };

	*in = *names = false;
	if (take_word(r, "IN"))
		return *in = *names = true;
	if (take_word(r, "ISSUBSET"))
		return *names = true;
	if (take_char(r, '=')) {
		take_char(r, '='); /* some tools write == for = */
		return *names = true;
	}
	for (size_t i = 0; i < COUNT(words); i++)
		if (take_word(r, words[i]))
			return true;
	for (size_t i = 0; i < COUNT(signs); i++)
		if (str_starts(r->s, str_of(signs[i]))) {
			skip_bytes(r, strlen(signs[i]));
			return true;
		}
	return fail_pattern(r, "an operator is missing");
}

static bool
take_comparison(struct reader *r)
{
	struct stix_comparison c = { .observation = r->observation };
	bool negated = take_word(r, "NOT"), in;

	if (take_word(r, "EXISTS")) {
		if (take_path(r, &c))
			add_comparison(r, c);
		return r->out.fault == NULL;
	}
	if (!take_path(r, &c))
		return false;
	negated = take_word(r, "NOT") != negated;
	if (!take_operator(r, &c.names, &in))
		return false;
	c.names = c.names && !negated;
	if (in)
		return take_list(r, c);
	if (!take_value(r, &c.value))
		return false;
	add_comparison(r, c);
	return true;
}

/* Behind "[", up to "]". */
static bool
take_observation(struct reader *r)
{
	size_t first = r->out.n, depth = 0;

	r->observation++;
	r->alternatives = false;
	for (;;) {
		while (take_char(r, '('))
			depth++;
		if (!take_comparison(r))
			return false;
		while (depth > 0 && take_char(r, ')'))
			depth--;
		if (take_char(r, ']'))
			break;
		if (take_word(r, "OR"))
			r->alternatives = true;
		else if (!take_word(r, "AND"))
			return fail_pattern(r, "AND, OR or ] is missing");
	}
	for (size_t i = first; i < r->out.n && r->alternatives; i++)
		r->out.p[i].observation = 0;
	return depth == 0 || fail_pattern(r, "a bracket does not end");
}

/* ---- observations ---- */

/* Qualifiers bound when and how often something is seen, and no value is among them. */
static bool
take_qualifiers(struct reader *r)
{
	struct str ignored;

	for (;;) {
		const char *behind = NULL;

		if (take_word(r, "WITHIN"))
			behind = "SECONDS";
		else if (take_word(r, "REPEATS"))
			behind = "TIMES";
		else if (take_word(r, "START"))
			behind = "STOP";
		else
			return true;
		if (!take_value(r, &ignored) || !take_word(r, behind))
			return fail_pattern(r, "a qualifier does not end");
		if (strcmp(behind, "STOP") == 0 && !take_value(r, &ignored))
			return false;
	}
}

struct stix_pattern
stix_pattern_read(struct arena *a, struct str text)
{
	struct reader r = { .a = a, .s = text };
	size_t depth = 0;

	for (;;) {
		while (take_char(&r, '('))
			depth++;
		if (!take_char(&r, '[')) {
			fail_pattern(&r, "an observation in [ ] is missing");
			break;
		}
		if (!take_observation(&r) || !take_qualifiers(&r))
			break;
		while (depth > 0 && take_char(&r, ')'))
			if (depth--, !take_qualifiers(&r))
				break;
		next_pattern_char(&r);
		if (r.s.n == 0 && depth > 0)
			fail_pattern(&r, "a bracket does not end");
		if (r.s.n == 0)
			break;
		if (!take_word(&r, "AND") && !take_word(&r, "OR") && !take_word(&r, "FOLLOWEDBY")) {
			fail_pattern(&r, "AND, OR or FOLLOWEDBY is missing");
			break;
		}
	}
	return r.out;
}
