/* SPDX-License-Identifier: ISC */
/* Warns about values that no document can have, such as country:Germany. The query is valid but
   finds nothing, and its author should know why (C-418). */
#include "config.h"

#include "search/query_warn_priv.h"
#include "record/lookup.h"
#include "search/text.h"

#include <ctype.h>
#include <stdarg.h>

static const struct {
	const char *code, *name;
} countries[] = {
#define COUNTRY(code, name) { code, name },
#include "tbl/countries.h"
#undef COUNTRY
};

static const struct {
	const char *field, *values;
} vocabularies[] = {
#define VOCABULARY(field, values) { field, values },
#include "tbl/vocabularies.h"
#undef VOCABULARY
};

static void
append_warning(struct parser *p, uint32_t at, struct str message)
{
	struct query_warning *w = p->out->warnings;
	size_t i = p->out->nwarnings;

	if (i == QUERY_WARNINGS)
		return;
	for (; i > 0 && w[i - 1].at > at; i--)
		w[i] = w[i - 1];
	w[i] = (struct query_warning){ at, message };
	p->out->nwarnings++;
}

void
query_warning(struct parser *p, uint32_t at, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	append_warning(p, at, arena_str(p->a, str_of(text)));
}

static void PRINTF(3, 4) add_warning(struct parser *p, size_t offset, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	append_warning(p, (uint32_t)str_chars((struct str){ p->text.p, offset }) + 1,
	    arena_str(p->a, str_of(text)));
}

static bool
is_country_code(struct str s)
{
	return s.n == 2 && isalpha((unsigned char)s.p[0]) && isalpha((unsigned char)s.p[1]);
}

/* The code of the country with this name or the most similar one; NULL when no name is similar. */
static const char *
nearest_country(struct str name)
{
	struct guess g;

	guess_begin(&g, name);
	for (size_t i = 0; i < COUNT(countries); i++) {
		char lower[GUESS_MAX];
		struct str known = str_of(countries[i].name);

		guess_try(&g, str_lower_ascii(lower, known), countries[i].code);
	}
	return g.found;
}

static void
warn_country(struct parser *p, const struct schema_field *f, const struct word *w, bool exact)
{
	const char *code;

	if (is_country_code(w->s)) {
		if (exact &&
		    (islower((unsigned char)w->s.p[0]) || islower((unsigned char)w->s.p[1])))
			add_warning(p, w->at,
			    "%s has upper-case codes and = compares the case; write "
			    "%s:%.2s",
			    f->name, f->name, w->s.p);
		return;
	}
	code = nearest_country(w->s);
	if (code != NULL)
		add_warning(p, w->at, "%s has two-letter codes and never \"%s\"; did you mean %s?",
		    f->name, query_show(p, w->s), code);
	else
		add_warning(p, w->at, "%s has two-letter codes of ISO 3166-1 and never \"%s\"",
		    f->name, query_show(p, w->s));
}

/* Whether s is one of the values, in any case unless exact. */
static bool
in_vocabulary(const char *values, struct str s, bool exact)
{
	for (const char *v = values; *v != '\0'; v += strspn(v, ", ")) {
		size_t n = strcspn(v, ",");

		if (n == s.n && (exact ? memcmp(v, s.p, n) : strncasecmp(v, s.p, n)) == 0)
			return true;
		v += n;
	}
	return false;
}

static void
warn_bounds(struct parser *p, const struct schema_field *f, const struct word *w)
{
	const struct schema_field *stored = f->of != NULL ? f->of : f;
	int64_t n;

	if (stored->most > 0 && str_int64(w->s, &n) && (n < stored->least || n > stored->most))
		add_warning(p, w->at, "%s has numbers from %jd to %jd and never \"%s\"", f->name,
		    (intmax_t)stored->least, (intmax_t)stored->most, query_show(p, w->s));
}

/* Other query languages write top-level domains with their dot. */
static void
warn_dot(struct parser *p, const struct schema_field *f, const struct word *w)
{
	struct str rest = { w->s.p + 1, w->s.n - 1 };

	if (strcmp(f->name, "tld") == 0 && w->s.p[0] == '.')
		add_warning(p, w->at, "%s has no dot and never \"%s\"; write %s:%s", f->name,
		    query_show(p, w->s), f->name, rest.n > 0 ? query_show(p, rest) : "com");
}

