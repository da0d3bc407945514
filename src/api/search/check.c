/* SPDX-License-Identifier: ISC */
/* Checks an engine's groups against the contract before they are sent: a wrong answer is a 502,
   never a wrong 200 (C-065). The index is a file that may be damaged, and an engine may be another
   program: neither is trusted. */
#include "config.h"

#include "api/api.h"

static size_t
text_length(const struct value *v)
{
	return str_utf8_bad(v->s) == v->s.n ? str_chars(v->s) : 0;
}

static bool
has_text(const struct value *v)
{
	return v->type == VALUE_KEYWORD || v->type == VALUE_TEXT || v->type == VALUE_DNS;
}

/* Accepts segments of a-z, 0-9 and inner hyphens, separated by slashes (C-053). */
static bool
is_category(struct str s)
{
	bool fresh = true;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool plain = (c >= 'a' && c <= 'z') || ascii_digit(c);

		if (c == '/' ? fresh : !plain && (c != '-' || fresh))
			return false;
		fresh = c == '/';
	}
	return s.n >= 1 && s.n <= 128 && !fresh;
}

static bool
is_classification(struct str s)
{
	return str_is(s, "informational") || str_is(s, "benign") || str_is(s, "suspicious") ||
	       str_is(s, "malicious");
}

static const char *
tag_fault(const struct bucket *b, bool allowed)
{
	const struct tag *t = b->tag;

	if (t == NULL)
		return NULL;
	if (!allowed)
		return "a tag outside tags and services.tags (C-052)";
	if (!str_eq(t->slug, b->value.s) || str_chars(t->slug) > LIM_TAG_SLUG)
		return "a tag's slug that is not the value (C-052)";
	if (str_chars(t->name) > LIM_TAG_NAME || !is_classification(t->classification))
		return "a tag's name or classification (C-053)";
	if (t->ncategories > LIM_TAG_CATEGORIES)
		return "too many categories (C-053)";
	for (size_t i = 0; i < t->ncategories; i++)
		if (!is_category(t->categories[i]))
			return "a category that is no path (C-053)";
	return NULL;
}

/* An engine answers every text as a keyword (engine.h). */
static enum value_type
type_in_answer(enum value_type type)
{
	return type == VALUE_TEXT || type == VALUE_DNS ? VALUE_KEYWORD : type;
}

static const char *
bucket_fault(const struct group *g, const struct bucket *b, bool tags)
{
	if (b->value.type != type_in_answer(g->field->type))
		return "a value of another type (C-043)";
	if (has_text(&b->value) &&
	    (text_length(&b->value) < 1 || text_length(&b->value) > LIM_BUCKET_VALUE))
		return "a value of a bad length (C-050)";
	if (b->count < 1 || b->count > (uint64_t)LIM_BUCKET_COUNT)
		return "a count out of range (C-047)";
	if (b->label.p != NULL && (b->label.n == 0 || str_utf8_bad(b->label) < b->label.n ||
				      str_chars(b->label) > LIM_BUCKET_LABEL))
		return "a label of a bad length (C-051)";
	return tag_fault(b, tags);
}

/* One group against the request and the contract. The buckets must be in the order of C-049: by
   count, the greatest first, then by value. Comparing neighbours is enough for an order, and it
   also finds a value that is repeated with the same count. The index gives the same order; the
   check costs a comparison for each bucket and makes a
      damaged file visible before a client has worked with its numbers. */
static const char *
group_fault(const struct agg *a, const struct group *g)
{
	bool tags =
	    strcmp(a->field->name, "tags") == 0 || strcmp(a->field->name, "services.tags") == 0;
	const char *fault;

	if (g->field != a->field)
		return "a group of another field (C-041)";
	if (g->nbuckets > a->limit)
		return "more buckets than were asked for";
	for (size_t i = 0; i < g->nbuckets; i++) {
		const struct bucket *b = &g->buckets[i];

		fault = bucket_fault(g, b, tags);
		if (fault != NULL)
			return fault;
		if (i > 0 &&
		    (b->count > b[-1].count ||
			(b->count == b[-1].count && value_cmp(&b[-1].value, &b->value) >= 0)))
			return "buckets out of order (C-049)";
	}
	return NULL;
}

const char *
check_groups(const struct agg *aggs, size_t naggs, const struct group *groups)
{
	for (size_t i = 0; i < naggs; i++) {
		const char *fault = group_fault(&aggs[i], &groups[i]);

		if (fault != NULL)
			return fault;
	}
	return NULL;
}
