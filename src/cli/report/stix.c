/* SPDX-License-Identifier: ISC */
/* Bundles of STIX 2.0 and 2.1. Each report and each grouping becomes a report with the objects that
   it refers to. The objects of a bundle without either, as tools for phones and MISP make them, and
   those to which no report refers, become one report that is named by its file: the id of a bundle
   is another one each time that it is written. */
#include "config.h"

#include "base/limits.h"
#include "cli/report/stix_priv.h"
#include "json/json.h"

enum { TITLE = 500, SUMMARY = 4000, PUBLISHER = 200, LANGUAGE = 35 };

static bool
is_report(const struct json_value *object)
{
	struct str type = stix_text(object, "type");

	return str_is(type, "report") || str_is(type, "grouping");
}

/* The name of the identity that made the object. */
static void
set_publisher(const struct stix_bundle *s, struct report_builder *b, const struct json_value *o)
{
	struct str id = stix_text(o, "created_by_ref");
	struct stix_entry *e = id.p == NULL ? NULL : bundle_find(s, id);

	if (e != NULL)
		builder_text(&b->d.publisher, stix_text(e->object, "name"), PUBLISHER);
	else if (id.p != NULL)
		report_note(s->r, NOTE_DANGLING, id);
}

static void
set_head(const struct stix_bundle *s, struct report_builder *b, const struct json_value *o)
{
	static const char *const tags[] = { "labels", "report_types" };
	const struct json_value *refs = json_get(o, "external_references");

	b->d.source_ref = stix_text(o, "id");
	b->d.title = s->r->file;
	builder_text(&b->d.title, stix_text(o, "name"), TITLE);
	builder_text(&b->d.summary, stix_text(o, "description"), SUMMARY);
	builder_text(&b->d.language, stix_text(o, "lang"), LANGUAGE);
	for (size_t i = 0; refs != NULL && i < json_length(refs); i++)
		if (json_type(json_at(refs, i)) == JSON_OBJECT)
			builder_url(b, stix_text(json_at(refs, i), "url"));
	b->d.published_at = stix_time(o, "published");
	if (ts_is_null(b->d.published_at))
		b->d.published_at = stix_time(o, "created");
	for (size_t i = 0; i < COUNT(tags); i++) {
		struct strs texts = stix_texts(s->r->a, o, tags[i]);

		for (size_t j = 0; j < texts.n; j++)
			builder_tag(b, texts.p[j]);
	}
	b->d.withdrawn = stix_is_revoked(o);
	set_publisher(s, b, o);
	bundle_markings(s, b, o);
}

static void
read_report(struct stix_bundle *s, struct stix_entry *e)
{
	struct strs refs = stix_texts(s->r->a, e->object, "object_refs");
	struct report_builder b;

	s->report = e->object;
	e->used_by = e->object;
	builder_begin(&b, s->r, "stix");
	set_head(s, &b, e->object);
	for (size_t i = 0; i < refs.n; i++) {
		struct stix_entry *part = bundle_find(s, refs.p[i]);

		if (part == NULL)
			report_note(s->r, NOTE_DANGLING, refs.p[i]);
		else if (part->used_by != e->object)
			stix_object(s, &b, part);
	}
	builder_end(&b);
}

static void
read_bundle(struct stix_bundle *s, const struct json_value *bundle)
{
	struct report_builder b;
	struct ts newest = TS_NULL;

	s->report = bundle;
	builder_begin(&b, s->r, "stix");
	b.d.title = s->r->file;
	b.d.source_ref = s->r->ref.p != NULL ? s->r->ref : s->r->file;
	for (size_t i = 0; i < s->n; i++) {
		/* the other objects of the bundle are as confidential as its report */
		if (is_report(s->p[i].object))
			bundle_markings(s, &b, s->p[i].object);
		if (ts_cmp(s->p[i].modified, newest) > 0)
			newest = s->p[i].modified;
		if (s->p[i].used_by == NULL)
			stix_object(s, &b, &s->p[i]);
	}
	b.d.published_at = newest;
	builder_end(&b);
}

/* Notes objects that could have given an indicator, had a report referred to them. False: there are
   none. */
static bool
note_unreferenced(const struct stix_bundle *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		struct str type = stix_text(s->p[i].object, "type");

		if (s->p[i].used_by == NULL && !stix_is_revoked(s->p[i].object) &&
		    (str_is(type, "indicator") || str_is(type, "observed-data") ||
			stix_is_observable(type))) {
			report_note(s->r, NOTE_UNREFERENCED, s->p[i].id);
			any = true;
		}
	}
	return any;
}

void
report_read_stix(struct report_reading *r)
{
	struct json_value *bundle = report_json(r);
	struct stix_bundle s = { .r = r };
	struct json_value *objects;
	size_t reports = 0;

	if (bundle == NULL)
		return;
	objects = json_type(bundle) == JSON_OBJECT ? json_get(bundle, "objects") : NULL;
	if (objects == NULL && json_type(bundle) == JSON_OBJECT &&
	    str_is(stix_text(bundle, "type"), "bundle"))
		return; /* an empty bundle has no objects (STIX 2.1, 8) */
	if (objects == NULL || json_type(objects) != JSON_ARRAY) {
		r->fault = STR("is no bundle of STIX: it has no list \"objects\"");
		return;
	}
	bundle_index(&s, objects);
	for (size_t i = 0; i < s.n; i++)
		if (is_report(s.p[i].object)) {
			read_report(&s, &s.p[i]);
			reports++;
		}

	/* the object that is no JSON may be the report of the rest, with the marking of all of it */
	if (r->counts[NOTE_BROKEN] > 0) {
		if (reports == 0)
			r->fault =
			    STR("has an object that is no JSON, and no report: the object may be "
				"the report");
		(void)note_unreferenced(&s);
		return;
	}
	if (reports == 0 || note_unreferenced(&s))
		read_bundle(&s, bundle);
}
