/* SPDX-License-Identifier: ISC */
/* Warns about values that no document can have, such as country:Germany. The query is valid but
   finds nothing, and its author should know why (C-418). */
#include "config.h"

#include "search/query_priv.h"

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

static void PRINTF(3, 4) add_warning(struct parser *p, size_t offset, const char *fmt, ...)
{
	struct query_warning *w = &p->out->warnings[p->out->nwarnings++];
	struct buf b = { .a = p->a };
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_z(&b, text);
	w->at = (uint32_t)str_chars((struct str){ p->text.p, offset }) + 1;
	w->message = buf_done(&b);
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
warn_port(struct parser *p, const struct schema_field *f, const struct word *w)
{
	int64_t port;

	if (str_int64(w->s, &port) && (port < 1 || port > UINT16_MAX))
		add_warning(p, w->at, "%s has numbers from 1 to %d and never \"%s\"", f->name,
		    UINT16_MAX, query_show(p, w->s));
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

void
query_warn(struct parser *p, const struct schema_field *f, const struct word *w, bool exact)
{
	const char *fault;

	/* A guess compares the value with every country, so the limit of warnings bounds the
	   work. */
	if (w->s.n == 0 || p->out->nwarnings == QUERY_WARNINGS)
		return;
	if (schema_is_country(f))
		warn_country(p, f, w, exact);
	for (size_t i = 0; i < COUNT(vocabularies); i++)
		if (strcmp(f->of != NULL ? f->of->name : f->name, vocabularies[i].field) == 0 &&
		    !in_vocabulary(vocabularies[i].values, w->s, exact))
			add_warning(p, w->at, "%s is one of %s and never \"%s\"", f->name,
			    vocabularies[i].values, query_show(p, w->s));
	if (schema_is_port(f))
		warn_port(p, f, w);
	warn_dot(p, f, w);
	(void)value_canonical(p, f, w->s, &fault);
	if (fault != NULL)
		add_warning(
		    p, w->at, "%s never has \"%s\", which %s", f->name, query_show(p, w->s), fault);
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