/* Whether the values of the field are texts that records have in a form of their own. */
static bool
has_form(const struct schema_field *f)
{
	return f->type == VALUE_KEYWORD && f->dataset < DATASETS_AND_CONDITIONS &&
	       schema_source(f->dataset) < DATASETS && f->store != STORE_VIRTUAL;
}

/* Warns of a value that no record has, because imports give all values another form: protocol=SSH,
   where records have ssh. */
static void
warn_form(struct parser *p, const struct schema_field *f, const struct word *w, bool exact)
{
	const struct schema_field *stored = f->of != NULL ? f->of : f;
	struct str s = w->s;
	const char *fault;

	if (!has_form(stored))
		return;
	fault = record_value_fault(p->a, stored->dataset, stored->name, &s);
	if (fault != NULL) {
		add_warning(
		    p, w->at, "%s never has \"%s\", which %s", f->name, query_show(p, w->s), fault);
		return;
	}
	if (f->canonical || str_eq(s, w->s) ||
	    (!exact && str_eq(text_fold(p->a, s), text_fold(p->a, w->s))))
		return;
	add_warning(p, w->at, "%s has \"%s\" in the form \"%s\"; write %s%s%s", f->name,
	    query_show(p, w->s), query_show(p, s), f->name, exact ? "=" : ":", query_show(p, s));
}

void
query_warn(struct parser *p, const struct schema_field *f, const struct word *w, bool exact)
{
	size_t before = p->out->nwarnings;

	/* A guess compares the value with every country, so the limit of warnings bounds the
	   work. */
	if (w->s.n == 0 || p->out->nwarnings == QUERY_WARNINGS)
		return;
	if (schema_is_country(f)) {
		warn_country(p, f, w, exact);
		return;
	}
	for (size_t i = 0; i < COUNT(vocabularies); i++)
		if (strcmp(f->of != NULL ? f->of->name : f->name, vocabularies[i].field) == 0 &&
		    !in_vocabulary(vocabularies[i].values, w->s, exact))
			add_warning(p, w->at, "%s is one of %s and never \"%s\"", f->name,
			    vocabularies[i].values, query_show(p, w->s));
	if (p->out->nwarnings == before)
		warn_bounds(p, f, w);
	warn_dot(p, f, w);
	if (p->out->nwarnings == before)
		warn_form(p, f, w, exact);
}

/* Typographic quotes, which word processors and other languages write in place of ". Here they are
   letters. An apostrophe within a word is none. */
static bool
is_typographic_quote(struct str s)
{
	static const char *const quotes[] = { "\u201c", "\u201d", "\u201e", "\u201f", "\u00ab",
		"\u00bb", "\u2018", "\u201a", "\u2039" };

	for (size_t i = 0; i < COUNT(quotes); i++)
		if (str_starts(s, str_of(quotes[i])))
			return true;
	return false;
}

void
query_warn_quotes(struct parser *p)
{
	bool quoted = false;

	for (size_t i = 0; i < p->text.n; i++) {
		char c = p->text.p[i];

		if (c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (unsigned char)c >= 0x80 &&
			 is_typographic_quote((struct str){ p->text.p + i, p->text.n - i })) {
			add_warning(
			    p, i, "typographic quotes are letters of a word here; quote with \"");
			return;
		}
	}
}

bool
query_is_port_name(struct parser *p, const struct schema_field *f, const struct word *w)
{
	/* Nobody sees warnings of an alert rule, so there it stays a fault. */
	if (p->dataset == DATASET_ASSET_SERVICES || !schema_is_port(f) || w->s.n == 0 ||
	    !isalpha((unsigned char)w->s.p[0]))
		return false;
	if (p->out->nwarnings < QUERY_WARNINGS)
		add_warning(p, w->at, "%s has numbers such as 443 and never \"%s\"", f->name,
		    query_show(p, w->s));
	return true;
}
