/* SPDX-License-Identifier: ISC */
/* One report of a structured source. A source may list a value many times: as an indicator, in an
   observation, in two spellings. builder_end sorts the values by type and text and unites equal
   ones, so that the report has each once, with the strongest disposition and the widest times. */
#include "config.h"

#include "cli/report/builder.h"

#include "base/limits.h"
#include "record/lookup.h"

enum {
	NAMES = 100,
	TECHNIQUES = 200,
	CVES = 500,
	COUNTRIES = 250,
	TAGS = 64,
	LABELS = 16,
	NAME_CHARS = 200,
	NAMES_WHY = 300,
};

/* From the widest to the strictest. */
static const struct {
	const char *name;
	bool strict;
} levels[] = {
#define TLP(spelling, name, strict, marking) { name, strict },
#include "tbl/tlps.h"
#undef TLP
};

void
builder_begin(struct report_builder *b, struct report_reading *r, const char *source_kind)
{
	*b = (struct report_builder){ .r = r,
		.d = { .source_kind = str_of(source_kind), .published_at = TS_NULL },
		.tlp = -1 };
}

void
builder_text(struct str *member, struct str text, size_t most)
{
	text = str_trim(text);
	if (text.n > 0 && memchr(text.p, '\0', text.n) == NULL)
		*member = str_trim(str_cut(text, most));
}

void
builder_url(struct report_builder *b, struct str url)
{
	if ((str_starts(url, STR("http://")) || str_starts(url, STR("https://"))) &&
	    url.n <= 2048 && b->d.url.p == NULL)
		b->d.url = url;
}

bool
builder_value(struct report_builder *b, const struct report_value *v)
{
	struct arena *a = b->r->a;
	struct str value = v->value, type = value_type(a, v->kind, &value);
	struct indicator *i;

	if (type.p == NULL) {
		report_note(b->r, NOTE_BAD_VALUE, v->of);
		return false;
	}
	b->indicators = arena_room(a, b->indicators, b->n, sizeof(*b->indicators));
	i = &b->indicators[b->n++];
	*i = (struct indicator){ .type = type,
		.value = value,
		.disposition = v->disposition,
		.confidence = v->confidence,
		.occurrences = 1,
		.first_seen_at = v->first_seen_at,
		.last_seen_at = v->last_seen_at,
		.valid_until = v->valid_until };
	for (size_t j = 0; j < v->labels.n; j++) {
		struct str label = STR_NULL;

		builder_text(&label, v->labels.p[j], NAME_CHARS);
		if (label.n > 0)
			arena_add_once(a, &i->labels, label, LABELS);
	}
	if (str_is(type, "cve"))
		arena_add_once(a, &b->d.cves, value, CVES);
	return true;
}

/* The list of the report in which a name of the kind appears. */
static struct strs *
builder_list_of(struct report_builder *b, const char *kind)
{
	if (strcmp(kind, "actor") == 0)
		return &b->d.threat_actors;
	if (strcmp(kind, "sector") == 0)
		return &b->d.sectors;
	if (strcmp(kind, "country") == 0)
		return &b->d.countries;
	return &b->d.malware_families;
}

void
builder_name(struct report_builder *b, const char *kind, struct str name)
{
	struct strs *list = builder_list_of(b, kind);
	size_t before = list->n;
	struct str text = STR_NULL;

	builder_text(&text, name, NAME_CHARS);
	if (list == &b->d.countries) {
		text = arena_upper(b->r->a, text);
		if (text.n != 2 || !ascii_letter(text.p[0]) || !ascii_letter(text.p[1]))
			return;
	}
	if (text.n == 0)
		return;
	arena_add_once(b->r->a, list, text, list == &b->d.countries ? COUNTRIES : NAMES);
	if (list->n == before || b->nnames == NAMES_WHY)
		return;
	b->names = arena_room(b->r->a, b->names, b->nnames, sizeof(*b->names));
	b->names[b->nnames++] = (struct indicator_name){
		.kind = str_of(kind), .name = text, .matched_as = text, .confidence = 90
	};
}

static void
add_formed(struct report_builder *b, const char *type, struct strs *list, struct str id)
{
	id = arena_upper(b->r->a, str_trim(id));
	if (record_indicator_fault(b->r->a, str_of(type), &id) == NULL)
		arena_add_once(b->r->a, list, id, list == &b->d.cves ? CVES : TECHNIQUES);
}

