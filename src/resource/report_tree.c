/* SPDX-License-Identifier: ISC */
/* From the document of an importer to the record that searches find, and from the record of a
   native import back to a document. */
#include "config.h"

#include "resource/report_priv.h"
#include "base/limits.h"

/* The members of a report that are texts or lists of texts, in both forms. */
static const struct {
	const char *name;
	size_t at;
} texts[] = {
#define TEXT_OF(name) { #name, offsetof(struct report_document, name) },
	TEXT_OF(title) TEXT_OF(summary) TEXT_OF(publisher) TEXT_OF(url) TEXT_OF(language)
	    TEXT_OF(tlp) TEXT_OF(source_kind)
}, lists[] = {
	TEXT_OF(threat_actors) TEXT_OF(malware_families) TEXT_OF(sectors) TEXT_OF(techniques)
	    TEXT_OF(cves) TEXT_OF(countries) TEXT_OF(tags)
#undef TEXT_OF
};

static void
set_times(struct arena *a, struct record_object *o, const struct indicator *in)
{
	if (!ts_is_null(in->first_seen_at))
		record_set_time(a, o, "first_seen", in->first_seen_at);
	if (!ts_is_null(in->last_seen_at))
		record_set_time(a, o, "last_seen", in->last_seen_at);
}

static void
add_indicators(struct arena *a, struct record *r, const struct report_document *doc)
{
	for (size_t i = 0; i < doc->n && i < LIM_REPORT_INDICATORS; i++) {
		const struct indicator *in = &doc->indicators[i];
		struct record_object *o;

		if (in->disposition == DISPOSITION_IGNORED)
			continue;
		o = record_nested(a, r);
		record_set_text(a, o, "type", in->type);
		record_set_text(a, o, "value", in->value);
		for (size_t k = 0; k < in->labels.n; k++)
			record_add(a, o, "labels", in->labels.p[k]);
		set_times(a, o, in);
	}
}

bool
report_tree(struct arena *a, const struct report_document *doc, const struct uuid *uuid,
    struct ts published, struct record *out, struct str *what)
{
	struct record r = record_new(a, DATASET_REPORTS);

	for (size_t i = 0; i < COUNT(texts); i++) {
		const struct str *s = (const void *)((const char *)doc + texts[i].at);

		if (s->p != NULL)
			record_set_text(a, r.root, texts[i].name, *s);
	}
	for (size_t i = 0; i < COUNT(lists); i++) {
		const struct strs *s = (const void *)((const char *)doc + lists[i].at);

		for (size_t k = 0; k < s->n; k++)
			record_add(a, r.root, lists[i].name, s->p[k]);
	}
	record_set_text(a, r.root, "uuid", arena_uuid(a, uuid));
	record_set_time(a, r.root, "published_at",
	    ts_is_null(doc->published_at) ? published : doc->published_at);
	if (doc->text.p != NULL)
		record_set_text(a, r.root, "body", str_cut_bytes(doc->text, LIM_REPORT_SEARCHED));
	add_indicators(a, &r, doc);
	*out = r;
	return record_finish(a, out, RECORD_LENIENT, what);
}

/* ---- a native report ---- */

static struct ts
time_of_report(const struct record_object *o, const char *name)
{
	int64_t us;

	return record_int(o, name, &us) ? (struct ts){ us } : TS_NULL;
}

static struct indicator
native_indicator(const struct record_object *o)
{
	struct indicator in = { .type = record_text(o, "type"),
		.value = record_text(o, "value"),
		.section = record_text(o, "section"),
		.context = record_text(o, "context"),
		.ignored_by = record_text(o, "ignored_by"),
		.first_seen_at = time_of_report(o, "first_seen"),
		.last_seen_at = time_of_report(o, "last_seen"),
		.valid_until = time_of_report(o, "valid_until") };
	struct str disposition = record_text(o, "disposition");
	int64_t n;

	in.confidence = record_int(o, "confidence", &n) ? (unsigned)n : 90;
	in.occurrences = record_int(o, "occurrences", &n) ? (unsigned)n : 1;
	in.defanged = record_int(o, "defanged", &n) && n != 0;
	in.disposition =
	    str_is(disposition, "ignored") ? DISPOSITION_IGNORED
	    : str_is(disposition, "mention") || (disposition.p == NULL && in.confidence < 60)
		? DISPOSITION_MENTION
		: DISPOSITION_INDICATOR;
	if (in.disposition != DISPOSITION_IGNORED)
		in.ignored_by = STR_NULL;
	in.labels.n = record_texts(o, "labels", &in.labels.p);
	return in;
}

struct report_document
report_document_native(struct arena *a, const struct record *r)
{
	struct record_object *const *objects;
	size_t n = record_nested_all(r, &objects);
	struct indicator *indicators = ARENA_ARRAY(a, n + 1, struct indicator);
	struct report_seen *seen = ARENA_NEW(a, struct report_seen);
	struct report_document doc = { .source_ref = record_text(r->root, "uuid"),
		.text = record_text(r->root, "body"),
		.published_at = time_of_report(r->root, "published_at"),
		.indicators = indicators,
		.n = n,
		.seen = seen };

	for (size_t i = 0; i < COUNT(texts); i++)
		*(struct str *)(void *)((char *)&doc + texts[i].at) =
		    record_text(r->root, texts[i].name);
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct strs *s = (void *)((char *)&doc + lists[i].at);

		s->n = record_texts(r->root, lists[i].name, &s->p);
	}
	for (size_t i = 0; i < n; i++)
		indicators[i] = native_indicator(objects[i]);
	doc.source_kind = STR("native");
	doc.withdrawn = str_is(record_text(r->root, "status"), "withdrawn");
	*seen = (struct report_seen){ time_of_report(r->root, "first_seen"),
		time_of_report(r->root, "last_seen") };
	return doc;
}