void
builder_technique(struct report_builder *b, struct str id)
{
	add_formed(b, "technique", &b->d.techniques, id);
}

void
builder_cve(struct report_builder *b, struct str id)
{
	add_formed(b, "cve", &b->d.cves, id);
}

/* A tag has letters, digits and a few signs; every other byte becomes "-". */
void
builder_tag(struct report_builder *b, struct str tag)
{
	char *p;

	tag = arena_lower(b->r->a, str_trim(tag));
	tag = arena_str(b->r->a, str_cut_bytes(tag, LIM_TAG_SLUG));
	p = (char *)(uintptr_t)tag.p;
	for (size_t i = 0; i < tag.n; i++)
		if (!ascii_alnum(p[i]) && strchr(":._/=+-", p[i]) == NULL)
			p[i] = '-';
	if (tag.n > 0)
		arena_add_once(b->r->a, &b->d.tags, tag, TAGS);
}

void
builder_tlp(struct report_builder *b, struct str level)
{
	struct str word = level;

	if (record_canonical(b->r->a, DATASET_REPORTS, "tlp", &word))
		for (int i = 0; i < (int)COUNT(levels); i++)
			if (str_is(word, levels[i].name)) {
				b->tlp = i > b->tlp ? i : b->tlp;
				return;
			}
	builder_unknown_marking(b, level);
}

void
builder_unknown_marking(struct report_builder *b, struct str name)
{
	report_note(b->r, NOTE_MARKING, name);
	b->unknown_marking = true;
}

/* ---- the end ---- */

static int
compare_indicators(const void *x, const void *y)
{
	const struct indicator *a = x, *b = y;
	int c = str_cmp(a->type, b->type);

	return c != 0 ? c : str_cmp(a->value, b->value);
}

static struct ts
earlier_indicator(struct ts x, struct ts y)
{
	if (ts_is_null(x) || ts_is_null(y))
		return ts_is_null(x) ? y : x;
	return ts_cmp(x, y) < 0 ? x : y;
}

static struct ts
later_indicator(struct ts x, struct ts y)
{
	return ts_cmp(x, y) > 0 ? x : y; /* TS_NULL is before all times */
}

static void
unite(struct arena *a, struct indicator *to, const struct indicator *from)
{
	if (from->disposition < to->disposition)
		to->disposition = from->disposition;
	if (from->confidence > to->confidence)
		to->confidence = from->confidence;
	to->occurrences += from->occurrences;
	to->first_seen_at = earlier_indicator(to->first_seen_at, from->first_seen_at);
	to->last_seen_at = later_indicator(to->last_seen_at, from->last_seen_at);
	to->valid_until = later_indicator(to->valid_until, from->valid_until);
	for (size_t i = 0; i < from->labels.n; i++)
		arena_add_once(a, &to->labels, from->labels.p[i], LABELS);
}

static void
unite_all(struct report_builder *b)
{
	size_t n = 0;

	if (b->n > 1)
		qsort(b->indicators, b->n, sizeof(*b->indicators), compare_indicators);
	for (size_t i = 0; i < b->n; i++) {
		if (n > 0 && compare_indicators(&b->indicators[n - 1], &b->indicators[i]) == 0)
			unite(b->r->a, &b->indicators[n - 1], &b->indicators[i]);
		else
			b->indicators[n++] = b->indicators[i];
	}
	b->d.truncated = n > LIM_REPORT_INDICATORS;
	b->d.n = b->d.truncated ? LIM_REPORT_INDICATORS : n;
	b->d.indicators = b->indicators;
}

void
builder_end(struct report_builder *b)
{
	const int red = (int)COUNT(levels) - 1;
	struct report_reading *r = b->r;

	if (b->unknown_marking && r->private)
		b->tlp = red;
	if (!r->private && (b->unknown_marking || (b->tlp >= 0 && levels[b->tlp].strict))) {
		report_note(r, NOTE_REFUSED, b->d.source_ref);
		return;
	}
	if (b->tlp >= 0)
		b->d.tlp = str_of(levels[b->tlp].name);
	unite_all(b);
	b->d.names = b->names;
	b->d.nnames = b->nnames;
	r->docs = arena_room(r->a, r->docs, r->n, sizeof(*r->docs));
	r->docs[r->n++] = b->d;
}
